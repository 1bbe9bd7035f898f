package localize

import (
	"context"
	"path"
	"slices"

	"git-agent/agent/source"
	"git-agent/agent/symbol"
	"git-agent/gitext"
)

// These bound the files of a large tree that are searched.
const (
	maxFiles  = 2500
	maxBytes  = 24 << 20
	maxLooked = 120 // names whose definitions are looked up to choose among files
)

// readFiles reads the source files, or those of a large tree that matter most: the
// ones that differ from the commit, then those that have to do with the names in the
// failing tests and the report, then their neighbours.
func (s *search) readFiles(ctx context.Context) error {
	if len(s.files.paths) <= maxFiles {
		return s.readAll(ctx, s.files.paths)
	}
	first, err := s.matter(ctx)
	if err != nil {
		return err
	}
	dirs := map[string]bool{}
	for _, p := range first {
		if p != "" {
			dirs[path.Dir(p)] = true
		}
	}
	var near []string
	for _, p := range s.files.paths {
		if dirs[path.Dir(p)] && !s.files.all[p].read {
			near = append(near, p)
		}
	}
	err = s.readAll(ctx, near[:min(len(near), maxFiles)])
	for _, p := range s.files.paths {
		if !s.files.all[p].read {
			s.files.left++
		}
	}
	return err
}

// readAll reads files until their bytes reach the bound.
func (s *search) readAll(ctx context.Context, paths []string) error {
	for _, p := range paths {
		if s.files.bytes > maxBytes {
			return nil
		}
		if _, err := s.files.get(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// matter reads and returns the files of a large tree that differ from the commit, have
// one of the failing tests, or define a name that stands in the report or in such a
// test.
func (s *search) matter(ctx context.Context) ([]string, error) {
	var chosen []string
	for _, p := range s.files.paths {
		if f := s.files.all[p]; f.over || f.read {
			chosen = append(chosen, p)
		}
	}
	names := identifiers([]byte(s.in.Problem.Report))
	for _, n := range s.in.Reproduction.Failing[:min(len(s.in.Reproduction.Failing), maxNames)] {
		names = append(names, nameParts(n)...)
	}
	for _, p := range s.in.Places {
		chosen = append(chosen, s.find(p.File))
	}
	for range 2 { // by these names, and by those in the tests that they lead to
		defining, err := s.defining(ctx, names)
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, defining...)
		if err := s.readAll(ctx, chosen); err != nil {
			return nil, err
		}
		if err := s.addTests(ctx); err != nil {
			return nil, err
		}
		names = nil
		for _, r := range s.regions {
			for l := r.lines.Start; l <= r.lines.End; l++ {
				names = append(names, identifiers(r.file.lines[l-1])...)
			}
		}
	}
	return chosen, nil
}

// identifiers returns the identifiers of a text that may be names of functions.
func identifiers(text []byte) []string {
	var out []string
	tokens(text, func(t token) {
		if len(t.text) >= minName && !source.IsKeyword(string(t.text)) {
			out = append(out, string(t.text))
		}
	})
	return out
}

// defining returns the files that define one of the names.
func (s *search) defining(ctx context.Context, names []string) ([]string, error) {
	const each = 3 // files of a name
	slices.Sort(names)
	names = slices.Compact(names)
	slices.SortStableFunc(names, func(a, b string) int { return len(b) - len(a) }) // long names say more
	found, err := symbol.Find(ctx, s.repo, s.files.commit, names[:min(len(names), maxLooked)])
	if err != nil && !gitext.Unreadable(err) {
		return nil, err
	}
	var out []string
	for _, n := range names {
		for _, d := range found[n][:min(len(found[n]), each)] {
			if f := s.files.all[d.Path]; f != nil && !f.generated && !slices.Contains(out, d.Path) {
				out = append(out, d.Path)
			}
		}
	}
	return out, nil
}
