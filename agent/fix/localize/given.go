package localize

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"git-agent/agent/fix"
	"git-agent/agent/source"
	"git-agent/gitext"
	"git-agent/gitext/quote"
)

// addGiven adds the functions that the user named. Tests and generated files may be
// named too.
func (s *search) addGiven(ctx context.Context) error {
	for i, g := range s.in.Problem.Given {
		f, err := s.givenFile(ctx, g)
		if err != nil {
			return err
		}
		found, err := s.within(f, g)
		if err != nil {
			return err
		}
		for _, c := range found {
			if c.given == 0 {
				c.given = i + 1
				c.because(fix.SourceGiven, "named by you: %s", spell(g))
			}
			if g.Inserts() && !slices.Contains(c.gaps, g.Lines.Start) {
				c.gaps = append(c.gaps, g.Lines.Start)
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

// Given returns the functions of a tree at the given locations, and given lines outside of
// functions, in the order of the list. If a location has lines, only these are suspicious;
// otherwise the whole function. It returns an error if a location is not in the tree, or if the
// repository cannot be read.
func Given(ctx context.Context, repo *gitext.Repo, tree fix.Tree, list []fix.GivenLocation) ([]fix.Location, error) {
	fs, err := filesOf(ctx, repo, fix.Problem{Tree: tree})
	if err != nil {
		return nil, err
	}
	s := &search{repo: repo, in: Input{Problem: fix.Problem{Tree: tree, Given: list}}, files: fs, at: map[key]*candidate{}}
	if err := s.addGiven(ctx); err != nil {
		return nil, err
	}
	var out []fix.Location
	for _, c := range s.list {
		out = append(out, fix.Location{Path: c.file.path, Lines: c.lines, Function: c.name, Hot: c.hotPlaces(), Grounds: c.grounds})
	}
	return out, nil
}

func spell(g fix.GivenLocation) string {
	switch {
	case g.Lines.Start == 0 && g.Function != "":
		return g.Path + ":" + g.Function
	case g.Lines.Start == 0:
		return g.Path
	case g.Inserts():
		return fmt.Sprintf("%s, where code is missing before line %d", g.Path, g.Lines.Start)
	case g.Lines.End <= g.Lines.Start:
		return fmt.Sprintf("%s:%d", g.Path, g.Lines.Start)
	}
	return fmt.Sprintf("%s:%d-%d", g.Path, g.Lines.Start, g.Lines.End)
}

// givenFile returns the file of a location that the user named, perhaps with backslashes, or with the bytes of a name
// that is not UTF-8 as answers show them. If it does not exist, the error says what to do.
func (s *search) givenFile(ctx context.Context, g fix.GivenLocation) (*file, error) {
	f, err := s.files.get(ctx, g.Path)
	for _, other := range []string{path.Clean(strings.ReplaceAll(g.Path, `\`, "/")), quote.Bytes(g.Path)} {
		if f == nil && err == nil && other != g.Path {
			f, err = s.files.get(ctx, other)
		}
	}
	switch {
	case err != nil:
		return nil, err
	case f == nil:
		return nil, fmt.Errorf("%s is not a file of the repository%s", g.Path, s.meant(strings.ReplaceAll(g.Path, `\`, "/")))
	case errors.As(f.unread, new(*gitext.MissingObjectError)):
		return nil, f.unread
	case len(f.lines) == 0:
		return nil, fmt.Errorf("%s is not a text of at most %d MiB; name a source file", g.Path, maxFileBytes>>20)
	case g.Inserts() && g.Lines.End <= len(f.lines):
	case g.Lines.Start < 0 || g.Lines.Start > len(f.lines) || g.Lines.End > len(f.lines):
		return nil, fmt.Errorf("%s: the file ends at line %d; name a line from 1 to %[2]d", spell(g), len(f.lines))
	}
	return f, nil
}

// meant suggests files of the tree for a wrong path.
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

// within returns the functions of a file at a location, by name or by lines, and the location's
// lines outside of functions. For a whole file it returns all functions. It returns an error if
// the file has no function with the name.
func (s *search) within(f *file, g fix.GivenLocation) ([]*candidate, error) {
	lines := g.Lines
	if g.Inserts() {
		lines.Start = lines.End // the line before the insertion is the last one of the function or inside of it
	}
	lines.End = max(lines.Start, lines.End)
	whole := lines.Start == 0
	var found []*candidate
	for i, fn := range f.functions {
		named := g.Function == "" || fn.Name == source.LastName(g.Function)
		if whole && named || !whole && fn.Start <= lines.End && lines.Start <= fn.End {
			found = append(found, s.always(f, i))
		}
	}
	if len(found) == 0 && whole && g.Function != "" {
		return nil, fmt.Errorf("%s has no function %q%s", f.path, g.Function, f.named())
	}
	if len(found) == 0 {
		if whole {
			lines = gitext.LineRange{Start: 1, End: len(f.lines)}
		}
		found = append(found, s.outside(f, lines))
	}
	return found, nil
}

// named lists some functions of a file.
func (f *file) named() string {
	const most = 20
	var names []string
	for _, fn := range f.functions {
		if !slices.Contains(names, fn.Name) && len(names) < most {
			names = append(names, fn.Name)
		}
	}
	if len(names) == 0 {
		return "; none was found in it"
	}
	return "; some of its functions are " + strings.Join(names, ", ")
}
