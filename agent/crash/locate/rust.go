package locate

import (
	"path"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

var (
	// cratePath is the path of a file of a crate that cargo fetched: the crate, and the path in it.
	cratePath = source.Lazy(`/registry/src/[^/]+/([\w-]+?)-\d+\.\d[^/]*/(.+)$|/git/checkouts/([\w-]+)-[0-9a-f]{8,}/[0-9a-f]{7,}/(.+)$`)
	// rustcPath is the path of a file of Rust's own libraries.
	rustcPath = source.Lazy(`^/rustc/[0-9a-f]{8,}/(.+)$`)
	crateName = source.Lazy(`(?m)^name\s*=\s*"([^"]+)"`)
)

// ofOtherCrate reports whether a path of a report is in another crate than the tracked file whose end
// it has: every crate has a src/lib.rs. A fetched crate is the project's if it has the name of the
// crate at the top of the tree, or that of the directory of the tracked file.
func (f *Files) ofOtherCrate(reported, tracked string) bool {
	if !strings.HasSuffix(reported, ".rs") {
		return false
	}
	if m := rustcPath().FindStringSubmatch(reported); m != nil {
		return !strings.EqualFold(m[1], tracked)
	}
	m := cratePath().FindStringSubmatch(reported)
	if m == nil {
		return false
	}
	crate, file := m[1]+m[3], m[2]+m[4]
	root, found := strings.CutSuffix(tracked, file)
	if !found {
		return true
	}
	if root = strings.TrimSuffix(root, "/"); root == "" {
		return m[1] != "" && f.crate != "" && !sameCrate(crate, f.crate)
	}
	return m[1] != "" && !sameCrate(crate, path.Base(root)) && !strings.HasSuffix(crate, "-"+path.Base(root))
}

// inWorkspace returns the tracked file of a crate that cargo fetched, and that is a member of the workspace: the only one in a
// folder with the crate's name, which may lack the name of the crate at the top. It returns "" if there is none.
func (f *Files) inWorkspace(p string) string {
	m := cratePath().FindStringSubmatch(p)
	if m == nil || m[1] == "" {
		return ""
	}
	found := ""
	for _, tracked := range f.byBase[strings.ToLower(path.Base(m[2]))] {
		root, ok := strings.CutSuffix(tracked, "/"+m[2])
		if member := path.Base(root); !ok || !sameCrate(m[1], member) && (f.crate == "" || !sameCrate(m[1], f.crate+"-"+member)) {
			continue
		}
		if found != "" {
			return ""
		}
		found = tracked
	}
	return found
}

// sameCrate compares the names of crates, in which "-" and "_" are the same.
func sameCrate(a, b string) bool {
	return strings.EqualFold(strings.ReplaceAll(a, "_", "-"), strings.ReplaceAll(b, "_", "-"))
}

// Fetched reports whether a frame is in a file of a crate that cargo fetched, or of Rust's own libraries,
// which is not the project's.
func Fetched(f crash.Frame) bool {
	p := Clean(f.File)
	return f.Path == "" && (cratePath().MatchString(p) || rustcPath().MatchString(p))
}
