package lineindex

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"git-agent/gitext"
)

// Candidates lists the commits that may have changed a text, in the order of git log. A
// commit is certain if the stored lines prove the change. Candidates returns false for a
// question that the index cannot answer: git then searches the history.
func (x *Index) Candidates(ctx context.Context, q gitext.ChangeQuery) (iter.Seq2[gitext.ChangeHit, error], bool) {
	if q.Text == "" || strings.ContainsAny(q.Text, "\n\x00") {
		return nil, false
	}
	ask, open := changesCount(q.Text), byte(isUncertain)
	if !inRuns(q.Text) {
		open |= hasBinary
	}
	if q.Regexp {
		var ok bool
		if ask, ok = matchesLine(q.Text); !ok {
			return nil, false
		}
		open = isUncertain // -G leaves binary files out
	}
	return func(yield func(gitext.ChangeHit, error) bool) {
		if err := x.answer(ctx, q, ask, open, func(h gitext.ChangeHit) bool { return yield(h, nil) }); err != nil {
			yield(gitext.ChangeHit{}, err)
		}
	}, true
}

// answer walks from the tip and yields the commits that may match. A commit with one of
// the flags in open may always match.
func (x *Index) answer(ctx context.Context, q gitext.ChangeQuery, ask question, open byte, yield func(gitext.ChangeHit) bool) error {
	tip, g, err := x.reach(ctx, q.Tip)
	if err != nil {
		return err
	}
	s, err := x.newSearch(ctx, ask)
	if err != nil {
		return err
	}
	known := uint32(x.graph.len())
	always := g.len() - x.graph.len() // commits that may match regardless of the blocks
	for _, f := range x.graph.flags {
		if f&open != 0 {
			always++
		}
	}
	if len(s.blocks) <= ahead {
		if err := s.settleAll(ctx); err != nil {
			return err
		}
	}
	w := newWalk(g, tip, unix(q.Since), unix(q.Until))
	for found := 0; s.left > 0 || always > 0 || found < len(s.found); {
		n, more := w.next()
		if !more {
			return ctx.Err()
		}
		v := maybe
		if n < known {
			if v, err = s.verdict(ctx, n); err != nil {
				return err
			}
			if v != no {
				found++
			}
			if x.graph.flags[n]&open != 0 {
				v, always = max(v, maybe), always-1
			}
		} else {
			always--
			if len(g.parentsOf(n)) > 1 {
				v = no
			}
		}
		if v != no && !yield(gitext.ChangeHit{OID: g.oid(n), Certain: v == yes}) {
			return nil
		}
	}
	return nil
}

// reach returns the number of the tip, and a graph with all its ancestors: the graph of
// the index, followed by the newer commits.
func (x *Index) reach(ctx context.Context, tip gitext.OID) (uint32, *graph, error) {
	if n, ok := x.graph.find(tip); ok {
		return n, x.graph, nil
	}
	g := x.graph.clone()
	if err := g.extend(ctx, x.repo, []gitext.OID{tip}); err != nil {
		return 0, nil, err
	}
	n, ok := g.find(tip)
	if !ok {
		return 0, nil, fmt.Errorf("%s is not a commit of this repository", tip)
	}
	return n, g, nil
}

// unix returns seconds since 1970, 0 for the zero time.
func unix(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}
