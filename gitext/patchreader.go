package gitext

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"git-agent/gitext/gitcmd"
	"git-agent/gitext/quote"
)

// A patchReader reads the output of diff-tree -p --raw: first the raw records
// of all files, then a section per file.
//
// The reader reads hunks by their line counts, and finds the raw record of each section by
// computing the header that git prints for the record. So no line of a file can be mistaken for a
// header, and the ambiguous header ("diff --git a/x b/y b/x b/y") is never parsed. go-gitdiff is
// not used because it takes names from the headers, fails on pairs of names that it cannot split,
// and copies each line into strings twice.
type patchReader struct {
	lines   gitcmd.LineReader
	left    int64 // remaining bytes for text
	names   int64 // remaining bytes for file names
	current int   // the file of the last section
	alone   bool  // the only patch of its process: reading may stop at the bound
}

func newPatchReader(out *bufio.Reader, opt PatchOptions) patchReader {
	return patchReader{lines: gitcmd.NewLineReader(out), left: opt.bytes(), names: maxChanges, current: -1}
}

// patch reads until the end of the output or up to a line with endMark, which
// it leaves unread.
func (p *patchReader) patch(into *Patch) error {
	for {
		first, err := p.lines.Peek()
		if err == io.EOF || err == nil && first == endMark {
			return nil
		}
		if err != nil {
			return err
		}
		line, err := p.lines.Next()
		if err != nil {
			return err
		}
		switch {
		case len(line) == 0:
		case first == ':':
			if p.names -= int64(len(line)) + changeCost; p.names < 0 {
				into.Truncated = true
				continue
			}
			file, err := parseRaw(string(line))
			if err != nil {
				return err
			}
			into.Files = append(into.Files, file)
		case first == 'd':
			if err := p.section(into, string(line)); err != nil {
				return err
			}
		case bytes.HasPrefix(line, []byte(unmerged)):
			return &UnmergedError{Path: string(line[len(unmerged):])}
		default:
			return fmt.Errorf("unexpected line in a patch: %.100q", line)
		}
	}
}

// section reads the lines after a "diff --git" header. A change of type has two sections: one
// deletes the old file, and one adds the new file.
func (p *patchReader) section(into *Patch, header string) error {
	i := findSection(into.Files, p.current, header)
	file := &FileChange{} // replaces a file beyond the bound
	switch {
	case i < len(into.Files):
		p.current, file = i, &into.Files[i]
	case p.alone && p.names < 0: // files come in the order of their records
		return gitcmd.ErrStop
	case p.names >= 0 && len(header) < gitcmd.MaxLine:
		return fmt.Errorf("no file for the patch header %.200q", header)
	}
	for {
		first, err := p.lines.Peek()
		if err == io.EOF ||
			err == nil &&
				(first == 'd' && !p.lines.StartsWith("deleted") && !p.lines.StartsWith("dissimilarity") || first == endMark || first == ':') {
			return nil
		}
		if err != nil {
			return err
		}
		line, err := p.lines.Next()
		if err != nil {
			return err
		}
		switch {
		case bytes.HasPrefix(line, []byte("@@ ")):
			if err := p.hunk(into, file, string(line)); err != nil {
				return err
			}
		case bytes.HasPrefix(line, []byte("Binary files ")):
			file.Binary = true
		}
	}
}

// findSection returns the index of the file with this section header, from current on, or
// len(files) if there is none.
func findSection(files []FileChange, current int, header string) int {
	i := max(current, 0)
	for i < len(files) && sectionHeader(&files[i]) != header {
		i++
	}
	return i
}

// sectionHeader is the first line of git's section for a file.
func sectionHeader(f *FileChange) string {
	return "diff --git " + quote.Path("a/"+f.OldPath) + " " + quote.Path("b/"+f.NewPath)
}

// hunk reads the lines of a hunk, as many as its header says.
func (p *patchReader) hunk(into *Patch, file *FileChange, header string) error {
	h, err := parseHunkHeader(header)
	if err != nil {
		return err
	}
	keep := p.left > 0
	if keep {
		h.Lines = make([]PatchLine, 0, min(h.OldLines+h.NewLines, 1<<10))
	}
	err = p.hunkLines(&h, func(pl PatchLine, _ bool) {
		p.left -= int64(len(pl.Text)) + lineCost
		if keep = keep && p.left >= 0; keep {
			pl.Text = p.lines.Keep(pl.Text)
			h.Lines = append(h.Lines, pl)
		}
	})
	if err != nil {
		return err
	}
	into.Truncated = into.Truncated || !keep
	switch {
	case keep:
		file.Hunks = append(file.Hunks, h)
	case p.alone: // the records of all files stand before the first hunk
		return gitcmd.ErrStop
	}
	return nil
}

// hunkLines calls take with each line of h, as many as its header says. cut means that the line
// was too long and is incomplete. The text is valid until take returns.
func (p *patchReader) hunkLines(h *Hunk, take func(pl PatchLine, cut bool)) error {
	at := lineNumbers{old: h.OldStart, new: h.NewStart, oldLeft: h.OldLines, newLeft: h.NewLines}
	for at.oldLeft > 0 || at.newLeft > 0 || p.lines.StartsWith(`\`) {
		line, err := p.lines.Next()
		if err != nil {
			return gitcmd.UnexpectedEnd(err)
		}
		if len(line) > 0 && line[0] == '\\' {
			h.markNoNewline()
			continue
		}
		pl, ok := at.line(line)
		if !ok {
			return fmt.Errorf("unexpected line in the hunk at -%d +%d: %.100q", h.OldStart, h.NewStart, line)
		}
		take(pl, len(line) >= gitcmd.MaxLine)
	}
	return nil
}

// lineCost is counted for each line in addition to its text, so that millions
// of empty lines cannot fill the memory.
const lineCost = 16

// lineNumbers counts through a hunk.
type lineNumbers struct{ old, new, oldLeft, newLeft int }

// line numbers one line of a hunk. It returns false for a line beyond the counts of the header.
// The text is not a copy.
func (n *lineNumbers) line(text []byte) (PatchLine, bool) {
	pl := PatchLine{Op: ' '}
	if len(text) > 0 { // an empty line is an empty context line without its blank
		pl.Op, pl.Text = text[0], text[1:]
	}
	if pl.Op == ' ' || pl.Op == '-' {
		pl.Old, n.old, n.oldLeft = n.old, n.old+1, n.oldLeft-1
	}
	if pl.Op == ' ' || pl.Op == '+' {
		pl.New, n.new, n.newLeft = n.new, n.new+1, n.newLeft-1
	}
	known := pl.Op == ' ' || pl.Op == '-' || pl.Op == '+'
	return pl, known && n.oldLeft >= 0 && n.newLeft >= 0
}

func (h *Hunk) markNoNewline() {
	if len(h.Lines) > 0 {
		h.Lines[len(h.Lines)-1].NoNewline = true
	}
}

var errHunkHeader = errors.New("malformed hunk header")

// parseHunkHeader reads "@@ -1,2 +3,4 @@ section". Git picks the section by the
// drivers of the shadow, which no configuration changes.
func parseHunkHeader(s string) (Hunk, error) {
	f := strings.SplitN(s, " ", 5)
	if len(f) < 4 || f[0] != "@@" || f[3] != "@@" || !strings.HasPrefix(f[1], "-") || !strings.HasPrefix(f[2], "+") {
		return Hunk{}, fmt.Errorf("%w: %.100q", errHunkHeader, s)
	}
	var h Hunk
	var err1, err2 error
	h.OldStart, h.OldLines, err1 = parseSpan(f[1][1:])
	h.NewStart, h.NewLines, err2 = parseSpan(f[2][1:])
	if err1 != nil || err2 != nil {
		return Hunk{}, fmt.Errorf("%w: %.100q", errHunkHeader, s)
	}
	if len(f) == 5 {
		h.Section = f[4]
	}
	return h, nil
}

// parseSpan parses "start,count", or "start" for one line. The start of an
// empty span is the line before it, as in git's output.
func parseSpan(s string) (start, count int, err error) {
	from, many, found := strings.Cut(s, ",")
	start, err = strconv.Atoi(from)
	count = 1
	if err == nil && found {
		count, err = strconv.Atoi(many)
	}
	if err == nil && (start < 0 || count < 0 || start > maxLine || count > maxLine) {
		err = errHunkHeader
	}
	return start, count, err
}

// maxLine is the largest int on every platform.
const maxLine = 1<<31 - 1

// parseRaw reads ":oldmode newmode oldoid newoid status\tpath[\tpath]".
func parseRaw(line string) (FileChange, error) {
	meta, names, found := strings.Cut(line, "\t")
	f := strings.Fields(strings.TrimPrefix(meta, ":"))
	if !found || len(f) != 5 {
		return FileChange{}, fmt.Errorf("malformed raw record: %.200q", line)
	}
	from, to, two := strings.Cut(names, "\t")
	if !two {
		to = from
	}
	c, err := rawMeta(f)
	if err != nil {
		return FileChange{}, fmt.Errorf("malformed raw record: %.200q", line)
	}
	var err1, err2 error
	c.OldPath, err1 = quote.Unquote(from)
	c.NewPath, err2 = quote.Unquote(to)
	if err1 != nil || err2 != nil {
		return FileChange{}, fmt.Errorf("malformed raw record: %.200q", line)
	}
	return c, nil
}

// rawMeta reads the five fields before the paths of a raw record.
func rawMeta(f []string) (FileChange, error) {
	oldMode, err1 := strconv.ParseUint(f[0], 8, 32)
	newMode, err2 := strconv.ParseUint(f[1], 8, 32)
	if err := errors.Join(err1, err2); err != nil {
		return FileChange{}, err
	}
	c := FileChange{
		Status: f[4][0], OldMode: uint32(oldMode), NewMode: uint32(newMode), OldOID: OID(f[2]), NewOID: OID(f[3]),
		Submodule: oldMode == modeSubmodule || newMode == modeSubmodule,
	}
	if err := validAll(c.OldOID, c.NewOID); err != nil {
		return FileChange{}, err
	}
	var err error
	if score := f[4][1:]; score != "" {
		c.Score, err = strconv.Atoi(score)
	}
	return c, err
}
