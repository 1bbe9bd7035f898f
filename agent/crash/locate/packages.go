package locate

import (
	"context"
	"path"
	"strings"

	"git-agent/agent/source"
	"git-agent/gitext"
)

// These match the name of a package in the file that describes it: DESCRIPTION for R, pubspec.yaml for Dart.
var (
	packageOfR    = source.Lazy(`(?m)^Package:[ \t]*([A-Za-z][\w.]*)`)
	packageOfDart = source.Lazy(`(?m)^name:[ \t]*["']?(\w+)`)
)

// packagesIn returns the folders of the packages in a tree that files of a name describe, by the packages'
// names. A file that cannot be read names none.
func packagesIn(ctx context.Context, repo *gitext.Repo, commit gitext.OID, files *Files, manifest string, form source.Pattern) map[string]string {
	const most, size = 50, 1 << 20
	found := map[string]string{}
	named := files.byBase[strings.ToLower(manifest)]
	for _, p := range named[:min(len(named), most)] {
		text, err := repo.BlobAt(ctx, commit, p, size)
		if err != nil {
			continue
		}
		if m := form().FindSubmatch(text); m != nil {
			found[string(m[1])] = path.Dir(p)
		}
	}
	return found
}

// ofDart returns the path in the repository of a file that Dart names by its package, and whether it does so.
// Files of Dart's own libraries and of packages that the tree does not have are not the project's.
func (f *Files) ofDart(file string) (own string, named bool) {
	if own, named = f.InDart(file); !f.all[own] {
		own = ""
	}
	return own, named
}

// InDart returns the path that a file has in the repository by the package that Dart names it with, whether the tree has the file or
// not, and "" if the tree does not have the package. named reports whether Dart names a package.
func (f *Files) InDart(file string) (own string, named bool) {
	if strings.HasPrefix(file, "dart:") {
		return "", true
	}
	rest, found := strings.CutPrefix(file, "package:")
	name, inside, ok := strings.Cut(rest, "/")
	if !found || !ok || len(f.dartPackages()) == 0 {
		return "", false
	}
	if dir, known := f.dartPackages()[name]; known {
		own = path.Join(dir, "lib", inside)
	}
	return own, true
}
