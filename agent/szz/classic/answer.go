package classic

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"git-agent/agent/suspect"
	"git-agent/agent/szz"
	"git-agent/gitext"
	"git-agent/gitext/quote"
)

// maxEvidence is the largest number of evidence lines for one suspect.
const maxEvidence = 5

// maxEvidenceText bounds a line of evidence. Minified files have very long lines.
const maxEvidenceText = 200 // bytes

// An answer is a commit and the lines of the fix that are blamed on it.
type answer struct {
	commit gitext.OID
	lines  []answerLine
}

type answerLine struct {
	tracedLine
	file *traceFile
}

// answers returns the possible answers among the blamed commits, the one with most lines
// first.
func (t *tracer) answers() []answer {
	byCommit := map[gitext.OID]*answer{}
	boundary := t.repo.ShallowBoundary()
	for _, f := range t.files {
		for _, l := range f.lines {
			c := l.blame.Commit
			switch {
			case f.drop[c]:
				t.note("lines of %q are left out, because they lead to a commit that is looked through", f.path)
			case boundary[c]:
				t.note("lines of %q are left out, because they lead beyond the history of this shallow clone; type git fetch --unshallow", f.path)
			default:
				if byCommit[c] == nil {
					byCommit[c] = &answer{commit: c}
				}
				byCommit[c].lines = append(byCommit[c].lines, answerLine{l, f})
			}
		}
	}
	out := make([]answer, 0, len(byCommit))
	for _, a := range byCommit {
		out = append(out, *a)
	}
	slices.SortFunc(out, func(a, b answer) int {
		if d := len(b.lines) - len(a.lines); d != 0 {
			return d
		}
		return bytes.Compare([]byte(a.commit), []byte(b.commit))
	})
	return out
}

// answer writes candidates and suspects into the answer.
func (t *tracer) answer(ctx context.Context, v *szz.Answer) error {
	answers := t.answers()
	oids := make([]gitext.OID, len(answers))
	lines := 0
	for i, a := range answers {
		oids[i] = a.commit
		lines += len(a.lines)
	}
	if err := t.complete(ctx, oids); err != nil {
		return err
	}
	slices.SortStableFunc(answers, func(a, b answer) int {
		return cmp.Or(len(b.lines)-len(a.lines), t.date(b.commit).Compare(t.date(a.commit)))
	})
	for _, a := range answers {
		v.Candidates = append(v.Candidates, a.commit)
	}
	chosen, err := t.choose(ctx, oids)
	if err != nil {
		return err
	}
	for _, a := range answers {
		if chosen == "" || a.commit == chosen {
			v.Suspects = append(v.Suspects, szz.Suspect{Suspect: t.suspect(a, lines, len(answers), chosen != "")})
		}
	}
	return nil
}

// complete reads the commits without known facts: variants that look through no commit
// have read none.
func (t *tracer) complete(ctx context.Context, oids []gitext.OID) error {
	var fresh []gitext.OID
	for _, o := range oids {
		if t.known[o] == nil {
			fresh = append(fresh, o)
		}
	}
	commits, err := t.repo.Commits(ctx, fresh)
	if err != nil {
		return err
	}
	for _, c := range commits {
		t.known[c.OID] = &commitFacts{commit: c}
	}
	return nil
}

// choose returns the candidate that the variant picks, "" if it takes all.
func (t *tracer) choose(ctx context.Context, oids []gitext.OID) (gitext.OID, error) {
	if t.rules.pick == nil || len(oids) == 0 {
		return "", nil
	}
	slices.Sort(oids)
	return t.rules.pick(ctx, t, oids)
}

// latest is R-SZZ's choice: the commit with the latest committer date. Among commits of
// the same second it takes the descendant, else the one with the smaller object id.
func latest(ctx context.Context, t *tracer, oids []gitext.OID) (gitext.OID, error) {
	best := oids[0]
	for _, o := range oids[1:] {
		c := t.date(o).Compare(t.date(best))
		if c == 0 {
			later, err := t.repo.IsAncestor(ctx, best, o)
			if err != nil {
				return "", err
			}
			if later {
				c = 1
			}
		}
		if c > 0 {
			best = o
		}
	}
	return best, nil
}

// largest is L-SZZ's choice: the commit with most added and removed lines over all its
// files. Among equally large ones it takes the one with the smaller object id.
func largest(_ context.Context, t *tracer, oids []gitext.OID) (gitext.OID, error) {
	return slices.MaxFunc(oids, func(a, b gitext.OID) int {
		return cmp.Or(t.size(a)-t.size(b), strings.Compare(string(b), string(a)))
	}), nil
}

func (t *tracer) date(o gitext.OID) time.Time { return t.known[o].commit.Committer.Time }

func (t *tracer) size(o gitext.OID) int {
	s := t.known[o].stat
	return s.Added + s.Deleted
}

func (t *tracer) suspect(a answer, lines, candidates int, picked bool) suspect.Suspect {
	s := suspect.Suspect{Commit: t.known[a.commit].commit}
	s.Reason = "last changed " + szz.PartOf(len(a.lines), lines, "traced line") + " that the fix removes or changes"
	if picked && candidates > 1 {
		s.Reason = fmt.Sprintf("the %s of the %d commits that last changed lines which the fix removes or changes", t.rules.superlative, candidates)
	}
	slices.SortFunc(a.lines, func(x, y answerLine) int {
		return cmp.Or(strings.Compare(x.path, y.path), x.anchor.Old-y.anchor.Old)
	})
	for _, l := range a.lines[:min(len(a.lines), maxEvidence)] {
		s.Evidence = append(s.Evidence, suspect.Evidence{
			Path: l.path, Line: l.anchor.Old, Removed: true, Text: evidenceText(l.anchor.Text),
			Command: t.command(l),
		})
	}
	return s
}

func evidenceText(b []byte) string {
	b = bytes.TrimSpace(b)
	return strings.ToValidUTF8(string(b[:min(len(b), maxEvidenceText)]), "\uFFFD")
}

// command returns the git blame command that shows the finding, as a line for the shell.
func (t *tracer) command(l answerLine) string {
	args := []string{"git", "blame"}
	if t.rules.space {
		args = append(args, "-w")
	}
	if t.rules.moves {
		args = append(args, "-M")
	}
	for range t.rules.copies {
		args = append(args, "-C")
	}
	for _, o := range sortedOIDs(l.file.ignore) {
		args = append(args, "--ignore-rev", o.Short())
	}
	args = append(args, "-L", fmt.Sprintf("%d,%d", l.line, l.line), l.file.rev.Short(), "--", l.file.path)
	for i := range args {
		args[i] = quote.Shell(args[i])
	}
	return strings.Join(args, " ")
}
