package eval

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"git-agent/agent/stat"
	"git-agent/gitext/visible"
)

//go:embed report.html
var reportHTML string

// page is what the template sees.
type page struct {
	*Report
	Bars        barPlot
	Reliability *squarePlot
	Coverage    *squarePlot
	Tables      []pageTable
}

// pageTable is one dimension, all algorithms side by side.
type pageTable struct {
	Dimension   string
	Overlapping bool
	Algorithms  []string
	Detailed    bool // one algorithm: there is room for intervals
	Rows        []pageRow
}

type pageRow struct {
	Name    string
	Cases   int
	Cells   []pageCell
	Ceiling string
	First   Row
}

// pageCell is one F1 with its recall. Percent is the length of the bar
// behind it.
type pageCell struct {
	F1, Recall, About string
	Percent           int
	Best              bool
}

// WriteHTML writes the report as one page that refers to nothing outside
// itself, so that it can be mailed, archived and opened without a network.
func (r *Report) WriteHTML(w io.Writer) error {
	t, err := template.New("report").Funcs(template.FuncMap{
		"three": three, "maybe": maybe, "small": small, "signed": stat.Estimate.Signed, "plural": plural, "builds": Algorithm.otherBuilds,
		"rows": (*Effort).rows, "about": (*Effort).about, "share": (*Effort).share, "turns": (*Effort).turns, "dash": dash,
		"size": func(row Row) string { return fmt.Sprintf("%.2f", stat.Ratio(row.Answers, max(1, row.Cases))) },
	}).Parse(reportHTML)
	if err != nil {
		return err
	}
	var b strings.Builder
	if err := t.Execute(&b, r.page()); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	_, err = io.WriteString(w, visible.Text(b.String()))
	return err
}

func (r *Report) page() page {
	p := page{Report: r, Bars: newBarPlot(r.Algorithms)}
	if plot := newReliability(r.Algorithms); len(plot.Series) > 0 {
		p.Reliability = &plot
	}
	if plot := newCoverage(r.Algorithms); len(plot.Series) > 0 {
		p.Coverage = &plot
	}
	if len(r.Algorithms) == 0 {
		return p
	}
	for i, d := range r.Algorithms[0].By {
		if len(d.Rows) > 0 && !(d.Dimension == "file" && len(d.Rows) == 1) {
			p.Tables = append(p.Tables, r.pageTable(i, d))
		}
	}
	return p
}

func (r *Report) pageTable(dimension int, d Breakdown) pageTable {
	t := pageTable{Dimension: d.Dimension, Overlapping: d.Overlapping, Detailed: len(r.Algorithms) == 1}
	for _, a := range r.Algorithms {
		t.Algorithms = append(t.Algorithms, a.Name)
	}
	for _, first := range d.Rows {
		row := pageRow{Name: first.Name, Cases: first.Cases, First: first}
		ceiling, best := 0.0, 0.0
		for _, a := range r.Algorithms {
			cell := pageCell{F1: "-", Recall: "-"}
			if other, ok := a.row(dimension, first.Name); ok {
				f1 := value(other.F1)
				ceiling, best = max(ceiling, other.Ceiling), max(best, f1)
				cell = pageCell{F1: maybe(other.F1.Value), Recall: maybe(other.Recall.Value), Percent: int(100*f1 + 0.5),
					About: fmt.Sprintf("%s on %s: precision %s, recall %s, F1 %s", a.Name, first.Name, other.Precision, other.Recall, other.F1)}
			}
			row.Cells = append(row.Cells, cell)
		}
		for i := range row.Cells {
			row.Cells[i].Best = len(row.Cells) > 1 && best > 0 && row.Cells[i].F1 == three(best)
		}
		row.Ceiling = three(ceiling)
		t.Rows = append(t.Rows, row)
	}
	return t
}
