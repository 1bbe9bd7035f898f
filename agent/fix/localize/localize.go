package localize

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"git-agent/agent/crash"
	"git-agent/agent/crash/locate"
	"git-agent/agent/fix"
	"git-agent/gitext"
)

// Input is what is known about a bug. Everything but the tree of Problem is optional.
type Input struct {
	Problem      fix.Problem
	Reproduction fix.Reproduction
	Stacks       []crash.Stack // in the failing output; their frames need not be mapped to files
	Places       []Place       // that the failing output names, such as those of assertions
	Spectrum     *fix.Spectrum
	Max          int // most locations; 0 means twenty
}

// A Place is a line of a file. The file may be given as a test tool prints it.
type Place struct {
	File string
	Line int
}

const defaultMax = 20

// Localize lists the functions of a tree that may hold a bug, the most suspicious
// first. It returns an error if a location that the user named is not in the tree,
// or if the repository cannot be read.
func Localize(ctx context.Context, repo *gitext.Repo, in Input) (*fix.Localization, error) {
	s, err := examine(ctx, repo, in)
	if err != nil {
		return nil, err
	}
	out := &fix.Localization{Spectrum: in.Spectrum, Notes: s.notes}
	for _, c := range s.ranked()[:min(len(s.list), cmp.Or(in.Max, defaultMax))] {
		out.Locations = append(out.Locations, c.location())
	}
	return out, nil
}

// A search gathers what speaks for each function.
type search struct {
	repo    *gitext.Repo
	in      Input
	files   *files
	list    []*candidate
	at      map[key]*candidate
	notes   []string
	stacks  []crash.Stack
	regions []*region
	graph   *graph
	tracked *locate.Files
}

// A key names a function: its file and its first line.
type key struct {
	path  string
	start int
}

// examine gathers what speaks for the functions of a tree.
func examine(ctx context.Context, repo *gitext.Repo, in Input) (*search, error) {
	fs, err := filesOf(ctx, repo, in.Problem.Tree)
	if err != nil {
		return nil, err
	}
	s := &search{repo: repo, in: in, files: fs, at: map[key]*candidate{}}
	for _, step := range []func(context.Context) error{s.addGiven, s.addStacks, s.addSpectrum, s.addTests, s.addTexts, s.addAges} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	if fs.unread > 0 {
		s.notes = append(s.notes, fmt.Sprintf("%d files could not be read.", fs.unread))
	}
	return s, nil
}

// suspect returns the candidate of a function, which it adds if it is new. It returns
// nil for a function that is no candidate: tests, and code that nobody edits.
func (s *search) suspect(f *file, i int) *candidate {
	if f.generated || f.test && !s.in.Problem.EditTests {
		return nil
	}
	return s.always(f, i)
}

// always returns the candidate of a function whatever its file is for.
func (s *search) always(f *file, i int) *candidate {
	fn := f.functions[i]
	k := key{f.path, fn.Start}
	c := s.at[k]
	if c == nil {
		c = &candidate{file: f, name: fn.Name, lines: gitext.LineRange{Start: fn.Start, End: fn.End}, index: i}
		s.at[k] = c
		s.list = append(s.list, c)
	}
	return c
}

// ranked returns the candidates, the most suspicious first.
func (s *search) ranked() []*candidate {
	s.score()
	return slices.SortedStableFunc(slices.Values(s.list), func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.file.path, b.file.path), cmp.Compare(a.lines.Start, b.lines.Start))
	})
}

// addTexts weighs what the failing tests call, and the words of all functions.
func (s *search) addTexts(ctx context.Context) error {
	var list []*file
	for _, p := range s.files.paths {
		if f := s.files.all[p]; len(f.lines) > 0 {
			list = append(list, f)
		}
	}
	s.graph = newGraph(list)
	s.addCalls()
	s.addWords(list)
	return nil
}
