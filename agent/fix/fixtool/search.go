package fixtool

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/gittool"
	"git-agent/agent/secret"
	"git-agent/agent/source"
	"git-agent/agent/symbol"
	"git-agent/gitext"
)

type searchParams struct {
	Pattern string `json:"pattern" arg:"required"`
	Regex   bool   `json:"regex"`
	Path    string `json:"path"`
}

// These bound the answers of code_search.
const (
	maxSearchFiles  = 5  // Passerine, section 3.2
	maxFileMatches  = 8  // shown lines of the first file
	maxNextMatches  = 5  // shown lines of each other file
	maxOtherMatches = 3  // shown lines of a test or another file beside sources
	maxOneFile      = 40 // shown lines if only one file matches
	maxNamed        = 12 // named further files
	maxHeading      = 90 // characters
	maxMatchLine    = 200
	maxMatches      = 10_000 // counted lines
)

// newCodeSearch makes the tool code_search: it finds the lines of the present work tree that
// contain a text or match a regular expression.
func newCodeSearch(b *Box) (agent.Tool, error) {
	const name = "code_search"
	t, err := newTool(b, name, name, agent.DeedSearch, gittool.DefaultTimeout, searchParams{}, b.codeSearch)
	if err != nil {
		return nil, err
	}
	t.step = func(p searchParams) Step { return Step{Kind: StepSearch, Key: p.Pattern + " " + p.Path} }
	return t, nil
}

// codeSearch tries the literal pattern, and if nothing matches, its other interpretations.
func (b *Box) codeSearch(ctx context.Context, p searchParams) (agent.Result, error) {
	where := ""
	if p.Path != "" {
		found, err := b.find(ctx, "code_search", p.Path)
		if err != nil {
			return agent.Result{}, err
		}
		if found != "." {
			where = found
		}
	}
	list, err := readingsOf(p.Pattern, p.Regex)
	if err != nil {
		return agent.Result{}, err
	}
	note := ""
	for _, r := range list {
		hits, unread, err := b.search(ctx, r, where)
		if err != nil {
			return agent.Result{}, err
		}
		if unread != "" {
			note = "note: " + unread + "\n"
		}
		if len(hits) > 0 {
			if r.note != "" {
				note += "note: " + r.note + "\n"
			}
			return agent.Result{Text: note + b.renderHits(p.Pattern, where, hits)}, nil
		}
	}
	text := fmt.Sprintf("%sno line has %s%s\n", note, quoted(p.Pattern), inPath(where))
	if where != "" {
		text += "(without path the whole repository is searched)\n"
	}
	return agent.Result{Text: text, Nothing: true}, nil
}

func inPath(where string) string {
	if where == "" {
		return ""
	}
	return " in " + agent.CleanLine(where)
}

// A fileHits lists the matching lines of a file, from 1.
type fileHits struct {
	lines   []int
	defines []int // lines that seem to define the searched name
}

// search returns the matching lines of the work tree by file. It searches the commit with git
// grep, and reads overlaid and edited files.
func (b *Box) search(ctx context.Context, r reading, where string) (hits map[string]*fileHits, unread string, err error) {
	hits = map[string]*fileHits{}
	changed := b.changedPaths()
	for _, literal := range r.literals {
		opt := gitext.GrepOptions{Pattern: literal, Fixed: true, IgnoreCase: r.ignoreCase, Max: maxMatches, Width: 4096}
		if where != "" {
			opt.Paths = []string{where}
		}
		found, err := b.repo.Grep(ctx, b.problem.Tree.Commit, opt)
		if err != nil && !gitext.Unreadable(err) {
			return nil, "", err
		}
		if err != nil {
			unread = agent.CleanLine(gitext.WhyUnread(err)) + ": files that need it were not searched"
		}
		for _, m := range found {
			if !slices.Contains(changed, m.Path) && !secret.MustRedact(m.Path) {
				r.take(hits, m.Path, m.Line, m.Text)
			}
		}
	}
	for _, name := range changed {
		if where != "" && name != where && !strings.HasPrefix(name, where+"/") {
			continue
		}
		data, _, err := b.text(name)
		if err != nil {
			continue // the file is removed, or must not be shown
		}
		for i, line := range bytes.Split(data, []byte("\n")) {
			r.take(hits, name, i+1, line)
		}
	}
	for _, h := range hits {
		slices.Sort(h.lines)
	}
	return hits, unread, nil
}

// take adds a line to the hits of its file if it matches.
func (r reading) take(hits map[string]*fileHits, file string, n int, line []byte) {
	if !r.match(line) {
		return
	}
	h := hits[file]
	if h == nil {
		h = &fileHits{}
		hits[file] = h
	}
	if len(r.literals) > 1 && slices.Contains(h.lines, n) {
		return // the line contains several of the literals
	}
	h.lines = append(h.lines, n)
	if r.name != "" && len(symbol.DefinedIn(file, [][]byte{line}, r.name)) > 0 {
		h.defines = append(h.defines, n)
	}
}

// renderHits shows the most relevant files, and counts the others. Files with a definition of
// the searched name come first, then sources, then files with many matches.
func (b *Box) renderHits(pattern, where string, hits map[string]*fileHits) string {
	total := 0
	for _, h := range hits {
		total += len(h.lines)
	}
	names := slices.SortedFunc(maps.Keys(hits), func(x, y string) int {
		return cmp.Or(cmp.Compare(placeOf(x), placeOf(y)), -cmp.Compare(min(1, len(hits[x].defines)), min(1, len(hits[y].defines))),
			-cmp.Compare(len(hits[x].lines), len(hits[y].lines)), cmp.Compare(x, y))
	})
	var t strings.Builder
	fmt.Fprintf(&t, "%s: %s in %s%s\n", quoted(pattern), agent.Plural(total, "line"), agent.Plural(len(names), "file"), inPath(where))
	shown := names[:min(len(names), maxSearchFiles)]
	for i, name := range shown {
		most := maxNextMatches
		switch {
		case len(names) == 1:
			most = maxOneFile
		case i == 0:
			most = maxFileMatches
		case placeOf(name) > placeOf(names[0]):
			most = maxOtherMatches
		}
		t.WriteString(b.renderFile(name, hits[name], most))
	}
	if rest := names[len(shown):]; len(rest) > 0 {
		var list []string
		for _, name := range rest[:min(len(rest), maxNamed)] {
			list = append(list, fmt.Sprintf("%s (%d)", agent.CleanLine(name), len(hits[name].lines)))
		}
		if more := len(rest) - len(list); more > 0 {
			list = append(list, fmt.Sprintf("%d more", more))
		}
		fmt.Fprintf(&t, "also in %s; give path to see their lines\n", strings.Join(list, ", "))
	}
	return t.String()
}

// placeOf returns a file's place in the order: sources, tests, other files, files that nobody
// edits.
func placeOf(name string) int {
	switch {
	case source.IsVendored(name):
		return 3
	case source.IsTestPath(name):
		return 1
	case source.FileKindOf(path.Base(name)) == source.SourceFile:
		return 0
	}
	return 2
}

// renderFile shows lines of a file below the headings of their functions: all definitions, and
// as many other lines as fit.
func (b *Box) renderFile(name string, hits *fileHits, most int) string {
	data, _, err := b.text(name)
	if err != nil {
		return fmt.Sprintf("%s: %s, but it %s\n", agent.CleanLine(name), agent.Plural(len(hits.lines), "line"), err)
	}
	shown := slices.Clone(hits.defines[:min(len(hits.defines), most)])
	for _, n := range hits.lines {
		if len(shown) < most && !slices.Contains(shown, n) {
			shown = append(shown, n)
		}
	}
	slices.Sort(shown)
	lines := bytes.Split(data, []byte("\n"))
	var t strings.Builder
	fmt.Fprintf(&t, "%s\n", agent.CleanLine(name))
	function := source.Extent{}
	for _, n := range shown {
		if n > len(lines) {
			continue
		}
		e, ok := source.FunctionAround(name, lines, n)
		if ok && e != function && n != e.Start {
			fmt.Fprintf(&t, "  in %s (%d-%d)\n", b.heading(lines, e, maxHeading), e.Start, e.End)
		}
		function = e
		text := strings.ReplaceAll(strings.TrimRight(string(lines[n-1]), "\r \t"), "\t", "  ")
		fmt.Fprintf(&t, "%5d|%s\n", n, b.opt.Mask.Shorten(text, maxMatchLine))
	}
	if more := len(hits.lines) - len(shown); more > 0 {
		fmt.Fprintf(&t, "  (%s: give path, or cat)\n", agent.Plural(more, "more line"))
	}
	return t.String()
}

// heading returns the heading of a function on one line of up to most characters.
func (b *Box) heading(lines [][]byte, e source.Extent, most int) string {
	var parts []string
	for n := e.Start; n <= e.Body && n <= len(lines); n++ {
		line := strings.TrimSpace(string(lines[n-1]))
		if annotation := strings.HasPrefix(line, "@") || strings.HasPrefix(line, "__attribute__"); !annotation || n == e.Body {
			parts = append(parts, strings.Fields(line)...)
		}
	}
	return b.opt.Mask.Shorten(strings.Join(parts, " "), most)
}

// changedPaths lists the files that differ from the commit: the problem's overlaid files and
// the edited files.
func (b *Box) changedPaths() []string {
	var list []string
	for _, o := range b.problem.Tree.Over {
		list = append(list, o.Path)
	}
	for name := range b.files {
		list = append(list, name)
	}
	slices.Sort(list)
	return slices.Compact(list)
}
