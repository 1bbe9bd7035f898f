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
	"fmt"

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
	Mask agent.Mask
}

// Shorten is agent.Shorten for text that may hold secrets. The text is cleaned too.
func (c *Case) Shorten(text string, max int) string { return c.Mask.Shorten(text, max) }

// abridge is agent.Abridge as Shorten is agent.Shorten.
func (c *Case) abridge(text string, max int) string { return c.Mask.Abridge(text, max) }

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

// newTool makes a tool of what the prompts say about the one called name.
func newTool[P any](name string, deed agent.Deed, defaults P, answer func(ctx context.Context, p P) (agent.Result, error)) (agent.Tool, error) {
	text, err := prompts.Get("crash/" + name)
	if err != nil {
		return nil, err
	}
	spec := agent.Spec{Name: name, Deed: deed}
	return agent.NewTypedTool(spec, text.Tool(), gittool.DefaultTimeout, defaults, answer)
}

// refuse returns an error for the model.
func refuse(tool, format string, args ...any) error {
	return &agent.CallError{Tool: tool, Text: fmt.Sprintf(format, args...)}
}
