package fixtool

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"git-agent/agent"
	"git-agent/agent/fix/edit"
	"git-agent/agent/gittool"
	"git-agent/agent/symbol"
)

type definitionParams struct {
	Name string `json:"name" arg:"required"`
	Path string `json:"path"`
	Line int    `json:"line" arg:"min=1"`
}

// newDefinition makes the tool search_definition, after Code Researcher: it shows the
// definition of a name with its present code.
func newDefinition(b *Box) (agent.Tool, error) {
	const name = "search_definition"
	shown := true // whether the last call showed a definition; unknown for a resumed call
	view := symbol.View{Tool: name, Read: b.linesOf, Number: func(lines [][]byte, first, last int) string {
		return edit.Number(stringsOf(lines), first, last, b.asShown)
	}, Mask: b.opt.Mask, Search: "code_search", Reader: "cat"}
	t, err := newTool(
		b,
		name,
		name,
		agent.DeedSearch,
		gittool.DefaultTimeout,
		definitionParams{},
		func(ctx context.Context, p definitionParams) (agent.Result, error) {
			q := symbol.Question{Name: p.Name}
			if p.Path != "" {
				path, err := b.find(ctx, name, p.Path)
				var refused *agent.CallError
				switch {
				case errors.As(err, &refused):
					q.Notes = append(q.Notes, refused.Text+"; looked in the whole repository")
				case err != nil:
					return agent.Result{}, err
				default:
					q.At = symbol.Place{Path: path, Line: p.Line}
				}
			}
			found, err := b.finder.Lookup(ctx, p.Name, q.At)
			if errors.Is(err, symbol.ErrNoName) {
				return agent.Result{}, refuse(name, "%s is not a name; give an identifier, such as f, T::f or obj->field", quoted(p.Name))
			}
			if err != nil {
				return agent.Result{}, err
			}
			q.Notes = append(q.Notes, found.Notes...)
			found.Definitions = b.current(p.Name, found.Definitions)
			if p.Line == 0 {
				found = onlyIn(q.At.Path, found)
			}
			shown = len(found.Definitions) > 0
			return view.Render(ctx, q, found)
		},
	)
	if err != nil {
		return nil, err
	}
	t.step = func(p definitionParams) Step {
		if shown { // a whole function was read
			return Step{Kind: StepRead}
		}
		return Step{Kind: StepSearch, Key: p.Name}
	}
	return t, nil
}

// onlyIn leaves only the definitions in a file, if it has any: whoever names the file of a
// method means that one, and not the methods of the same name in other classes.
func onlyIn(path string, found symbol.Found) symbol.Found {
	var here []symbol.Definition
	for _, d := range found.Definitions {
		if d.Path == path {
			here = append(here, d)
		}
	}
	if len(here) > 0 {
		found.More += len(found.Definitions) - len(here)
		found.Definitions = here
	}
	return found
}

// current returns the work tree's version of definitions, because the finder only knows the
// commit, without overlaid and edited files.
func (b *Box) current(name string, list []symbol.Definition) []symbol.Definition {
	changed := b.changedPaths()
	kinds := map[string]symbol.Definition{}
	var out []symbol.Definition
	for _, d := range list {
		if !slices.Contains(changed, d.Path) {
			out = append(out, d)
		} else if _, ok := kinds[d.Path]; !ok {
			kinds[d.Path] = d
			d.Line = 0 // marks the position for the file's present definitions
			out = append(out, d)
		}
	}
	for _, path := range changed {
		data, _, err := b.text(path)
		if err != nil {
			data = nil
		}
		var now []symbol.Definition
		for _, n := range symbol.DefinedIn(path, bytes.Split(data, []byte("\n")), name) {
			kind := kinds[path].Kind
			if kind == "" {
				kind = "definition"
			}
			now = append(now, symbol.Definition{Path: path, Line: n, Kind: kind})
		}
		at := slices.IndexFunc(out, func(d symbol.Definition) bool { return d.Path == path && d.Line == 0 })
		if at < 0 {
			out = append(out, now...)
			continue
		}
		out = slices.Concat(out[:at], now, out[at+1:])
	}
	return out
}

// linesOf returns the lines of a file of the work tree, if the file may be shown.
func (b *Box) linesOf(_ context.Context, path string) ([][]byte, error) {
	data, _, err := b.text(path)
	var why unreadable
	if errors.As(err, &why) {
		return nil, refuse("search_definition", "%s %s", agent.CleanLine(path), why)
	}
	return bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n")), err
}

func stringsOf(lines [][]byte) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = string(l)
	}
	return out
}

type commitsParams struct {
	Pattern string `json:"pattern" arg:"required"`
	In      string `json:"in" arg:"enum=message|diff"`
	Path    string `json:"path"`
	Max     int    `json:"max" arg:"min=1,max=50"`
}

// newCommits makes the tool search_commits, after Code Researcher: it finds commits by a
// regular expression for messages or changed lines.
func newCommits(b *Box) (agent.Tool, error) {
	const name = "search_commits"
	t, err := newTool(
		b,
		name,
		name,
		agent.DeedSearch,
		gittool.DefaultTimeout,
		commitsParams{In: "message", Max: 15},
		func(ctx context.Context, p commitsParams) (agent.Result, error) {
			q := gittool.CommitSearch{Tool: name, Pattern: p.Pattern, Max: p.Max, Mask: b.opt.Mask}
			if p.Path != "" {
				path, err := b.find(ctx, name, p.Path)
				if err != nil {
					return agent.Result{}, err
				}
				q.Paths = []string{path}
			}
			if p.In == "diff" {
				return b.scope.SearchChanges(ctx, b.repo, q)
			}
			return b.scope.SearchMessages(ctx, b.repo, q)
		},
	)
	if err != nil {
		return nil, err
	}
	return t.TypedTool, nil // the history does not change: an equal call has an equal answer
}
