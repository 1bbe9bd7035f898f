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

// Input is the known information about a bug. Only the tree of Problem is required.
type Input struct {
	Problem      fix.Problem
	Reproduction fix.Reproduction
	Stacks       []crash.Stack // stacks in the failing output; their frames need not be mapped to files
	Places       []Place       // places in the failing output, such as those of assertions
	Spectrum     *fix.Spectrum
	Max          int  // most locations; 0 means twenty
	NoHistory    bool // use only the tree's commit: the age of lines is unknown
}

// A Place is a line of a file. A test tool printed the file's name.
type Place struct {
	File string
	Line int
}

const defaultMax = 20

// Localize lists the functions of a tree that may contain the bug, the most suspicious first.
// It returns an error if a location that the user named is not in the tree, or if the
// repository cannot be read.
func Localize(ctx context.Context, repo *gitext.Repo, in Input) (*fix.Localization, error) {
	s, err := examine(ctx, repo, in)
	if err != nil {
		return nil, err
	}
	out := &fix.Localization{Spectrum: in.Spectrum, Notes: s.notes}
	ranked := s.ranked()
	for _, c := range ranked[:min(len(ranked), cmp.Or(in.Max, defaultMax))] {
		out.Locations = append(out.Locations, s.location(c))
	}
	out.Locations = worthwhile(out.Locations, in.Spectrum)
	return out, nil
}

// worthwhile removes the functions with no other ground than their execution by the failing
// test, if there is no passing test, because this ground holds for all executed code. If no
// function has another ground, it removes none.
func worthwhile(list []fix.Location, sp *fix.Spectrum) []fix.Location {
	if sp == nil || sp.Passing > 0 {
		return list
	}
	kept := slices.DeleteFunc(slices.Clone(list), func(l fix.Location) bool {
		return !slices.ContainsFunc(l.Grounds, func(g fix.Ground) bool { return g.Source != fix.SourceCoverage && g.Source != fix.SourceHistory })
	})
	if len(kept) == 0 {
		return list
	}
	return kept
}

// A search gathers the evidence for each function.
type search struct {
	repo    *gitext.Repo
	in      Input
	files   *files
	names   *locate.Files // the source files, for lookup by printed names; nil until needed
	stacks  []crash.Stack // with the paths of their frames
	regions []*region     // text of the failing tests
	graph   *graph
	walk    walk // walk from the failing tests
	tested  walk // walk from all tests
	words   *vocabulary
	implied map[string]bool // functions that the failing tests call without their names; nil until needed
	list    []*candidate
	at      map[key]*candidate
	notes   []string
}

// A key names a function by its file and its first line.
type key struct {
	path  string
	start int
}

// examine gathers the evidence for the functions of a tree.
func examine(ctx context.Context, repo *gitext.Repo, in Input) (*search, error) {
	fs, err := filesOf(ctx, repo, in.Problem)
	if err != nil {
		return nil, err
	}
	s := &search{repo: repo, in: in, files: fs, at: map[key]*candidate{}}
	for _, step := range []func(context.Context) error{
		s.addGiven, s.addStacks, s.addSpectrum, s.readFiles, s.addUncommitted, s.addTests, s.addCalls, s.addAsserted, s.addLiterals,
		s.addWords, s.addReported, s.addNamed, s.addAges,
	} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	s.note()
	return s, nil
}

// note adds notes about missing information.
func (s *search) note() {
	if n := s.files.left; n > 0 {
		s.notes = append(s.notes, fmt.Sprintf("%d source files of this large tree were not searched.", n))
	}
	if note := s.files.note(); note != "" {
		s.notes = append(s.notes, note)
	}
	if n := s.files.unread; n > 0 {
		s.notes = append(s.notes, fmt.Sprintf("%d files could not be read.", n))
	}
	own := min(len(s.in.Stacks), len(s.stacks)) // the stacks of the output come first
	if here, there := crashPlace(s.stacks[:own]), crashPlace(s.stacks[own:]); here != "" && there != "" && here != there {
		s.notes = append(
			s.notes,
			fmt.Sprintf("The command fails at %s, but the crash of the report is at %s: make sure that they are one crash.", here, there),
		)
	}
	if len(s.regions) == 0 && (len(s.in.Reproduction.Failing) > 0 || s.in.Problem.Test != "") {
		s.notes = append(s.notes, "The source of the failing tests was not found.")
	}
}

// suspect returns the candidate of a function, and adds it if it is new. It returns nil for
// tests and for code that nobody edits.
func (s *search) suspect(f *file, i int) *candidate {
	if !s.editable(f) || f.tests(f.functions[i].Start) && !s.in.Problem.EditTests {
		return nil
	}
	return s.always(f, i)
}

// editable reports whether a patch may change a file.
func (s *search) editable(f *file) bool {
	return !f.generated && (!f.test && !f.helper || s.in.Problem.EditTests)
}

// always returns the candidate of a function in a file of any kind.
func (s *search) always(f *file, i int) *candidate {
	fn := f.functions[i]
	return s.candidate(f, i, fn.Name, gitext.LineRange{Start: fn.Start, End: fn.End})
}

// outside returns the candidate of lines outside of functions.
func (s *search) outside(f *file, lines gitext.LineRange) *candidate {
	return s.candidate(f, -1, "", lines)
}

func (s *search) candidate(f *file, i int, name string, lines gitext.LineRange) *candidate {
	k := key{f.path, lines.Start}
	c := s.at[k]
	if c == nil {
		c = &candidate{file: f, name: name, lines: lines, index: i}
		s.at[k] = c
		s.list = append(s.list, c)
	}
	return c
}

// ranked returns the candidates with any evidence, the most suspicious first.
func (s *search) ranked() []*candidate {
	s.score()
	return slices.SortedStableFunc(slices.Values(s.list), func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.file.path, b.file.path), cmp.Compare(a.lines.Start, b.lines.Start))
	})
}
