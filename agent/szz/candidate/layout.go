package candidate

import (
	"bytes"
	"hash/maphash"
	"path"
	"slices"
	"strings"

	"git-agent/agent/source"
	"git-agent/gitext"
)

// This file recognises commits that change nothing but the layout of code. Blame looks through white space
// within a line only, so that a formatter owns each line that it breaks or joins.

// A layout says how much of a file's text a commit changes.
type layout int

// These are the layouts, the surest first.
const (
	layoutOnly  layout = iota // only white space
	layoutMarks               // beside it only marks that formatters add and remove: brackets of blocks, commas, semicolons, kinds of quotes
	layoutBlack               // of Python, what formatters change: where lines are broken, and marks
	layoutMore
)

// saysLayout matches the subject of a commit that formats code, by the word or by the name of a formatter.
var saysLayout = source.Lazy(
	`(?i)\b(style|styling|indent\w*|white ?spaces?|(re-?)?format(s|ted|ting|ter)?|lint\w*|clang-format|\w*fmt|prettier|cosmetic\w*` +
		`|code-?style|spotless|google-java-format|ktlint|gofumpt|goimports|biome|dprint|stylua|uncrustify|astyle|swiftformat|csharpier` +
		`|php-cs-fixer|rubocop|beautif(y|ied|ier)|prettif(y|ied|ier))\b`)

// saysFormatter matches the subject of a commit that a formatter of Python made.
var saysFormatter = source.Lazy(`(?i)\b((re-?)?format(s|ted|ting|ter)?|black(en|ed)?|ruff|yapf|autopep8)\b`)

// freeForm has the extensions of languages in which the ends of lines and the indentation mean little. In others, only
// white space within lines, at their ends and in blank lines is layout.
var freeForm = []string{
	".c", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".m", ".mm", ".cs", ".java", ".kt", ".scala", ".swift", ".dart",
	".go", ".rs", ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".php", ".css", ".scss",
}

// OnlyLayout reports whether a commit changes only the layout of code: white space, or, if its subject says that
// it formats, what formatters change beside it. Of a commit that does not say so, all files must be known.
func (c *Candidate) OnlyLayout() bool {
	if c.Diff == nil || len(c.Diff.layouts) == 0 {
		return false
	}
	most := saidLayout(c.Commit.Subject())
	for _, l := range c.Diff.layouts {
		if l > most {
			return false
		}
	}
	if most >= layoutMarks {
		return true
	}
	return len(c.Paths) == c.Files && !slices.ContainsFunc(c.Paths, func(p string) bool {
		_, seen := c.Diff.layouts[p]
		return !seen && !source.IsDocument(p)
	})
}

// saidLayout returns the most that a commit may change to count as one that changes only layout, by its subject.
func saidLayout(subject string) layout {
	switch {
	case saysFormatter().MatchString(subject):
		return layoutBlack
	case saysLayout().MatchString(subject):
		return layoutMarks
	}
	return layoutOnly
}

// addLayout notes how much of a file of code a patch changes.
func (d *CommitDiff) addLayout(f *gitext.FileChange) {
	kind := source.FileKindOf(f.NewPath)
	if kind != source.SourceFile && kind != source.TestFile {
		return
	}
	if d.layouts == nil {
		d.layouts = map[string]layout{}
	}
	d.layouts[f.NewPath] = layoutOf(f)
}

// layoutOf compares the two sides of a file's changes.
func layoutOf(f *gitext.FileChange) layout {
	if f.Status == 'A' || f.Status == 'D' {
		return layoutMore
	}
	free, python := isFreeForm(f.NewPath), isPython(f.NewPath)
	seed := maphash.MakeSeed()
	var sums [2]layoutSums // of the removed and the added side
	for side := range sums {
		for i := range sums[side] {
			sums[side][i].SetSeed(seed)
		}
	}
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			switch l.Op {
			case '-':
				sums[0].addText(l.Text, free, python)
			case '+':
				sums[1].addText(l.Text, free, python)
			}
		}
	}
	for i, l := range []layout{layoutOnly, layoutMarks, layoutBlack} {
		if l == layoutBlack && !python {
			break
		}
		if sums[0][i].Sum64() == sums[1][i].Sum64() {
			return l
		}
	}
	return layoutMore
}

// layoutSums are the sums of a side of a change: without white space, also without marks, and without what formatters of
// Python change.
type layoutSums [3]maphash.Hash

// addText adds a line: in a free form without its indentation, its end and its marks. The last sum is of Python alone.
func (sums *layoutSums) addText(line []byte, free, python bool) {
	if text := bytes.TrimSpace(line); !free && len(text) > 0 {
		indent, _, _ := bytes.Cut(line, text[:1])
		for i := range sums[:2] {
			sums[i].WriteByte('\n')
			sums[i].Write(indent)
		}
	}
	for _, c := range line {
		if isSpace(c) {
			continue
		}
		sums[0].WriteByte(c)
		if python && strings.IndexByte("(),;\\", c) < 0 {
			sums[2].WriteByte(doubleQuote(c))
		}
		switch {
		case !free:
			sums[1].WriteByte(c)
		case !isMark(c):
			sums[1].WriteByte(doubleQuote(c))
		}
	}
}

// Reformats reports whether a commit changed only the layout or the punctuation of a line that it owns: one of the
// lines that it replaced there is the same without white space, kinds of quotes and, in a free form, the marks of
// formatters.
func (c *Candidate) Reformats(a *Anchor) bool {
	free := isFreeForm(a.Path)
	return c.replaced(a, func(line []byte) []byte { return bareText(line, free) })
}

// Shifts reports whether a commit moved or re-indented a line that it owns: one of the lines that it replaced there is the same
// without white space. Blame, which does not count white space, would else have named the older owner.
func (c *Candidate) Shifts(a *Anchor) bool { return c.replaced(a, withoutSpace) }

// replaced reports whether a line that a commit owns has the form of one of the lines that the commit replaced there.
func (c *Candidate) replaced(a *Anchor, form func(line []byte) []byte) bool {
	if c.Diff == nil {
		return false
	}
	h := c.Diff.HunkAt(a.Path, a.OrigLine)
	if h == nil {
		return false
	}
	own := form(a.Text)
	return len(own) > 0 && slices.ContainsFunc(h.removed, func(line []byte) bool { return bytes.Equal(form(line), own) })
}

// withoutSpace returns a line without its white space.
func withoutSpace(line []byte) []byte {
	return slices.DeleteFunc(bytes.Clone(line), isSpace)
}

// bareText returns a line without its layout and punctuation.
func bareText(line []byte, free bool) []byte {
	bare := make([]byte, 0, len(line))
	for _, c := range line {
		if !isSpace(c) && !(free && isMark(c)) {
			bare = append(bare, doubleQuote(c))
		}
	}
	return bare
}

func isSpace(c byte) bool { return strings.IndexByte(" \t\r\n\f\v", c) >= 0 }

// isMark reports whether formatters add and remove a byte in a free form.
func isMark(c byte) bool { return strings.IndexByte("{},;", c) >= 0 }

// isPython reports whether a file is of Python.
func isPython(p string) bool { return strings.HasPrefix(strings.ToLower(path.Ext(p)), ".py") }

// doubleQuote returns a byte, and a double quote for a single one.
func doubleQuote(c byte) byte {
	if c == '\'' {
		return '"'
	}
	return c
}

// isFreeForm reports whether the ends of lines and the indentation mean little in a file.
func isFreeForm(p string) bool { return slices.Contains(freeForm, strings.ToLower(path.Ext(p))) }
