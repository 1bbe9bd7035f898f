package history

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"git-agent/agent/suspect"
	"git-agent/gitext"
)

// blame finds the owners of the lines.
func (f *finder) blame(ctx context.Context) error {
	opt := suspect.OwnerOptions{IgnoreRevs: f.ignored, NoKinds: true, Moves: true}
	found, err := f.owners(ctx, opt, 0, func(*line) bool { return true })
	for i := range f.lines {
		f.lines[i].owner = found[f.lines[i].place()]
	}
	if err != nil {
		return err
	}
	return f.followMoves(ctx, opt)
}

// followMoves searches again for the owners of lines whose owner created the file. If this
// commit moved the lines from another file, their owner there counts. Copied lines, such as
// boilerplate, keep their owner.
func (f *finder) followMoves(ctx context.Context, opt suspect.OwnerOptions) error {
	opt.Copies = true
	found, err := f.owners(ctx, opt, moreLines, func(l *line) bool { return l.owner.Owner != "" && l.owner.Previous == "" })
	if err != nil {
		return err
	}
	others := map[gitext.OID][][]byte{} // texts of the other files, by the commit that created the file
	for i := range f.lines {
		l := &f.lines[i]
		origin, ok := found[l.place()]
		if !ok || origin.Owner == l.owner.Owner {
			continue
		}
		texts, ok := others[l.owner.Owner]
		if !ok {
			if texts, err = f.otherTexts(ctx, l.owner); err != nil {
				return err
			}
			others[l.owner.Owner] = texts
		}
		line := bytes.TrimSpace(origin.Text)
		if !slices.ContainsFunc(texts, func(text []byte) bool { return bytes.Contains(text, line) }) {
			l.owner = origin
		}
	}
	return nil
}

// otherTexts reads the other files that a commit changed when it created a file, in the version
// after it.
func (f *finder) otherTexts(ctx context.Context, created suspect.OwnedLine) ([][]byte, error) {
	touched, err := f.repo.Touched(ctx, []gitext.OID{created.Owner}, maxFiles)
	if err != nil {
		return nil, err
	}
	var texts [][]byte
	for _, p := range touched[created.Owner].Paths {
		if p == created.Path || !isProgram(p) {
			continue
		}
		text, err := textAt(ctx, f.repo, created.Owner, p)
		if err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	return texts, nil
}

// A place is a line of a file at the tree's commit.
type place struct {
	path string
	line int
}

func (l *line) place() place { return place{l.path, l.old} }

// moreLines is the number of lines on each side that are blamed together with a possibly moved
// line. Blame follows only blocks with at least 40 letters and digits.
const moreLines = 10

// owners finds the owners of the chosen lines and of around lines on each side, with one blame
// for each file. Lines without a known owner are not in the result.
func (f *finder) owners(ctx context.Context, opt suspect.OwnerOptions, around int, chosen func(*line) bool) (map[place]suspect.OwnedLine, error) {
	var ask []suspect.FileLines
	for _, p := range f.order {
		one := suspect.FileLines{Path: p}
		for i := range f.lines {
			if l := &f.lines[i]; l.path == p && chosen(l) {
				one.Ranges = append(one.Ranges, gitext.LineRange{Start: l.old - around, End: l.old + around})
			}
		}
		slices.SortFunc(one.Ranges, func(a, b gitext.LineRange) int { return cmp.Compare(a.Start, b.Start) })
		if one.Ranges = slices.Compact(one.Ranges); len(one.Ranges) > 0 {
			ask = append(ask, one)
		}
	}
	owners := map[place]suspect.OwnedLine{}
	if len(ask) == 0 {
		return owners, nil
	}
	found, err := suspect.FindOwnersWith(ctx, f.repo, f.tree.Commit, ask, opt)
	if err != nil {
		return nil, err
	}
	for _, note := range found.Notes {
		if !slices.Contains(f.notes, note) {
			f.notes = append(f.notes, note)
		}
	}
	for i, lines := range found.Lines {
		for _, o := range lines {
			owners[place{ask[i].Path, o.Line}] = o
		}
	}
	return owners, nil
}
