package szz

import (
	"context"
	"fmt"
	"slices"

	"git-agent/agent/suspect"
	"git-agent/gitext"
	"git-agent/gitext/quote"
)

// This file answers fixes that change no line of text, but modes, names and contents of whole files. No line has
// an owner there, but git tells which commit gave a file what the fix takes from it.

// maxWholeFiles bounds the files whose history is searched.
const maxWholeFiles = 50

// noteNoText says that nothing of the fix can be traced.
const noteNoText = "the fix changes no line of text, so there is nothing to trace"

// noteWhole says how the suspects of such a fix were found.
const noteWhole = "the fix changes no line of text; the suspects are the last commits that gave its files what it changes, without a probability"

// A wholeChange is a kind of change of whole files.
type wholeChange struct {
	one  func(name string, f *gitext.FileChange) string // what the culprit did to a file
	many string                                         // the same of several files
	// brought reports whether an entry of the file's history gave it what the fix takes from it.
	brought func(f, e *gitext.FileChange) bool
}

// did returns the function that puts the name of a file into a text.
func did(text string) func(string, *gitext.FileChange) string {
	return func(name string, _ *gitext.FileChange) string { return fmt.Sprintf(text, name) }
}

func added(_, e *gitext.FileChange) bool   { return e.Status == 'A' }
func deleted(_, e *gitext.FileChange) bool { return e.Status == 'D' }
func wrote(f, e *gitext.FileChange) bool   { return e.NewOID == f.OldOID && e.OldOID != f.OldOID }

var (
	wholeMode = &wholeChange{
		one: func(name string, f *gitext.FileChange) string {
			return fmt.Sprintf("set the mode of %s to %o", name, f.OldMode)
		},
		many:    "set the modes of %d files that the fix changes",
		brought: func(f, e *gitext.FileChange) bool { return e.NewMode == f.OldMode && e.OldMode != f.OldMode },
	}
	wholeSubmodule = &wholeChange{
		one: func(name string, f *gitext.FileChange) string {
			return fmt.Sprintf("set the submodule %s to %s", name, f.OldOID.Short())
		},
		many:    "set %d submodules that the fix changes",
		brought: wrote,
	}
	wholeName    = &wholeChange{did("added %s under this name"), "added %d files under the names that the fix changes", added}
	wholeContent = &wholeChange{did("wrote the content of %s that the fix changes"), "wrote the contents of %d files that the fix changes", wrote}
	wholeAdded   = &wholeChange{did("added %s, which the fix deletes"), "added %d files that the fix deletes", added}
	wholeDeleted = &wholeChange{did("deleted %s, which the fix adds again"), "deleted %d files that the fix adds again", deleted}
)

// wholeChangeOf returns the kind of a change without lines of text.
func wholeChangeOf(f *gitext.FileChange) *wholeChange {
	switch {
	case f.Status == 'A':
		return wholeDeleted
	case f.Status == 'D':
		return wholeAdded
	case f.Status == 'R':
		return wholeName
	case changesMode(f):
		return wholeMode
	case f.Submodule:
		return wholeSubmodule
	}
	return wholeContent
}

// A wholeFile is a file of the fix, and the entry of its history that gave it what the fix changes.
type wholeFile struct{ fixed, brought *gitext.FileChange }

// A wholeCulprit is a commit with the files to which it gave what the fix changes.
type wholeCulprit struct {
	commit gitext.OID
	files  []wholeFile
}

// wholeFiles answers a fix that changes no line of text. The suspects are ordered by the number of their files, and
// then as the files are in the fix. A commit at the boundary of a shallow clone is none.
func wholeFiles(ctx context.Context, repo *gitext.Repo, fc *FixContext) (*Answer, error) {
	var culprits []*wholeCulprit
	for i := range fc.Patch.Files[:min(len(fc.Patch.Files), maxWholeFiles)] {
		f := &fc.Patch.Files[i]
		commit, brought, err := broughtWhole(ctx, repo, fc, f)
		if err != nil {
			return nil, err
		}
		if brought == nil || fc.Excludes(commit) {
			continue
		}
		at := slices.IndexFunc(culprits, func(c *wholeCulprit) bool { return c.commit == commit })
		if at < 0 {
			at, culprits = len(culprits), append(culprits, &wholeCulprit{commit: commit})
		}
		culprits[at].files = append(culprits[at].files, wholeFile{f, brought})
	}
	slices.SortStableFunc(culprits, func(a, b *wholeCulprit) int { return len(b.files) - len(a.files) })
	if len(culprits) == 0 {
		return &Answer{Algorithm: Algorithms[0], Notes: []string{noteNoText}}, nil
	}
	v := &Answer{Algorithm: ByFileHistory, Notes: []string{noteWhole}}
	if len(fc.Patch.Files) > maxWholeFiles {
		v.Note("only the first %d files of the fix were looked at", maxWholeFiles)
	}
	for _, c := range culprits {
		commit, err := repo.Commit(ctx, c.commit)
		if err != nil {
			return nil, err
		}
		v.Candidates = append(v.Candidates, c.commit)
		v.Suspects = append(v.Suspects, Suspect{Suspect: suspect.Suspect{Commit: commit, Reason: c.reason(), Evidence: c.evidence()}})
	}
	return v, nil
}

// broughtWhole returns the newest commit before the fix that gave a file what the fix changes, and its change of the
// file; nil if there is none, or if the history of the file cannot be read so far.
func broughtWhole(ctx context.Context, repo *gitext.Repo, fc *FixContext, f *gitext.FileChange) (gitext.OID, *gitext.FileChange, error) {
	kind, boundary := wholeChangeOf(f), repo.ShallowBoundary()
	log := repo.Log(ctx, gitext.LogOptions{Tip: fc.Parent, Paths: []string{f.OldPath}, Files: true, NoRenames: true, MaxFiles: maxWholeFiles})
	for entry, err := range log {
		if gitext.Unreadable(err) {
			break
		}
		if err != nil {
			return "", nil, err
		}
		for i := range entry.Files {
			if e := &entry.Files[i]; (e.OldPath == f.OldPath || e.NewPath == f.OldPath) && kind.brought(f, e) && !boundary[entry.OID] {
				return entry.OID, e, nil
			}
		}
	}
	return "", nil, nil
}

// reason says what the commit did to the files.
func (c *wholeCulprit) reason() string {
	first := c.files[0].fixed
	kind := wholeChangeOf(first)
	if len(c.files) == 1 {
		return kind.one(quote.Path(suspect.ShortPath(first.OldPath)), first)
	}
	if slices.ContainsFunc(c.files, func(f wholeFile) bool { return wholeChangeOf(f.fixed) != kind }) {
		return fmt.Sprintf("gave %d files what the fix changes of them", len(c.files))
	}
	return fmt.Sprintf(kind.many, len(c.files))
}

// evidence has the first files, each with what a command shows of the commit's change of it.
func (c *wholeCulprit) evidence() []suspect.Evidence {
	const most = 3
	var list []suspect.Evidence
	for _, f := range c.files[:min(len(c.files), most)] {
		format, text := "--summary", ""
		switch e := f.brought; {
		case e.Status == 'A':
			text = fmt.Sprintf("create mode %o", e.NewMode)
		case e.Status == 'D':
			text = fmt.Sprintf("delete mode %o", e.OldMode)
		case wholeChangeOf(f.fixed) == wholeMode:
			text = fmt.Sprintf("mode change %o => %o", e.OldMode, e.NewMode)
		default:
			format, text = "--raw", fmt.Sprintf("%s => %s", e.OldOID.Short(), e.NewOID.Short())
		}
		list = append(list, suspect.Evidence{
			Path: f.fixed.OldPath, Text: text,
			Command: fmt.Sprintf("git show %s --format= %s -- %s", format, c.commit.Short(), quote.FromTop(f.fixed.OldPath)),
		})
	}
	return list
}
