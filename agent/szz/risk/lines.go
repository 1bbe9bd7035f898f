package risk

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"git-agent/agent/source"
	"git-agent/agent/szz/candidate"
	"git-agent/agent/szz/check"
	"git-agent/agent/szz/fixlike"
	"git-agent/gitext"
	"git-agent/gitext/quote"
)

// Bounds of the history of lines.
const (
	mostTraced = 5   // blocks of a change whose lines are followed
	lastOf     = 12  // commits that changed such lines
	longBlock  = 200 // lines; longer blocks say nothing about single lines
	fewFixes   = 3   // fixes of the same lines that are worth a finding
)

// traced is what the history of the changed lines shows.
type traced struct {
	blocks        int
	commits       float64 // the most commits that changed a block's lines
	fixes         float64 // likewise, fixes
	newest        float64 // days since a block's lines were changed
	newestIsFix   bool
	checksRemoved float64
}

// lines follows the changed lines through history: how many fixes changed them, and which removed
// lines are checks that a fix added.
func (s *study) lines(ctx context.Context) error {
	s.traced.newest = -1
	shown := 0
	for _, b := range s.blocksToTrace() {
		history, err := s.historyOf(ctx, b)
		if err != nil {
			return err
		}
		if len(history) == 0 {
			continue
		}
		s.traced.blocks++
		var fixes []gitext.Commit
		for _, e := range history {
			if e.fix {
				fixes = append(fixes, e.commit)
			}
		}
		days := s.fc.Date.Sub(history[0].commit.Committer.Time).Hours() / 24
		if s.traced.newest < 0 || days < s.traced.newest {
			s.traced.newest, s.traced.newestIsFix = max(0, days), history[0].fix
		}
		s.traced.commits = max(s.traced.commits, float64(len(history)))
		s.traced.fixes = max(s.traced.fixes, float64(len(fixes)))
		if len(fixes) >= fewFixes && 2*len(fixes) >= len(history) && shown < mostOfAKind {
			shown++
			s.oftenFixed(b, history, fixes)
		}
		s.checks(b, history)
	}
	s.sayChecks()
	return nil
}

// blocksToTrace returns the blocks of source code with most removed lines, then those that only add.
func (s *study) blocksToTrace() []block {
	var list []block
	for _, b := range s.change.blocks {
		if source.FileKindOf(b.path) != source.OtherFile && !source.IsVendored(b.path) && b.end-b.start < longBlock {
			list = append(list, b)
		}
	}
	weight := func(b block) int { return 1000*len(b.removed) + len(b.added) }
	slices.SortStableFunc(list, func(a, b block) int { return cmp.Compare(weight(b), weight(a)) })
	return list[:min(mostTraced, len(list))]
}

// A lineEntry is a commit that changed the lines of a block.
type lineEntry struct {
	commit gitext.Commit
	fix    bool
	patch  []byte
}

// historyOf returns the last commits that changed the lines of a block, newest first.
func (s *study) historyOf(ctx context.Context, b block) ([]lineEntry, error) {
	var list []lineEntry
	var oids []gitext.OID
	opt := gitext.LogLOptions{Tip: s.fc.Parent, Path: b.path, Start: b.start, End: b.end, Max: lastOf, Patch: true}
	for e, err := range s.repo.LogL(ctx, opt) {
		switch {
		case err != nil && ctx.Err() != nil:
			return nil, err
		case err != nil: // a file that git cannot follow, or one of another kind at the parent
			return nil, nil
		}
		if len(e.Parents) > 1 {
			continue
		}
		oids, list = append(oids, e.OID), append(list, lineEntry{patch: e.Patch})
	}
	commits, err := s.repo.Commits(ctx, oids)
	if err != nil {
		return nil, err
	}
	for i, c := range commits {
		list[i].commit = c
		if e := s.past.find(string(c.OID)); e != nil {
			list[i].fix = e.fix
		} else {
			list[i].fix = fixlike.Likely(c, nil)
		}
	}
	return list, nil
}

// oftenFixed adds the finding that several fixes changed the lines of a block.
func (s *study) oftenFixed(b block, history []lineEntry, fixes []gitext.Commit) {
	of := fmt.Sprintf("the %d commits that changed", len(history))
	if len(history) == lastOf {
		of = fmt.Sprintf("the last %d commits that changed", lastOf)
	}
	s.found[OftenFixed] = max(s.found[OftenFixed], float64(len(fixes)))
	text := fmt.Sprintf("%d of %s %s look like fixes, the last one %s of %s (%q)", len(fixes), of, b.where(),
		fixes[0].OID.Short(), fixes[0].Committer.Time.UTC().Format("2006-01-02"), fixes[0].Subject())
	s.add(Finding{
		Kind: OftenFixed, Text: text, Path: b.path, Line: b.start, Commits: fixes,
		Command: fmt.Sprintf("git log -s --oneline -n %d -L %d,%d:%s %s", lastOf, b.start, b.end, quote.Shell(b.path), s.fc.Parent.Short()),
	})
}

// where names the lines of a block.
func (b block) where() string {
	if b.start == b.end {
		return fmt.Sprintf("line %d", b.start)
	}
	return fmt.Sprintf("lines %d to %d", b.start, b.end)
}

// guard matches lines that check something before the code behind them.
var guard = source.Lazy(
	`^[\s})]*(?:else\s+)?(?:if|elif|elsif|unless|while|guard)\b.|^\s*(?:\w*(?:assert|require|check|verify|expect|BUG_ON|WARN_ON|CHECK)\w*!?)\s*\(`,
)

// checks looks for checks among the removed lines of a block that a fix added.
func (s *study) checks(b block, history []lineEntry) {
	for _, l := range b.removed {
		key := keyOf(l)
		if key == "" || !guard().Match(l.Text) || s.staysAlike(l) {
			continue
		}
		i := slices.IndexFunc(history, func(e lineEntry) bool { return addsLine(e.patch, key) })
		if i < 0 || !history[i].fix {
			continue
		}
		s.traced.checksRemoved++
		if source.FileKindOf(b.path) == source.TestFile || endlessLoop().MatchString(key) {
			continue // an expectation of a test, or no check: nothing to say
		}
		s.removed = append(s.removed, removedCheck{history[i].commit, key, b.path, l.Old})
	}
}

// endlessLoop matches a condition that is none, as in macros.
var endlessLoop = source.Lazy(`\bwhile \(?(?:0|1|true|True|TRUE)\)?`)

// A removedCheck is a check that a fix added and the change removes.
type removedCheck struct {
	by   gitext.Commit
	key  string
	path string
	line int
}

// sayChecks adds a finding for each fix that added removed checks.
func (s *study) sayChecks() {
	count := map[gitext.OID]int{}
	for _, c := range s.removed {
		count[c.by.OID]++
	}
	shown := 0
	for _, c := range s.removed {
		n := count[c.by.OID]
		if n == 0 || s.names(c.by) || shown == mostOfAKind {
			continue
		}
		shown++
		count[c.by.OID] = 0 // the others are counted with this one
		what := "the check"
		if n > 1 {
			what = fmt.Sprintf("%d checks, such as", n)
		}
		text := fmt.Sprintf("removes %s `%s`, which the fix %s added on %s (%q)",
			what, source.FirstBytes(c.key, 80), c.by.OID.Short(), c.by.Committer.Time.UTC().Format("2006-01-02"), c.by.Subject())
		if of := check.Trailers(c.by.Message); len(of) > 0 && of[0].Subject != "" {
			text += fmt.Sprintf(" because of %s (%q)", of[0].ID[:min(12, len(of[0].ID))], of[0].Subject)
		}
		s.add(Finding{
			Kind: RemovesCheck, Text: text, Path: c.path, Line: c.line, Commits: []gitext.Commit{c.by},
			Command: "git show " + c.by.OID.Short() + " -- " + quote.Pathspec(c.path),
		})
	}
}

// keyOf returns the key of a line, "" if nothing can be told from it.
func keyOf(l gitext.PatchLine) string { return candidate.LineKey(l.Text) }

// addsLine reports whether a patch, as text, adds a line and does not remove it.
func addsLine(patch []byte, key string) bool {
	added := false
	for line := range bytes.Lines(patch) {
		if len(line) < 2 || line[0] != '+' && line[0] != '-' || candidate.LineKey(line[1:]) != key {
			continue
		}
		if line[0] == '-' {
			return false
		}
		added = true
	}
	return added
}

// staysAlike reports whether the change adds a line with most of the words of a removed one: then
// the check was changed or moved.
func (s *study) staysAlike(removed gitext.PatchLine) bool {
	const most = 0.5
	words := source.CodeWordsOf(removed.Text)
	if len(words) == 0 {
		return true
	}
	for key := range s.change.words() {
		have := source.CodeWordsOf([]byte(key))
		if float64(len(words.Shared(have))) >= most*float64(len(words)) {
			return true
		}
	}
	return false
}

// words returns the added lines of all blocks, by their keys.
func (c *change) words() map[string]bool {
	out := map[string]bool{}
	for _, b := range c.blocks {
		for _, l := range b.added {
			if key := keyOf(l); key != "" {
				out[key] = true
			}
		}
	}
	return out
}
