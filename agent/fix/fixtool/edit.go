package fixtool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/agent/fix/edit"
	"git-agent/agent/source"
)

// A change is one edit in any format.
type change struct {
	path       string
	old, new   string
	all        bool
	start, end int
}

// A replacement is an entry of the parameter edits.
type replacement struct {
	Path string `json:"path"`
	Old  string `json:"old" arg:"bytes=65536"`
	New  string `json:"new" arg:"bytes=65536"`
	All  bool   `json:"all"`
}

type replaceParams struct {
	Path  string        `json:"path"`
	Old   string        `json:"old" arg:"bytes=65536"`
	New   string        `json:"new" arg:"bytes=65536"`
	All   bool          `json:"all"`
	Edits []replacement `json:"edits"`
}

type linesParams struct {
	Path  string `json:"path" arg:"required"`
	Start int    `json:"start" arg:"required,min=1"`
	End   int    `json:"end" arg:"required,min=0"`
	Text  string `json:"text" arg:"bytes=65536"`
}

type wholeParams struct {
	Path string `json:"path" arg:"required"`
	Text string `json:"text" arg:"required,bytes=1048576"`
}

const editName = "edit"

// newEdit makes the tool edit in the format of the options. The text of a whole file may be
// long, so the format EditWhole is for models that fail with the others.
func newEdit(b *Box) (agent.Tool, error) {
	switch b.opt.Edits {
	case fix.EditLines:
		return editTool(b, "edit_lines", linesParams{}, func(p linesParams) ([]change, error) {
			return []change{{path: p.Path, start: p.Start, end: p.End, new: p.Text}}, nil
		})
	case fix.EditWhole:
		return editTool(b, "edit_whole", wholeParams{}, func(p wholeParams) ([]change, error) {
			return []change{{path: p.Path, new: p.Text}}, nil
		})
	}
	return editTool(b, "edit", replaceParams{}, replaceParams.changes)
}

// changes returns the edits of a call: the one in the parameters, and those of the list.
func (p replaceParams) changes() ([]change, error) {
	var list []change
	if p.Old != "" || p.New != "" || len(p.Edits) == 0 {
		list = append(list, change{path: p.Path, old: p.Old, new: p.New, all: p.All})
	}
	for _, e := range p.Edits {
		if e.Path == "" {
			e.Path = p.Path
		}
		list = append(list, change{path: e.Path, old: e.Old, new: e.New, all: e.All})
	}
	for _, c := range list {
		if c.path == "" {
			return nil, refuse(editName, `"path" is missing`)
		}
	}
	return list, nil
}

func editTool[P any](b *Box, text string, defaults P, changes func(P) ([]change, error)) (agent.Tool, error) {
	t, err := newTool(b, editName, text, agent.DeedEdit, 0, defaults, func(ctx context.Context, p P) (agent.Result, error) {
		list, err := changes(p)
		if err != nil {
			return agent.Result{}, err
		}
		said, err := b.makeChanges(ctx, list)
		return agent.Result{Text: said}, err
	})
	if err != nil {
		return nil, err
	}
	t.step = func(p P) Step {
		key, _ := json.Marshal(p) // strings, numbers and lists of them have a JSON form
		step := Step{Kind: StepEdit, Key: string(key)}
		if list, err := changes(p); err == nil {
			step.Path = list[0].path
		}
		return step
	}
	t.resume = func(ctx context.Context, p P, recorded agent.CallResult) error {
		if recorded.Failed {
			return nil
		}
		list, err := changes(p)
		if err == nil {
			_, err = b.makeChanges(ctx, list)
		}
		return err
	}
	return t, nil
}

// fileState is a file that the edit tool changed.
type fileState struct {
	before  []byte      // as the problem's tree has it
	existed bool        // the problem's tree has it
	mode    fs.FileMode // permissions
	now     []byte
}

// A pending is a file with the changes of a call, before they are written.
type pending struct {
	name   string
	before []byte // before the call; nil for a new file
	state  fileState
	said   strings.Builder
}

// makeChanges makes the edits of a call, all or none, and describes the changes.
func (b *Box) makeChanges(ctx context.Context, list []change) (string, error) {
	var files []*pending
	for i, c := range list {
		p, err := b.open(ctx, c.path, files)
		if err == nil {
			if len(files) == 0 || !slices.Contains(files, p) {
				files = append(files, p)
			}
			err = b.apply(ctx, p, c)
		}
		var refused *agent.CallError
		if errors.As(err, &refused) && len(list) > 1 {
			refused.Text = fmt.Sprintf("edit %d of %d: %s\nNone of the edits was made", i+1, len(list), refused.Text)
		}
		if err != nil {
			return "", err
		}
	}
	return b.commit(files)
}

// open reads a file for editing, or returns the file with the earlier edits of the same call.
func (b *Box) open(ctx context.Context, raw string, files []*pending) (*pending, error) {
	name, isNew, err := b.editable(ctx, raw)
	if err != nil {
		return nil, err
	}
	for _, p := range files {
		if p.name == name {
			return p, nil
		}
	}
	p := &pending{name: name}
	if state, ok := b.files[name]; ok {
		p.state = *state
	} else {
		p.state = fileState{mode: 0o644, existed: !isNew}
	}
	if isNew {
		return p, nil
	}
	data, mode, err := b.text(name)
	var why unreadable
	if errors.As(err, &why) {
		return nil, refuse(editName, "%s %s", agent.CleanLine(name), why)
	}
	if err != nil {
		return nil, err
	}
	if _, ok := b.files[name]; !ok {
		p.state.before, p.state.mode = data, mode.Perm()
	}
	p.before, p.state.now = data, data
	return p, nil
}

// editable returns the path that a model named, if a patch may change the file, and whether the
// file is new.
func (b *Box) editable(ctx context.Context, raw string) (name string, isNew bool, err error) {
	name, err = b.find(ctx, editName, raw)
	var refused *agent.CallError
	if errors.As(err, &refused) {
		tries, bad := b.inside(editName, raw)
		if bad != nil {
			return "", false, bad
		}
		// If the directory exists, a new file in it is likely; otherwise the path is wrong.
		if parent := path.Dir(tries[0]); parent != "." {
			if _, err := b.find(ctx, editName, parent); err != nil {
				return "", false, refused
			}
		}
		name, isNew = tries[0], true
	} else if err != nil {
		return "", false, err
	}
	if err := b.forbidden(name); err != nil {
		return "", false, err
	}
	link, err := b.linked(name)
	if err != nil {
		return "", false, err
	}
	if link != "" {
		return "", false, refuse(editName, "%s is a link; edit the file that it leads to", agent.CleanLine(link))
	}
	if isNew || b.files[name] != nil {
		return name, isNew, nil
	}
	if _, _, err := b.read(name); errors.Is(err, isDirectory) {
		return "", false, refuse(editName, "%s %s", agent.CleanLine(name), isDirectory)
	}
	known, err := b.tracked(ctx, name)
	if err == nil && !known {
		err = refuse(editName, "%s is no file of the repository: a build or a test made it", agent.CleanLine(name))
	}
	return name, false, err
}

// lockFiles are written by package managers.
var lockFiles = strings.Fields(
	"go.sum package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml Cargo.lock poetry.lock Pipfile.lock uv.lock Gemfile.lock composer.lock",
)

// harmlessParts are files that configure the tests and other things.
var harmlessParts = map[string]bool{"package.json": true, "go.mod": true}

// forbidden refuses the files that a patch must not change.
func (b *Box) forbidden(name string) error {
	shown := agent.CleanLine(name)
	switch {
	case b.problem.OwnTest != nil && name == b.problem.OwnTest.File.Path, source.IsTestOf(name, b.problem.Test) && !b.problem.EditTests:
		return refuse(editName, "%s belongs to the tests, which the repair must not change; change the code that they test", shown)
	case source.SteersTests(name) && !harmlessParts[path.Base(name)] && !b.problem.EditTests:
		return refuse(editName, "%s says how the tests run, which the repair must not change; change the code that they test", shown)
	case slices.Contains(lockFiles, path.Base(name)):
		return refuse(editName, "%s is written by a package manager and no part of a repair", shown)
	}
	return nil
}

// apply applies one edit to a file.
func (b *Box) apply(ctx context.Context, p *pending, c change) error {
	if generated(p.before) {
		return refuse(editName, "%s is generated, as its head says: change what it is generated from", agent.CleanLine(p.name))
	}
	var res edit.Result
	var err error
	switch {
	case b.opt.Edits == fix.EditLines:
		res, err = edit.Lines(p.name, p.state.now, c.start, c.end, c.new)
	case b.opt.Edits == fix.EditWhole, c.old == "" && len(p.state.now) == 0:
		res, err = edit.Whole(p.name, p.state.now, c.new)
	case p.before == nil && p.state.now == nil:
		return refuse(editName, "%s is not there; to make a new file, leave old empty", agent.CleanLine(p.name))
	default:
		res, err = edit.Replace(p.name, p.state.now, c.old, c.new, edit.Options{All: c.all, As: b.asShown})
	}
	if err != nil {
		var e *edit.MatchError
		if errors.As(err, &e) && e.Reason != edit.Applied && e.Reason != edit.Same {
			b.unmade = p.name
		}
		said := strings.TrimRight(b.opt.Mask.Text(err.Error()), "\n")
		return refuse(editName, "%s%s", said, b.elsewhere(ctx, p.name, c.old, err))
	}
	const placeholder = "<secret:"
	if bytes.Count(res.Content, []byte(placeholder)) > bytes.Count(p.state.now, []byte(placeholder)) {
		return refuse(editName, "the new text has %s…>, which stands for a secret that is not shown; leave that line out of the edit", placeholder)
	}
	text, shown := tidy(p.name, p.state.now, res)
	p.said.WriteString(changedNote(p, res))
	p.said.WriteString(shown)
	p.state.now = text
	return nil
}

// elsewhere names another file with the text that was not found, as a sentence, or returns "".
func (b *Box) elsewhere(ctx context.Context, name, old string, err error) string {
	const likely, least = 0.8, 12 // with a smaller likeness, another file is more likely; least characters
	var e *edit.MatchError
	if !errors.As(err, &e) || e.Reason != edit.NotFound || e.Near != nil && e.Near.Like >= likely {
		return ""
	}
	var longest string
	for line := range strings.Lines(old) {
		if line = strings.TrimSpace(line); len(line) > len(longest) {
			longest = line
		}
	}
	if len(longest) < least || len(longest) > maxPattern {
		return ""
	}
	hits, _, err := b.search(ctx, text(longest, false), "")
	if delete(hits, name); err != nil || len(hits) != 1 {
		return ""
	}
	for other, h := range hits {
		return fmt.Sprintf("\nThe longest line of old is in another file: %s, line %d", agent.CleanLine(other), h.lines[0])
	}
	return ""
}

// changedNote describes an edit.
func changedNote(p *pending, res edit.Result) string {
	name := agent.CleanLine(p.name)
	how := ""
	switch res.Match {
	case edit.Trailing, edit.Indentation:
		how = "; the text was found apart from white space (" + string(res.Match) + ")"
	case edit.Shown:
		how = "; the text was found apart from special characters"
	}
	switch {
	case p.before == nil && p.state.now == nil:
		return fmt.Sprintf("%s is new%s:\n", name, how)
	case res.Count > 1:
		return fmt.Sprintf("%s: %s replaced%s:\n", name, agent.Plural(res.Count, "place"), how)
	case res.End < res.Start:
		return fmt.Sprintf("%s: lines removed before line %d%s:\n", name, res.Start, how)
	}
	return fmt.Sprintf("%s: %s changed%s:\n", name, lineRange(res.Start, res.End), how)
}

// commit writes the files of a call. If one cannot be written, commit restores those before it.
func (b *Box) commit(files []*pending) (string, error) {
	var said strings.Builder
	for i, p := range files {
		if err := b.write(p.name, p.state.now, p.state.mode); err != nil {
			for _, undo := range files[:i] {
				b.restore(undo.name, undo.before, undo.state.mode)
			}
			return "", refuse(
				editName,
				"%s cannot be written: %s. None of the edits was made",
				agent.CleanLine(p.name),
				agent.CleanLine(b.relative(err.Error())),
			)
		}
	}
	for _, p := range files {
		state := p.state
		b.files[p.name] = &state
		said.WriteString(p.said.String())
		if state.existed && bytes.Equal(state.before, state.now) {
			fmt.Fprintf(&said, "%s is now as it was before the repair\n", agent.CleanLine(p.name))
		}
		if problem := parseError(p.name, p.state.now); problem != "" {
			fmt.Fprintf(&said, "%s does not parse: %s\n", agent.CleanLine(p.name), problem)
		}
	}
	b.version++
	b.unmade = ""
	return said.String(), nil
}

// restore restores a file, as far as possible.
func (b *Box) restore(name string, data []byte, mode fs.FileMode) {
	if data == nil {
		b.remove(name)
		return
	}
	b.write(name, data, mode)
}
