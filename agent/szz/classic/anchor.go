package classic

import (
	"bytes"
	"context"
	"errors"

	"git-agent/agent"
	"git-agent/agent/source"
	"git-agent/agent/suspect"
	"git-agent/gitext"
)

// maxClassicFiles is the largest number of blamed files of a fix. A fix of more files
// mostly moves or renames them. 2,758 files of netty took 30 s of CPU, and a blame in a
// longer history takes a hundred times as much.
const maxClassicFiles = 500

// maxLexedAll bounds the bytes of one fix's files that are lexed, and maxClassicLines the
// traced lines.
const (
	maxLexedAll     = 6 << 20
	maxClassicLines = 200_000
)

// anchors collects the lines that the variant traces: the lines that the fix deletes or
// modifies, except those that the rules exclude. The notes of the fix context name
// untraceable changes (binary files, submodules, changes of mode).
func (t *tracer) anchors(ctx context.Context) error {
	deleted, left := 0, 0
	for i := range t.fc.Patch.Files {
		f := &t.fc.Patch.Files[i]
		if f.Status == 'A' || f.Status == 'C' || f.Binary || f.Submodule {
			continue
		}
		lines := t.deletedLines(f)
		if deleted+len(lines) > maxClassicLines {
			t.note("only the first %d changed lines are traced", maxClassicLines)
			lines = lines[:max(maxClassicLines-deleted, 0)]
		}
		deleted += len(lines)
		if len(lines) > 0 && len(t.files) >= t.most {
			left++
			continue
		}
		lines, err := t.dropComments(ctx, f, lines)
		if err != nil {
			return err
		}
		if len(lines) == 0 {
			continue
		}
		tf := &traceFile{target: target{rev: t.fc.Parent, path: f.OldPath}}
		for _, l := range lines {
			tf.lines = append(tf.lines, tracedLine{anchor: l, path: f.OldPath, line: l.Old})
		}
		t.files = append(t.files, tf)
	}
	if left > 0 {
		t.note(
			"only the first %d changed %s traced; name paths after -- to trace others of the %d",
			t.most,
			agent.PluralOf(t.most, "file is", "files are"),
			t.most+left,
		)
	}
	t.noteEmpty(deleted)
	return nil
}

// noteEmpty notes why there is no line to trace.
func (t *tracer) noteEmpty(deleted int) {
	switch {
	case deleted == 0:
		t.note("the fix removes or changes no line that this variant traces; try --algorithm rank")
	case len(t.files) == 0:
		t.note("the fix removes or changes comments and blank lines only")
	}
}

// deletedLines returns the lines that the fix removes from a file. If the rules say so,
// blank lines and lines of format-only changes are left out.
func (t *tracer) deletedLines(f *gitext.FileChange) []gitext.PatchLine {
	var out []gitext.PatchLine
	for _, h := range f.Hunks {
		for _, block := range changedBlocks(h.Lines) {
			if t.rules.cosmetic && f.Status != 'D' && formatOnly(f.OldPath, block) {
				continue
			}
			for _, l := range block {
				if l.Op == '-' && !(t.rules.blanks && len(bytes.TrimSpace(l.Text)) == 0) {
					out = append(out, l)
				}
			}
		}
	}
	return out
}

// dropComments drops the lines that consist only of a comment in the file before the fix.
// The reference implementation looks at the file at each blamed commit instead. That
// needs a lexer for each commit, and differs only if code was commented in or out without
// changing the line.
func (t *tracer) dropComments(ctx context.Context, f *gitext.FileChange, lines []gitext.PatchLine) ([]gitext.PatchLine, error) {
	if !t.rules.comments || len(lines) == 0 {
		return lines, nil
	}
	blob, err := t.repo.Blob(ctx, f.OldOID, source.MaxLexed)
	if err != nil {
		return lines, t.unread(f.OldPath, err)
	}
	if t.lexed += len(blob); t.lexed > maxLexedAll {
		t.note("the changed files have more than %d MiB together: comments in the later ones are traced like code", maxLexedAll>>20)
		return lines, nil
	}
	kinds := source.LineKinds(f.OldPath, blob, lines[len(lines)-1].Old)
	var out []gitext.PatchLine
	for _, l := range lines {
		if l.Old > len(kinds) || kinds[l.Old-1] != source.LineComment {
			out = append(out, l)
		}
	}
	return out, nil
}

// unread notes that a blob could not be lexed. It returns errors of other kinds.
func (t *tracer) unread(path string, err error) error {
	var large *gitext.TooLargeError
	switch {
	case errors.As(err, &large):
		t.note("%q is larger than %d KiB: its comments are traced like code", path, source.MaxLexed>>10)
	case gitext.Unreadable(err):
		t.note("%q: %s: comments are traced like code", suspect.ShortPath(path), gitext.WhyUnread(err))
	default:
		return err
	}
	return nil
}
