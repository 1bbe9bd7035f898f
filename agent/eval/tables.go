package eval

import (
	"fmt"
	"strings"

	"git-agent/agent/stat"
)

// Tabler is a Task with its own tables, for results that the metrics of its sheet do not cover.
type Tabler interface {
	// Tables returns the tables about one algorithm, or none if they would be empty.
	Tables(res *Results, algorithm string) []Table
}

// Table is a task's own table about one algorithm.
type Table struct {
	Name    string     `json:"name"`
	Title   string     `json:"title"` // head of the first column
	Columns []Column   `json:"columns"`
	Rows    []TableRow `json:"rows"`
	Note    string     `json:"note,omitempty"` // an explanation for readers, in a sentence or two
}

// Column is a column of a Table.
type Column struct {
	Name     string `json:"name"`
	Title    string `json:"title"`
	Decimals int    `json:"-"` // digits after the point of a value without an interval
}

// TableRow has a value for each column.
type TableRow struct {
	Name   string          `json:"name"`
	Values []stat.Estimate `json:"values"`
}

// plain returns the table in the form of the text and the page.
func (t Table) plain() *table {
	head := []string{t.Title}
	for _, c := range t.Columns {
		head = append(head, c.Title)
	}
	out := newTable(head...)
	for _, row := range t.Rows {
		cells := []string{row.Name}
		for i, e := range row.Values {
			if e.Value != nil && e.Low == nil {
				cells = append(cells, fmt.Sprintf("%.*f", t.Columns[i].Decimals, *e.Value))
			} else {
				cells = append(cells, e.String())
			}
		}
		out.add(cells...)
	}
	return out
}

// text writes the table and its note.
func (t Table) text(b *strings.Builder) {
	b.WriteByte('\n')
	t.plain().write(b)
	if t.Note != "" {
		fmt.Fprintln(b, t.Note)
	}
}

// textTables writes the task's own tables about each algorithm.
func (r *Report) textTables(b *strings.Builder) {
	for _, a := range r.Algorithms {
		for _, t := range a.Tables {
			t.text(b)
		}
	}
}

// textRepeats writes the means of repeated runs.
func (r *Report) textRepeats(b *strings.Builder) {
	if r.Repeats != nil {
		r.Repeats.text(b)
	}
}

// shownFaults returns the table of an algorithm's faults, or nil.
func shownFaults(a Algorithm) *table {
	if a.Effort == nil || len(a.Effort.Faults) == 0 {
		return nil
	}
	return a.faultTable()
}

// Means returns the mean of each number over the cases, with its interval.
func Means(rows []Tally) []stat.Estimate {
	if len(rows) == 0 {
		return nil
	}
	width, n := len(rows[0]), float64(len(rows))
	sum, samples := make([]float64, width), make([][]float64, width)
	for _, row := range rows {
		for i, x := range row {
			sum[i] += x
		}
	}
	stat.ResampleSums(rows, func(total Tally) {
		for i := range samples {
			samples[i] = append(samples[i], total[i]/n)
		}
	})
	list := make([]stat.Estimate, width)
	for i := range list {
		list[i] = stat.Interval(sum[i]/n, samples[i])
	}
	return list
}
