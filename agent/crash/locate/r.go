package locate

import (
	"context"

	"git-agent/agent/source"
	"git-agent/gitext"
)

// packageName matches the name of a package in the file DESCRIPTION that each package of R has.
var packageName = source.Lazy(`(?m)^Package:[ \t]*([A-Za-z][\w.]*)`)

// packagesOfR returns the names of the packages of R in a tree. A file that cannot be read names none.
func packagesOfR(ctx context.Context, repo *gitext.Repo, commit gitext.OID, files *Files) map[string]bool {
	const most, size = 20, 1 << 20
	found := map[string]bool{}
	named := files.byBase["description"]
	for _, p := range named[:min(len(named), most)] {
		text, err := repo.BlobAt(ctx, commit, p, size)
		if err != nil {
			continue
		}
		if m := packageName().FindSubmatch(text); m != nil {
			found[string(m[1])] = true
		}
	}
	return found
}
