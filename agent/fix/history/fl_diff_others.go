package history

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/agent/secret"
	"git-agent/agent/source"
	"git-agent/agent/suspect"
	"git-agent/gitext"
)

// An otherFile is a blamed commit's change of another file than the faulty one.
type otherFile struct {
	path  string
	hunks []gitext.Hunk
}

// size returns the bytes of the file's part of a diff.
func (o otherFile) size() int {
	n := len(o.path) + 30
	for _, h := range o.hunks {
		n += hunkSize(h)
	}
	return n
}

// maxOthersBytes bounds the read diff of the other files.
const maxOthersBytes = 1 << 20

// otherFiles returns the diff of the entries' commit in other files than theirs (HAFixAgent,
// section 4.1.3): programs first, then tests, then other texts. It returns nothing if the
// commit's other changes say nothing about the blamed lines: for a merge, a refactoring by its
// message, the first commit of a history, and a commit that changes very many files. A file
// with a name typical of secrets is left out.
func otherFiles(ctx context.Context, repo *gitext.Repo, entries []fix.Blamed) ([]otherFile, error) {
	b := entries[0]
	if b.Root || b.Changed < 2 || len(b.Commit.Parents) > 1 || suspect.SaysRefactor().MatchString(b.Commit.Subject()) {
		return nil, nil
	}
	patch, err := repo.Patch(ctx, b.Parent, b.Commit.OID, gitext.PatchOptions{Context: diffContext, Renames: true, MaxBytes: maxOthersBytes})
	if err != nil {
		if gitext.Unreadable(err) {
			err = nil
		}
		return nil, err
	}
	var out []otherFile
	for _, f := range patch.Files {
		path := cmp.Or(f.NewPath, f.OldPath)
		faulty := slices.ContainsFunc(entries, func(e fix.Blamed) bool { return e.Path == path })
		if !faulty && len(f.Hunks) > 0 && !secret.MustRedact(f.NewPath) && !secret.MustRedact(f.OldPath) {
			out = append(out, otherFile{path, withoutCR(f.Hunks)})
		}
	}
	slices.SortStableFunc(out, func(x, y otherFile) int { return cmp.Compare(standing(x.path), standing(y.path)) })
	return out, nil
}

// standing orders files by their information about a program.
func standing(path string) int {
	switch {
	case isProgram(path) && !aside().MatchString(path):
		return 0
	case source.IsTestPath(path):
		return 1
	}
	return 2
}

// othersText writes as many whole hunks of other files as fit.
func othersText(others []otherFile, room int) written {
	var b strings.Builder
	files, hunks := 0, 0
	for _, o := range others {
		head := "--- " + agent.CleanLine(o.path) + "\n"
		shown := false
		for _, h := range o.hunks {
			need := hunkSize(h)
			if !shown {
				need += len(head)
			}
			if b.Len()+need > room-200 {
				hunks++
				continue
			}
			if !shown {
				b.WriteString(head)
				shown = true
			}
			writeHunk(&b, h)
		}
		if !shown {
			files++
		}
	}
	var said []string
	if hunks > 0 {
		text := agent.Plural(hunks, "hunk")
		if files > 0 {
			text += " with " + agent.Plural(files, "whole file")
		}
		said = []string{text + " not shown"}
	}
	head := "fl_diff: what it changed in other files" + withCuts(said)
	if b.Len() == 0 {
		return written{strings.TrimSuffix(head, ":"), said}
	}
	return written{head + "\n" + strings.TrimSuffix(fenced(strings.TrimSuffix(b.String(), "\n"), "diff"), "\n"), said}
}
