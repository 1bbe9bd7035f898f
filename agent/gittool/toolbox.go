// Package gittool holds the five read-only git tools for investigating a history:
// git_blame, git_show, git_log_search, git_log_function and git_grep. A model uses them,
// or a person by `git agent tool`.
//
// Promises:
//
//   - A tool takes typed fields, never options or argv, and starts no program
//     other than git through package gitext.
//   - A [Scope] bounds every call. No commit later than its tip is visible, and
//     a hidden commit (the fix under study) cannot be shown, named or found.
//   - The output of a tool holds no control bytes except newline and tab, is
//     bounded, and says at each cut how to get the rest.
//   - The same call on the same history gives the same bytes.
//
// The package does not interpret its findings, and it does not protect a reader from the
// words in repositories. Their content is data.
package gittool

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"git-agent/agent"
	"git-agent/agent/condense"
	"git-agent/cache/record"
	"git-agent/gitext"
	"git-agent/gitext/gitcmd"
	"git-agent/prompts"
)

// Options are the switches of a toolbox.
type Options struct {
	Plain bool // answers in git's own formats, not condensed
	// Unadvised omits the advice on investigating from the descriptions of the tools and
	// from empty answers.
	Unadvised bool
	Memory    agent.Memory  // may be nil
	Timeout   time.Duration // the time of one call; 0 is DefaultTimeout
	// First are the paths of files whose matches git_grep shows first, and more of, such as those of
	// a crash's stacks.
	First []string
	// Search names the tool that finds text in files, for advice; "" is git_grep.
	Search string
}

func (o Options) search() string { return cmp.Or(o.Search, "git_grep") }

// DefaultTimeout is enough for a search through the whole history of a repository with a
// few hundred thousand commits.
const DefaultTimeout = 2 * time.Minute

// Toolbox holds the five git tools for one scope of one repository. It is safe
// for concurrent use.
type Toolbox struct{ tools []agent.Tool }

// New returns the tools for a scope, whose tip must be a commit.
func New(repo *gitext.Repo, scope Scope, opt Options) (*Toolbox, error) {
	if scope.Tip == "" {
		return nil, errors.New("the scope of the tools has no tip")
	}
	if opt.Timeout <= 0 {
		opt.Timeout = DefaultTimeout
	}
	return bind(&scopedRepo{repo: repo, scope: scope, opt: opt})
}

// Specs describes the tools, in the order that models see.
func Specs() ([]agent.Spec, error) {
	box, err := bind(nil)
	if err != nil {
		return nil, err
	}
	var specs []agent.Spec
	for _, t := range box.tools {
		specs = append(specs, t.Spec())
	}
	return specs, nil
}

func bind(b *scopedRepo) (*Toolbox, error) {
	var box Toolbox
	for _, make := range []func(*scopedRepo) (agent.Tool, error){newBlame, newShow, newSearch, newFunctionLog, newGrep} {
		t, err := make(b)
		if err != nil {
			return nil, err
		}
		box.tools = append(box.tools, t)
	}
	return &box, nil
}

// Tools returns the tools in their fixed order.
func (box *Toolbox) Tools() []agent.Tool { return slices.Clone(box.tools) }

// Call runs the tool called name.
func (box *Toolbox) Call(ctx context.Context, name string, args json.RawMessage) (agent.Result, error) {
	var names []string
	for _, t := range box.tools {
		if t.Spec().Name == name {
			return t.Call(ctx, args)
		}
		names = append(names, t.Spec().Name)
	}
	return agent.Result{}, &agent.CallError{
		Tool: agent.Shorten(agent.CleanLine(name), 60),
		Text: "there is no such tool; the tools are " + strings.Join(names, ", "),
	}
}

// scopedRepo is the view of a repository in one call of a tool.
type scopedRepo struct {
	repo  *gitext.Repo
	scope Scope
	opt   Options
	notes []string // remarks for the caller about the reading of the call
}

func (b *scopedRepo) notef(format string, args ...any) {
	b.notes = append(b.notes, fmt.Sprintf(format, args...))
}

// gitTool is a tool with parameters P and value V. prepare checks the
// parameters and resolves them to a form that determines the value; look asks
// git; render turns the value into text.
type gitTool[P, V any] struct {
	spec    agent.Spec
	deed    agent.Deed
	version int // increased with every change of the result of look
	narrow  string
	args    agent.Args[P]
	bench   *scopedRepo

	defaults P
	page     func(*P) int // removes the page from P, since the value does not depend on it
	prepare  func(ctx context.Context, b *scopedRepo, p *P) error
	also     func(b *scopedRepo) []string // what the value depends on besides; nil for nothing
	look     func(ctx context.Context, b *scopedRepo, p P) (*V, error)
	render   func(v *V, detail int) condense.Layout
	empty    func(v *V) bool // a search that found nothing; nil for a tool that does not search
}

// described adds the prompt texts of the tool called name.
func (t *gitTool[P, V]) described(name string, b *scopedRepo) (agent.Tool, error) {
	text, err := prompts.ForTool(name, b == nil || !b.opt.Unadvised)
	if err != nil {
		return nil, err
	}
	if t.args, err = agent.NewArgs[P](text.Params); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	t.spec = agent.Spec{Name: name, Description: text.Description, Parameters: t.args.Schema, Deed: t.deed}
	t.narrow, t.bench = text.Narrow, b
	return t, nil
}

// Spec describes the tool.
func (t *gitTool[P, V]) Spec() agent.Spec { return t.spec }

// Call answers one call within the time limit of the toolbox.
func (t *gitTool[P, V]) Call(ctx context.Context, args json.RawMessage) (agent.Result, error) {
	b := *t.bench
	limited, cancel := context.WithTimeout(ctx, b.opt.Timeout)
	defer cancel()
	p := t.defaults
	if err := t.args.Decode(t.spec.Name, args, &p); err != nil {
		return agent.Result{}, err
	}
	res, err := t.answer(limited, &b, p)
	if err == nil {
		return res, nil
	}
	if ctx.Err() == nil && limited.Err() != nil {
		return res, &agent.CallError{Tool: t.spec.Name, Err: context.DeadlineExceeded, TimedOut: true,
			Text: fmt.Sprintf("stopped after %s without an answer; to ask for less, %s", b.opt.Timeout, t.narrow)}
	}
	return res, t.explain(ctx, err, args)
}

func (t *gitTool[P, V]) answer(ctx context.Context, b *scopedRepo, p P) (agent.Result, error) {
	page := t.page(&p)
	if err := t.prepare(ctx, b, &p); err != nil {
		return agent.Result{}, err
	}
	v, cached, unread, err := t.recall(ctx, b, p)
	if err != nil {
		return agent.Result{}, err
	}
	incomplete := strings.Join(unread.Bounds, "; ")
	if incomplete != "" {
		b.notef("%s: this is the answer of what could be read", agent.CleanLine(incomplete))
	}
	if lacks := lacking(unread); lacks != "" { // the text already names the missing objects
		incomplete = strings.Trim(incomplete+"; "+lacks, "; ")
	}
	if a, ok := any(v).(interface{ leaveOutAdvice() }); ok && b.opt.Unadvised {
		a.leaveOutAdvice()
	}
	detail := condense.Full
	if b.opt.Plain {
		detail = condense.Plain
	}
	words, err := condense.Compose(func(d int) condense.Layout { return t.render(v, d) }, detail, page, b.notes, t.narrow)
	if err != nil {
		return agent.Result{}, refusef("%v", err)
	}
	return agent.Result{
		Text:       words.Text,
		Full:       words.Full,
		Value:      v,
		Truncated:  words.Full != "",
		Cached:     cached,
		Incomplete: incomplete,
		Lacks:      unread.Missing > 0,
		Nothing:    t.empty != nil && t.empty(v),
	}, nil
}

// lacking names the missing object of an answer; "" if none.
func lacking(u gitcmd.Unread) string {
	if u.Missing == 0 {
		return ""
	}
	if len(u.Objects) == 0 {
		return "this clone lacks objects"
	}
	return "this clone lacks object " + short(u.Objects[0])
}

// explain turns errors that the caller can act on into a CallError, and returns all
// others unchanged.
func (t *gitTool[P, V]) explain(ctx context.Context, err error, args json.RawMessage) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var missing *gitext.MissingObjectError
	var no *refusal
	var ended *incomplete
	switch {
	case errors.As(err, &no):
		return &agent.CallError{Tool: t.spec.Name, Text: no.text, Fault: no.fault}
	case errors.As(err, &ended):
		return &agent.CallError{Tool: t.spec.Name, Err: err, Text: ended.text + "; " + t.narrow + ", or use another tool"}
	case errors.As(err, &missing):
		why := fmt.Sprintf("this clone lacks object %s", missing.OID)
		if missing.Damaged {
			why = missing.Error()
		}
		return &agent.CallError{Tool: t.spec.Name, Err: err,
			Text: fmt.Sprintf("%s, which %s needs; %s, or use another tool", why, subjectOf(args), t.narrow)}
	case gitext.Unreadable(err):
		return &agent.CallError{Tool: t.spec.Name, Err: err,
			Text: fmt.Sprintf("%s; to ask for less, %s", agent.CleanLine(err.Error()), t.narrow)}
	}
	return fmt.Errorf("%s: %w", t.spec.Name, err)
}

// subjectOf names the path that a call is about, or else its answer.
func subjectOf(args json.RawMessage) string {
	var named struct {
		Path string `json:"path"`
	}
	if json.Unmarshal(args, &named) != nil || named.Path == "" {
		return "the answer"
	}
	return fmt.Sprintf("the answer about %q", agent.Shorten(agent.CleanLine(named.Path), 120))
}

// refusal is the error for a call that cannot be answered in this form.
type refusal struct {
	text  string
	fault agent.Fault // "" for the usual one
}

func (r *refusal) Error() string { return r.text }

func refusef(format string, args ...any) error {
	return &refusal{text: fmt.Sprintf(format, args...)}
}

// faulty sets the fault of a refused call, unless it is known, and returns the error.
func faulty(err error, fault agent.Fault) error {
	var no *refusal
	if errors.As(err, &no) && no.fault == "" {
		no.fault = fault
	}
	return err
}

// recall returns the value from memory or from git. It stores the value in memory only if
// everything was readable.
func (t *gitTool[P, V]) recall(ctx context.Context, b *scopedRepo, p P) (*V, bool, gitcmd.Unread, error) {
	ctx, unread := gitcmd.CountUnread(ctx)
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
		if json.Unmarshal(data, v) == nil { // an unreadable value is ignored
			return v, true, unread(), nil
		}
	}
	v, err := t.look(ctx, b, p)
	if err != nil || unread().Any() { // later the objects may exist, or the bounds may be larger
		return v, false, unread(), err
	}
	if data, err := json.Marshal(v); err == nil { // failing to store it does not matter
		b.opt.Memory.Put(ctx, key, data)
	}
	return v, false, unread(), nil
}

// key contains all inputs of a value: the tool, the resolved parameters, the scope, git,
// and the state of the clone.
func (t *gitTool[P, V]) key(ctx context.Context, b *scopedRepo, p P) (record.Key, error) {
	args, err := json.Marshal(p)
	if err != nil {
		return record.Key{}, err
	}
	version, err := b.repo.GitVersion(ctx)
	if err != nil {
		return record.Key{}, err
	}
	var boundary []string
	for oid := range b.repo.ShallowBoundary() {
		boundary = append(boundary, string(oid))
	}
	slices.Sort(boundary)
	if t.also != nil {
		boundary = append(append(boundary, ""), t.also(b)...)
	}
	return record.Key{Kind: "tool." + t.spec.Name, Parts: append([]string{
		fmt.Sprint(t.version), string(args), version, b.repo.ID(),
		string(b.scope.Tip), string(b.scope.Fix), fmt.Sprint(b.scope.Until.Unix()), b.scope.Redact.Name,
	}, boundary...)}, nil
}
