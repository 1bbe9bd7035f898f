package trace

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"

	"git-agent/agent"
	"git-agent/agent/htmlpage"
	"git-agent/agent/model"
)

//go:embed page.html
var pageHTML string

// foldAbove is the number of lines above which the page folds an output.
const foldAbove = 14

// page is the data of the template page.html.
type page struct {
	*Trajectory
	Subject string
	Total   model.Usage
	Answer  *Answer
	Found   []Finding
	Plot    *plot
	Parts   []part
	Start   string
}

// part is one turn on the page.
type part struct {
	Turn
	Reply  *model.Reply
	Used   string // usage of this turn
	Total  string // usage so far
	Smells []string
	Notes  []Note // notes between this turn and the next
}

// WriteHTML writes the run as one self-contained page without scripts. The page's
// title is the subject of the fix if it is not "" and the run has no case.
func (t *Trajectory) WriteHTML(w io.Writer, subject string) error {
	tmpl, err := htmlpage.Parse("page", pageHTML, template.FuncMap{
		"clean": agent.Clean, "args": ArgsText, "short": shortOID, "chars": chars, "lines": countLines,
		"seconds": Seconds, "fold": func(s string) bool { return countLines(s) > foldAbove },
		"head":    func(s string) string { head, _ := Excerpt(s, foldAbove-4); return head },
		"percent": func(f float64) string { return fmt.Sprintf("%.0f%%", 100*f) },
		"plural":  agent.Plural, "pretty": pretty, "usage": UsageText, "join": strings.Join,
		"add": func(a, b float64) float64 { return a + b },
	})
	if err != nil {
		return err
	}
	return htmlpage.Write(w, tmpl, t.page(subject))
}

func (t *Trajectory) page(subject string) page {
	p := page{Trajectory: t, Subject: subject, Total: t.Usage(), Answer: t.Answer(), Found: t.Smells(), Plot: newPlot(t),
		Start: t.Run.Started.UTC().Format(time.DateTime)}
	var spent []model.Usage
	for i, turn := range t.Turns {
		part := part{Turn: turn, Reply: turn.Reply()}
		if part.Reply != nil {
			spent = append(spent, part.Reply.Usage)
			part.Used = UsageText(part.Reply.Usage)
		}
		so := Sum(spent)
		part.Total = strings.TrimSpace(CountText(so.Prompt()+so.Output) + " " + CostText(so.CostUSD))
		for _, f := range p.Found {
			for _, n := range f.Turns {
				if n == turn.N {
					part.Smells = append(part.Smells, f.Smell.Name)
				}
			}
		}
		for _, n := range t.Notes {
			if n.After == i+1 {
				part.Notes = append(part.Notes, n)
			}
		}
		p.Parts = append(p.Parts, part)
	}
	return p
}

// Title returns the name of the case, or else the subject of the fix or the title of
// the crash, or else the kind and the name of the run.
func (p page) Title() string {
	switch {
	case p.About.Case != "":
		return p.About.Case
	case p.Subject != "":
		return p.Subject
	case p.About.Title != "":
		return p.About.Title
	}
	return strings.TrimSpace(p.Run.Kind + " " + p.About.Name)
}

// FixName returns the short id of the fix, or "" if the name of the case contains it.
func (p page) FixName() string {
	if name := shortOID(p.About.Fix); !strings.Contains(p.About.Case, name) {
		return name
	}
	return ""
}

// Early returns the notes before the first turn.
func (p page) Early() []Note {
	var list []Note
	for _, n := range p.Notes {
		if n.After == 0 {
			list = append(list, n)
		}
	}
	return list
}

// Open reports whether the run has not ended.
func (p page) Open() bool { return p.Closing == nil }

func shortOID(s string) string {
	if len(s) > 12 {
		return s[:12]
	}
	return s
}

func chars(s string) string { return CountText(int64(len([]rune(s)))) }

func countLines(s string) int { return strings.Count(strings.TrimRight(s, "\n"), "\n") + 1 }

// pretty indents JSON and returns other text unchanged.
func pretty(raw json.RawMessage) string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return string(raw)
	}
	var b strings.Builder
	if err := writeJSON(&b, v); err != nil {
		return string(raw)
	}
	return b.String()
}
