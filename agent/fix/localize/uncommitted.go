package localize

import (
	"bytes"
	"context"
	"errors"

	"git-agent/agent/fix"
	"git-agent/gitext"
)

const (
	// uncommittedShare is the assumed probability that one of the functions with uncommitted changes is at fault: they
	// are the user's last changes, and a test is run most often after a change.
	uncommittedShare = 0.7
	maxUncommitted   = 30 // files
)

// addUncommitted finds the functions with uncommitted changes, and the lines of the others at the commit.
func (s *search) addUncommitted(ctx context.Context) error {
	read := 0
	for _, f := range s.files.withLines() {
		if !f.over || !s.editable(f) {
			continue
		}
		if read++; read > maxUncommitted {
			return nil
		}
		before, err := s.repo.BlobAt(ctx, s.files.commit, f.path, maxFileBytes)
		switch {
		case err == nil || errors.Is(err, gitext.ErrNotExist): // then the file is new
			s.markUncommitted(f, before)
		case !gitext.Unreadable(err):
			return err
		}
	}
	return nil
}

// markUncommitted marks the functions of a file that differ from those of its committed text.
func (s *search) markUncommitted(f *file, before []byte) {
	if len(before) > 0 && before[len(before)-1] != '\n' {
		before = append(before, '\n') // as f.lines ends
	}
	hunks := fix.HunksBetween(before, append(bytes.Join(f.lines, []byte("\n")), '\n'))
	f.committed, f.present = map[int]int{}, fix.KeptLines(before, hunks)
	for was, is := range f.present {
		f.committed[is] = was
	}
	for _, h := range hunks {
		first, last := h.NewStart, h.NewStart+h.NewLines-1
		if h.NewLines == 0 {
			last = first + 1 // removed lines were between these two
		}
		for i, fn := range f.functions {
			inside := fn.Start <= last && first <= fn.End
			if h.NewLines == 0 {
				inside = fn.Start <= first && last <= fn.End
			}
			if !inside {
				continue
			}
			if c := s.suspect(f, i); c != nil {
				c.uncommitted = true
			}
		}
	}
}

// preferUncommitted gives the functions with uncommitted changes most of the probability, in their order. It leaves
// out those that the failing test does not execute.
func (s *search) preferUncommitted() {
	total := 0.0
	for _, c := range s.list {
		if s.maybeBroken(c) {
			total += c.score
		}
	}
	if total == 0 || total >= uncommittedShare {
		return
	}
	for _, c := range s.list {
		if s.maybeBroken(c) {
			c.score *= uncommittedShare / total
		} else {
			c.score *= (1 - uncommittedShare) / (1 - total)
		}
	}
}

// maybeBroken reports whether an uncommitted change of a function may be the cause of the failure.
func (s *search) maybeBroken(c *candidate) bool {
	return c.uncommitted && (s.in.Spectrum == nil || s.in.Spectrum.Failing == 0 || len(c.executed) > 0)
}

// committedLines returns the ranges of a function's lines at the commit. They are the same lines in a file without
// uncommitted changes.
func (c *candidate) committedLines() []gitext.LineRange {
	if !c.file.over {
		return []gitext.LineRange{c.lines}
	}
	var out []gitext.LineRange
	for line := c.lines.Start; line <= c.lines.End; line++ {
		was, ok := c.file.committed[line]
		switch {
		case !ok:
		case len(out) > 0 && out[len(out)-1].End+1 == was:
			out[len(out)-1].End = was
		default:
			out = append(out, gitext.LineRange{Start: was, End: was})
		}
	}
	return out
}
