package locate

import (
	"context"
	"encoding/json"
	"path"
	"strings"

	"git-agent/gitext"
)

// A npmPackage is the package of npm at the top of a tree.
type npmPackage struct {
	Name       string          `json:"name"`
	Workspaces json.RawMessage `json:"workspaces"`
	folders    map[string]bool // names of all folders of the tree
}

// npmAtTop reads the manifest at the top of a commit's tree. The name is "" if there is none, or if it
// cannot be read.
func npmAtTop(ctx context.Context, repo *gitext.Repo, commit gitext.OID, files *Files) npmPackage {
	const manifest, most = "package.json", 1 << 20
	var p npmPackage
	if !files.Has(manifest) {
		return p
	}
	text, err := repo.BlobAt(ctx, commit, manifest, most)
	if err != nil || json.Unmarshal(text, &p) != nil {
		return npmPackage{}
	}
	p.folders = map[string]bool{}
	for name := range files.all {
		for _, folder := range strings.Split(path.Dir(name), "/") {
			p.folders[folder] = true
		}
	}
	return p
}

// installedByNpm splits the path of a file that npm installed into the name of its package and the
// path in it: ".../node_modules/csso-cli/node_modules/csso/lib/a.js" is lib/a.js of csso.
func installedByNpm(p string) (pkg, file string, ok bool) {
	const folder = "node_modules/"
	i := strings.LastIndex("/"+p, "/"+folder)
	if i < 0 {
		return "", "", false
	}
	pkg, file, ok = strings.Cut(p[i+len(folder):], "/")
	if strings.HasPrefix(pkg, "@") {
		var name string
		name, file, ok = strings.Cut(file, "/")
		pkg += "/" + name
	}
	return pkg, file, ok
}

// ofOtherPackage reports whether npm installed a file for a package that is not made of this tree: it has
// another name, and no folder of the tree has it.
func (f *Files) ofOtherPackage(pkg string) bool {
	return f.npm.Name != "" && pkg != f.npm.Name && len(f.npm.Workspaces) == 0 && !f.npm.folders[path.Base(pkg)]
}

// builtFrom returns the sources that a file of an installed package may have been built from: packages
// hold src/a.ts as dist/a.js, and lib/a.js as cjs/a.cjs.
func (f *Files) builtFrom(file string) []string {
	_, rest, found := strings.Cut(file, "/")
	ext := path.Ext(rest)
	switch ext {
	case ".js", ".cjs", ".mjs":
	default:
		found = false
	}
	if !found {
		return nil
	}
	var out []string
	for _, dir := range []string{"src/", "lib/", "source/"} {
		for _, other := range []string{".ts", ".tsx", ".mts", ".js", ".mjs", ".jsx"} {
			if p := dir + strings.TrimSuffix(rest, ext) + other; f.all[p] {
				out = append(out, p)
			}
		}
	}
	return out
}
