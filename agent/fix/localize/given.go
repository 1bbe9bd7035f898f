package localize

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"git-agent/agent/fix"
	"git-agent/gitext"
)

// addGiven adds the functions that the user named. Tests and generated files may be
// named too.
func (s *search) addGiven(ctx context.Context) error {
	for i, g := range s.in.Problem.Given {
		f, err := s.givenFile(ctx, g)
		if err != nil {
			return err
		}
		for _, c := range s.within(f, g.Lines) {
			if c.given == 0 {
				c.given = i + 1
				c.because(fix.SourceGiven, "named by you: %s", spell(g))
			}
			for l := g.Lines.Start; l <= g.Lines.End && l > 0; l++ {
				if l >= c.lines.Start && l <= c.lines.End {
					c.hot = append(c.hot, hotLine{l, givenHeat})
				}
			}
		}
	}
	return nil
}

func spell(g fix.GivenLocation) string {
	switch {
	case g.Lines.Start == 0:
		return g.Path
	case g.Lines.End <= g.Lines.Start:
		return fmt.Sprintf("%s:%d", g.Path, g.Lines.Start)
	}
	return fmt.Sprintf("%s:%d-%d", g.Path, g.Lines.Start, g.Lines.End)
}

// givenFile returns the file of a location that the user named. If there is none, the
// error says what to do.
func (s *search) givenFile(ctx context.Context, g fix.GivenLocation) (*file, error) {
	f, err := s.files.get(ctx, g.Path)
	switch {
	case err != nil:
		return nil, err
	case f == nil:
		return nil, fmt.Errorf("%s is not a file of the repository%s", g.Path, s.meant(g.Path))
	case len(f.lines) == 0:
		return nil, fmt.Errorf("%s is not a text of at most %d MiB; name a source file", g.Path, maxFileBytes>>20)
	case g.Lines.Start < 0 || g.Lines.Start > len(f.lines) || g.Lines.End > len(f.lines):
		return nil, fmt.Errorf("%s: the file ends at line %d; name a line from 1 to %[2]d", spell(g), len(f.lines))
	}
	return f, nil
}

// meant says which files of the tree a wrong path may have meant.
func (s *search) meant(wrong string) string {
	for _, other := range s.files.others {
		if strings.HasPrefix(wrong, other+"/") {
			return fmt.Sprintf("; it is in the submodule %s: run git agent fix there", strconv.Quote(other))
		}
	}
	const most = 3
	var same []string
	for _, p := range slices.Sorted(maps.Keys(s.files.all)) {
		if path.Base(p) == path.Base(wrong) && len(same) < most {
			same = append(same, p)
		}
	}
	if len(same) == 0 {
		return "; give its path from the top of the work tree"
	}
	return "; did you mean " + strings.Join(same, " or ") + "?"
}

// within returns the functions of a file that have one of the lines, and the lines
// themselves where they are in no function. Without lines it returns all functions.
func (s *search) within(f *file, lines gitext.LineRange) []*candidate {
	lines.End = max(lines.Start, lines.End)
	var found []*candidate
	for i, fn := range f.functions {
		if lines.Start == 0 || fn.Start <= lines.End && lines.Start <= fn.End {
			found = append(found, s.always(f, i))
		}
	}
	if len(found) == 0 {
		if lines.Start == 0 {
			lines = gitext.LineRange{Start: 1, End: len(f.lines)}
		}
		found = append(found, s.outside(f, lines))
	}
	return found
}
