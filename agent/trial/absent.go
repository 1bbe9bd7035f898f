package trial

import (
	"bytes"
	"context"
	"slices"
	"strconv"

	"git-agent/gitext"
)

// maxAttributes bounds the attributes of a commit that are read, in bytes.
const maxAttributes = 1 << 20

// Absent returns a clause about each kind of file that a scratch work tree of a commit lacks:
// those of submodules, and those in Git LFS. What cannot be read is not named.
func Absent(ctx context.Context, repo *gitext.Repo, commit gitext.OID) []string {
	var list []string
	entries, _ := repo.Tree(ctx, commit) // the commands run without what it says
	if i := slices.IndexFunc(entries, func(e gitext.TreeEntry) bool { return e.Submodule }); i >= 0 {
		list = append(list, "submodules, such as "+strconv.Quote(entries[i].Path)+", are empty directories where the commands run")
	}
	attributes, err := repo.BlobAt(ctx, commit, ".gitattributes", maxAttributes)
	if err == nil && bytes.Contains(attributes, []byte("filter=lfs")) {
		list = append(list, "files kept in Git LFS are only their pointers where the commands run")
	}
	return list
}
