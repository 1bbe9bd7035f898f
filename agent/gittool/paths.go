package gittool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"git-agent/agent"
	"git-agent/agent/source"
	"git-agent/gitext"
	"git-agent/gitext/quote"
)

// maxNear is the number of similar names in a refusal.
const maxNear = 5

// cleanPath returns the possible meanings of a caller's path, best first: unchanged,
// without the a/ or b/ of a patch, with slashes for backslashes, with the bytes of a name
// that is not UTF-8. The top of the repository is "".
func cleanPath(raw string) ([]string, error) {
	if strings.ContainsAny(raw, "\n\r") {
		return nil, refusef("the path %q holds a line break", agent.Shorten(raw, 80))
	}
	if strings.Contains(raw, "\x00") {
		return nil, refusef("the path %q holds a NUL", agent.Shorten(raw, 80))
	}
	clean := func(s string) string {
		s = path.Clean("/" + strings.TrimSpace(s))[1:] // rooted, so that .. cannot lead out
		return strings.TrimSuffix(s, "/")
	}
	if up := path.Clean(strings.TrimLeft(raw, "/")); up == ".." || strings.HasPrefix(up, "../") {
		return nil, refusef("the path %q leads out of the repository; paths are relative to its top", raw)
	}
	tries := []string{clean(raw)}
	for _, prefix := range []string{"a/", "b/"} {
		if rest, ok := strings.CutPrefix(tries[0], prefix); ok {
			tries = append(tries, rest)
		}
	}
	if strings.Contains(raw, `\`) {
		tries = append(tries, clean(strings.ReplaceAll(raw, `\`, "/")))
	}
	if bytes := quote.Bytes(raw); bytes != raw {
		tries = append(tries, clean(bytes))
	}
	return tries, nil
}

// place is a path in one commit.
type place struct {
	path string
	file bool // else a directory
}

// locate finds the path raw at oid. It refuses a path that does not exist and suggests
// similar ones.
func (b *scopedRepo) locate(ctx context.Context, oid gitext.OID, raw string) (place, error) {
	at, err := b.find(ctx, oid, raw)
	switch {
	case err != nil:
		return place{}, err
	case at == nil:
		return place{}, faulty(b.noSuchPath(ctx, oid, raw), agent.FaultPath)
	}
	return *at, nil
}

// find is locate, but returns nil for a path that does not exist.
func (b *scopedRepo) find(ctx context.Context, oid gitext.OID, raw string) (*place, error) {
	tries, err := cleanPath(raw)
	if err != nil {
		return nil, err
	}
	for _, p := range tries {
		if p == "" {
			return &place{}, nil
		}
		ok, err := b.isFile(ctx, oid, p)
		if err != nil {
			return nil, err
		}
		if ok {
			return &place{path: p, file: true}, nil
		}
	}
	for _, p := range tries {
		ok, err := b.isDir(ctx, oid, p)
		if err != nil {
			return nil, err
		}
		if ok {
			return &place{path: p}, nil
		}
	}
	return nil, nil
}

// locateFile is locate for tools that need a file.
func (b *scopedRepo) locateFile(ctx context.Context, oid gitext.OID, raw string) (string, error) {
	at, err := b.locate(ctx, oid, raw)
	if err != nil {
		return "", err
	}
	if at.file {
		return at.path, nil
	}
	inside, err := b.files(ctx, oid, at.path)
	if err != nil {
		return "", err
	}
	return "", faulty(
		refusef("%q is a directory of %d file(s); name a file, such as %s", raw, len(inside), quoteAll(inside[:min(maxNear, len(inside))])),
		agent.FaultPath,
	)
}

// isFile reports whether p is a file at oid. It reads one byte; the error for a longer
// file also means that the file exists.
func (b *scopedRepo) isFile(ctx context.Context, oid gitext.OID, p string) (bool, error) {
	_, err := b.repo.BlobAt(ctx, oid, p, 1)
	var large *gitext.TooLargeError
	switch {
	case err == nil || errors.As(err, &large):
		return true, nil
	case errors.Is(err, gitext.ErrNotExist):
		return false, nil
	}
	return false, err
}

// noSuchPath refuses a path that is not in the tree of oid.
func (b *scopedRepo) noSuchPath(ctx context.Context, oid gitext.OID, raw string) error {
	tries, err := cleanPath(raw)
	if err != nil {
		return err
	}
	if was, err := b.nameAt(ctx, oid, tries[len(tries)-1]); err != nil {
		return err
	} else if was != "" {
		return refusef("%q is not in %s; the file was called %q then", raw, oid.Short(), was)
	}
	text := fmt.Sprintf("%q is not in %s", raw, oid.Short())
	gone := ""
	if !b.scope.TipOnly {
		gone = b.removal(ctx, oid, tries[len(tries)-1])
	}
	if gone != "" {
		text += ": " + gone
	}
	names := b.similar(ctx, oid, tries[len(tries)-1])
	switch {
	case len(names) > 0:
		text += "; similar names there: " + quoteAll(names)
	case gone == "":
		text += b.finders()
	}
	return refusef("%s", text)
}

// finders gives advice on finding files with the caller's tools.
func (b *scopedRepo) finders() string {
	switch grep, show := b.scope.has(b.opt.search()), b.scope.has("git_show"); {
	case grep && show:
		return "; find files with " + b.opt.search() + " or in the list of git_show"
	case grep:
		return "; find files with " + b.opt.search()
	}
	return ""
}

// removal names the commit before oid that removed a path, or returns "" if a quick
// search finds none.
func (b *scopedRepo) removal(ctx context.Context, oid gitext.OID, p string) string {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	opt := gitext.LogOptions{Tip: oid, Paths: []string{p}, Max: 1, Files: true, NoRenames: true, MaxFiles: 1}
	for entry, err := range b.repo.Log(ctx, opt) {
		if err != nil || len(entry.Files) == 0 || entry.Files[0].Status != 'D' {
			return ""
		}
		return fmt.Sprintf(
			"%s of %s removed or renamed it; ask for it at %s^",
			entry.OID.Short(),
			entry.CommitTime.UTC().Format(time.DateOnly),
			entry.OID.Short(),
		)
	}
	return ""
}

// nameAt returns the name at oid of the tip's file p, by following its renames backward,
// or "" if it did not exist.
func (b *scopedRepo) nameAt(ctx context.Context, oid gitext.OID, p string) (string, error) {
	if oid == b.scope.Tip {
		return "", nil
	}
	if ok, err := b.isFile(ctx, b.scope.Tip, p); err != nil || !ok {
		return "", err
	}
	name := p
	opt := gitext.LogOptions{Tip: b.scope.Tip, Not: []gitext.OID{oid}, Paths: []string{p}, Follow: true, Files: true}
	for entry, err := range b.repo.Log(ctx, opt) {
		if err != nil {
			return "", err
		}
		for _, f := range entry.Files {
			if f.NewPath == name && f.OldPath != "" && f.OldPath != name {
				name = f.OldPath
				break
			}
		}
	}
	if name == p {
		return "", nil
	}
	if ok, err := b.isFile(ctx, oid, name); err != nil || !ok {
		return "", err
	}
	return name, nil
}

func quoteAll(names []string) string {
	var quoted []string
	for _, n := range names {
		quoted = append(quoted, fmt.Sprintf("%q", n))
	}
	return strings.Join(quoted, ", ")
}

// nearNames picks the files that want may mean: the same base name elsewhere (moved),
// then another case or extension, then a typing error, then names that contain each
// other. Equal matches are sorted by the number of common directories, then by name.
func nearNames(want string, files []string) []string {
	type match struct {
		name         string
		rank, shared int
	}
	var found []match
	for _, f := range files {
		if rank := nameDistance(path.Base(want), path.Base(f)); rank >= 0 {
			found = append(found, match{f, rank, sharedDirs(want, f)})
		}
	}
	slices.SortFunc(found, func(x, y match) int {
		return cmp.Or(cmp.Compare(x.rank, y.rank), cmp.Compare(y.shared, x.shared), cmp.Compare(x.name, y.name))
	})
	var names []string
	for _, m := range found[:min(maxNear, len(found))] {
		names = append(names, m.name)
	}
	return names
}

// nameDistance ranks a base name by its similarity to the wanted one; -1 is no match.
func nameDistance(want, have string) int {
	if want == have {
		return 0
	}
	want, have = strings.ToLower(want), strings.ToLower(have)
	stem := func(s string) string { return strings.TrimSuffix(s, path.Ext(s)) }
	const shortest = 4 // a shorter stem resembles everything
	a, b := stem(want), stem(have)
	switch {
	case want == have:
		return 1
	case a == b && a != "":
		return 2
	case len(a) < shortest:
		return -1
	}
	if d := source.EditDistance(want, have, 2); d <= 2 {
		return 2 + d
	}
	if strings.Contains(b, a) || len(b) >= shortest && strings.Contains(a, b) {
		return 5
	}
	return -1
}

// sharedDirs counts the directories that two paths share, from the front and
// from the back.
func sharedDirs(x, y string) int {
	a, b := strings.Split(path.Dir(x), "/"), strings.Split(path.Dir(y), "/")
	n := min(len(a), len(b))
	front := 0
	for front < n && a[front] == b[front] {
		front++
	}
	back := 0
	for back < n-front && a[len(a)-1-back] == b[len(b)-1-back] {
		back++
	}
	return front + back
}
