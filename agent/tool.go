package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"git-agent/cache"
	"git-agent/gitext"
	"git-agent/prompts"
)

// Tool is something that a model can call.
type Tool interface {
	Spec() Spec
	// Call answers one call. A *CallError is an answer too: its text tells
	// the caller what to change. Any other error is trouble of ours.
	Call(ctx context.Context, args json.RawMessage) (Result, error)
}

// Spec is what a model is told about a tool.
type Spec struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"` // JSON schema
}

// Result is the answer to a call.
type Result struct {
	Text      string // for the model: clean, bounded
	Value     any    // for the program: *Blame, *Show, *Search, *FunctionLog or *Grep
	Truncated bool   // Text is not all of it, and says how to get the rest
	Cached    bool
	Full      string // before compression, where Text is less
	// Incomplete says why Value is of a part only: a bound on git ended a read.
	// It is "" for a whole answer, and Text says it too.
	Incomplete string
	Final      bool // the call was the verdict, and it is accepted: the conversation ends
}

// CallError says why a call cannot be answered, in words for its caller.
type CallError struct {
	Tool      string
	Text      string
	Err       error // the cause, nil for a mistake of the caller
	Malformed bool  // the arguments do not fit the schema: nothing was looked for
}

func (e *CallError) Error() string { return e.Tool + ": " + e.Text }
func (e *CallError) Unwrap() error { return e.Err }

// Answer is what the caller sees in place of a result's text.
func (e *CallError) Answer() string { return "error: " + e.Text + "\n" }

// Memory keeps answers between calls. *cache.Cache is one.
type Memory interface {
	Get(ctx context.Context, key cache.Key) ([]byte, bool)
	Put(ctx context.Context, key cache.Key, value []byte)
}

// ToolOptions are the switches of a toolbox.
type ToolOptions struct {
	Plain   bool          // no compression: answers in git's own formats
	Memory  Memory        // nil for none
	Timeout time.Duration // of one call; 0 for DefaultToolTimeout
}

// DefaultToolTimeout lets a search through the whole history of a repository
// with a few hundred thousand commits end.
const DefaultToolTimeout = 2 * time.Minute

// Toolbox holds the five git tools, bound to one scope of one repository.
// It is safe for concurrent use.
type Toolbox struct{ tools []Tool }

// NewToolbox binds the tools. The scope's tip must be a commit.
func NewToolbox(repo *gitext.Repo, scope Scope, opt ToolOptions) (*Toolbox, error) {
	if scope.Tip == "" {
		return nil, errors.New("the scope of the tools has no tip")
	}
	if opt.Timeout <= 0 {
		opt.Timeout = DefaultToolTimeout
	}
	return bind(&bench{repo: repo, scope: scope, opt: opt})
}

// Specs describes the tools, in the order in which models are told of them.
func Specs() ([]Spec, error) {
	box, err := bind(nil)
	if err != nil {
		return nil, err
	}
	var specs []Spec
	for _, t := range box.tools {
		specs = append(specs, t.Spec())
	}
	return specs, nil
}

func bind(b *bench) (*Toolbox, error) {
	var box Toolbox
	for _, make := range []func(*bench) (Tool, error){newBlame, newShow, newSearch, newFunctionLog, newGrep} {
		t, err := make(b)
		if err != nil {
			return nil, err
		}
		box.tools = append(box.tools, t)
	}
	return &box, nil
}

// Tools returns the tools in their fixed order.
func (box *Toolbox) Tools() []Tool { return slices.Clone(box.tools) }

// Call runs the tool called name.
func (box *Toolbox) Call(ctx context.Context, name string, args json.RawMessage) (Result, error) {
	var names []string
	for _, t := range box.tools {
		if t.Spec().Name == name {
			return t.Call(ctx, args)
		}
		names = append(names, t.Spec().Name)
	}
	return Result{}, &CallError{Tool: shorten(cleanLine(name), 60), Text: "there is no such tool; the tools are " + strings.Join(names, ", ")}
}

// bench is what one call works with.
type bench struct {
	repo  *gitext.Repo
	scope Scope
	opt   ToolOptions
	notes []string // what the caller should know about how the call was read
}

func (b *bench) notef(format string, args ...any) {
	b.notes = append(b.notes, fmt.Sprintf(format, args...))
}

// gitTool is a tool with parameters P and value V. prepare checks and
// resolves the parameters to a form that determines the value; look asks git;
// tell puts the value into words.
type gitTool[P, V any] struct {
	spec    Spec
	version int // rises with every change of what look returns
	narrow  string
	params  []param
	bench   *bench

	defaults P
	page     func(*P) int // takes the page out of P, since it does not determine the value
	prepare  func(ctx context.Context, b *bench, p *P) error
	look     func(ctx context.Context, b *bench, p P) (*V, error)
	tell     func(v *V, detail int) view
}

// described fills in what the prompts say of the tool called name.
func (t *gitTool[P, V]) described(name string, b *bench) (Tool, error) {
	text, err := prompts.ForTool(name)
	if err != nil {
		return nil, err
	}
	t.params = paramsOf(reflect.TypeFor[P]())
	schema, err := schemaOf(t.params, text.Params)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	t.spec = Spec{Name: name, Description: text.Description, Parameters: schema}
	t.narrow, t.bench = text.Narrow, b
	return t, nil
}

// Spec describes the tool.
func (t *gitTool[P, V]) Spec() Spec { return t.spec }

// Call answers one call within the time that the toolbox allows.
func (t *gitTool[P, V]) Call(ctx context.Context, args json.RawMessage) (Result, error) {
	b := *t.bench
	limited, cancel := context.WithTimeout(ctx, b.opt.Timeout)
	defer cancel()
	p := t.defaults
	if err := decodeArgs(args, t.params, &p); err != nil {
		return Result{}, &CallError{Tool: t.spec.Name, Text: err.Error(), Malformed: true}
	}
	res, err := t.answer(limited, &b, p)
	if err == nil {
		return res, nil
	}
	if ctx.Err() == nil && limited.Err() != nil {
		return res, &CallError{Tool: t.spec.Name, Err: context.DeadlineExceeded,
			Text: fmt.Sprintf("stopped after %s without an answer; to ask for less, %s", b.opt.Timeout, t.narrow)}
	}
	return res, t.explain(ctx, err)
}

func (t *gitTool[P, V]) answer(ctx context.Context, b *bench, p P) (Result, error) {
	page := t.page(&p)
	if err := t.prepare(ctx, b, &p); err != nil {
		return Result{}, err
	}
	v, cached, unread, err := t.recall(ctx, b, p)
	if err != nil {
		return Result{}, err
	}
	incomplete := strings.Join(unread.Bounds, "; ")
	if incomplete != "" {
		b.notef("%s: this is the answer of what could be read", cleanLine(incomplete))
	}
	detail := detailFull
	if b.opt.Plain {
		detail = detailPlain
	}
	told, err := compose(func(d int) view { return t.tell(v, d) }, detail, page, b.notes, t.narrow)
	if err != nil {
		return Result{}, err
	}
	return Result{Text: told.text, Full: told.full, Value: v, Truncated: told.full != "", Cached: cached, Incomplete: incomplete}, nil
}

// explain turns errors that the caller can do something about into a
// CallError and leaves the others alone.
func (t *gitTool[P, V]) explain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var missing *gitext.MissingObjectError
	var no *refusal
	switch {
	case errors.As(err, &no):
		return &CallError{Tool: t.spec.Name, Text: no.text}
	case errors.As(err, &missing):
		return &CallError{Tool: t.spec.Name, Err: err,
			Text: fmt.Sprintf("this clone lacks object %s, which the answer needs; %s, or use another tool", missing.OID, t.narrow)}
	case gitext.Unreadable(err):
		return &CallError{Tool: t.spec.Name, Err: err,
			Text: fmt.Sprintf("%s; to ask for less, %s", cleanLine(err.Error()), t.narrow)}
	}
	return fmt.Errorf("%s: %w", t.spec.Name, err)
}

// refusal is a call that cannot be answered as it stands.
type refusal struct{ text string }

func (r *refusal) Error() string { return r.text }

func refusef(format string, args ...any) error { return &refusal{fmt.Sprintf(format, args...)} }

// recall returns the value from memory or from git, and remembers it.
// A value is only remembered when all of it could be read.
func (t *gitTool[P, V]) recall(ctx context.Context, b *bench, p P) (*V, bool, gitext.Unread, error) {
	ctx, unread := gitext.CountUnread(ctx)
	if b.opt.Memory == nil {
		v, err := t.look(ctx, b, p)
		return v, false, unread(), err
	}
	key, err := t.key(ctx, b, p)
	if err != nil {
		return nil, false, unread(), err
	}
	if data, ok := b.opt.Memory.Get(ctx, key); ok {
		v := new(V)
		if json.Unmarshal(data, v) == nil { // else it is not ours: ask git
			return v, true, unread(), nil
		}
	}
	v, err := t.look(ctx, b, p)
	if err != nil || unread().Any() { // the objects may come, the bounds may change
		return v, false, unread(), err
	}
	if data, err := json.Marshal(v); err == nil { // an answer is worth more than its place in the cache
		b.opt.Memory.Put(ctx, key, data)
	}
	return v, false, unread(), nil
}

// key names everything that determines a value: the tool, the resolved
// parameters, the scope, git, and the state of the clone.
func (t *gitTool[P, V]) key(ctx context.Context, b *bench, p P) (cache.Key, error) {
	args, err := json.Marshal(p)
	if err != nil {
		return cache.Key{}, err
	}
	version, err := b.repo.GitVersion(ctx)
	if err != nil {
		return cache.Key{}, err
	}
	var boundary []string
	for oid := range b.repo.ShallowBoundary() {
		boundary = append(boundary, string(oid))
	}
	slices.Sort(boundary)
	return cache.Key{Kind: "tool." + t.spec.Name, Parts: append([]string{
		fmt.Sprint(t.version), string(args), version, b.repo.ID(),
		string(b.scope.Tip), string(b.scope.Fix), fmt.Sprint(b.scope.Until.Unix()), b.scope.Redact.Name,
	}, boundary...)}, nil
}
