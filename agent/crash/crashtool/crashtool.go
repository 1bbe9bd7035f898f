// Package crashtool holds the tools for a model that investigates a crash: the tools of
// AutoCrashFL (arXiv 2510.22530, section 3.3), and tools for the history.
//
//   - get_crash_stack shows the report, get_crash_extinfo what it says beyond the first message, if
//     it says more, and get_crash_section the other sections of a SAP HANA dump.
//   - get_nearby_code shows the lines around a line, get_term_definition the definition
//     of a name.
//   - search_commits finds commits by their messages. git_log_search, which finds
//     commits by their changes, git_blame, git_show and git_grep come from
//     agent/gittool.
//
// All tools answer from the commit that crashed, and nothing newer is visible. None needs a
// checkout. A call with a wrong line or path gets the nearest answer, which says what it used
// instead: in the paper 40 % of the definition calls failed, most of them because the name was
// not on the given line.
package crashtool

import (
	"context"
	"fmt"
	"slices"

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
	// Dump is the file with the report's sections, "" if it cannot be read.
	Dump   string
	Files  *locate.Files  // the files of the commit
	Finder *symbol.Finder // looks up definitions
	Scope  gittool.Scope  // the visible part of the history
	Memory agent.Memory   // of the git tools; may be nil
	// Mask removes secrets from texts; may be nil. The answers are masked again as a whole: Mask
	// is applied before texts are cut, because half of a secret is not recognised.
	Mask   agent.Mask
	Leaves // the tools to leave out
}

// Leaves says which tools are left out, to measure each part of the method. Scope must agree in
// its fields Without and TipOnly.
type Leaves struct {
	NoTools        bool // no tool at all
	NoDefinitions  bool // no get_term_definition
	NoRaw          bool // only the sanitized form of the report, and no other section of a dump
	NoCommitSearch bool // neither search_commits nor git_log_search
	NoHistory      bool // no tool shows a commit
}

// gitTools are a model's tools from agent/gittool.
var gitTools = []string{"git_blame", "git_show", "git_log_search", "git_grep"}

// Without returns the names of the git tools to leave out.
func (l Leaves) Without() []string {
	switch {
	case l.NoTools:
		return gitTools
	case l.NoHistory:
		return []string{"git_blame", "git_show", "git_log_search"}
	case l.NoCommitSearch:
		return []string{"git_log_search"}
	}
	return nil
}

// Shorten is like agent.Shorten, for text that may hold secrets. It also cleans the text.
func (c *Case) Shorten(text string, max int) string { return c.Mask.Shorten(text, max) }

// New returns the tools for a case, in the order in which models see them. They are
// safe for concurrent use.
func New(c *Case) ([]agent.Tool, error) {
	if c.NoTools {
		return nil, nil
	}
	var tools []agent.Tool
	makers := []func(*Case) (agent.Tool, error){newStack, newCode}
	if c.saysMore() {
		makers = slices.Insert(makers, 0, newExtinfo)
	}
	if !c.NoDefinitions {
		makers = append(makers, newDefinition)
	}
	if !c.NoCommitSearch && !c.NoHistory {
		makers = append(makers, newCommits)
	}
	if c.hasSections() {
		makers = append(makers, newSection)
	}
	for _, make := range makers {
		t, err := make(c)
		if err != nil {
			return nil, err
		}
		tools = append(tools, t)
	}
	box, err := gittool.New(c.Repo, c.Scope, gittool.Options{Memory: c.Memory, First: c.stackFiles()})
	if err != nil {
		return nil, err
	}
	for _, t := range box.Tools() {
		name := t.Spec().Name
		if slices.Contains(gitTools, name) && !slices.Contains(c.Without(), name) {
			tools = append(tools, t)
		}
	}
	return tools, nil
}

// stackFiles returns the files of the repository that the stacks name, the innermost frames first.
func (c *Case) stackFiles() []string {
	var paths []string
	for _, s := range c.Report.Stacks {
		for _, f := range s.Frames {
			if f.Path != "" && !f.Handler && !slices.Contains(paths, f.Path) {
				paths = append(paths, f.Path)
			}
		}
	}
	return paths
}

// ReportTools returns the tools that show the rest of a report to a model that repairs the crash:
// get_crash_stack, and get_crash_section for a dump. Only the report, dump and mask of the case
// are needed.
func ReportTools(c *Case) ([]agent.Tool, error) {
	stack, err := newStack(c)
	if err != nil || !c.hasSections() {
		return []agent.Tool{stack}, err
	}
	section, err := newSection(c)
	return []agent.Tool{stack, section}, err
}

// hasSections reports whether the report is a dump whose other sections can be shown.
func (c *Case) hasSections() bool { return len(c.Report.Sections) > 0 && c.Dump != "" && !c.NoRaw }

// Specs describes all tools in order, including those for a HANA dump.
func Specs() ([]agent.Spec, error) {
	all := &Case{Report: &crash.Report{Sections: []crash.Section{{}}, Program: "-"}, Dump: "-", Scope: gittool.Scope{Tip: "-"}}
	tools, err := New(all)
	var specs []agent.Spec
	for _, t := range tools {
		specs = append(specs, t.Spec())
	}
	return specs, err
}

// newTool makes a tool from the prompt of this name.
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
