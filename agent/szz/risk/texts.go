package risk

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/source"
	"git-agent/agent/szz/candidate"
	"git-agent/agent/szz/fixlike"
	"git-agent/gitext"
	"git-agent/gitext/quote"
)

// Bounds of what is looked up in an index of changed lines.
const (
	mostNames   = 24 // names of the change
	mostLines   = 12 // lines that the change adds
	longLine    = 24 // bytes of such a line
	mostJudged  = 60 // newest commits that changed the names
	rareName    = 60 // changes of a name that tells something
	fewestTaken = 2  // lines that a commit took out and the change adds
)

// named is what an index tells of the names in the changed lines.
type named struct {
	names, unknown float64 // names that were looked up, and those that no commit changed
	changes        float64 // the mean logarithm of a name's changes
	fixes, judged  float64 // fixes among the newest commits that changed rare names
	tookOut        float64 // added lines that an earlier commit took out
}

// texts asks the index of changed lines, if there is one, about the names of the change and about
// the lines that it adds.
func (s *study) texts(ctx context.Context) error {
	if !s.fc.Index {
		return nil
	}
	names, lines := s.change.names(), s.change.longLines()
	if len(names)+len(lines) == 0 {
		return nil
	}
	found, ok, err := s.repo.TextChanges(ctx, s.fc.Parent, append(slices.Clone(names), lines...))
	if err != nil || !ok {
		return err
	}
	if len(found) < len(names)+len(lines) {
		return nil
	}
	if err := s.readNames(ctx, found[:len(names)]); err != nil {
		return err
	}
	return s.readLines(ctx, found[len(names):])
}

// readNames reads who changed the names.
func (s *study) readNames(ctx context.Context, found []gitext.TextHistory) error {
	newest := map[gitext.OID]int{}
	for _, h := range found {
		if h.Common {
			continue
		}
		s.named.names++
		if len(h.Changes) == 0 {
			s.named.unknown++
		}
		s.named.changes += math.Log1p(float64(len(h.Changes)))
		if len(h.Changes) > rareName {
			continue
		}
		for _, c := range h.Changes {
			newest[c.OID] = c.Place
		}
	}
	s.named.changes /= max(1, s.named.names)
	oids := slices.SortedFunc(maps.Keys(newest), func(a, b gitext.OID) int {
		return cmp.Or(cmp.Compare(newest[a], newest[b]), cmp.Compare(a, b))
	})
	commits, err := s.repo.Commits(ctx, oids[:min(mostJudged, len(oids))])
	if err != nil {
		return err
	}
	for _, c := range commits {
		s.named.judged++
		if len(c.Parents) < 2 && fixlike.Likely(c, nil) {
			s.named.fixes++
		}
	}
	return nil
}

// readLines looks for commits that took out lines that the change adds, in any file.
func (s *study) readLines(ctx context.Context, found []gitext.TextHistory) error {
	took := map[gitext.OID][]string{}
	for _, h := range found {
		for _, c := range h.Changes {
			if c.Added != c.Removed {
				if c.Removed > c.Added {
					took[c.OID] = append(took[c.OID], h.Text)
					s.named.tookOut++
				}
				break // older commits do not matter: the newest one decides whether the line is there
			}
		}
	}
	oids := slices.SortedFunc(maps.Keys(took), func(a, b gitext.OID) int {
		return cmp.Or(cmp.Compare(len(took[b]), len(took[a])), cmp.Compare(a, b))
	})
	for _, oid := range oids[:min(mostOfAKind, len(oids))] {
		if lines := took[oid]; len(lines) >= fewestTaken && s.past.find(string(oid)) == nil {
			c, err := s.repo.Commit(ctx, oid)
			if err != nil {
				return err
			}
			if s.names(c) {
				continue
			}
			s.add(Finding{
				Kind: Undoes, Commits: []gitext.Commit{c}, Path: s.firstPath(),
				Text: fmt.Sprintf("puts back %s that %s took out on %s (%q), such as `%s`",
					agent.Plural(len(lines), "line"), oid.Short(), c.Committer.Time.UTC().Format("2006-01-02"), c.Subject(), source.FirstBytes(lines[0], 80)),
				Command: "git log --oneline -S" + quote.Shell(lines[0]) + " " + s.fc.Parent.Short(),
			})
		}
	}
	return nil
}

// firstPath returns the path of the file with most changed lines.
func (s *study) firstPath() string {
	if len(s.change.files) > 0 {
		return s.change.files[0].OldPath
	}
	if files := s.fc.Patch.Files; len(files) > 0 {
		return newestPath(&files[0])
	}
	return ""
}

// names returns the longest names in the changed lines of source code.
func (c *change) names() []string {
	bag := source.Bag{}
	for _, b := range c.blocks {
		if source.FileKindOf(b.path) == source.OtherFile {
			continue
		}
		for _, l := range slices.Concat(b.removed, b.added) {
			for w := range source.CodeWordsOf(l.Text) {
				if candidate.NameLike().MatchString(w) && len(w) >= 5 {
					bag[w]++
				}
			}
		}
	}
	list := slices.SortedFunc(maps.Keys(bag), func(a, b string) int {
		return cmp.Or(cmp.Compare(bag[b], bag[a]), cmp.Compare(len(b), len(a)), strings.Compare(a, b))
	})
	return list[:min(mostNames, len(list))]
}

// longLines returns the longest lines that the change adds.
func (c *change) longLines() []string {
	var list []string
	seen := map[string]bool{}
	for _, b := range c.blocks {
		for _, l := range b.added {
			text := strings.TrimSpace(string(l.Text))
			key := candidate.LineKey(l.Text)
			if len(text) >= longLine && len(text) <= 200 && c.keys.added[key] && !seen[text] {
				seen[text] = true
				list = append(list, text)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	return list[:min(mostLines, len(list))]
}
