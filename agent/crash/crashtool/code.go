package crashtool

import (
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

// nearby is the number of lines that get_nearby_code shows on either side (AutoCrashFL, section
// 3.2).
const nearby = 10

// maxNearby is the most lines on either side that a call may request.
const maxNearby = 120

type codeParams struct {
	Path  string `json:"path" arg:"required"`
	Line  int    `json:"line" arg:"min=1"`
	Lines int    `json:"lines" arg:"min=1"` // more than maxNearby are answered with as many
}

func newCode(c *Case) (agent.Tool, error) {
	const name = "get_nearby_code"
	return newTool(name, agent.DeedRead, codeParams{Line: 1, Lines: nearby}, func(ctx context.Context, p codeParams) (agent.Result, error) {
		f, note, err := c.read(ctx, name, p.Path)
		if err != nil {
			return agent.Result{}, err
		}
		all := source.SplitLines(f.Text)
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

// read reads a file of the commit by the path that a model gave, which may be a path of the
// report.
func (c *Case) read(ctx context.Context, tool, path string) (f gittool.File, note string, err error) {
	f, err = c.Scope.ReadFile(ctx, c.Repo, tool, path)
	var refused *agent.CallError
	if !errors.As(err, &refused) {
		return f, "", err
	}
	found := c.meant(path)
	if found == "" {
		return f, "", err
	}
	if f, err = c.Scope.ReadFile(ctx, c.Repo, tool, found); err != nil {
		return f, "", err
	}
	return f, fmt.Sprintf("%q is %s in the repository\n", agent.Shorten(agent.CleanLine(path), 200), agent.CleanLine(found)), nil
}

// Path returns the tracked file for the path that a model gave, which may be a path of the
// report. The clone may lack its contents.
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

// placeEnd matches the line and column that a model may append to a path.
var placeEnd = source.Lazy(`(:[0-9]+){1,2}$`)

// meant returns the tracked file for a path of the report. It returns "" if the path matches no
// file, or several files unless the frames are in exactly one of them.
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

// inStacks reports whether any frame is in a file.
func (c *Case) inStacks(path string) bool {
	return slices.ContainsFunc(c.Report.Stacks, func(s crash.Stack) bool {
		return slices.ContainsFunc(s.Frames, func(f crash.Frame) bool { return f.Path == path })
	})
}

// maxCode limits a shown line of code, in characters.
const maxCode = 180

// Numbered renders lines first to last with their numbers, from 1. The line mark gets a ">".
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
	view := c.definitionView(name)
	return newTool(name, agent.DeedSearch, definitionParams{}, func(ctx context.Context, p definitionParams) (agent.Result, error) {
		q := symbol.Question{Name: p.Symbol, At: symbol.Place{Line: p.Line}}
		if p.Path != "" {
			path, err := c.Path(ctx, name, p.Path)
			var refused *agent.CallError
			if err != nil && !errors.As(err, &refused) {
				return agent.Result{}, err
			}
			if refused != nil {
				q.Notes = append(q.Notes, refused.Text+"; looked in the whole repository")
			}
			q.At.Path = path
		}
		if q.At.Path == "" {
			q.At.Line = 0
		}
		return view.Lookup(ctx, c.Finder, q)
	})
}

// definitionView shows definitions in the files of the commit that crashed.
func (c *Case) definitionView(tool string) symbol.View {
	return symbol.View{Tool: tool, Mask: c.Mask, Search: "git_grep", Reader: "get_nearby_code",
		Read: func(ctx context.Context, path string) ([][]byte, error) {
			f, err := c.Scope.ReadFile(ctx, c.Repo, tool, path)
			return source.SplitLines(f.Text), err
		},
		Number: func(lines [][]byte, first, last int) string { return c.Numbered(lines, first, last, 0) },
	}
}
