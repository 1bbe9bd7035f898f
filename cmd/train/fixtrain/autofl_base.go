package fixtrain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"git-agent/agent/eval"
	"git-agent/cmd/train/material"
	"git-agent/gitext"
)

// bases are the commits with the bugs of a case file. Defects4J makes the files with a bug from the
// fixed commit, and AutoFL's lines are those of these files, not always those of the commit.
type bases struct {
	dir   string
	bugs  map[string]bug
	repos map[string]*gitext.Repo

	same, moved int
	lost        []string
}

// readBases reads a case file. The repositories are in dir.
func readBases(dir, file string) (*bases, error) {
	list, err := eval.ReadLines[bug](file)
	if err != nil {
		return nil, err
	}
	s := &bases{dir: dir, bugs: map[string]bug{}, repos: map[string]*gitext.Repo{}}
	for _, b := range list {
		s.bugs[b.ID] = b
	}
	return s, nil
}

func (s *bases) close() {
	for _, repo := range s.repos {
		repo.Close()
	}
}

// find returns a method of a bug with its lines in the commit, or as it is if the commit lacks it.
func (s *bases) find(ctx context.Context, id string, m publishedMethod) (publishedMethod, error) {
	b := s.bugs[id]
	if s.repos[b.Repo] == nil {
		repo, err := material.Open(ctx, s.dir, b.Repo)
		if err != nil {
			return m, err
		}
		s.repos[b.Repo] = repo
	}
	text, err := s.repos[b.Repo].BlobAt(ctx, b.Base, m.Path, 0)
	if err != nil && !errors.Is(err, gitext.ErrNotExist) {
		return m, fmt.Errorf("%s: %w", id, err)
	}
	first := firstLineOf(m, strings.Split(string(text), "\n"))
	switch first {
	case 0:
		s.lost = append(s.lost, id+" "+m.Signature)
		return m, nil
	case m.First:
		s.same++
	default:
		s.moved++
	}
	m.First, m.Last = first, first+m.Last-m.First
	return m, nil
}

// firstLineOf returns the first line of a method in a file: where the file has the method's text, or
// at least its declaration, as near as possible to the published line. It is 0 if the file has neither.
func firstLineOf(m publishedMethod, file []string) int {
	text := strings.Split(strings.Trim(m.Text, "\n"), "\n")
	if at := nearestText(file, text, m.First); at > 0 {
		return at
	}
	for i, l := range text {
		if l = strings.TrimSpace(l); strings.Contains(l, "(") && !strings.HasPrefix(l, "@") {
			return max(nearestText(file, text[i:i+1], m.First+i)-i, 0)
		}
	}
	return 0
}

// nearestText returns the line at which a file has a text, whatever its indentation, as near as
// possible to a line; 0 if the file lacks it.
func nearestText(file, text []string, line int) int {
	best := 0
	for start := 1; start+len(text)-1 <= len(file); start++ {
		if best > 0 && abs(start-line) >= abs(best-line) {
			continue
		}
		same := true
		for i, l := range text {
			same = same && strings.TrimSpace(file[start-1+i]) == strings.TrimSpace(l)
			if !same {
				break
			}
		}
		if same {
			best = start
		}
	}
	return best
}

func abs(n int) int { return max(n, -n) }

func (s *bases) print(out io.Writer) {
	fmt.Fprintf(out, "methods at the published lines of the base: %d; at other lines: %d; not found: %d\n", s.same, s.moved, len(s.lost))
	for _, l := range s.lost {
		fmt.Fprintln(out, "not found:", l)
	}
}
