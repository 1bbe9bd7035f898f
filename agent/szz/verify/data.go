package verify

import (
	"bytes"
	"context"
	"errors"
	"path"
	"slices"

	"git-agent/agent/source"
	"git-agent/agent/trial"
	"git-agent/gitext"
)

// A file of test data mostly lists many cases, and one test reads them all. At an older commit, the fix's version of
// the file also has the cases of other bugs, so that the test fails there for them. Therefore the cases that the fix
// adds are added to the commit's own version of the file.

// addedCases are the lines that a fix adds to a file of test data.
type addedCases struct {
	path  string
	lines [][]byte       // of the file before the fix
	added []gitext.Hunk  // their places, as git diff -U0 tells them
	fixed gitext.Overlay // the file of the fix
}

const (
	maxData     = 1 << 20 // bytes of a file of data to which cases are added
	anchorLines = 3       // lines before and behind an addition that must be in another version, too
)

// structured files end with what closes them, so that nothing can be added at their end.
var structured = source.WordSet(`.json .xml .html .htm .svg .yml .yaml .toml .plist .lock`)

// isData reports whether a test file is data, from its path alone.
func isData(file string) bool { return source.FileKindOf(path.Base(file)) == source.OtherFile }

// addedCasesOf returns the cases that a fix adds to a file of test data; ok is false if the fix also removes lines of it.
func addedCasesOf(ctx context.Context, repo *gitext.Repo, f *gitext.FileChange, fixed gitext.Overlay) (c addedCases, ok bool, err error) {
	removes := func(h gitext.Hunk) bool {
		return slices.ContainsFunc(h.Lines, func(l gitext.PatchLine) bool { return l.Op != '+' || l.NoNewline })
	}
	if len(f.Hunks) == 0 || slices.ContainsFunc(f.Hunks, removes) {
		return c, false, nil
	}
	before, err := repo.Blob(ctx, f.OldOID, maxData)
	if err != nil {
		return c, false, unlessUnreadable(err)
	}
	return addedCases{f.NewPath, slices.Collect(bytes.Lines(before)), f.Hunks, fixed}, true, nil
}

// lay returns the overlays for a commit, in which its own version of the files of data gets the cases of the fix. whole
// reports whether all of them are data, and one is the fix's version as a whole: it may also have the cases of other bugs.
func (o overlays) lay(ctx context.Context, repo *gitext.Repo, commit gitext.OID) (over []gitext.Overlay, whole bool, err error) {
	over, whole = slices.Clone(o.tests), o.whole
	for _, c := range o.cases {
		own, err := repo.BlobAt(ctx, commit, c.path, maxData)
		if err != nil && !errors.Is(err, gitext.ErrNotExist) && unlessUnreadable(err) != nil {
			return nil, false, err
		}
		text, ok := c.addTo(own)
		if err != nil || !ok {
			whole = true
			continue
		}
		i := slices.IndexFunc(over, func(f gitext.Overlay) bool { return f.Path == c.path })
		over[i] = gitext.Overlay{Path: c.path, Mode: c.fixed.Mode, Content: text}
	}
	over, err = trial.LayUnitTests(ctx, repo, commit, over, o.units)
	isCode := func(f gitext.Overlay) bool { return f.Mode != 0 && !isData(f.Path) }
	over = overlaid(over, o.named)
	return over, whole && len(o.units) == 0 && !slices.ContainsFunc(over, isCode), err
}

// unlessUnreadable returns an error, but nil for objects that are missing, damaged or too large.
func unlessUnreadable(err error) error {
	var large *gitext.TooLargeError
	if gitext.Unreadable(err) || errors.As(err, &large) {
		return nil
	}
	return err
}

// addTo adds the cases to another version of the file; ok is false if their place is not there.
func (c addedCases) addTo(own []byte) (text []byte, ok bool) {
	lines := slices.Collect(bytes.Lines(own))
	var places []int // in lines, of the additions
	for _, h := range c.added {
		at, ok := c.place(lines, h.OldStart)
		if !ok || len(places) > 0 && at < places[len(places)-1] {
			return nil, false
		}
		places = append(places, at)
	}
	from := 0
	for i, h := range c.added {
		text = append(text, bytes.Join(lines[from:places[i]], nil)...)
		if from = places[i]; len(text) > 0 && text[len(text)-1] != '\n' {
			text = append(text, '\n')
		}
		for _, l := range h.Lines {
			text = append(append(text, l.Text...), '\n')
		}
	}
	return append(text, bytes.Join(lines[from:], nil)...), true
}

// place returns the number of lines of another version that are before an addition behind line number after: the one
// place with the same lines before and behind it, or the end of the file if it was added at the end.
func (c addedCases) place(lines [][]byte, after int) (at int, ok bool) {
	before, behind := c.lines[max(0, after-anchorLines):after], c.lines[after:min(len(c.lines), after+anchorLines)]
	if slices.EqualFunc(lines, c.lines, bytes.Equal) {
		return after, true
	}
	places := 0
	for i := len(before); i+len(behind) <= len(lines); i++ {
		if slices.EqualFunc(lines[i-len(before):i], before, bytes.Equal) && slices.EqualFunc(lines[i:i+len(behind)], behind, bytes.Equal) {
			at = i
			places++
		}
	}
	if places == 1 {
		return at, true
	}
	return len(lines), after == len(c.lines) && !structured[path.Ext(c.path)]
}
