package gittool

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/condense"
	"git-agent/gitext"
)

// grepParams are the parameters of git_grep.
type grepParams struct {
	Pattern    string `json:"pattern" arg:"required"`
	Regex      bool   `json:"regex"`
	Path       string `json:"path"`
	Commit     string `json:"commit"`
	Word       bool   `json:"word"`
	IgnoreCase bool   `json:"ignore_case"`
	Context    int    `json:"context" arg:"min=0,max=10"`
	Max        int    `json:"max" arg:"min=1,max=1000"`
	Page       int    `json:"page" arg:"min=0"`
}

// Grep is the answer of git_grep.
type Grep struct {
	Pattern string      `json:"pattern"`
	Regex   bool        `json:"regex,omitempty"`
	Path    string      `json:"path,omitempty"`
	Commit  string      `json:"commit"`
	Matches []GrepMatch `json:"matches"` // by path and line
	More    bool        `json:"more,omitempty"`
	Total   int         `json:"total,omitempty"`    // number of matching lines, if More is set; at most maxGrepCount
	Files   int         `json:"files,omitempty"`    // number of files with them
	LeftOut []Left      `json:"left_out,omitempty"` // the folders with most of the other lines, if More is set

	Redacted int    `json:"withheld,omitempty"` // number of matches in files made for secrets
	Missing  string `json:"missing,omitempty"`  // an object that this clone lacks; files that need it were not searched

	Unsearched []string `json:"unsearched,omitempty"` // the first files whose contents are Missing

	first     []string // files that are shown first, and more of
	unadvised bool     // an empty answer has no advice
	lonely    bool     // there is no tool that searches other commits
}

// GrepMatch is a matching line.
type GrepMatch struct {
	Path     string   `json:"path"`
	Line     int      `json:"line"`
	Text     string   `json:"text"`
	Function string   `json:"function,omitempty"` // the heading of the function around it, if the call asked for context
	Before   []string `json:"before,omitempty"`   // the lines before it
	After    []string `json:"after,omitempty"`    // the lines after it
	At       int      `json:"at,omitempty"`       // the offset in Text at which the pattern begins
}

// maxGrepCount is the largest number of counted matches, shown or not.
const maxGrepCount = 10_000

func newGrep(b *scopedRepo) (agent.Tool, error) {
	t := gitTool[grepParams, Grep]{
		deed:     agent.DeedSearch,
		version:  6,
		also:     func(b *scopedRepo) []string { return b.opt.First },
		defaults: grepParams{Max: 200},
		page:     func(p *grepParams) int { n := p.Page; p.Page = 0; return n },
		prepare:  prepareGrep,
		look:     lookGrep,
		render: func(v *Grep, detail int) condense.Layout {
			v.lonely, v.first = !b.scope.has("git_log_search"), b.opt.First
			return v.render(detail)
		},
		empty: func(v *Grep) bool { return len(v.Matches) == 0 },
	}
	return t.described("git_grep", b)
}

func prepareGrep(ctx context.Context, b *scopedRepo, p *grepParams) error {
	// git treats a line break as a separator of alternatives.
	if strings.ContainsAny(p.Pattern, "\n\r") {
		advice := ""
		if b.scope.has("git_log_search") {
			advice = "; git_log_search finds texts of several lines"
		}
		return refusef("the pattern must be one line%s", advice)
	}
	if p.Regex {
		if err := checkExpression(p.Pattern); err != nil {
			return err
		}
	}
	oid, err := b.resolve(ctx, &p.Commit)
	if err != nil || p.Path == "" {
		return err
	}
	at, err := b.locate(ctx, oid, p.Path)
	p.Path = at.path
	return err
}

func lookGrep(ctx context.Context, b *scopedRepo, p grepParams) (*Grep, error) {
	opt := gitext.GrepOptions{Pattern: p.Pattern, Fixed: !p.Regex, Word: p.Word, IgnoreCase: p.IgnoreCase, Max: maxGrepCount, Texts: p.Max}
	if p.Path != "" {
		opt.Paths = []string{p.Path}
	}
	found, err := b.repo.Grep(ctx, gitext.OID(p.Commit), opt)
	gone := missingObject(err)
	if err != nil && (!gitext.Unreadable(err) || len(found) == 0) {
		return nil, explainPattern(err, p.Pattern, p.Regex)
	}
	v := &Grep{Pattern: agent.Clean(p.Pattern), Regex: p.Regex, Path: p.Path, Commit: p.Commit, Matches: []GrepMatch{}, Missing: gone}
	v.Unsearched = b.lackedFiles(ctx, gitext.OID(p.Commit), gone, opt.Paths)
	if len(found) > p.Max {
		v.More, v.Total, v.Files = true, len(found), countFiles(found)
		chosen, err := b.share(ctx, p, opt, found)
		if err != nil {
			return nil, explainPattern(err, p.Pattern, p.Regex)
		}
		found, v.LeftOut = chosen, leftOut(found, chosen)
	}
	match := matcherOf(p.Pattern, p.Regex, p.IgnoreCase)
	for _, m := range found {
		if redacted(m.Path) {
			v.Redacted++
			continue
		}
		text := agent.CleanLine(b.scope.Redact.apply(strings.TrimSuffix(string(m.Text), "\r")))
		text, at := excerptAt(text, max(0, match(text)))
		v.Matches = append(v.Matches, GrepMatch{Path: agent.Clean(m.Path), Line: m.Line, Text: text, At: at})
	}
	if p.Context > 0 {
		return v, b.addContext(ctx, v, found, p.Context)
	}
	return v, nil
}

// countFiles counts the files of matches, which are sorted by path.
func countFiles(found []gitext.GrepMatch) int {
	n := 0
	for i := range found {
		if i == 0 || found[i].Path != found[i-1].Path {
			n++
		}
	}
	return n
}

func (v *Grep) leaveOutAdvice() { v.unadvised = true }

func (v *Grep) head(files int) string {
	kind := "literal"
	if v.Regex {
		kind = "regular expression"
	}
	s := fmt.Sprintf("grep %s (%s) at %s", asRun(v.Pattern), kind, short(v.Commit))
	if v.Path != "" {
		s += " in " + v.Path
	}
	if len(v.Matches) > 0 {
		s += fmt.Sprintf(": %d line(s) in %d file(s)", len(v.Matches), files)
		if v.More {
			most := ""
			if v.Total == maxGrepCount {
				most = " or more"
			}
			s += fmt.Sprintf(" (of %d%s in %d%s: raise max, or give %s%s)", v.Total, most, v.Files, most, v.narrower(), v.lacks())
		}
		if v.Missing != "" {
			s += fmt.Sprintf(
				"\nnote: this clone lacks object %s%s and perhaps others; files that need them were not searched, all others at %s were",
				short(v.Missing),
				v.unsearched(),
				short(v.Commit),
			)
		}
		return s + redactedNote(v.Redacted)
	}
	nothing := s + ": no lines found" + redactedNote(v.Redacted)
	if v.unadvised {
		return nothing
	}
	try := []string{}
	if !v.Regex && strings.ContainsAny(v.Pattern, `\*+?[]|^$`) {
		try = append(try, "the pattern was taken literally; regex=true takes it as a regular expression")
	}
	if v.Path != "" {
		try = append(try, "without path all files are searched")
	}
	if !v.lonely {
		try = append(try, "git_log_search finds what other commits had")
	}
	if len(try) == 0 {
		return nothing
	}
	return nothing + "\ntry: " + strings.Join(try, "; ")
}

// narrower names what would leave fewer lines.
func (v *Grep) narrower() string {
	if v.Path != "" {
		return "a rarer pattern"
	}
	return "path"
}

// lacks names the folders with most of the lines that are left out.
func (v *Grep) lacks() string {
	var list []string
	for _, l := range v.LeftOut {
		list = append(list, fmt.Sprintf("%d in %s/", l.Lines, agent.CleanLine(l.Folder)))
	}
	if len(list) < 2 {
		return "" // all are in one folder
	}
	return "; a share of each folder is here, left out are " + strings.Join(list, ", ")
}

// unsearched names the files known to be missing.
func (v *Grep) unsearched() string {
	if len(v.Unsearched) == 0 {
		return ""
	}
	return " (" + strings.Join(v.Unsearched, ", ") + ")"
}

// byFile groups the matches, which are sorted by path and line, by file. Files that come first are
// in their own order.
func (v *Grep) byFile() [][]GrepMatch {
	var out [][]GrepMatch
	for i, m := range v.Matches {
		if i == 0 || m.Path != v.Matches[i-1].Path {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], m)
	}
	slices.SortStableFunc(out, func(a, b []GrepMatch) int { return v.place(a[0].Path) - v.place(b[0].Path) })
	return out
}

func (v *Grep) place(path string) int { return placeIn(v.first, path) }

// Lines of each file at the levels of detail: of the files that come first, and of the others.
var (
	keptFirst  = []int{0, 30, 20, 10, 3}
	keptOthers = []int{0, 10, 3, 1, 0}
)

// render renders the matches. Its levels show fewer lines of each file.
func (v *Grep) render(detail int) condense.Layout {
	if detail == condense.Plain {
		return condense.Layout{Blocks: v.plain()}
	}
	files := v.byFile()
	keep := keptOthers[detail]
	out := condense.Layout{Head: v.head(len(files)), Unit: "files", Last: detail == 4}
	if v.Path != "" {
		out.Narrow = "give word=true, or a rarer pattern"
	}
	if detail == condense.Full+1 && v.inSomeContext(&out, files) {
		return out
	}
	switch {
	case out.Last:
		out.Missing = "only files and line numbers"
	case detail != condense.Full:
		out.Missing = fmt.Sprintf("at most %d line(s) of each file", keep)
	}
	if detail != condense.Full && v.place(files[0][0].Path) < len(v.first) {
		out.Missing += fmt.Sprintf(", %d of a file of the stacks", keptFirst[detail])
	}
	if detail != condense.Full && slices.ContainsFunc(files, hasContext) {
		out.Missing += ", none of the lines around them"
	}
	if out.Last {
		v.fillLines(&out, files)
		return out
	}
	for _, matches := range files {
		if detail == condense.Full {
			out.Blocks = append(out.Blocks, fullMatches(matches)...)
		} else {
			most := keep
			if v.place(matches[0].Path) < len(v.first) {
				most = keptFirst[detail]
			}
			out.Blocks = append(out.Blocks, condense.Block{Text: shortMatches(matches, most)})
		}
	}
	return out
}

// hasContext reports whether lines around the matches of a file were asked for.
func hasContext(matches []GrepMatch) bool {
	return slices.ContainsFunc(matches, func(m GrepMatch) bool { return len(m.Before)+len(m.After) > 0 })
}

func fullMatches(matches []GrepMatch) []condense.Block {
	section := matches[0].Path
	out := []condense.Block{{Text: section, Section: section}}
	for _, group := range groupsOf(matches) {
		out = append(out, condense.Block{Text: group.inContext(), Section: section})
	}
	return out
}

// A matchGroup is a group of consecutive matches whose lines have the same
// text.
type matchGroup []GrepMatch

func groupsOf(matches []GrepMatch) []matchGroup {
	var groups []matchGroup
	for i, m := range matches {
		if i == 0 || len(m.Before)+len(m.After) > 0 || strings.TrimSpace(m.Text) != strings.TrimSpace(matches[i-1].Text) {
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], m)
	}
	return groups
}

func (r matchGroup) render(runes int) string {
	return fmt.Sprintf("%s: %s", lineNumbers(r), around(r[0].Text, r[0].At, runes))
}

// lineNumbers lists the line numbers of the first few matches.
func lineNumbers(matches []GrepMatch) string {
	const most = 8
	var lines []string
	for i, m := range matches {
		if i == most {
			lines = append(lines, fmt.Sprintf("... (%d more)", len(matches)-most))
			break
		}
		lines = append(lines, fmt.Sprintf("L%d", m.Line))
	}
	return strings.Join(lines, ", ")
}

// shortMatches renders one file with keep lines and the numbers of a few others.
func shortMatches(matches []GrepMatch, keep int) string {
	s, shown := matches[0].Path, 0
	for i, group := range groupsOf(matches) {
		if i == keep {
			break
		}
		s += "\n  " + lineNumbers(group) + ": " + strings.TrimSpace(around(group[0].Text, group[0].At, maxHitRunes))
		shown += len(group)
	}
	switch rest := lineNumbers(matches[shown:]); {
	case rest == "":
		return s
	case keep == 0:
		return s + ": " + rest
	default:
		return s + "\n  and " + rest
	}
}

// plain renders the output of git grep -n.
func (v *Grep) plain() []condense.Block {
	var lines []string
	for _, m := range v.Matches {
		lines = append(lines, fmt.Sprintf("%s:%s:%d:%s", v.Commit, m.Path, m.Line, m.Text))
	}
	return lineBlocks(lines)
}
