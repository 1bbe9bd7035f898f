package render

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"git-agent/agent"
	"git-agent/agent/release"
	"git-agent/agent/szz"
	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext"
)

// affectedSchema is the schema of szz --affected --json. A change that breaks readers raises its
// number.
const affectedSchema = "git-agent/affected/1"

// CulpritsOf returns the first suspect of an answer, or all that the message of the fix names.
func CulpritsOf(v *szz.Answer) []release.Culprit {
	var list []release.Culprit
	for i, s := range v.Suspects {
		if i > 0 && v.Algorithm != szz.ByAnnotation {
			break
		}
		list = append(list, release.Culprit{Commit: s.Commit, Probability: s.Probability})
	}
	return list
}

// Affected prints for people which releases and branches have a bug:
//
//	fix 6bd1c5a3f0e2  parser: do not read behind the end
//	culprit 1f0c7d2b9a44  72%  parser: read ahead by one token
//	pick of the fix 0b4e7c1d2a33: its message names 6bd1c5a3f0e2
//
//	affected: 12 of 40 tags
//	  v1.1.0 - v1.1.9  72%  not fixed in v1.1.x
//	  v1.2.0 - v1.2.7  72%  fixed in v1.2.8
//
//	branches
//	  origin/1.1.x  72%  needs the fix, which applies cleanly
type Affected struct {
	W       io.Writer
	Color   ui.Palette
	All     bool // all picks and tags, not only the first ones
	NoFlags bool // the reader cannot give -v
}

// shownPicks is the number of picks and of other tags that are printed without -v.
const shownPicks = 8

// Answer prints an answer.
func (r *Affected) Answer(v *release.Answer) error {
	var b bytes.Buffer
	if v.Fix != nil {
		fmt.Fprintf(&b, "%s  %s\n", r.Color.Paint("fix", "fix "+v.Fix.OID.Short()), ui.OneLine(v.Fix.Subject()))
	}
	for _, c := range v.Culprits {
		fmt.Fprintf(&b, "culprit %s%s  %s\n", r.Color.Paint("commit", c.Commit.OID.Short()), chance(c.Probability), ui.OneLine(c.Commit.Subject()))
	}
	r.picks(&b, v)
	if len(v.Affected) == 0 {
		fmt.Fprintf(&b, "\naffected: no tag of %d\n", v.Tags)
	} else {
		fmt.Fprintf(&b, "\naffected: %d of %s\n", len(v.Affected), agent.Plural(v.Tags, "tag"))
	}
	r.ranges(&b, v)
	if len(v.Branches) > 0 {
		fmt.Fprintf(&b, "\nbranches\n")
		rows := make([][2]string, len(v.Branches))
		for i, one := range v.Branches {
			rows[i] = [2]string{ui.OneLine(one.Name), needs(one, v.Fix != nil)}
		}
		table(&b, rows)
	}
	for i, n := range v.Notes {
		fmt.Fprintf(&b, "%snote: %s\n", map[bool]string{true: "\n"}[i == 0], ui.OneLine(n))
	}
	fmt.Fprintln(&b)
	_, err := r.W.Write(b.Bytes())
	return err
}

// picks prints the picks.
func (r *Affected) picks(b *bytes.Buffer, v *release.Answer) {
	for i, p := range v.Picks {
		if i == shownPicks && !r.All {
			fmt.Fprintf(b, "%s%s\n", agent.Plural(len(v.Picks)-i, "more pick"), flagHint(r.NoFlags, " (-v shows all)"))
			return
		}
		of := "the culprit"
		if v.Fix != nil && p.Of == v.Fix.OID {
			of = "the fix"
		}
		what := "pick of " + of
		if p.Revert {
			what = "revert of " + of
		}
		fmt.Fprintf(b, "%s %s: %s\n", what, p.Commit.Short(), ui.OneLine(p.How))
	}
}

// ranges prints the affected tags.
func (r *Affected) ranges(b *bytes.Buffer, v *release.Answer) {
	rows := make([][2]string, len(v.Ranges))
	for i, one := range v.Ranges {
		name := ui.OneLine(one.First)
		if one.Last != one.First {
			name += " - " + ui.OneLine(one.Last)
		}
		text := ""
		switch {
		case one.FixedIn != "":
			text = "  fixed in " + ui.OneLine(one.FixedIn)
		case v.Fix != nil:
			text = "  not fixed in " + ui.OneLine(one.Line)
		}
		rows[i] = [2]string{name, strings.TrimSpace(chance(one.Probability) + text)}
	}
	table(b, rows)
	for i, name := range v.Others {
		if i == shownPicks && !r.All {
			fmt.Fprintf(b, "  %s%s\n", agent.Plural(len(v.Others)-i, "more tag"), flagHint(r.NoFlags, " (-v shows all)"))
			break
		}
		fmt.Fprintf(b, "  %s\n", ui.OneLine(name))
	}
}

// table prints rows of two columns.
func table(b *bytes.Buffer, rows [][2]string) {
	const widest = 60
	width := 0
	for _, row := range rows {
		if n := len([]rune(row[0])); n <= widest {
			width = max(width, n)
		}
	}
	for _, row := range rows {
		b.WriteString(strings.TrimRight(fmt.Sprintf("  %-*s  %s", width, row[0], row[1]), " ") + "\n")
	}
}

// chance returns a probability as a column of its own, or nothing for what is certain or
// has none.
func chance(p float64) string {
	if p >= 1 || p == 0 {
		return ""
	}
	return "  " + strings.TrimSpace(percent(p))
}

// needs says what a branch needs, if a fix is known.
func needs(b release.Branch, fix bool) string {
	switch b.State {
	case release.Clear:
		return "does not have the bug"
	case release.Unknown:
		return "not known, because its history is cut"
	case release.Fixed:
		return "has the fix, as " + b.Has.Short()
	}
	if !fix {
		return strings.TrimSpace(chance(b.Probability) + "  has the bug")
	}
	text := strings.TrimSpace(chance(b.Probability) + "  needs the fix")
	t := b.Tried
	switch {
	case t == nil:
		return text
	case t.Err != nil:
		return text + "; it could not be tried: " + ui.OneLine(t.Err.Error())
	case t.Nothing:
		return strings.Replace(text, "needs", "lacks", 1) + ", but has its changes already"
	case len(t.Conflicts) == 0:
		return text + ", which applies cleanly"
	}
	const shown = 5
	names := t.Conflicts[:min(len(t.Conflicts), shown)]
	text += ", which conflicts in " + ui.OneLine(strings.Join(names, ", "))
	if more := len(t.Conflicts) - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// AffectedJSON is the documented JSON form of an answer.
type AffectedJSON struct {
	Schema   string            `json:"schema"`
	Fix      *gitext.OID       `json:"fix"`
	Culprits []affectedCulprit `json:"culprits"`
	Picks    []affectedPick    `json:"picks"`
	Tags     int               `json:"tags"`
	Affected []string          `json:"affected"`
	Ranges   []affectedRange   `json:"ranges"`
	Others   []string          `json:"others"`
	Unknown  []string          `json:"unknown"`
	Branches []affectedBranch  `json:"branches"`
	Notes    []string          `json:"notes"`
}

type affectedCulprit struct {
	Commit      gitext.OID `json:"commit"`
	Subject     string     `json:"subject"`
	Probability *float64   `json:"probability"` // null for a suspect without one
}

type affectedPick struct {
	Commit gitext.OID `json:"commit"`
	Of     gitext.OID `json:"of"`
	Revert bool       `json:"revert"`
	How    string     `json:"how"`
}

type affectedRange struct {
	First       string   `json:"first"`
	Last        string   `json:"last"`
	Tags        []string `json:"tags"`
	Line        string   `json:"line"`
	FixedIn     *string  `json:"fixed_in"`
	Probability *float64 `json:"probability"`
}

type affectedBranch struct {
	Name        string        `json:"name"`
	Ref         string        `json:"ref"`
	Commit      gitext.OID    `json:"commit"`
	State       release.State `json:"state"`
	Probability *float64      `json:"probability"`
	Has         *gitext.OID   `json:"has"`
	Applies     *bool         `json:"applies"` // null where the fix was not tried
	Nothing     bool          `json:"nothing"` // it applies, and changes nothing
	Conflicts   []string      `json:"conflicts"`
}

// AffectedJSONOf returns the JSON form of an answer.
func AffectedJSONOf(v *release.Answer) *AffectedJSON {
	out := AffectedJSON{
		Schema: affectedSchema, Tags: v.Tags, Culprits: []affectedCulprit{}, Picks: []affectedPick{},
		Ranges: []affectedRange{}, Branches: []affectedBranch{},
		Affected: append([]string{}, v.Affected...), Others: append([]string{}, v.Others...),
		Unknown: append([]string{}, v.Unknown...), Notes: append([]string{}, v.Notes...),
	}
	if v.Fix != nil {
		out.Fix = &v.Fix.OID
	}
	for _, c := range v.Culprits {
		out.Culprits = append(out.Culprits, affectedCulprit{c.Commit.OID, c.Commit.Subject(), notZero(c.Probability)})
	}
	for _, p := range v.Picks {
		out.Picks = append(out.Picks, affectedPick(p))
	}
	for _, r := range v.Ranges {
		out.Ranges = append(out.Ranges, affectedRange{r.First, r.Last, r.Tags, r.Line, notEmpty(r.FixedIn), notZero(r.Probability)})
	}
	for _, b := range v.Branches {
		one := affectedBranch{
			Name: b.Name, Ref: b.Ref, Commit: b.Commit, State: b.State, Probability: notZero(b.Probability),
			Has: notEmpty(b.Has), Conflicts: []string{},
		}
		if t := b.Tried; t != nil && t.Err == nil {
			clean := len(t.Conflicts) == 0
			one.Applies, one.Nothing, one.Conflicts = &clean, t.Nothing, append(one.Conflicts, t.Conflicts...)
		}
		out.Branches = append(out.Branches, one)
	}
	return &out
}

// notEmpty returns nil for an empty text.
func notEmpty[T ~string](s T) *T {
	if s == "" {
		return nil
	}
	return &s
}

// notZero returns nil for 0.
func notZero(p float64) *float64 {
	if p == 0 {
		return nil
	}
	return &p
}
