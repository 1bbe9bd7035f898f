package locate

import (
	"slices"
	"strings"

	"git-agent/agent/source"
)

// versionedModule matches the path of a file of a Go module that a program requires, with the module's path:
// github.com/cli/go-gh@v0.1.1/pkg/config/config.go, in Go's folder of modules or in a program built without the paths of its machine.
var versionedModule = source.Lazy(`(?:^|/pkg/mod/)([\w-]+(?:\.[\w-]+)+(?:/[\w.~!-]+)+)@v\d[\w.+-]*/`)

// ofOtherGoModule reports whether a file is of a Go module that the program requires, and that is not the tree's: its path has
// another name. pkg/config/config.go of github.com/cli/go-gh is not internal/config/config.go of github.com/cli/cli. A fork has
// the name of what it is a fork of, modules of one repository have its name, and a copy of a module has its whole path.
func (f *Files) ofOtherGoModule(file string) bool {
	if f.module == "" || !strings.Contains(file, "@v") {
		return false
	}
	m := versionedModule().FindStringSubmatch(strings.ReplaceAll(file, `\`, "/"))
	if m == nil {
		return false
	}
	own := moduleNames(f.module)
	if slices.ContainsFunc(moduleNames(m[1]), func(name string) bool { return slices.Contains(own, name) }) {
		return false
	}
	p := Clean(file)
	_, inside, _ := strings.Cut(p, m[1]+"/")
	whole := "/" + m[1] + "/" + inside
	return !slices.ContainsFunc(f.byBase[strings.ToLower(p[strings.LastIndexByte(p, '/')+1:])], func(tracked string) bool {
		return strings.HasSuffix("/"+tracked, whole)
	})
}

// moduleNames returns the names in a module's path in lower case, without its host, the owner there, and its major version.
func moduleNames(module string) []string {
	names := strings.Split(strings.ToLower(module), "/")
	behind := 1
	if len(names) > 2 && packageHost().MatchString(names[0]+"/") {
		behind = 2
	}
	return slices.DeleteFunc(names[min(behind, len(names)):], IsMajor)
}
