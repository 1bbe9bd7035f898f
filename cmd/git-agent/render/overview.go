package render

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"unicode/utf8"

	"git-agent/agent"
	"git-agent/agent/szz/engine"
	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext/quote"
)

// statSchema is the schema of szz --stat --json. A change that breaks readers raises its number.
const statSchema = "git-agent/stat/1"

// StatJSON is the documented JSON form of an engine.
type StatJSON struct {
	Schema      string       `json:"schema"`
	Commits     int          `json:"commits"`
	Fixes       int          `json:"fixes"`
	Traced      int          `json:"traced"`
	Culprits    int          `json:"culprits"`
	Floor       float64      `json:"floor"`
	MedianDays  int          `json:"median_days"`
	Directories []engine.Sum `json:"directories"`
	Ages        []engine.Sum `json:"ages"`
	Releases    []engine.Sum `json:"releases"`
	Tools       []engine.Sum `json:"tools"`
}

// StatJSONOf returns the JSON form of an engine.
func StatJSONOf(o *engine.Overview) StatJSON {
	list := func(sums []engine.Sum) []engine.Sum { return append([]engine.Sum{}, sums...) }
	return StatJSON{
		Schema: statSchema, Commits: o.Commits, Fixes: o.Fixes, Traced: o.Traced, Culprits: o.Culprits, Floor: engine.Floor, MedianDays: o.Days,
		Directories: list(o.Directories), Ages: list(o.Ages), Releases: list(o.Releases), Tools: list(o.Tools),
	}
}

// statPart is one sum with its heading.
type statPart struct {
	title, about string
	sums         []engine.Sum
	newest       bool // the last rows matter most if there are too many
}

// shownSums is the number of rows of a part that people see without -v.
const shownSums = 12

// statParts lists the parts of an overview that have rows.
func statParts(o *engine.Overview, all bool) []statPart {
	var list []statPart
	for _, p := range []statPart{
		{"Directories", "the directory with most source files of the fix", o.Directories, false},
		{"Age", fmt.Sprintf("how long the bug was there; the median is %s", agent.Plural(o.Days, "day")), o.Ages, false},
		{"Releases", "the first tag with the culprit", o.Releases, true},
		{"Tools", "trailers of the culprit; in brackets, the culprits with it of all commits with it", o.Tools, false},
	} {
		if n := len(p.sums); n > shownSums && !all {
			if p.newest {
				p.sums, p.about = p.sums[n-shownSums:], p.about+fmt.Sprintf("; the last %d of %d", shownSums, n)
			} else {
				p.sums, p.about = p.sums[:shownSums], p.about+fmt.Sprintf("; the first %d of %d", shownSums, n)
			}
		}
		if len(p.sums) > 0 {
			list = append(list, p)
		}
	}
	return list
}

// statHead returns the sentence above the sums.
func statHead(o *engine.Overview) string {
	return fmt.Sprintf("%s; %d look like fixes or name a culprit; %d of these have a culprit, %s in all.",
		agent.Plural(o.Commits, "commit"), o.Fixes, o.Traced, agent.Plural(o.Culprits, "different one"))
}

// valueOf returns the number of a row, and how many culprits of how many commits they have.
func valueOf(s engine.Sum) string {
	if s.Commits > 0 {
		return fmt.Sprintf("%d (%d of %d)", s.Fixes, s.Culprits, s.Commits)
	}
	return fmt.Sprint(s.Fixes)
}

// nameOf returns the name of a row; ages are upper bounds, and the top directory has no name.
func (p statPart) nameOf(s engine.Sum) string {
	switch {
	case p.title == "Age" && s.Name != "more":
		return "< " + s.Name
	case p.title == "Directories" && s.Name == ".":
		return "(top)"
	}
	return ui.OneLine(s.Name)
}

// Stat prints an overview for people.
func Stat(w io.Writer, color ui.Palette, o *engine.Overview, all bool) error {
	const widest = 30 // of a bar
	var b bytes.Buffer
	fmt.Fprintln(&b, statHead(o))
	for _, p := range statParts(o, all) {
		fmt.Fprintf(&b, "\n%s (%s)\n", color.Paint("path", p.title), p.about)
		most, wide := 1, 0
		for _, s := range p.sums {
			most, wide = max(most, s.Fixes), max(wide, len(valueOf(s)))
		}
		rows := make([][2]string, len(p.sums))
		for i, s := range p.sums {
			rows[i] = [2]string{p.nameOf(s), fmt.Sprintf("%-*s %s", wide, valueOf(s), strings.Repeat("#", (s.Fixes*widest+most-1)/most))}
		}
		table(&b, rows)
	}
	_, err := w.Write(b.Bytes())
	return err
}

//go:embed overview.html
var overviewHTML string

// statPage is the data of the template overview.html.
type statPage struct {
	Range, Head, Floor string
	Plots              []statPlot
}

type statPlot struct {
	Title, About  string
	Width, Height int
	Left          int
	Rows          []statBar
}

type statBar struct {
	Name, Value, About               string
	NameX, X, Y, Width, Height, Text int
	ValueX                           int
}

// StatHTML writes an overview as one self-contained page.
func StatHTML(w io.Writer, o *engine.Overview, of string) error {
	t, err := template.New("overview").Parse(overviewHTML)
	if err != nil {
		return err
	}
	page := statPage{Range: of, Head: statHead(o), Floor: fmt.Sprintf("%.0f%%", 100*engine.Floor)}
	for _, p := range statParts(o, false) {
		page.Plots = append(page.Plots, p.plot())
	}
	var b strings.Builder
	if err := t.Execute(&b, page); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	_, err = io.WriteString(w, quote.Text(b.String()))
	return err
}

// plot lays out the bars of a part.
func (p statPart) plot() statPlot {
	const width, right, row, longest = 860, 110, 26, 44
	const letters, wide = 2, 15 // so many letters take so many pixels
	left := 40
	for _, s := range p.sums {
		left = max(left, 8+min(longest, utf8.RuneCountInString(p.nameOf(s)))*wide/letters)
	}
	plot := statPlot{Title: p.title, About: p.about, Width: width, Height: row * len(p.sums), Left: left}
	most := 1
	for _, s := range p.sums {
		most = max(most, s.Fixes)
	}
	for i, s := range p.sums {
		name := p.nameOf(s)
		length := s.Fixes * (width - left - right) / most
		plot.Rows = append(plot.Rows, statBar{
			Name: agent.Shorten(name, longest), Value: valueOf(s), About: name + ": " + valueOf(s),
			NameX: left - 8, X: left, Y: i*row + 4, Width: length, Height: row - 8, Text: i*row + row/2 + 4, ValueX: left + length + 8,
		})
	}
	return plot
}
