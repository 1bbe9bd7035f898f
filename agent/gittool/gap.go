package gittool

import (
	"context"
	"errors"
	"fmt"
	"time"

	"git-agent/agent"
	"git-agent/gitext"
)

// A Gap is the place in the history where a search needs an object that this clone lacks.
// A search goes from the newest commit to older ones and ends there.
type Gap struct {
	Path   string    `json:"path"`   // the file with the missing contents
	Commit string    `json:"commit"` // the newest commit that changed to or from these contents
	Date   time.Time `json:"date"`   // the committer's date of Commit, in UTC
}

// gapTimeout bounds the search for the place of a missing object. An answer can do
// without this place.
const gapTimeout = 10 * time.Second

// gapAt finds the first commit of a log that changes a missing object. It compares only
// trees, and returns nil if trees are missing too.
func (b *scopedRepo) gapAt(ctx context.Context, opt gitext.LogOptions, object string) *Gap {
	if object == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, gapTimeout)
	defer cancel()
	opt.Object, opt.Files, opt.NoRenames, opt.MaxFiles = gitext.OID(object), true, true, 1
	opt.Follow, opt.Max = false, 1
	for entry, err := range b.repo.Log(ctx, opt) {
		if err != nil || len(entry.Files) == 0 {
			return nil
		}
		return &Gap{Path: agent.CleanLine(currentPath(entry.Files[0])), Commit: string(entry.OID), Date: entry.CommitTime.UTC()}
	}
	return nil
}

// gapNote describes the end of a search at a missing object, and its unread and read
// parts. where is the path of the search, "" for all files.
func gapNote(object string, gap *Gap, where string) string {
	if object == "" {
		return ""
	}
	if gap == nil {
		return fmt.Sprintf("note: this clone lacks object %s; commits behind it were not searched", short(object))
	}
	in := "in any file"
	if where != "" {
		in = "in " + where
	}
	return fmt.Sprintf(
		"note: this clone lacks object %s (%s at %s); not searched: %s and older commits (%s and before), %s; searched: only newer ones",
		short(object),
		gap.Path,
		short(gap.Commit),
		short(gap.Commit),
		gap.Date.Format(time.DateOnly),
		in,
	)
}

// ended turns the error of a search that found nothing before a missing object into a
// refusal that describes the searched part.
func (b *scopedRepo) ended(ctx context.Context, err error, opt gitext.LogOptions, where string) error {
	object := missingObject(err)
	gap := b.gapAt(ctx, opt, object)
	if gap == nil {
		return err
	}
	return &incomplete{err: err, text: gapNote(object, gap, where)[len("note: "):]}
}

// incomplete is the error of a search that ended at a missing object.
type incomplete struct {
	err  error
	text string
}

func (e *incomplete) Error() string { return e.text }
func (e *incomplete) Unwrap() error { return e.err }

// lackedFiles returns the first files of a commit, below paths, whose contents are the
// object.
func (b *scopedRepo) lackedFiles(ctx context.Context, commit gitext.OID, object string, paths []string) []string {
	if object == "" {
		return nil
	}
	files, err := b.repo.Tree(ctx, commit, paths...)
	if err != nil && !errors.Is(err, gitext.ErrNotExist) && !gitext.Unreadable(err) {
		return nil
	}
	var names []string
	for _, f := range files {
		if string(f.OID) == object && len(names) < maxNear {
			names = append(names, agent.Clean(f.Path))
		}
	}
	return names
}
