// Package crashtool holds the tools with which a model investigates a crash: those
// of AutoCrashFL (arXiv 2510.22530, section 3.3), and the history.
//
//   - get_crash_extinfo and get_crash_stack show the report, get_crash_section the
//     other sections of a SAP HANA dump.
//   - get_nearby_code shows the lines around a line, get_term_definition where a name
//     is defined.
//   - search_commits finds commits by their messages. git_log_search, which finds them
//     by their changes, git_blame, git_show and git_grep are those of agent/gittool.
//
// All answer from the commit that crashed, and nothing newer is visible. None needs a
// checkout. A call that is wrong about a line or a path gets the nearest answer, which
// says what it took instead: in the paper 40 % of the definition calls failed, most of
// them because the name was not on the given line.
package crashtool

import (
	"context"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/crash/locate"
	"git-agent/agent/gittool"
	"git-agent/agent/symbol"
	"git-agent/gitext"
	"git-agent/prompts"
)

// Case is the crash that the tools show.
type Case struct {
	Repo   *gitext.Repo
	Commit gitext.OID // the commit that crashed
	Report *crash.Report
	// Dump is the file that holds the report's sections, "" if it cannot be read.
	Dump   string
	Files  *locate.Files  // the files of the commit
	Finder *symbol.Finder // looks up definitions
	Scope  gittool.Scope  // what of the history is visible
	Memory agent.Memory   // of the git tools; may be nil
	// Mask takes out of texts what must not leave the machine; may be nil. The answers
	// are masked again as a whole: here it sees texts before they are cut, because half
	// of a secret looks like none.
	Mask func(string) string
}

// masked returns a text without secrets.
func (c *Case) masked(text string) string {
	if c.Mask == nil {
		return text
	}
	return c.Mask(text)
}

// Shorten is agent.Shorten for text that may hold secrets. The text is cleaned too.
func (c *Case) Shorten(text string, max int) string {
	return agent.Shorten(c.toCut(agent.CleanLine(text), max), max)
}

// abridge is agent.Abridge as Shorten is agent.Shorten.
func (c *Case) abridge(text string, max int) string {
	return agent.Abridge(c.toCut(agent.CleanLine(text), max), max)
}

// toCut masks a text that is about to be cut to a number of characters. Of a very long
// text it masks the beginning, of which the cut leaves a part.
func (c *Case) toCut(text string, max int) string {
	const beyond = 4000 // bytes of a secret that begins before the cut
	if len(text) <= max {
		return text
	}
	at := min(len(text), 4*max+beyond)
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return c.masked(text[:at]) + text[at:]
}

// New returns the tools for a case, in the order in which models see them. They are
// safe for concurrent use.
func New(c *Case) ([]agent.Tool, error) {
	var tools []agent.Tool
	makers := []func(*Case) (agent.Tool, error){newExtinfo, newStack, newCode, newDefinition, newCommits}
	if len(c.Report.Sections) > 0 && c.Dump != "" {
		makers = append(makers, newSection)
	}
	for _, make := range makers {
		t, err := make(c)
		if err != nil {
			return nil, err
		}
		tools = append(tools, t)
	}
	box, err := gittool.New(c.Repo, c.Scope, gittool.Options{Memory: c.Memory})
	if err != nil {
		return nil, err
	}
	for _, t := range box.Tools() {
		switch t.Spec().Name {
		case "git_blame", "git_show", "git_log_search", "git_grep":
			tools = append(tools, t)
		}
	}
	return tools, nil
}

// Specs describes all tools, those of a HANA dump included, in their order.
func Specs() ([]agent.Spec, error) {
	all := &Case{Report: &crash.Report{Sections: []crash.Section{{}}}, Dump: "-", Scope: gittool.Scope{Tip: "-"}}
	tools, err := New(all)
	var specs []agent.Spec
	for _, t := range tools {
		specs = append(specs, t.Spec())
	}
	return specs, err
}

// A tool has parameters P. answer gives the text for a call.
type tool[P any] struct {
	spec     agent.Spec
	args     agent.Args[P]
	defaults P
	answer   func(ctx context.Context, p P) (agent.Result, error)
}

// newTool adds what the prompts say about the tool called name.
func newTool[P any](name string, deed agent.Deed, defaults P, answer func(ctx context.Context, p P) (agent.Result, error)) (agent.Tool, error) {
	text, err := prompts.Get("crash/" + name)
	if err != nil {
		return nil, err
	}
	said := text.Tool()
	args, err := agent.NewArgs[P](said.Params)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &tool[P]{
		spec: agent.Spec{Name: name, Description: said.Description, Parameters: args.Schema, Deed: deed},
		args: args, defaults: defaults, answer: answer,
	}, nil
}

// Spec describes the tool.
func (t *tool[P]) Spec() agent.Spec { return t.spec }

// Call answers one call.
func (t *tool[P]) Call(ctx context.Context, args json.RawMessage) (agent.Result, error) {
	limited, cancel := context.WithTimeout(ctx, gittool.DefaultTimeout)
	defer cancel()
	p := t.defaults
	if err := t.args.Decode(t.spec.Name, args, &p); err != nil {
		return agent.Result{}, err
	}
	res, err := t.answer(limited, p)
	switch {
	case err == nil || ctx.Err() != nil:
		return res, err
	case limited.Err() != nil:
		return res, &agent.CallError{Tool: t.spec.Name, Err: context.DeadlineExceeded, TimedOut: true,
			Text: fmt.Sprintf("stopped after %s without an answer; ask for less", gittool.DefaultTimeout)}
	case gitext.Unreadable(err):
		err = &agent.CallError{Tool: t.spec.Name, Err: err, Text: agent.CleanLine(err.Error())}
	}
	return res, err
}

// refuse returns an error for the model.
func refuse(tool, format string, args ...any) error {
	return &agent.CallError{Tool: tool, Text: fmt.Sprintf(format, args...)}
}
