package candidate

import (
	"bytes"
	"context"
	"hash/maphash"
	"path"
	"slices"
	"strings"

	"git-agent/agent/source"
	"git-agent/agent/suspect"
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
	layoutMore
)

// saysLayout matches the subject of a commit that formats code.
var saysLayout = source.Lazy(
	`(?i)\b(style|styling|indent\w*|white ?spaces?|(re-?)?format(s|ted|ting|ter)?|lint\w*|clang-format|rustfmt|go ?fmt|prettier|cosmetic\w*)\b`)

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
	most := layoutOnly
	if saysLayout().MatchString(c.Commit.Subject()) {
		most = layoutMarks
	}
	for _, l := range c.Diff.layouts {
		if l > most {
			return false
		}
	}
	if most == layoutMarks {
		return true
	}
	return len(c.Paths) == c.Files && !slices.ContainsFunc(c.Paths, func(p string) bool {
		_, seen := c.Diff.layouts[p]
		return !seen && !source.IsDocument(p)
	})
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
	free := isFreeForm(f.NewPath)
	seed := maphash.MakeSeed()
	var sums [2][2]maphash.Hash // of the removed and the added side: without white space, and also without marks
	for side := range sums {
		for i := range sums[side] {
			sums[side][i].SetSeed(seed)
		}
	}
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			switch l.Op {
			case '-':
				addText(&sums[0], l.Text, free)
			case '+':
				addText(&sums[1], l.Text, free)
			}
		}
	}
	for i, l := range []layout{layoutOnly, layoutMarks} {
		if sums[0][i].Sum64() == sums[1][i].Sum64() {
			return l
		}
	}
	return layoutMore
}

// addText adds a line to the sums of a side: in a free form without its indentation, its end and its marks.
func addText(sums *[2]maphash.Hash, line []byte, free bool) {
	if text := bytes.TrimSpace(line); !free && len(text) > 0 {
		indent, _, _ := bytes.Cut(line, text[:1])
		for i := range sums {
			sums[i].WriteByte('\n')
			sums[i].Write(indent)
		}
	}
	for _, c := range line {
		if isSpace(c) {
			continue
		}
		sums[0].WriteByte(c)
		switch {
		case free && isMark(c):
			continue
		case free && c == '\'':
			c = '"'
		}
		sums[1].WriteByte(c)
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
		switch {
		case isSpace(c), free && isMark(c):
			continue
		case c == '\'':
			c = '"'
		}
		bare = append(bare, c)
	}
	return bare
}

func isSpace(c byte) bool { return strings.IndexByte(" \t\r\n\f\v", c) >= 0 }

// isMark reports whether formatters add and remove a byte in a free form.
func isMark(c byte) bool { return strings.IndexByte("{},;", c) >= 0 }

// isFreeForm reports whether the ends of lines and the indentation mean little in a file.
func isFreeForm(p string) bool { return slices.Contains(freeForm, strings.ToLower(path.Ext(p))) }

// findOwners blames lines, and again if an owner says that it formats code and changes only its layout. For a fix of white space,
// such a commit may well be the culprit.
func (s *AnchorSet) findOwners(ctx context.Context, repo *gitext.Repo, rev gitext.OID, asked []suspect.FileLines) (*suspect.Owners, error) {
	if s.Spaces {
		return suspect.FindOwnersWith(ctx, repo, rev, asked, suspect.OwnerOptions{Spaces: true})
	}
	const rounds = 3 // formatters that are looked through one after the other
	owners, err := suspect.FindOwners(ctx, repo, rev, asked)
	for range rounds {
		if err != nil {
			return nil, err
		}
		found, err := formatters(ctx, repo, owners, s.Ignored)
		if err != nil || len(found) == 0 {
			return owners, err
		}
		s.Ignored = append(s.Ignored, found...)
		if owners, err = suspect.FindOwnersWith(ctx, repo, rev, asked, suspect.OwnerOptions{IgnoreRevs: s.Ignored}); err != nil {
			return nil, err
		}
	}
	return owners, err
}

// formatters returns the owners of lines, but for those that are known, that say that they format code and change only its
// layout, in their order. One whose patch cannot be read is left out.
func formatters(ctx context.Context, repo *gitext.Repo, owners *suspect.Owners, known []gitext.OID) ([]gitext.OID, error) {
	var oids []gitext.OID
	var paths []string
	for _, lines := range owners.Lines {
		for _, l := range lines {
			if l.Previous != "" && !slices.Contains(known, l.Owner) {
				oids, paths = append(oids, l.Owner), append(paths, l.Path, l.PreviousPath)
			}
		}
	}
	slices.Sort(oids)
	slices.Sort(paths)
	commits, err := repo.Commits(ctx, slices.Compact(oids))
	if err != nil {
		return nil, err
	}
	say := map[gitext.OID]*Candidate{}
	var asked, found []gitext.OID
	for _, c := range commits {
		if len(c.Parents) == 1 && saysLayout().MatchString(c.Subject()) {
			say[c.OID], asked = &Candidate{OID: c.OID, Commit: c}, append(asked, c.OID)
		}
	}
	if len(asked) == 0 {
		return nil, nil
	}
	for patch, err := range repo.Patches(ctx, asked, gitext.PatchOptions{Renames: true, Paths: slices.Compact(paths), MaxBytes: MaxDiffBytes}) {
		if gitext.Unreadable(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		c := say[patch.Commit]
		c.Diff = &CommitDiff{}
		for i := range patch.Files {
			c.Diff.addLayout(&patch.Files[i])
		}
		if c.OnlyLayout() && !patch.Truncated {
			found = append(found, c.OID)
		}
	}
	return found, nil
}
