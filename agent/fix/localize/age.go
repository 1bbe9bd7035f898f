package localize

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"git-agent/agent/fix"
	"git-agent/agent/suspect"
	"git-agent/gitext"
)

// These bound the lines for which localize looks up the age.
const (
	maxAged      = 30 // functions
	maxAgedFiles = 6
	maxAgedLines = 3000
	leastAged    = 0.01 // share of the first function's score
)

// addAges finds the time of the last change of the most suspicious functions.
func (s *search) addAges(ctx context.Context) error {
	if s.in.NoHistory {
		return nil
	}
	wanted := s.wantedAges()
	if len(wanted) == 0 {
		return nil
	}
	tip, err := s.repo.Commit(ctx, s.files.commit)
	if err != nil {
		return err
	}
	owners, err := suspect.FindOwnersWith(ctx, s.repo, s.files.commit, wanted, suspect.OwnerOptions{NoKinds: true})
	if err != nil {
		return err
	}
	commits, err := s.owning(ctx, owners)
	if err != nil {
		return err
	}
	for i, lines := range owners.Lines {
		f := s.files.all[wanted[i].Path]
		for _, l := range lines {
			line := l.Line
			if f.over {
				line = f.present[line]
			}
			j := f.functionAt(line)
			if j < 0 {
				continue
			}
			if c := s.at[key{f.path, f.functions[j].Start}]; c != nil {
				c.changedBy(commits[l.Owner], tip)
			}
		}
	}
	return nil
}

// changedBy notes that a commit wrote a line of a function.
func (c *candidate) changedBy(commit, tip gitext.Commit) {
	days := max(0, tip.Committer.Time.Sub(commit.Committer.Time).Hours()/24)
	if !c.aged || days < c.age {
		c.age, c.aged, c.changed, c.when = days, true, commit.OID, commit.Committer.Time
	}
}

// wantedAges returns the lines of the most suspicious functions at the commit. Functions with
// uncommitted changes count as changed now.
func (s *search) wantedAges() []suspect.FileLines {
	var out []suspect.FileLines
	at := map[string]int{}
	total := 0
	ranked := s.ranked()
	for n, c := range ranked {
		if n == maxAged || total > maxAgedLines || c.score < leastAged*ranked[0].score {
			break
		}
		if c.uncommitted {
			c.age, c.aged = 0, true
			continue
		}
		ranges := c.committedLines()
		if len(ranges) == 0 {
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
		total += c.lines.End - c.lines.Start + 1
		out[i].Ranges = append(out[i].Ranges, ranges...)
	}
	for _, f := range out {
		slices.SortFunc(f.Ranges, func(a, b gitext.LineRange) int { return cmp.Compare(a.Start, b.Start) })
	}
	return out
}

// owning returns the commits that own lines.
func (s *search) owning(ctx context.Context, owners *suspect.Owners) (map[gitext.OID]gitext.Commit, error) {
	found := map[gitext.OID]gitext.Commit{}
	var ids []gitext.OID
	for _, lines := range owners.Lines {
		for _, l := range lines {
			if _, ok := found[l.Owner]; !ok {
				found[l.Owner] = gitext.Commit{}
				ids = append(ids, l.Owner)
			}
		}
	}
	commits, err := s.repo.Commits(ctx, ids)
	for _, c := range commits {
		found[c.OID] = c
	}
	return found, err
}

// ageGrounds says when a function changed, if it changed lately.
func (s *search) ageGrounds(c *candidate) []fix.Ground {
	const lately = 60 // days
	switch {
	case !c.aged || c.age > lately:
		return nil
	case c.changed == "":
		return []fix.Ground{{Source: fix.SourceHistory, Text: "it has changes that are not committed"}}
	}
	return []fix.Ground{{Source: fix.SourceHistory, Text: fmt.Sprintf("%s changed it on %s", c.changed.Short(), c.when.UTC().Format("2006-01-02"))}}
}
