// Package fixtool has a model's tools for the repair of a bug in a scratch work tree.
//
// The structured set has the commands of Passerine (arXiv 2501.07531, section 3): cat and
// code_search read the present work tree, edit changes it, test runs the commands of the
// problem, finish ends the repair. search_definition and search_commits come from Code
// Researcher (arXiv 2506.11060). The git tools show only the history up to the commit under
// repair. The bash set has one shell, as HAFixAgent has (arXiv 2511.01047), and finish. For a
// crash, both sets have get_crash_stack of agent/crash/crashtool. In a repair without history,
// no tool shows commits.
//
// A model's statement is no proof: finish accepts success only if the failing command passed in
// the work tree after the last change. Files returns the patch: the model's changes, without
// the output of commands.
//
// Files of the work tree are opened through os.Root, because commands may have put links, pipes
// and devices there. No command runs meanwhile. Commands run in the sandbox of the workspace.
// Answers hold no control bytes, are bounded, and say how to get the rest.
//
// A resumed run repeats the recorded edits (agent.Stateful). It takes the results of tests from
// the record, and repeats shell commands.
package fixtool

import (
	"context"
	"errors"
	"slices"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/crash/crashtool"
	"git-agent/agent/fix"
	"git-agent/agent/gittool"
	"git-agent/agent/symbol"
	"git-agent/agent/trial"
	"git-agent/gitext"
)

// Options select a model's tools.
type Options struct {
	Style       fix.Toolset    // "" is fix.Structured
	Edits       fix.EditFormat // "" is fix.EditReplace
	Memory      agent.Memory   // memory of the git tools; may be nil
	Definitions symbol.Options
	NoHistory   bool // without tools that show commits
	// NoCommitSearch leaves out search_commits and git_log_search.
	NoCommitSearch bool
	// Mask removes confidential parts of texts; may be nil. The loop masks whole answers again.
	Mask agent.Mask
}

// A Box has the tools of one trajectory in one work tree. Its methods must not be called during
// a call of a tool.
type Box struct {
	repo    *gitext.Repo
	space   *trial.Workspace
	problem fix.Problem
	opt     Options
	scope   gittool.Scope
	finder  *symbol.Finder

	tools   []agent.Tool
	reading []agent.Tool

	files   map[string]*fileState // the files that the edit tool changed, by path
	version int                   // counts the changes of the work tree by the model
	unmade  string                // the file of the last edit, if its text was not found; else ""
	tested  verdict               // verdict of the failing command
	suite   verdict               // verdict of the wider tests
	smells  Smells
	ending  ending
	own     *ownTest // the last test of write_test; nil before the first one
}

// New makes the tools for a problem. space must already contain the problem's tree. The caller
// must close the box.
func New(_ context.Context, repo *gitext.Repo, space *trial.Workspace, problem fix.Problem, opt Options) (*Box, error) {
	if problem.Tree.Commit == "" {
		return nil, errors.New("the problem has no commit")
	}
	b := newBox(problem, opt)
	b.repo, b.space = repo, space
	b.scope = gittool.Scope{Tip: problem.Tree.Commit}
	if opt.NoCommitSearch {
		b.scope.Without = []string{"git_log_search"} // no other tool's text names this tool
	}
	b.finder = symbol.NewFinder(repo, problem.Tree.Commit, opt.Definitions)
	return b, b.makeTools()
}

func newBox(problem fix.Problem, opt Options) *Box {
	if opt.Style == "" {
		opt.Style = fix.Structured
	}
	if opt.Edits == "" {
		opt.Edits = fix.EditReplace
	}
	b := &Box{problem: problem, opt: opt, files: map[string]*fileState{}}
	b.smells = NewSmells(problem.Test != "")
	return b
}

// Close ends the processes and readers that the tools have started.
func (b *Box) Close() error {
	if b.finder == nil {
		return nil
	}
	return b.finder.Close()
}

// Tools returns the tools in the order in which models see them.
func (b *Box) Tools() []agent.Tool { return slices.Clone(b.tools) }

// Reading returns the tools that change nothing and run nothing, for an analysis before
// the repair.
func (b *Box) Reading() []agent.Tool { return slices.Clone(b.reading) }

// Cut says in a clause why the trajectory should end early, or returns "". See Smells.
func (b *Box) Cut() string { return b.smells.End() }

// Specs describes the tools of all styles and formats, in a fixed order.
func Specs() ([]agent.Spec, error) {
	var specs []agent.Spec
	seen := map[string]bool{}
	dump := &crash.Report{Sections: []crash.Section{{}}}
	for _, c := range []struct {
		suite string
		opt   Options
	}{{"-", Options{}}, {"", Options{}}, {"", Options{Edits: fix.EditLines}}, {"", Options{Edits: fix.EditWhole}}, {"", Options{Style: fix.Bash}}} {
		b := newBox(fix.Problem{Test: "-", Suite: c.suite, Crash: dump, Dump: "-"}, c.opt)
		b.scope.Tip = "-"
		if err := b.makeTools(); err != nil {
			return nil, err
		}
		for _, t := range b.tools {
			s := t.Spec()
			if key := s.Name + s.Description; !seen[key] {
				seen[key] = true
				specs = append(specs, s)
			}
		}
	}
	writing, err := newBox(fix.Problem{}, Options{}).Writing()
	for _, t := range writing {
		specs = append(specs, t.Spec())
	}
	return specs, err
}

// makeTools makes the tools for the options and the problem.
func (b *Box) makeTools() error {
	reading := []func(*Box) (agent.Tool, error){newCat, newCodeSearch, newDefinition}
	if !b.opt.NoHistory && !b.opt.NoCommitSearch {
		reading = append(reading, newCommits)
	}
	for _, make := range reading {
		t, err := make(b)
		if err != nil {
			return err
		}
		b.reading = append(b.reading, t)
	}
	crashed, err := b.crashTools()
	if err != nil {
		return err
	}
	b.reading = append(b.reading, crashed...)
	if !b.opt.NoHistory {
		git, err := b.gitTools()
		if err != nil {
			return err
		}
		b.reading = append(b.reading, git...)
	}
	acting := []func(*Box) (agent.Tool, error){newEdit, newTest, newFinish}
	if b.opt.Style == fix.Bash {
		acting = []func(*Box) (agent.Tool, error){newBash, newFinish}
		b.tools = append(b.tools, crashed...)
	} else {
		b.tools = append(b.tools, b.reading...)
	}
	for _, make := range acting {
		t, err := make(b)
		if err != nil {
			return err
		}
		if t != nil {
			b.tools = append(b.tools, t)
		}
	}
	return nil
}

// crashTools returns the tools that show a crash report; none if there is no report.
func (b *Box) crashTools() ([]agent.Tool, error) {
	if b.problem.Crash == nil {
		return nil, nil
	}
	return crashtool.ReportTools(&crashtool.Case{Report: b.problem.Crash, Dump: b.problem.Dump, Mask: b.opt.Mask})
}

// gitTools returns the git tools that show the history, without git_grep, because code_search
// replaces it.
func (b *Box) gitTools() ([]agent.Tool, error) {
	box, err := gittool.New(b.repo, b.scope, gittool.Options{Memory: b.opt.Memory, Search: "code_search"})
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(box.Tools(), func(t agent.Tool) bool {
		name := t.Spec().Name
		return name == "git_grep" || name == "git_log_search" && b.opt.NoCommitSearch
	}), nil
}
