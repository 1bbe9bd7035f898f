package execute

import (
	"context"
	"slices"

	"git-agent/agent/source"
	"git-agent/gitext"
)

// missingSymbol matches the languages' errors about a missing symbol.
var missingSymbol = source.Lazy(
	`AttributeError|ImportError|ModuleNotFoundError|NameError|unexpected keyword argument|is not a function|is not a constructor|is not defined|Cannot find module|ERR_MODULE_NOT_FOUND|does not provide an export|undefined:|has no field or method|cannot find symbol|unresolved import|cannot find (?:function|type|value|macro|crate)|no method named|implicit declaration|undefined reference`,
)

// lackingCall matches the failures of a new feature's tests before the feature exists. Only few
// regressions look the same.
var lackingCall = source.Lazy(`module '[^']*' has no attribute|cannot import name|unexpected keyword argument|does not provide an export`)

// asksForMore returns a line of the tests' output about a missing symbol.
func (t *trialOfFix) asksForMore() string {
	for line := range t.telling {
		if lackingCall().MatchString(line) {
			return line
		}
	}
	return ""
}

// changesSource returns a *noCase if a commit changes no source file: then the tests began to
// fail for a reason outside the source.
func (t *trialOfFix) changesSource(ctx context.Context, c gitext.Commit) error {
	changes, err := t.repo.Changes(ctx, c.Parents[0], c.OID, gitext.PatchOptions{})
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(changes, func(f gitext.FileChange) bool {
		return source.FileKindOf(f.OldPath) == source.SourceFile || source.FileKindOf(f.NewPath) == source.SourceFile
	}) {
		return none("the first failing commit changes no source file")
	}
	return nil
}

// changedLinesAt compares the lines of code changed by the fix with a commit that never worked. It
// reports whether the commit wrote most of these lines. The error is a *noCase if they are older
// than the commit or newer, or if the commit only rewrote older lines: then the fix does not repair
// the commit's change.
func (t *trialOfFix) changedLinesAt(ctx context.Context, commit gitext.Commit) (brought bool, err error) {
	lines, err := t.changedLines(ctx)
	if err != nil {
		return false, err
	}
	if len(lines) == 0 {
		return false, none("the fix only adds lines, so nothing tells whose fault it repairs")
	}
	own, older, newer := 0, 0, 0
	for _, l := range lines {
		if l.Commit == commit.OID {
			own++
			continue
		}
		before, err := t.repo.IsAncestor(ctx, l.Commit, commit.OID)
		if err != nil {
			return false, err
		}
		if before {
			older++
		} else {
			newer++
		}
	}
	switch {
	case own == 0 && newer == 0:
		return false, none("what the fix changes is older than the first commit that can be tested")
	case own == 0 && older == 0:
		return false, none("nothing of what the fix changes is in the first commit that can be tested")
	case own == 0:
		return false, nil
	case own < older+newer:
		return false, none("the first commit that can be tested wrote %d of %d lines that the fix changes", own, len(lines))
	}
	rewritten, err := t.rewritten(ctx, commit, lines)
	if err == nil && 2*rewritten >= own {
		err = none("the first commit that can be tested only rewrote what the fix changes")
	}
	return true, err
}

// rewritten counts the lines of a commit that it wrote in place of similar ones.
func (t *trialOfFix) rewritten(ctx context.Context, commit gitext.Commit, lines []gitext.BlameLine) (int, error) {
	const similar = 0.6 // of the words of two lines
	if len(commit.Parents) == 0 {
		return 0, nil
	}
	patch, err := t.repo.Patch(ctx, commit.Parents[0], commit.OID, gitext.PatchOptions{})
	if err != nil {
		return 0, err
	}
	var removed []map[string]bool
	for _, f := range patch.Files {
		for _, h := range f.Hunks {
			for _, l := range h.Lines {
				if words := wordsOf(l.Text); l.Op == '-' && len(words) > 0 {
					removed = append(removed, words)
				}
			}
		}
	}
	n := 0
	for _, l := range lines {
		words := wordsOf(l.Text)
		if l.Commit == commit.OID && len(words) > 0 &&
			slices.ContainsFunc(removed, func(old map[string]bool) bool { return share(words, old) >= similar }) {
			n++
		}
	}
	return n, nil
}

var word = source.Lazy(`\w+`)

// wordsOf returns the words of a line.
func wordsOf(line []byte) map[string]bool {
	words := map[string]bool{}
	for _, w := range word().FindAll(line, -1) {
		words[string(w)] = true
	}
	return words
}

// share returns the number of common words, divided by the number of all words, of two lines.
func share(a, b map[string]bool) float64 {
	common := 0
	for w := range a {
		if b[w] {
			common++
		}
	}
	return float64(common) / float64(len(a)+len(b)-common)
}

// changedLines returns the lines of code at the parent of the fix that the fix removed, with the
// commits that wrote them: not those that only moved or copied them.
func (t *trialOfFix) changedLines(ctx context.Context) ([]gitext.BlameLine, error) {
	patch, err := t.repo.Patch(ctx, t.commit.Parents[0], t.commit.OID, gitext.PatchOptions{Renames: true})
	if err != nil {
		return nil, err
	}
	parent := t.commit.Parents[0]
	var origins []gitext.BlameLine
	for _, f := range patch.Files {
		if f.Binary || !slices.Contains(t.sources, f.OldPath) {
			continue
		}
		text, err := t.repo.BlobAt(ctx, parent, f.OldPath, 8<<20)
		if err != nil {
			return nil, err
		}
		length := source.CountLines(text)
		ranges := removedRanges(f.Hunks)
		if len(ranges) == 0 {
			continue
		}
		// git recognizes a copy only with its neighbouring lines
		lines, err := t.repo.Blame(ctx, parent, f.OldPath, gitext.BlameOptions{IgnoreSpace: true, Moves: true, Copies: 2})
		if err != nil {
			return nil, err
		}
		kinds := source.LineKinds(f.OldPath, text, length)
		for _, l := range lines {
			if inRanges(l.Line, ranges) && l.Line <= len(kinds) && kinds[l.Line-1] == source.LineCode {
				origins = append(origins, l)
			}
		}
	}
	return origins, nil
}

func inRanges(line int, ranges []gitext.LineRange) bool {
	return slices.ContainsFunc(ranges, func(r gitext.LineRange) bool { return r.Start <= line && line <= r.End })
}

// removedRanges returns the removed lines of the old file, from hunks without context.
func removedRanges(hunks []gitext.Hunk) []gitext.LineRange {
	var ranges []gitext.LineRange
	for _, h := range hunks {
		if h.OldLines > 0 {
			ranges = append(ranges, gitext.LineRange{Start: h.OldStart, End: h.OldStart + h.OldLines - 1})
		}
	}
	return ranges
}

// importsCode returns a *noCase if a commit adds so many files that it brings the code of
// another repository or another branch, which has the history of the bug.
func (t *trialOfFix) importsCode(ctx context.Context, c gitext.Commit) error {
	const mostAdded = 30
	var changes []gitext.FileChange
	var err error
	if len(c.Parents) > 0 {
		changes, err = t.repo.Changes(ctx, c.Parents[0], c.OID, gitext.PatchOptions{Renames: true})
	} else if entries, e := t.repo.Tree(ctx, c.OID); e != nil {
		err = e
	} else {
		changes = make([]gitext.FileChange, len(entries))
		for i, e := range entries {
			changes[i] = gitext.FileChange{Status: 'A', NewPath: e.Path}
		}
	}
	if err != nil {
		return err
	}
	added := 0
	for _, f := range changes {
		if f.Status == 'A' && source.FileKindOf(f.NewPath) == source.SourceFile {
			added++
		}
	}
	if added > mostAdded {
		return none("the first commit that can be tested adds %d source files", added)
	}
	return nil
}
