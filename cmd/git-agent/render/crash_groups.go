package render

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/crash/input"
	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext"
)

// crashGroupsSchema is the schema of crash --group --json. A change that breaks readers raises
// its number.
const crashGroupsSchema = "git-agent/crash-groups/1"

// A CrashGroup is a group of reports of one fault, in a form for renderers.
type CrashGroup struct {
	input.Summary
	// Answer is the answer about the first member, nil if there is none.
	Answer *crash.Answer `json:"-"`
}

// CrashGroupsJSON is the documented form of crash --group --json.
type CrashGroupsJSON struct {
	Schema string           `json:"schema"`
	Count  int              `json:"reports"`
	Groups []CrashGroupJSON `json:"groups"`
}

// CrashGroupJSON is a group with the files and commits behind its first member.
type CrashGroupJSON struct {
	CrashGroup
	Commit   gitext.OID   `json:"commit,omitempty"` // the crash commit of the first member
	Answered bool         `json:"answered"`
	Files    []crash.File `json:"files"`
}

// WriteCrashGroupsJSON prints groups as one JSON object.
func WriteCrashGroupsJSON(w io.Writer, groups []CrashGroup, files int, end string) error {
	out := CrashGroupsJSON{Schema: crashGroupsSchema, Groups: []CrashGroupJSON{}}
	for _, g := range groups {
		out.Count += g.Count
		j := CrashGroupJSON{CrashGroup: g, Files: []crash.File{}}
		if g.Answer != nil {
			j.Commit, j.Answered = g.Answer.Commit, g.Answer.Answered
			j.Files = append(j.Files, g.Answer.Files[:min(files, len(g.Answer.Files))]...)
		}
		out.Groups = append(out.Groups, j)
	}
	return WriteJSON(w, out, end)
}

// CrashGroups prints groups for people.
type CrashGroups struct {
	W     io.Writer
	Color ui.Palette
	Width int
	All   bool                     // all members, and whole signatures
	Max   int                      // most files of a group
	Place func(path string) string // writes a tracked path for the reader
}

// shownItems is the number of names of a signature, and of members of a group, that are shown.
const shownItems = 5

// Groups prints all groups.
func (r *CrashGroups) Groups(groups []CrashGroup) error {
	var b bytes.Buffer
	reports := 0
	for i, g := range groups {
		reports += g.Count
		fmt.Fprintf(&b, "%s  %s\n", r.Color.Paint("fix", fmt.Sprintf("group %d: %s", i+1, agent.Plural(g.Count, "report"))), g.ID)
		r.group(&b, g)
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "%s in %s\n", agent.Plural(reports, "report"), agent.Plural(len(groups), "group"))
	_, err := r.W.Write(b.Bytes())
	return err
}

func (r *CrashGroups) group(b *bytes.Buffer, g CrashGroup) {
	var kinds []string
	for _, p := range g.Problems {
		kind := ui.Clip(ui.OneLine(p.Kind), 80)
		if p.Count < g.Count {
			kind += fmt.Sprintf(" (%d)", p.Count)
		}
		kinds = append(kinds, kind)
	}
	if len(kinds) > 0 {
		r.list(b, "heading", kinds, ", ")
	}
	r.list(b, "suspect", g.Names, " < ")
	r.list(b, "", g.Members, ", ")
	r.files(b, g)
}

// list prints the first items of a list in one paragraph.
func (r *CrashGroups) list(b *bytes.Buffer, slot string, items []string, separator string) {
	if len(items) == 0 {
		return
	}
	more := ""
	if n := len(items) - shownItems; n > 0 && !r.All {
		items, more = items[:shownItems], fmt.Sprintf("%sand %d more", separator, n)
	}
	shown := make([]string, len(items))
	for i, item := range items {
		shown[i] = ui.OneLine(item)
	}
	for _, l := range ui.Wrap(strings.Join(shown, separator)+more, min(r.Width, 100)-4) {
		if slot != "" {
			l = r.Color.Paint(slot, l)
		}
		fmt.Fprintf(b, "    %s\n", l)
	}
}

// files prints the first ranked files of the first member.
func (r *CrashGroups) files(b *bytes.Buffer, g CrashGroup) {
	if g.Answer == nil {
		return
	}
	if len(g.Answer.Files) == 0 {
		fmt.Fprintf(b, "    no frame is in a file of this repository\n")
	}
	for i, f := range g.Answer.Files[:min(r.Max, len(g.Answer.Files))] {
		if f.Related {
			continue
		}
		probability := ""
		if f.Probability > 0 {
			slot := "probability"
			if f.Probability < 0.5 {
				slot = "doubt"
			}
			probability = "  " + r.Color.Paint(slot, percent(f.Probability))
		}
		fmt.Fprintf(b, "      %d.%s  %s\n", i+1, probability, r.Color.Paint("path", ui.Path(r.Place(f.Path))))
	}
}
