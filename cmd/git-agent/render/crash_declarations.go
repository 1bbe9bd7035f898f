package render

import (
	"bytes"
	"fmt"
	"strings"

	"git-agent/agent/crash"
	"git-agent/cmd/git-agent/ui"
)

// shownDeclaration is how many lines of a declaration are shown without -v.
const shownDeclaration = 8

// declarations prints the declarations of the fields that race.
func (r *CrashHuman) declarations(b *bytes.Buffer, ranking *crash.Answer) {
	for _, d := range ranking.Declarations {
		title := "racing field " + d.Field
		if d.Type != "" {
			title += " of " + d.Type
		}
		fmt.Fprintf(b, "\n%s\n", r.Color.Paint("heading", ui.Clip(ui.OneLine(title), measure(r.Width))))
		line(b, 2, fmt.Sprintf("%s:%d", r.Place(d.Path), d.Line))
		for _, l := range d.Lines {
			if len(d.Lines) > shownDeclaration && !r.All && l.Line != d.Line && l.Line != d.Lines[0].Line {
				continue
			}
			mark := " "
			if l.Line == d.Line {
				mark = "▸"
			}
			line(b, 4, mark+" "+ui.Clip(ui.OneLine(strings.ReplaceAll(l.Text, "\t", "    ")), measure(r.Width)-6))
		}
	}
}
