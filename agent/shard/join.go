package shard

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"

	"git-agent/gitext/disk"
)

// Set is a set of journals that together hold all shards of one work.
type Set struct {
	Header Header   // of the first shard; its Shard and Entries have no meaning
	Gits   []string // the versions of git, sorted
	parts  []part   // in the order of the shards

	files map[int]*os.File // journals that Body has opened, by index of the part
}

// part is the journal of one shard.
type part struct {
	path   string
	header Header
	shard  Shard
}

// Options relax the checks of Join.
type Options struct {
	Partial bool // shards and entries may be missing
}

// ProblemsError lists the problems of a set of journals.
type ProblemsError struct {
	Problems []string
	Again    []int // shards that must run again, or for the first time
	Of       int
}

func (e *ProblemsError) Error() string { return strings.Join(e.Problems, "\n") }

// Join reads journals. It returns a *ProblemsError unless they are all shards of the same work,
// each once and complete.
func Join(paths []string, opt Options) (*Set, error) {
	set := &Set{}
	for _, path := range paths {
		if err := set.add(path); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(set.parts, func(a, b part) int { return a.shard.Index - b.shard.Index })
	if len(set.parts) == 0 {
		return nil, errors.New("the journals are empty")
	}
	set.Header = set.parts[0].header
	for _, p := range set.parts {
		if !slices.Contains(set.Gits, p.header.Git) {
			set.Gits = append(set.Gits, p.header.Git)
		}
	}
	slices.Sort(set.Gits)
	if err := set.check(opt); err != nil {
		return nil, err
	}
	return set, nil
}

// add reads the header of a journal. It ignores an empty journal: its shard was started and has
// done nothing yet.
func (s *Set) add(path string) error {
	f, err := disk.Regular(path)
	if err != nil {
		return fmt.Errorf("open the journal: %w", err)
	}
	defer f.Close() // it is only read
	h, err := readHeader(f, path)
	if err != nil {
		if errors.Is(err, errNoHeader) {
			return nil
		}
		return err
	}
	of, _ := Parse(h.Shard) // readHeader has checked it
	s.parts = append(s.parts, part{path, h, of})
	return nil
}

// entries yields the entries of a part. It opens the file only for this time, because there may
// be more shards than files that a process may open.
func (p part) entries() iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		f, err := disk.Regular(p.path)
		if err != nil {
			yield(Entry{}, fmt.Errorf("open the journal: %w", err))
			return
		}
		defer f.Close() // it is only read
		for e, err := range entries(f) {
			if err != nil {
				err = fmt.Errorf("%s: %w", p.path, err)
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// check returns a *ProblemsError if the set has a problem.
func (s *Set) check(opt Options) error {
	bad := &ProblemsError{Of: s.parts[0].shard.Of}
	complain := func(format string, args ...any) { bad.Problems = append(bad.Problems, fmt.Sprintf(format, args...)) }
	for i, p := range s.parts[1:] {
		before := s.parts[i]
		if why := s.Header.mixed(p.header); why != "" {
			complain("mixed: %s differs from %s: %s", p.path, s.parts[0].path, why)
		} else if before.shard == p.shard {
			complain("overlap: %s and %s both hold shard %s", before.path, p.path, p.shard)
		}
	}
	if len(bad.Problems) > 0 {
		return bad // the missing shards are unknown
	}
	found, err := s.count(complain)
	if err != nil {
		return err
	}
	if len(bad.Problems) > 0 {
		return bad
	}
	again, gaps := s.gaps(found)
	if opt.Partial {
		return nil
	}
	bad.Problems, bad.Again = gaps, again
	if len(bad.Problems) > 0 {
		return bad
	}
	return nil
}

// count returns the number of different entries of each journal. It complains about an entry that
// is in two journals.
func (s *Set) count(complain func(string, ...any)) ([]int, error) {
	holder := map[string]int{}
	found := make([]int, len(s.parts))
	for i, p := range s.parts {
		overlaps := 0
		for e, err := range p.entries() {
			if err != nil {
				return nil, err
			}
			first, again := holder[e.ID]
			switch {
			case !again:
				holder[e.ID] = i
				found[i]++
			case first != i:
				if overlaps == 0 {
					complain("overlap: %s and %s both have an answer to %s", s.parts[first].path, p.path, e.ID)
				}
				overlaps++
			}
		}
		if found[i] > p.header.Entries {
			complain("overlap: %s has %d answers, and shard %s only %d questions", p.path, found[i], p.shard, p.header.Entries)
		}
	}
	return found, nil
}

// gaps returns the incomplete shards and says which entries they lack.
func (s *Set) gaps(found []int) (again []int, problems []string) {
	at := map[int]int{}
	for i, p := range s.parts {
		at[p.shard.Index] = i
	}
	var absent []int
	for index := 1; index <= s.parts[0].shard.Of; index++ {
		i, ok := at[index]
		switch {
		case !ok:
			absent = append(absent, index)
		case found[i] < s.parts[i].header.Entries:
			p := s.parts[i]
			problems = append(
				problems,
				fmt.Sprintf(
					"gap: shard %s in %s is incomplete: %d of %d answers are missing",
					p.shard,
					p.path,
					p.header.Entries-found[i],
					p.header.Entries,
				),
			)
		default:
			continue
		}
		again = append(again, index)
	}
	if len(absent) > 0 {
		problems = append(problems, fmt.Sprintf("gap: of the %d shards, no journal is given for %s", s.parts[0].shard.Of, Ranges(absent)))
	}
	return again, problems
}

// Ranges writes ascending numbers in the notation of Slurm's job arrays, such as 2,5-7.
func Ranges(list []int) string {
	var words []string
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == list[j]+1 {
			j++
		}
		word := fmt.Sprint(list[i])
		if j > i {
			word += fmt.Sprintf("-%d", list[j])
		}
		words = append(words, word)
		i = j + 1
	}
	return strings.Join(words, ",")
}

// Entries yields the entries of all journals, shard by shard.
func (s *Set) Entries() iter.Seq2[Found, error] {
	return func(yield func(Found, error) bool) {
		for i, p := range s.parts {
			for e, err := range p.entries() {
				if !yield(Found{e, i}, err) || err != nil {
					return
				}
			}
		}
	}
}

// Found is an entry of a set.
type Found struct {
	Entry
	part int
}

// Ref is the position of a body.
type Ref struct {
	part int
	Place
}

// Ref returns the position of the entry's body.
func (f Found) Ref() Ref { return Ref{f.part, f.At} }

// maxOpen is the number of journals that Body keeps open.
const maxOpen = 200

// Body reads a body again. It keeps journals open, because bodies are requested in any order;
// Close closes them.
func (s *Set) Body(r Ref) ([]byte, error) {
	f := s.files[r.part]
	if f == nil {
		if len(s.files) >= maxOpen {
			s.Close()
		}
		var err error
		if f, err = disk.Regular(s.parts[r.part].path); err != nil {
			return nil, err
		}
		if s.files == nil {
			s.files = map[int]*os.File{}
		}
		s.files[r.part] = f
	}
	body := make([]byte, r.Length)
	_, err := io.ReadFull(io.NewSectionReader(f, r.Offset, r.Length), body)
	return body, err
}

// Close closes the journals that Body has opened. They were opened for reading, so an error loses
// nothing.
func (s *Set) Close() {
	for _, f := range s.files {
		f.Close()
	}
	s.files = nil
}
