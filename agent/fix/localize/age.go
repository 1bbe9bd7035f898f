package localize

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"git-agent/agent/fix"
	"git-agent/agent/suspect"
	"git-agent/gitext"
)

// These bound the lines whose age is looked up.
const (
	maxAged      = 80 // functions
	maxAgedFiles = 12
)

// addAges finds when the lines of the first candidates changed.
func (s *search) addAges(ctx context.Context) error {
	wanted := s.forAges()
	tip, err := s.repo.Commit(ctx, s.files.commit)
	if err != nil {
		return err
	}
	owners, err := suspect.FindOwnersWith(ctx, s.repo, s.files.commit, wanted, suspect.OwnerOptions{NoKinds: true})
	if err != nil {
		return err
	}
	times, err := s.times(ctx, owners)
	if err != nil {
		return err
	}
	for i, lines := range owners.Lines {
		f := s.files.all[wanted[i].Path]
		for _, l := range lines {
			t, ok := times[l.Owner]
			if !ok {
				continue
			}
			if j := f.functionAt(l.Line); j >= 0 {
				if c := s.at[key{f.path, f.functions[j].Start}]; c != nil {
					c.changed(tip.Committer.Time.Sub(t))
				}
			}
		}
	}
	for _, c := range s.list {
		const lately = 30 // days
		if c.aged && c.age < lately {
			c.because(fix.SourceHistory, "%s", agoText(c.age))
		}
	}
	return nil
}

// changed notes that a line changed that long before the tree's commit.
func (c *candidate) changed(ago time.Duration) {
	days := max(0, ago.Hours()/24)
	if !c.aged || days < c.age {
		c.age, c.aged = days, true
	}
}

func agoText(days float64) string {
	if days < 1.5 {
		return "changed within a day of the tree's commit"
	}
	return fmt.Sprintf("changed %.0f days before the tree's commit", days)
}

// forAges returns the lines of the first candidates, in files that are as the commit
// has them.
func (s *search) forAges() []suspect.FileLines {
	var out []suspect.FileLines
	at := map[string]int{}
	for n, c := range s.ranked() {
		if n == maxAged {
			break
		}
		if c.file.over {
			c.changed(0)
			continue
		}
		i, ok := at[c.file.path]
		if !ok {
			if len(out) == maxAgedFiles {
				continue
			}
			i = len(out)
			at[c.file.path] = i
			out = append(out, suspect.FileLines{Path: c.file.path})
		}
		out[i].Ranges = append(out[i].Ranges, c.lines)
	}
	for _, f := range out {
		slices.SortFunc(f.Ranges, func(a, b gitext.LineRange) int { return cmp.Compare(a.Start, b.Start) })
	}
	return out
}

// times returns the commit times of owners.
func (s *search) times(ctx context.Context, owners *suspect.Owners) (map[gitext.OID]time.Time, error) {
	times := map[gitext.OID]time.Time{}
	var ids []gitext.OID
	for _, lines := range owners.Lines {
		for _, l := range lines {
			if _, ok := times[l.Owner]; !ok {
				times[l.Owner] = time.Time{}
				ids = append(ids, l.Owner)
			}
		}
	}
	commits, err := s.repo.Commits(ctx, ids)
	if err != nil {
		return nil, err
	}
	for _, c := range commits {
		times[c.OID] = c.Committer.Time
	}
	return times, nil
}
