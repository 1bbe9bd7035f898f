package format

import (
	"fmt"
	"strings"
	"testing"

	"git-agent/agent/crash"
)

// A sample is a real report, or a part of one, with the expected result.
type sample struct {
	name string
	from string // the address of the report
	text string
	want string // in the form of brief
}

// samples are the samples of all formats.
var samples []sample

func testSamples(t *testing.T, all []sample) {
	for _, s := range all {
		t.Run(s.name, func(t *testing.T) {
			r, err := Read(strings.NewReader(s.text))
			if err != nil {
				t.Fatal(err)
			}
			if got, want := strings.TrimSpace(brief(r)), strings.TrimSpace(s.want); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// brief summarises a report: a line for each problem and stack, and one for each frame.
func brief(r *crash.Report) string {
	if r == nil {
		return "no report"
	}
	var b strings.Builder
	if r.Build != (crash.Build{}) {
		fmt.Fprintf(&b, "build %s\n", strings.Join(strings.Fields(r.Build.Commit+" "+r.Build.Version+" "+r.Build.Branch), " "))
	}
	for _, p := range r.Problems {
		fmt.Fprintf(&b, "! %s", p.Kind)
		for _, w := range []string{p.Access, p.Address} {
			if w != "" {
				b.WriteString(" " + w)
			}
		}
		if p.Null {
			b.WriteString(" null")
		}
		b.WriteString("\n")
	}
	for _, s := range r.Stacks {
		fmt.Fprintf(&b, "%s %s", s.Format, s.Kind)
		if s.Thread != "" {
			fmt.Fprintf(&b, " [%s]", s.Thread)
		}
		fmt.Fprintf(&b, " of %d\n", s.Problem)
		for _, f := range s.Frames {
			b.WriteString(briefFrame(f))
		}
	}
	return b.String()
}

func briefFrame(f crash.Frame) string {
	out := "  " + f.Function
	if f.File != "" {
		out += fmt.Sprintf(" %s:%d", f.File, f.Line)
	}
	if f.Module != "" {
		out += " (" + f.Module + ")"
	}
	if f.Inline {
		out += " inline"
	}
	return out + "\n"
}
