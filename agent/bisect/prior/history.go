package prior

import (
	"context"
	"path"
	"strings"

	"git-agent/agent/source"
	"git-agent/gitext"
)

// mostPaths bounds the named files of one commit. What changes more is a move or an import.
const mostPaths = 300

// A change is a commit of the range.
type change struct {
	oid     gitext.OID
	merge   bool
	subject string
	message source.Bag // words of the whole message
	long    int        // bytes of the message behind the subject
	files   int
	paths   []string // the first files, but none of a merge
}

// readChanges reads the messages and the names of the files of commits.
func readChanges(ctx context.Context, repo *gitext.Repo, commits []gitext.OID) ([]change, error) {
	type result struct {
		touched map[gitext.OID]gitext.Touched
		err     error
	}
	names := make(chan result, 1)
	go func() {
		touched, err := repo.Touched(ctx, commits, mostPaths)
		names <- result{touched, err}
	}()
	read, err := repo.Commits(ctx, commits)
	got := <-names
	if err != nil {
		return nil, err
	}
	if got.err != nil {
		return nil, got.err
	}
	out := make([]change, len(commits))
	for i, c := range read {
		t := got.touched[c.OID]
		subject, body, _ := strings.Cut(c.Message, "\n")
		out[i] = change{oid: c.OID, merge: len(c.Parents) > 1, subject: subject, message: source.Bag{}, long: len(strings.TrimSpace(body))}
		out[i].message.AddWords(source.FirstBytes(c.Message, maxMessage))
		if !out[i].merge {
			out[i].files, out[i].paths = t.Files, t.Paths
		}
	}
	return out, nil
}

// maxMessage bounds the read part of a message, in bytes.
const maxMessage = 2000

// A tree has the files of the failing commit.
type tree struct {
	files  map[string]gitext.TreeEntry
	byBase map[string][]string // paths by their last element
}

func readTree(ctx context.Context, repo *gitext.Repo, bad gitext.OID) (*tree, error) {
	t := &tree{files: map[string]gitext.TreeEntry{}, byBase: map[string][]string{}}
	entries, err := repo.Tree(ctx, bad)
	if err != nil && len(entries) == 0 {
		if gitext.Unreadable(err) {
			return t, nil
		}
		return nil, err
	}
	for _, e := range entries {
		if !e.Submodule {
			t.files[e.Path] = e
			t.byBase[path.Base(e.Path)] = append(t.byBase[path.Base(e.Path)], e.Path)
		}
	}
	return t, nil
}

// today returns the path of a file at the failing commit: its own, or that of the only file with
// its name, because it was probably moved; or "".
func (t *tree) today(p string) string {
	if _, ok := t.files[p]; ok {
		return p
	}
	if same := t.byBase[path.Base(p)]; len(same) == 1 {
		return same[0]
	}
	return ""
}

// named returns the files that a path in an output may mean: the end of one path is the other.
func (t *tree) named(p string) []string {
	p = strings.TrimPrefix(path.Clean(strings.ReplaceAll(p, `\`, "/")), "./")
	var found []string
	for _, full := range t.byBase[path.Base(p)] {
		if full == p || strings.HasSuffix("/"+p, "/"+full) || strings.HasSuffix("/"+full, "/"+p) {
			found = append(found, full)
		}
	}
	return found
}
