package crashtool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/gittool"
	"git-agent/agent/source"
	"git-agent/agent/symbol"
	"git-agent/gitext"
)

// nearby is how many lines get_nearby_code shows on either side (AutoCrashFL,
// section 3.2).
const nearby = 10

// maxNearby is the most lines on either side that a call gets.
const maxNearby = 60

type codeParams struct {
	Path  string `json:"path" arg:"required"`
	Line  int    `json:"line" arg:"min=1"`
	Lines int    `json:"lines" arg:"min=1,max=2000"`
}

func newCode(c *Case) (agent.Tool, error) {
	const name = "get_nearby_code"
	return newTool(name, agent.DeedRead, codeParams{Line: 1, Lines: nearby}, func(ctx context.Context, p codeParams) (agent.Result, error) {
		f, note, err := c.read(ctx, name, p.Path)
		if err != nil {
			return agent.Result{}, err
		}
		all := splitLines(f.Text)
		if len(all) == 0 {
			return agent.Result{Text: note + agent.CleanLine(f.Path) + " is empty\n"}, nil
		}
		if p.Line > len(all) {
			note += fmt.Sprintf("%s has %s; these are the last ones\n", agent.CleanLine(f.Path), agent.Plural(len(all), "line"))
			p.Line = len(all)
		}
		if p.Lines > maxNearby {
			note += fmt.Sprintf("%d lines on either side are the most\n", maxNearby)
			p.Lines = maxNearby
		}
		first, last := max(1, p.Line-p.Lines), min(len(all), p.Line+p.Lines)
		head := fmt.Sprintf("%s%s, lines %d-%d of %d\n", note, agent.CleanLine(f.Path), first, last, len(all))
		return agent.Result{Text: head + c.Numbered(all, first, last, 0)}, nil
	})
}

// read reads a file of the commit that a model named, perhaps by the path that the
// report has.
func (c *Case) read(ctx context.Context, tool, path string) (f gittool.File, note string, err error) {
	f, err = c.Scope.ReadFile(ctx, c.Repo, tool, "", path)
	var refused *agent.CallError
	if !errors.As(err, &refused) {
		return f, "", err
	}
	found := c.meant(path)
	if found == "" {
		return f, "", err
	}
	if f, err = c.Scope.ReadFile(ctx, c.Repo, tool, "", found); err != nil {
		return f, "", err
	}
	return f, fmt.Sprintf("%q is %s in the repository\n", agent.Shorten(agent.CleanLine(path), 200), agent.CleanLine(found)), nil
}

// Path returns the tracked file that a model named, perhaps by the path that the
// report has. The clone may lack its contents.
func (c *Case) Path(ctx context.Context, tool, path string) (string, error) {
	found, err := c.Scope.FindFile(ctx, c.Repo, tool, path)
	var refused *agent.CallError
	if errors.As(err, &refused) || gitext.Unreadable(err) {
		if meant := c.meant(path); meant != "" {
			return meant, nil
		}
	}
	return found, err
}

// placeEnd matches the line, and the column, that a model may write behind a path.
var placeEnd = source.Lazy(`(:[0-9]+){1,2}$`)

// meant returns the tracked file that a path of the report means; "" if it may mean
// none, or several of which the frames are not in exactly one.
func (c *Case) meant(path string) string {
	if c.Files == nil {
		return ""
	}
	list, _ := c.Files.Find(placeEnd().ReplaceAllString(path, ""))
	if len(list) > 1 {
		list = slices.DeleteFunc(slices.Clone(list), func(p string) bool { return !c.inStacks(p) })
	}
	if len(list) != 1 {
		return ""
	}
	return list[0]
}

// inStacks reports whether a frame is in a file.
func (c *Case) inStacks(path string) bool {
	return slices.ContainsFunc(c.Report.Stacks, func(s crash.Stack) bool {
		return slices.ContainsFunc(s.Frames, func(f crash.Frame) bool { return f.Path == path })
	})
}

// splitLines returns the lines of a text without their ends.
func splitLines(text []byte) [][]byte {
	list := bytes.Split(text, []byte("\n"))
	if n := len(list); len(list[n-1]) == 0 {
		list = list[:n-1]
	}
	return list
}

// maxCode bounds a shown line of code, in characters.
const maxCode = 180

// Numbered renders lines first to last, which count from 1, with their numbers. The
// line mark gets a ">".
func (c *Case) Numbered(all [][]byte, first, last, mark int) string {
	var b strings.Builder
	for n := first; n <= last; n++ {
		sign := " "
		if n == mark {
			sign = ">"
		}
		text := strings.ReplaceAll(strings.TrimRight(string(all[n-1]), "\r \t"), "\t", "  ")
		fmt.Fprintf(&b, "%s%d %s\n", sign, n, c.Shorten(text, maxCode))
	}
	return b.String()
}

type definitionParams struct {
	Symbol string `json:"symbol" arg:"required"`
	Path   string `json:"path"`
	Line   int    `json:"line" arg:"min=1"`
}

func newDefinition(c *Case) (agent.Tool, error) {
	const name = "get_term_definition"
	return newTool(name, agent.DeedSearch, definitionParams{}, func(ctx context.Context, p definitionParams) (agent.Result, error) {
		at := symbol.Place{Line: p.Line}
		var notes []string
		if p.Path != "" {
			path, err := c.Path(ctx, name, p.Path)
			var refused *agent.CallError
			if err != nil && !errors.As(err, &refused) {
				return agent.Result{}, err
			}
			if refused != nil {
				notes = append(notes, refused.Text+"; looked in the whole repository")
			}
			at.Path = path
		}
		if at.Path == "" {
			at.Line = 0
		}
		found, err := c.Finder.Lookup(ctx, p.Symbol, at)
		if errors.Is(err, symbol.ErrNoName) {
			return agent.Result{}, refuse(name, "%q is not a name; give an identifier, such as f, T::f or obj->field", agent.Shorten(agent.CleanLine(p.Symbol), 100))
		}
		if err != nil {
			return agent.Result{}, err
		}
		notes = append(notes, found.Notes...)
		return c.definitions(ctx, p, at, found, notes)
	})
}

// shownBody is how many lines of a definition are shown: of the first one, and of each
// other.
const (
	shownBody  = 70
	shownOther = 3
	shownRest  = 20 // lines that a first definition may have more
)

// definitions renders what was found: the first definition with its code, the others
// with their first lines.
func (c *Case) definitions(ctx context.Context, p definitionParams, at symbol.Place, found symbol.Found, notes []string) (agent.Result, error) {
	var b strings.Builder
	for _, n := range notes {
		fmt.Fprintf(&b, "note: %s\n", agent.CleanLine(n))
	}
	name := agent.Shorten(agent.CleanLine(p.Symbol), 100)
	switch {
	case found.Used.Line > 0 && at.Line > 0 && found.Used.Line != at.Line:
		fmt.Fprintf(&b, "%s is not on line %d of %s; the nearest use is on line %d\n", name, at.Line, agent.CleanLine(at.Path), found.Used.Line)
	case found.Used.Line == 0 && at.Path != "":
		fmt.Fprintf(&b, "%s does not occur in %s\n", name, agent.CleanLine(at.Path))
	}
	if len(found.Definitions) == 0 {
		fmt.Fprintf(&b, "no definition of %s is found in the repository; it may be in a library, or made by a macro: git_grep finds its uses\n", name)
		return agent.Result{Text: b.String(), Nothing: true}, nil
	}
	for i, d := range found.Definitions {
		fmt.Fprintf(&b, "%s %s: %s:%d\n", d.Kind, name, agent.CleanLine(d.Path), d.Line)
		most := shownOther
		if i == 0 {
			most = shownBody
		}
		text, err := c.body(ctx, d, most)
		if err != nil {
			return agent.Result{}, err
		}
		b.WriteString(text)
	}
	if found.More > 0 {
		fmt.Fprintf(&b, "(%s left out; give path and line of a use to choose)\n", agent.Plural(found.More, "more definition"))
	}
	return agent.Result{Text: b.String()}, nil
}

// body returns the lines of a definition, at least the one that was found. If its file
// cannot be shown, body says so.
func (c *Case) body(ctx context.Context, d symbol.Definition, most int) (string, error) {
	f, err := c.Scope.ReadFile(ctx, c.Repo, "get_term_definition", "", d.Path)
	var refused *agent.CallError
	if errors.As(err, &refused) {
		return "  (" + agent.CleanLine(refused.Text) + ")\n", nil
	}
	if err != nil {
		return "", err
	}
	all := splitLines(f.Text)
	if d.Line < 1 || d.Line > len(all) {
		return "  " + c.Shorten(d.Text, maxCode) + "\n", nil
	}
	first, last := d.Line, min(len(all), d.Line+shownOther-1)
	switch e, ok := source.FunctionAround(d.Path, all, d.Line); {
	case ok && e.Start <= d.Line && d.Line <= e.Body:
		first, last = e.Start, e.End
	case d.End >= d.Line:
		last = min(len(all), d.End)
	case d.Kind == symbol.Type:
		last = min(len(all), d.Line+most-1)
	}
	end := min(last, first+most-1)
	if most == shownBody && last-end <= shownRest {
		end = last
	}
	text := c.Numbered(all, first, end, 0)
	if end < last {
		text += fmt.Sprintf("(it ends at line %d: get_nearby_code)\n", last)
	}
	return text, nil
}
