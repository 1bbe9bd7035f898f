package localize

import (
	"context"
	"path"
	"slices"
	"strings"

	"git-agent/agent/source"
	"git-agent/agent/symbol"
	"git-agent/gitext"
)

// These bound the files of a large tree that are searched.
const (
	maxFiles  = 2500
	maxBytes  = 24 << 20
	maxLooked = 40 // names that are looked up to choose among files

	lookedAtOnce = 10 // names of one lookup; a frequent name hides the others
)

// readFiles reads the source files. In a large tree it reads only the most relevant ones: files
// that differ from the commit, then files related to names in the failing tests and the report,
// then their neighbours.
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

// matter reads and returns the files of a large tree that differ from the commit, contain a
// failing test, or are related to a name in the report or in a failing test.
func (s *search) matter(ctx context.Context) ([]string, error) {
	var chosen []string
	for _, p := range s.files.paths {
		if f := s.files.all[p]; f.over || f.read {
			chosen = append(chosen, p)
		}
	}
	for _, p := range s.in.Places {
		if found := s.find(p.File); found != "" {
			chosen = append(chosen, found)
		}
	}
	names := append(s.testNames(), identifiers([]byte(s.in.Problem.Report))...)
	for range 2 { // first by these names, then by the names in the tests found
		found, err := s.about(ctx, names)
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, found...)
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

// testNames returns the names of the failing tests and of their classes or suites: the last two
// identifiers of each full name.
func (s *search) testNames() []string {
	const most = 6
	var names []string
	for _, n := range s.in.Reproduction.Failing {
		parts := identifiers([]byte(n))
		for _, p := range parts[max(0, len(parts)-2):] {
			if !slices.Contains(names, p) && len(names) < most {
				names = append(names, p)
			}
		}
	}
	return names
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

// about returns the files that have or define one of the names.
func (s *search) about(ctx context.Context, names []string) ([]string, error) {
	const each = 3 // files for one name
	slices.Sort(names)
	names = slices.Compact(names)
	slices.SortStableFunc(names, func(a, b string) int { return len(b) - len(a) }) // long names say more
	out := s.namedLike(names)
	for part := range slices.Chunk(names[:min(len(names), maxLooked)], lookedAtOnce) {
		found, err := symbol.Find(ctx, s.repo, s.files.commit, part)
		if err != nil && !gitext.Unreadable(err) {
			return nil, err
		}
		for _, n := range part {
			for _, d := range found[n][:min(len(found[n]), each)] {
				if f := s.files.all[d.Path]; f != nil && !f.generated && !slices.Contains(out, d.Path) {
					out = append(out, d.Path)
				}
			}
		}
	}
	return out, nil
}

// namedLike returns the files with a base name, without ending, among the names.
func (s *search) namedLike(names []string) []string {
	const most = 200
	wanted := map[string]bool{}
	for _, n := range names {
		wanted[strings.ToLower(n)] = true
	}
	var out []string
	for _, p := range s.files.paths {
		stem := strings.ToLower(source.Stem(p))
		if len(out) < most && (wanted[stem] || wanted[strings.ReplaceAll(stem, "_", "")]) {
			out = append(out, p)
		}
	}
	return out
}
