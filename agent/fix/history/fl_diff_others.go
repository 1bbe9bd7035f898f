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

// An otherFile is what a blamed commit changed in a file that is not the faulty one.
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

// maxOthersBytes bounds the diff of the other files that is read.
const maxOthersBytes = 1 << 20

// otherFiles returns what the commit of some entries changed in other files than theirs,
// as git diff shows it (HAFixAgent, section 4.1.3): programs first, then tests, then
// other texts. It returns nothing for a commit whose other changes say nothing about the
// blamed lines: a merge, one that says to refactor, the first one of a history, and one
// that changes very many files. A file whose name says that it holds secrets is left out.
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

// standing orders files by what they tell about a program.
func standing(path string) int {
	switch {
	case isProgram(path) && !aside().MatchString(path):
		return 0
	case source.IsTestPath(path):
		return 1
	}
	return 2
}

// othersText writes as many hunks of other files as fit, each whole.
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
