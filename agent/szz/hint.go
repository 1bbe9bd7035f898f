package szz

import (
	"fmt"
	"strings"

	"git-agent/agent/source"
)

// A Hint is evidence about the bug from outside of the fix: words of the user, or the findings of
// another tool.
type Hint struct {
	Text    string    `json:"text,omitempty"`    // read like words of the message, but it names no culprit
	Pointed []Pointed `json:"pointed,omitempty"` // commits that another tool suspects
}

// A Pointed is a commit that another tool suspects.
type Pointed struct {
	By          string  `json:"by"` // the tool's evidence: "the crash report"
	Commit      string  `json:"commit"`
	Subject     string  `json:"subject"`
	Probability float64 `json:"probability"`
}

// maxHint bounds the text of a hint, in bytes.
const maxHint = 4 << 10

// Empty reports whether there is no hint.
func (h Hint) Empty() bool { return h.Text == "" && len(h.Pointed) == 0 }

// And returns both hints as one.
func (h Hint) And(o Hint) Hint {
	return Hint{
		Text:    source.FirstBytes(strings.TrimSpace(h.Text+"\n"+o.Text), maxHint),
		Pointed: append(h.Pointed[:len(h.Pointed):len(h.Pointed)], o.Pointed...),
	}
}

// take adds a hint to what the engines see of the fix. The ranking reads its words behind the
// subject of the message, before a long body.
func (fc *FixContext) take(h Hint) {
	fc.Hint = h
	if h.Text == "" {
		return
	}
	subject, body, _ := strings.Cut(strings.TrimSpace(fc.Prose), "\n")
	fc.Prose = subject + "\n\n" + Prose(h.Text, nil) + "\n\n" + body
}

// unlisted is the least probability of a commit that another tool suspects and that is no suspect
// here, for a note about it.
const unlisted = 0.3

// NotePointed adds notes about the commits of the hint: their places among the suspects, or that a
// probable one is no suspect.
func (v *Answer) NotePointed(h Hint) {
	for _, p := range h.Pointed {
		place := 0
		for i, s := range v.Suspects {
			if string(s.Commit.OID) == p.Commit {
				place = i + 1
			}
		}
		name := p.Commit[:min(12, len(p.Commit))]
		switch {
		case place > 0:
			v.Note("%s leads to %s too, with %.0f%%: number %d here", p.By, name, 100*p.Probability, place)
		case p.Probability >= unlisted:
			v.Note("%s leads to %s (%q) with %.0f%%, which is no suspect here", p.By, name, p.Subject, 100*p.Probability)
		}
	}
}

// Lines returns the hint as lines of text for a reader.
func (h Hint) Lines() []string {
	var lines []string
	for line := range strings.SplitSeq(h.Text, "\n") {
		if strings.TrimSpace(line) != "" {
			lines = append(lines, line)
		}
	}
	for _, p := range h.Pointed {
		lines = append(lines, fmt.Sprintf("%s leads to %s (%q), with %.0f%%", p.By, p.Commit[:min(12, len(p.Commit))], p.Subject, 100*p.Probability))
	}
	return lines
}
