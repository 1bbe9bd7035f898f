package fixtool

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/fix/edit"
	"git-agent/agent/gittool"
	"git-agent/agent/source"
	"git-agent/agent/symbol"
)

type catParams struct {
	Path     string `json:"path" arg:"required"`
	Start    int    `json:"start" arg:"min=1"`
	End      int    `json:"end" arg:"min=1"`
	Function string `json:"function"`
}

// These bound the answers of cat.
const (
	maxCatLines = 400
	maxCatChars = 30_000
	maxEntries  = 200 // of a directory
	maxBodies   = 3   // functions of one name

	outlineHead  = 40   // shown lines of a long file beside an outline
	maxOutlined  = 8000 // lines of a file with an outline
	maxOutline   = 150  // functions of an outline
	fewFunctions = 4

	maxOutlineHeading = 70 // characters
)

func newCat(b *Box) (agent.Tool, error) {
	const name = "cat"
	t, err := newTool(b, name, name, agent.DeedRead, gittool.DefaultTimeout, catParams{}, b.cat)
	if err != nil {
		return nil, err
	}
	t.step = func(p catParams) Step {
		return Step{Kind: StepRead, Path: p.Path, Key: fmt.Sprint(p.Start, "-", p.End, " ", p.Function)}
	}
	return t, nil
}

// cat shows lines of a file, a function, or the entries of a directory.
func (b *Box) cat(ctx context.Context, p catParams) (agent.Result, error) {
	name, err := b.find(ctx, "cat", p.Path)
	if err != nil {
		return agent.Result{}, err
	}
	data, _, err := b.text(name)
	var why unreadable
	switch {
	case errors.Is(err, isDirectory):
		return b.list(name)
	case errors.As(err, &why):
		return agent.Result{}, refuse("cat", "%s %s", agent.CleanLine(name), why)
	case err != nil:
		return agent.Result{}, err
	}
	if p.Function != "" {
		return b.catFunction(name, data, p.Function)
	}
	lines := edit.Split(data)
	if p.Start == 0 && p.End == 0 && len(lines) > maxCatLines {
		if outline := b.outline(name, data); outline != "" {
			res, err := b.catLines(name, lines, 1, outlineHead)
			res.Text += outline
			res.Truncated = true
			return res, err
		}
	}
	return b.catLines(name, lines, p.Start, p.End)
}

// outline lists the functions of a long file with their lines; "" if the file has few
// functions, or is too long.
func (b *Box) outline(name string, data []byte) string {
	lines := bytes.Split(data, []byte("\n"))
	if len(lines) > maxOutlined {
		return ""
	}
	var entries []string
	for n := 1; n <= len(lines) && len(entries) <= maxOutline; n++ {
		if e, ok := source.FunctionAround(name, lines, n); ok && e.End >= n {
			entries = append(entries, fmt.Sprintf("%d-%d %s", e.Start, e.End, strings.TrimSuffix(b.heading(lines, e, maxOutlineHeading), " {")))
			n = e.End
		}
	}
	if len(entries) < fewFunctions || len(entries) > maxOutline {
		return ""
	}
	return "functions of the whole file (give start and end, or function):\n" + strings.Join(entries, "\n") + "\n"
}

func (b *Box) catLines(name string, lines []string, start, end int) (agent.Result, error) {
	total := len(lines)
	if total == 0 {
		return agent.Result{Text: agent.CleanLine(name) + " is empty\n"}, nil
	}
	first, last := max(1, start), total
	note := ""
	if first > total {
		note = fmt.Sprintf("there is no line %d; these are the last ones\n", first)
		first = max(1, total-20)
	}
	if end > 0 {
		last = min(total, max(first, end))
	}
	text, last := b.numbered(lines, first, min(last, first+maxCatLines-1))
	head := agent.CleanLine(name) + ", " + lineRange(first, last)
	if first > 1 || last < total {
		head += fmt.Sprintf(" of %d", total)
	}
	res := agent.Result{Text: note + head + "\n" + text}
	if last < total && (end == 0 || last < min(end, total)) {
		res.Truncated = true
		res.Text += fmt.Sprintf("(go on with start=%d, or give function)\n", last+1)
	}
	return res, nil
}

// numbered returns as many lines as fit, with their numbers, and the number of the last one.
func (b *Box) numbered(lines []string, first, last int) (string, int) {
	var text strings.Builder
	for n := first; n <= last; n++ {
		line := edit.Number(lines, n, n, b.asShown)
		if text.Len()+len(line) > maxCatChars && n > first {
			return text.String(), n - 1
		}
		text.WriteString(line)
	}
	return text.String(), last
}

func lineRange(first, last int) string {
	if first == last {
		return fmt.Sprintf("line %d", first)
	}
	return fmt.Sprintf("lines %d-%d", first, last)
}

// catFunction shows the functions or types of a file with a given name.
func (b *Box) catFunction(name string, data []byte, wanted string) (agent.Result, error) {
	extents := extentsOf(name, data, wanted)
	if len(extents) == 0 {
		return agent.Result{}, refuse("cat", "%s defines no %s; search_definition finds where it is defined", agent.CleanLine(name), quoted(wanted))
	}
	lines := edit.Split(data)
	var res agent.Result
	for i, e := range extents {
		if i == maxBodies {
			res.Text += fmt.Sprintf("(%s of that name: give start and end)\n", agent.Plural(len(extents)-i, "more definition"))
			break
		}
		one, err := b.catLines(name, lines, e.Start, e.End)
		if err != nil {
			return res, err
		}
		res.Text += one.Text
		res.Truncated = res.Truncated || one.Truncated
	}
	return res, nil
}

// extentsOf returns the lines of the functions and types of a text with a given name, which may
// be qualified.
func extentsOf(path string, data []byte, name string) []source.Extent {
	lines := bytes.Split(data, []byte("\n"))
	scope := []byte(symbol.Scope(name))
	var all, scoped []source.Extent
	for _, n := range symbol.DefinedIn(path, lines, name) {
		e, ok := source.FunctionAround(path, lines, n)
		if !ok || n > e.Body {
			e = source.Extent{Start: n, Body: n, End: blockEnd(lines, n)}
		}
		if slices.ContainsFunc(all, func(x source.Extent) bool { return x.Start <= e.Start && e.End <= x.End }) {
			continue
		}
		all = append(all, e)
		if len(scope) > 0 && bytes.Contains(bytes.Join(lines[e.Start-1:e.Body], nil), scope) {
			scoped = append(scoped, e)
		}
	}
	if len(scoped) > 0 {
		return scoped
	}
	if len(all) == 0 { // a macro may stand before the name
		for _, f := range source.Functions(path, lines) {
			if f.Name == name {
				all = append(all, f.Extent)
			}
		}
	}
	return all
}

// blockEnd returns the last line, from 1, of the block that begins on line n. The block ends
// before the next line that is indented no deeper and does not close it.
func blockEnd(lines [][]byte, n int) int {
	const most = 300
	depth := source.Indent(lines[n-1])
	for i := n; i < min(len(lines), n+most); i++ {
		text := bytes.TrimSpace(lines[i])
		if len(text) == 0 || source.Indent(lines[i]) > depth || i == n && text[0] == '{' {
			continue
		}
		if bytes.IndexByte([]byte("})]"), text[0]) >= 0 {
			return i + 1
		}
		return i
	}
	return min(len(lines), n+most)
}

// list names the entries of a directory.
func (b *Box) list(name string) (agent.Result, error) {
	root, err := b.root()
	if err != nil {
		return agent.Result{}, err
	}
	defer root.Close()
	dir, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return agent.Result{}, refuse("cat", "%s cannot be read", agent.CleanLine(name))
	}
	defer dir.Close()
	entries, err := dir.ReadDir(20 * maxEntries) // in no order: of more entries, only these are sorted
	if len(entries) == 0 && err != nil {
		return agent.Result{Text: agent.CleanLine(name) + " is an empty directory\n"}, nil
	}
	var names []string
	for _, e := range entries {
		if e.Name() == ".git" {
			continue
		}
		entry := agent.CleanLine(e.Name())
		if e.IsDir() {
			entry += "/"
		}
		names = append(names, entry)
	}
	slices.SortFunc(names, func(x, y string) int {
		return cmp.Or(cmp.Compare(btoi(strings.HasSuffix(y, "/")), btoi(strings.HasSuffix(x, "/"))), cmp.Compare(x, y))
	})
	text := fmt.Sprintf("%s is a directory of %s\n", agent.CleanLine(name), agent.Plural(len(names), "name"))
	if more := len(names) - maxEntries; more > 0 {
		return agent.Result{Text: text + strings.Join(names[:maxEntries], "\n") + fmt.Sprintf("\n(%d more)\n", more), Truncated: true}, nil
	}
	return agent.Result{Text: text + strings.Join(names, "\n") + "\n"}, nil
}

func btoi(v bool) int {
	if v {
		return 1
	}
	return 0
}
