package trial

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"strings"

	"git-agent/agent/source"
	"git-agent/gitext"
)

// absentFile matches the words of programs about a file that is not there.
var absentFile = source.Lazy(`(?i)no such file|not found|no module named|can(?:'t|not|not be)? (?:find|open|resolve|read|load)|does not exist|not a directory|empty`)

// InSubmodule returns a line of an output that says that a file of a submodule of the commit is not there, and the
// path of the submodule, or "". What cannot be read names none.
func InSubmodule(ctx context.Context, repo *gitext.Repo, commit gitext.OID, output []byte) (path, text string) {
	entries, _ := repo.Tree(ctx, commit)
	entries = slices.DeleteFunc(entries, func(e gitext.TreeEntry) bool { return !e.Submodule })
	if len(entries) == 0 {
		return "", ""
	}
	for raw := range bytes.Lines(output) {
		line := string(bytes.TrimSpace(raw))
		if len(line) > maxSaid || !absentFile().MatchString(line) {
			continue
		}
		for _, e := range entries {
			if i := strings.Index(line, e.Path); i >= 0 && (i == 0 || !source.IsIdentByte(line[i-1])) && strings.HasPrefix(line[i+len(e.Path):], "/") {
				return e.Path, line
			}
		}
	}
	return "", ""
}

// maxSaid bounds a line about a file that is not there, in bytes.
const maxSaid = 1000

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
