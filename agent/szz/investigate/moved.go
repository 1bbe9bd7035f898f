package investigate

import (
	"fmt"
	"strings"

	"git-agent/agent"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// This file recognises blocks that a patch only moves, and the heads of files. An excerpt
// names the former place of a moved block and omits its lines:
//
//	(12 lines moved from lib/old.c:40)

// A movedAround is the place of the other copy of a moved block: for its added lines the
// former place of the first one, for its removed lines the new place of the first one.
// The zero value is for a line that was not moved.
type movedAround struct {
	path string
	line int
}

// Bounds of a moved block. Shorter blocks are alike by chance.
const (
	minMovedLines = 4
	minMovedText  = 80 // bytes without white space
)

// describe names the origin or the destination of lines with this sign.
func (m movedAround) describe(op byte) string {
	way := "from"
	if op == '-' {
		way = "to"
	}
	return fmt.Sprintf("moved %s %s:%d", way, agent.CleanLine(m.path), m.line)
}

// A placedLine is a changed line of a patch with its place.
type placedLine struct {
	*gitext.PatchLine
	path string
	at   int
	key  string // the text without white space
}

// movesIn finds the blocks of lines that a patch removes in one place and adds in
// another, with any indentation. Each line is in one block at most.
func movesIn(p *gitext.Patch) map[*gitext.PatchLine]movedAround {
	removed, added := changedLines(p, '-'), changedLines(p, '+')
	where := map[string][]int{}
	for i, l := range removed {
		if len(l.key) > 2 && len(where[l.key]) < maxAlike {
			where[l.key] = append(where[l.key], i)
		}
	}
	moves, gone := map[*gitext.PatchLine]movedAround{}, map[int]bool{}
	for i := 0; i < len(added); {
		from, n := 0, 0
		for _, j := range where[added[i].key] {
			if k := alikeFrom(removed, added, j, i, gone); k > n {
				from, n = j, k
			}
		}
		if n < minMovedLines || textOf(added[i:i+n]) < minMovedText {
			i++
			continue
		}
		for k := range n {
			moves[added[i+k].PatchLine] = movedAround{removed[from].path, removed[from].at}
			moves[removed[from+k].PatchLine] = movedAround{added[i].path, added[i].at}
			gone[from+k] = true
		}
		i += n
	}
	return moves
}

// changedLines lists the lines of a patch that have the sign op, in order.
func changedLines(p *gitext.Patch, op byte) []placedLine {
	var out []placedLine
	for i := range p.Files {
		f := &p.Files[i]
		for _, h := range f.Hunks {
			for k := range h.Lines {
				l := &h.Lines[k]
				if l.Op != op {
					continue
				}
				path, at := f.NewPath, l.New
				if op == '-' {
					path, at = f.OldPath, l.Old
				}
				out = append(out, placedLine{l, path, at, squeezed(l.Text)})
			}
		}
	}
	return out
}

// alikeFrom counts the lines from removed[j] and added[i] on that have the same text,
// follow each other without a gap and are in no block yet.
func alikeFrom(removed, added []placedLine, j, i int, gone map[int]bool) int {
	n := 0
	for j+n < len(removed) && i+n < len(added) && removed[j+n].key == added[i+n].key && !gone[j+n] {
		if n > 0 && (!follows(removed[j+n-1], removed[j+n]) || !follows(added[i+n-1], added[i+n])) {
			break
		}
		n++
	}
	return n
}

func follows(x, y placedLine) bool { return x.path == y.path && x.at+1 == y.at }

func textOf(lines []placedLine) int {
	n := 0
	for _, l := range lines {
		n += len(l.key)
	}
	return n
}

// remark matches the beginnings of lines that are comments in most languages.
var remark = source.Lazy(`^\s*(?://|/\*|\*(?:\s|/|$)|#(?:\s|$|#|!)|--\s|;;|dnl\b|"""|<!--)`)

// isRemark reports whether a line looks like a comment. It sees single lines and knows no
// language.
func isRemark(line []byte) bool { return remark().Match(line) }

// inHeader reports whether the i-th line of the hunk of a new file is in the head of the
// file: comments and blank lines before the first line of code, which mostly are a
// licence.
func inHeader(h *gitext.Hunk, i int) bool {
	if h.NewStart > 1 {
		return false
	}
	for _, l := range h.Lines[:i+1] {
		if text := strings.TrimSpace(string(l.Text)); text != "" && !isRemark(l.Text) {
			return false
		}
	}
	return true
}

// countLines renders a number of lines.
