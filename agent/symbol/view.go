package symbol

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"git-agent/agent"
	"git-agent/agent/source"
)

// A View answers a model's question about the definition of a name: it looks up the name and
// shows the code of the definitions, in the files that the model can see.
//
// The answer says which name or line the lookup used instead of the requested one, and which
// steps failed. The caller decides which files may be shown, and reads them.
type View struct {
	Tool string // the name of the tool, for refusals
	// Read returns the lines of a file. For a file that must not be shown, it returns a
	// *agent.CallError with the reason.
	Read func(ctx context.Context, path string) ([][]byte, error)
	// Number renders lines first to last with their numbers, from 1.
	Number func(lines [][]byte, first, last int) string
	Mask   agent.Mask
	Search string // name of the tool that finds the uses of a name
	Reader string // name of the tool that shows the rest of a definition
}

// A Question is a name, and the place of a use if known.
type Question struct {
	Name  string
	At    Place
	Notes []string // sentences for the model about the reading of the question
}

// Lookup looks up a name and renders the result.
func (v View) Lookup(ctx context.Context, finder *Finder, q Question) (agent.Result, error) {
	found, err := finder.Lookup(ctx, q.Name, q.At)
	if errors.Is(err, ErrNoName) {
		return agent.Result{}, &agent.CallError{
			Tool: v.Tool,
			Text: fmt.Sprintf("%q is not a name; give an identifier, such as f, T::f or obj->field", short(q.Name)),
		}
	}
	if err != nil {
		return agent.Result{}, err
	}
	q.Notes = append(q.Notes, found.Notes...)
	return v.Render(ctx, q, found)
}

// short shortens a name that a model wrote.
func short(name string) string { return agent.Shorten(agent.CleanLine(name), 100) }

// Limits on the shown lines of definitions.
const (
	shownBody  = 70 // of the first one
	shownOther = 3  // of each other definition
	shownRest  = 20 // lines beyond shownBody that the first one may have
	maxCode    = 180
)

// Render renders a result: the first definition with its code, and the first lines of the others.
func (v View) Render(ctx context.Context, q Question, found Found) (agent.Result, error) {
	var b strings.Builder
	for _, n := range q.Notes {
		fmt.Fprintf(&b, "note: %s\n", agent.CleanLine(n))
	}
	name, path := short(q.Name), agent.CleanLine(q.At.Path)
	switch {
	case found.Used.Line > 0 && q.At.Line > 0 && found.Used.Line != q.At.Line:
		fmt.Fprintf(&b, "%s is not on line %d of %s; the nearest use is on line %d\n", name, q.At.Line, path, found.Used.Line)
	case found.Used.Line == 0 && q.At.Path != "":
		fmt.Fprintf(&b, "%s does not occur in %s\n", name, path)
	}
	if len(found.Definitions) == 0 {
		fmt.Fprintf(
			&b,
			"no definition of %s is found in the repository; it may be in a library, or made by a macro: %s finds its uses\n",
			name,
			v.Search,
		)
		return agent.Result{Text: b.String(), Nothing: true}, nil
	}
	for i, d := range found.Definitions {
		fmt.Fprintf(&b, "%s %s: %s:%d\n", d.Kind, name, agent.CleanLine(d.Path), d.Line)
		most := shownOther
		if i == 0 {
			most = shownBody
		}
		text, err := v.body(ctx, d, most)
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

// body returns the lines of a definition, at least the first. If its file cannot be shown, body
// returns a sentence about this.
func (v View) body(ctx context.Context, d Definition, most int) (string, error) {
	all, err := v.Read(ctx, d.Path)
	var refused *agent.CallError
	if errors.As(err, &refused) {
		return "  (" + agent.CleanLine(refused.Text) + ")\n", nil
	}
	if err != nil {
		return "", err
	}
	if d.Line < 1 || d.Line > len(all) {
		return "  " + v.Mask.Shorten(d.Text, maxCode) + "\n", nil
	}
	first, last := d.Line, min(len(all), d.Line+shownOther-1)
	switch e, ok := source.FunctionAround(d.Path, all, d.Line); {
	case ok && e.Start <= d.Line && d.Line <= e.Body:
		first, last = e.Start, e.End
	case d.End >= d.Line:
		last = min(len(all), d.End)
	case d.Kind == Type:
		last = min(len(all), d.Line+most-1)
	}
	end := min(last, first+most-1)
	if most == shownBody && last-end <= shownRest {
		end = last
	}
	text := v.Number(all, first, end)
	if end < last {
		text += fmt.Sprintf("(it ends at line %d: %s)\n", last, v.Reader)
	}
	return text, nil
}
