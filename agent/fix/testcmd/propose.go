package testcmd

import (
	"cmp"
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"git-agent/agent/fix"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// A Proposal is a guess of the commands that build and test a repository.
type Proposal struct {
	Build string // "" if Test builds the program itself
	Test  string
	Suite string // "" for Test
	Part  bool   // Test runs only a part of the tests, so that it says nothing if it passes
	// ByName says of a Part that its tests were chosen by the names of changed files.
	ByName bool
	From   string // the file that suggests the commands, with its directory
	// Covered says that the commands of another proposal, which is no Part, run these tests, too.
	Covered bool
	all     bool // Test runs the tests of several packages of a workspace, or of all
}

// These limits bound the search for proposals.
const (
	maxProposals   = 12
	maxManifest    = 1 << 20 // bytes of a read file
	maxDirectories = 8       // considered directories below the top
)

// Propose guesses commands from the tracked files of a tree, the most likely first. It runs
// nothing and reads only files that describe builds. Commands are for the top of the tree and
// need no network. near is a path that the tests should cover, such as the file of a bug, or
// "". If several directories have their own tests, the top comes first, then the directories
// around near, the closest first, then the others. A command that runs the tests of all packages
// of a workspace comes behind those of the packages around near, which are parts of it. Without near, of several
// directories below a top without tests, the one whose code was changed last comes first.
//
// Before all of these come the commands that run only the new tests of the tree, or, if it has none, the tests that are named like one of
// the changed files of the program.
//
// An error means that the repository could not be read. An empty result is no error.
func Propose(ctx context.Context, repo *gitext.Repo, tree fix.Tree, near string, changed ...string) ([]Proposal, error) {
	l, err := newLayout(ctx, repo, tree, near)
	if err != nil {
		return nil, err
	}
	if len(l.tests) == 0 {
		l.readBefore(ctx, repo, tree)
		l.tests = l.testsOf(changed)
		l.byName = len(l.tests) > 0
	}
	if near == "" && len(l.at(".")) == 0 {
		if near, err = changedLast(ctx, repo, tree.Commit); err != nil {
			return nil, err
		}
		l.near = near
	}
	var out, all []Proposal
	atTop, allOf := map[int]bool{}, map[int]bool{}
	for _, dir := range l.directories(near) {
		if dir != "." && around(dir, near) == 0 {
			out, all = append(out, all...), nil
		}
		for _, f := range l.at(dir) {
			if dir == "." {
				atTop[f.rule], allOf[f.rule] = true, allOf[f.rule] || f.all
				if f.all {
					all = append(all, f.Proposal)
					continue
				}
			} else {
				asked := around(dir, near) > 0
				if f.Covered = allOf[f.rule] || atTop[f.rule] && rules[f.rule].covers; f.Covered && !allOf[f.rule] && !asked {
					continue
				}
				f.Part = f.Part || allOf[f.rule] && asked
				f.inDirectory(dir)
			}
			out = append(out, f.Proposal)
		}
	}
	out = append(out, all...)
	return l.withParts(out[:min(len(out), maxProposals)]), l.err
}

// withParts puts those of the proposals first that run only the tests in question, and such narrowed commands of the others.
func (l *layout) withParts(proposals []Proposal) []Proposal {
	var parts, rest []Proposal
	for _, p := range proposals {
		switch narrow, ok := Narrow(p, l.tests); {
		case p.ByName:
			parts = append(parts, p)
			continue
		case ok:
			narrow.ByName = l.byName
			parts = append(parts, narrow)
		}
		rest = append(rest, p)
	}
	return append(parts, rest...)
}

// offlineFlag matches the flags by which proposed commands keep tools from the network.
var offlineFlag = source.Lazy(`(\b(?:cargo|gradlew?|cabal|uv)\b[^;&|]*?) --offline( |$)|(\bsbt) -Dsbt\.offline=true( )|(\bmvnw? -B) -o( )`)

// Online returns proposals whose commands may use the network.
func Online(proposals []Proposal) []Proposal {
	online := slices.Clone(proposals)
	for i := range online {
		for _, command := range []*string{&online[i].Build, &online[i].Test, &online[i].Suite} {
			*command = offlineFlag().ReplaceAllString(*command, "$1$3$5$2$4$6")
		}
	}
	return online
}

// around rates how closely a directory surrounds a path; 0 means that the path is outside.
func around(dir, near string) int {
	if dir == near || strings.HasPrefix(near, dir+"/") {
		return len(dir)
	}
	return 0
}

// inDirectory changes commands for a directory to commands for the top.
func (p *Proposal) inDirectory(dir string) {
	for _, command := range []*string{&p.Build, &p.Test, &p.Suite} {
		if *command != "" {
			*command = "cd " + quote(dir) + " && " + *command
		}
	}
	p.From = dir + "/" + p.From
}

// A layout has the information in the tree's files about its tests.
type layout struct {
	read   func(path string) (string, error)
	before func(path string) ([]byte, error) // see readBefore; nil if nothing reads
	modes  map[string]uint32                 // of all files
	in     map[string]map[string]bool        // names of files by directory
	counts map[string]int                    // files by extension
	near   string                            // a path that the tests should cover; "" for none
	// tests are the test files in question: the new ones, which are laid over the commit or were committed last, or, byName, those named
	// like changed files of the program.
	tests  []string
	byName bool
	err    error // the first error of read
}

func newLayout(ctx context.Context, repo *gitext.Repo, tree fix.Tree, near string) (*layout, error) {
	entries, err := repo.Tree(ctx, tree.Commit)
	if err != nil && len(entries) == 0 {
		return nil, err
	}
	l := &layout{near: near, modes: map[string]uint32{}, in: map[string]map[string]bool{}, counts: map[string]int{}}
	for _, e := range entries {
		if !e.Submodule {
			l.modes[e.Path] = e.Mode
		}
	}
	over := map[string]gitext.Overlay{}
	for _, o := range tree.Over {
		over[o.Path] = o
		if l.modes[o.Path] = o.Mode; o.Mode == 0 {
			delete(l.modes, o.Path)
		} else if source.IsTestPath(o.Path) {
			l.tests = append(l.tests, o.Path)
		}
	}
	l.tests = append(l.tests, tree.Tests...)
	for p := range l.modes {
		l.add(p)
	}
	l.read = func(p string) (string, error) {
		o, laid := over[p]
		if laid && o.OID == "" {
			return string(o.Content[:min(len(o.Content), maxManifest)]), nil
		}
		var blob []byte
		var err error
		if laid {
			blob, err = repo.Blob(ctx, o.OID, maxManifest)
		} else {
			blob, err = repo.BlobAt(ctx, tree.Commit, p, maxManifest)
		}
		return string(blob), err
	}
	return l, nil
}

// foreign are names of directories without tests of the project.
var foreign = map[string]bool{
	"node_modules": true, "vendor": true, "third_party": true, "thirdparty": true, "3rdparty": true, "extern": true, "external": true, "deps": true, "testdata": true, "fixtures": true,
	"__fixtures__": true, "examples": true, "example": true, "templates": true, "docs": true, "doc": true, "website": true, "benchmarks": true, "target": true, "dist": true,
}

func (l *layout) add(p string) {
	dir, name := path.Dir(p), path.Base(p)
	for _, part := range strings.Split(dir, "/") {
		if foreign[part] || len(part) > 1 && (part[0] == '.' || part[0] == '_') {
			return
		}
	}
	if l.in[dir] == nil {
		l.in[dir] = map[string]bool{}
	}
	l.in[dir][name] = true
	l.counts[path.Ext(name)]++
}

// text reads a file. A file that cannot be read counts as empty; an error of the
// repository is kept.
func (l *layout) text(p string) string {
	if _, ok := l.modes[p]; !ok {
		return ""
	}
	s, err := l.read(p)
	var large *gitext.TooLargeError
	if err != nil && !errors.As(err, &large) && l.err == nil {
		l.err = err
	}
	return s
}

// directories returns the directories to look at, in order.
func (l *layout) directories(near string) []string {
	var out []string
	for dir, names := range l.in {
		if dir != "." && hasManifest(names) {
			out = append(out, dir)
		}
	}
	slices.SortFunc(out, func(a, b string) int {
		return cmp.Or(cmp.Compare(around(b, near), around(a, near)), cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")), cmp.Compare(a, b))
	})
	return append([]string{"."}, out[:min(len(out), maxDirectories)]...)
}

func hasManifest(names map[string]bool) bool {
	return slices.ContainsFunc(manifests, func(m string) bool { return names[m] })
}

// A directory is a directory of a layout; rules make proposals for it.
type directory struct {
	*layout
	path string
}

// has reports whether the directory contains one of the files, or one of the directories if the
// name ends with a slash. Names may contain directories.
func (d directory) has(names ...string) bool {
	for _, name := range names {
		p := path.Join(d.path, name)
		if _, ok := d.modes[p]; ok || strings.HasSuffix(name, "/") && len(d.in[p]) > 0 {
			return true
		}
	}
	return false
}

func (d directory) text(name string) string { return d.layout.text(path.Join(d.path, name)) }

// program returns the command that starts a script of the repository: with sh if it is not
// executable.
func (d directory) program(name string) string {
	if d.modes[path.Join(d.path, name)] == 0o100755 {
		return "./" + name
	}
	return "sh ./" + name
}

// at returns the proposals of one directory. If several languages have proposals, the one with
// the most files comes first; rules without a language come last.
func (l *layout) at(dir string) []ranked {
	var found []ranked
	for i, r := range rules {
		weight := 0
		for _, ext := range r.extensions {
			weight += l.counts[ext]
		}
		for _, p := range r.propose(directory{l, dir}) {
			found = append(found, ranked{p, i, weight})
		}
	}
	slices.SortStableFunc(found, func(a, b ranked) int { return cmp.Compare(b.weight, a.weight) })
	return found
}

// A ranked is a proposal with the index of its rule.
type ranked struct {
	Proposal
	rule   int
	weight int
}

var makeTarget = source.Lazy(`(?m)^(check|test)\s*:([^=]|$)`)

// makeTargets returns the test targets of a Makefile. If there are both test and check, test
// comes first, because check then often runs linters too.
func makeTargets(makefile string) []string {
	var out []string
	for _, m := range makeTarget().FindAllStringSubmatch(makefile, -1) {
		out = append(out, m[1])
	}
	slices.SortFunc(out, func(a, b string) int { return strings.Compare(b, a) })
	return slices.Compact(out)
}
