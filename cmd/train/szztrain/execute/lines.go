package execute

import (
	"bytes"
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

// changedLinesAt compares the lines changed by the fix with a commit that never worked. It
// reports whether the commit added some of these lines. The error is a *noCase if all of them are
// older than the commit, or all are newer: then the fix does not repair the commit's change.
func (t *trialOfFix) changedLinesAt(ctx context.Context, commit gitext.OID) (brought bool, err error) {
	origins, err := t.changedLines(ctx)
	if err != nil {
		return false, err
	}
	older, newer := 0, 0
	for _, origin := range origins {
		if origin == commit {
			brought = true
			continue
		}
		before, err := t.repo.IsAncestor(ctx, origin, commit)
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
	case !brought && newer == 0:
		err = none("what the fix changes is older than the first commit that can be tested")
	case !brought && older == 0:
		err = none("nothing of what the fix changes is in the first commit that can be tested")
	}
	return brought, err
}

// changedLines returns the commits that added the lines removed by the fix, or, if it removes
// none, the lines around its additions.
func (t *trialOfFix) changedLines(ctx context.Context) ([]gitext.OID, error) {
	patch, err := t.repo.Patch(ctx, t.commit.Parents[0], t.commit.OID, gitext.PatchOptions{Renames: true})
	if err != nil {
		return nil, err
	}
	files := slices.DeleteFunc(patch.Files, func(f gitext.FileChange) bool { return f.Binary || !slices.Contains(t.sources, f.OldPath) })
	origins, err := t.origins(ctx, files, removedRanges)
	if err == nil && len(origins) == 0 {
		origins, err = t.origins(ctx, files, besideAdded)
	}
	return origins, err
}

// origins returns the commits that wrote some lines of files at the parent of the fix: not those
// that only moved or copied them.
func (t *trialOfFix) origins(
	ctx context.Context,
	files []gitext.FileChange,
	choose func([]gitext.Hunk, int) []gitext.LineRange,
) ([]gitext.OID, error) {
	parent := t.commit.Parents[0]
	var origins []gitext.OID
	for _, f := range files {
		text, err := t.repo.BlobAt(ctx, parent, f.OldPath, 8<<20)
		if err != nil {
			return nil, err
		}
		ranges := choose(f.Hunks, countLines(text))
		if len(ranges) == 0 {
			continue
		}
		// git recognizes a copy only with its neighbouring lines
		lines, err := t.repo.Blame(ctx, parent, f.OldPath, gitext.BlameOptions{Moves: true, Copies: 2})
		if err != nil {
			return nil, err
		}
		for _, l := range lines {
			if inRanges(l.Line, ranges) && !slices.Contains(origins, l.Commit) {
				origins = append(origins, l.Commit)
			}
		}
	}
	return origins, nil
}

func inRanges(line int, ranges []gitext.LineRange) bool {
	return slices.ContainsFunc(ranges, func(r gitext.LineRange) bool { return r.Start <= line && line <= r.End })
}

// removedRanges returns the removed lines of the old file, from hunks without context.
func removedRanges(hunks []gitext.Hunk, _ int) []gitext.LineRange {
	var ranges []gitext.LineRange
	for _, h := range hunks {
		if h.OldLines > 0 {
			ranges = append(ranges, gitext.LineRange{Start: h.OldStart, End: h.OldStart + h.OldLines - 1})
		}
	}
	return ranges
}

// besideAdded returns the lines of the old file on both sides of pure additions, from hunks
// without context.
func besideAdded(hunks []gitext.Hunk, length int) []gitext.LineRange {
	var ranges []gitext.LineRange
	for _, h := range hunks {
		r := gitext.LineRange{Start: max(h.OldStart, 1), End: min(h.OldStart+1, length)}
		if h.OldLines == 0 && r.Start <= r.End {
			ranges = append(ranges, r)
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

func countLines(text []byte) int {
	n := bytes.Count(text, []byte("\n"))
	if len(text) > 0 && text[len(text)-1] != '\n' {
		n++
	}
	return n
}
