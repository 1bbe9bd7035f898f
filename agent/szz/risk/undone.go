package risk

import (
	"context"
	"fmt"
	"strings"

	"git-agent/agent"
	"git-agent/agent/source"
	"git-agent/gitext"
	"git-agent/gitext/quote"
)

// How much two patches must have in common. All of these are shares of lines by candidate.LineKey.
const (
	fewestShared  = 2   // lines
	mostlyShared  = 0.6 // of the smaller patch, for a change that undoes another
	wholeShared   = 0.9 // of the earlier patch, which is then undone as a whole
	alikeShared   = 0.5 // of both patches, for a change that resembles another
	mostRevertsOf = 20  // reverts that are read
	mostOfAKind   = 3   // findings of one kind
)

// undone looks for earlier commits that the change reverses: it adds what they removed and removes
// what they added.
func (s *study) undone(context.Context) error {
	own := s.change.keys
	shown := 0
	for _, e := range s.past.entries {
		theirs := e.keys.reversed()
		both := own.shared(theirs)
		n := both.size()
		smaller := min(own.size(), theirs.size())
		if n < fewestShared || float64(n) < mostlyShared*float64(smaller) {
			continue
		}
		whole := float64(n) >= wholeShared*float64(theirs.size())
		if len(both.added) == 0 && !whole { // deleting a part of what a commit added undoes nothing
			continue
		}
		s.found[Undoes] = max(s.found[Undoes], float64(n)/float64(max(1, own.size())))
		path, line := s.placeOf(both.reversed())
		if s.names(e.commit) || shown == mostOfAKind || source.FileKindOf(path) == source.TestFile {
			continue
		}
		shown++
		did := "undoes"
		if !whole {
			did = "undoes a part of"
		}
		text := fmt.Sprintf("%s %s, which %s: %s", did, e.commit.OID.Short(), whatItWas(e), both.describe())
		s.add(Finding{
			Kind: Undoes, Text: text, Path: path, Line: line, Commits: []gitext.Commit{e.commit},
			Command: "git show " + e.commit.OID.Short() + " -- " + quote.Pathspec(path),
		})
	}
	return nil
}

// whatItWas says what an earlier commit was.
func whatItWas(e *entry) string {
	what := "changed these lines"
	if e.fix {
		what = "fixed a bug"
	}
	return fmt.Sprintf("%s on %s (%q)", what, e.commit.Committer.Time.UTC().Format("2006-01-02"), e.commit.Subject())
}

// describe counts the lines of a reversed patch: those that the change adds again and removes again.
func (k keys) describe() string {
	var parts []string
	if n := len(k.added); n > 0 {
		parts = append(parts, fmt.Sprintf("%s that it removed %s back", agent.Plural(n, "line"), agent.PluralOf(n, "is", "are")))
	}
	if n := len(k.removed); n > 0 {
		parts = append(parts, fmt.Sprintf("%s that it added %s gone", agent.Plural(n, "line"), agent.PluralOf(n, "is", "are")))
	}
	return strings.Join(parts, ", ")
}

// names reports whether the message of the change names a commit, so that its author knows of it.
func (s *study) names(c gitext.Commit) bool {
	const digits = 7
	m := s.fc.Commit.Message
	return m != "" && (strings.Contains(m, string(c.OID)[:digits]) || strings.Contains(m, c.Subject()))
}

// placeOf returns the place of the first block that has one of the lines: keys as an earlier commit
// has them, so its added lines are removed by the change.
func (s *study) placeOf(theirs keys) (path string, line int) {
	for _, b := range s.change.blocks {
		for _, l := range b.removed {
			if theirs.added[keyOf(l)] {
				return b.path, l.Old
			}
		}
		for _, l := range b.added {
			if theirs.removed[keyOf(l)] {
				return b.path, b.start
			}
		}
	}
	if len(s.change.files) > 0 {
		return s.change.files[0].OldPath, 0
	}
	return "", 0
}

// revertOf matches the line that git writes into a revert.
var revertOf = source.Lazy(`(?i)\bthis reverts commit ([0-9a-f]{7,64})\b`)

// resembles looks for commits that were reverted and did the same as the change.
func (s *study) resembles(ctx context.Context) error {
	read, shown := 0, 0
	for _, e := range s.past.entries {
		m := revertOf().FindStringSubmatch(e.commit.Message)
		if m == nil || read == mostRevertsOf {
			continue
		}
		read++
		// What a revert removes, the reverted commit added.
		theirs := e.keys.reversed()
		both := s.change.keys.shared(theirs)
		n := float64(both.size())
		if n < fewestShared || n < alikeShared*float64(s.change.keys.size()) || n < alikeShared*float64(theirs.size()) {
			continue
		}
		s.found[Reverted] = max(s.found[Reverted], n/float64(max(1, s.change.keys.size())))
		if s.names(e.commit) || shown == mostOfAKind {
			continue
		}
		shown++
		path, line := s.placeOf(both.reversed())
		text := fmt.Sprintf("resembles %s, which %s reverted on %s (%q)",
			m[1][:min(len(m[1]), 12)], e.commit.OID.Short(), e.commit.Committer.Time.UTC().Format("2006-01-02"), e.commit.Subject())
		if why := reasonOf(e.commit); why != "" {
			text += ": " + why
		}
		s.add(Finding{
			Kind: Reverted, Text: text, Path: path, Line: line, Commits: []gitext.Commit{e.commit},
			Command: "git show " + e.commit.OID.Short() + " -- " + quote.Pathspec(path),
		})
	}
	return nil
}

// reasonOf returns the first sentence that a message gives behind its subject and what git writes.
func reasonOf(c gitext.Commit) string {
	const most = 160 // bytes
	body := revertOf().ReplaceAllString(c.Body(), "")
	for paragraph := range strings.SplitSeq(body, "\n\n") {
		text := strings.Trim(strings.Join(strings.Fields(paragraph), " "), " .,")
		if len(text) < 12 || strings.HasSuffix(strings.SplitN(text, " ", 2)[0], ":") {
			continue
		}
		text, _, _ = strings.Cut(text, ". ")
		return strings.TrimSpace(source.FirstBytes(text, most))
	}
	return ""
}
