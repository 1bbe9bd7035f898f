package verify

import (
	"context"
	"path"
	"strings"

	"git-agent/agent/source"
	"git-agent/gitext"
)

// brings returns the name that the tests use, that does not exist at the parent of a commit, that the
// commit adds and that the fix changes: then the bug is as old as the code that has it. It returns ""
// if there is none. Tests may use other names that are newer than the bug.
func (c *Check) brings(ctx context.Context, commit, parent gitext.OID) (string, error) {
	name := c.absent[parent]
	if name == "" || c.fc.Patch == nil || !mentions(c.fc.Patch, name, "+- ") {
		return "", nil
	}
	patch, err := c.repo.Patch(ctx, parent, commit, gitext.PatchOptions{})
	if err != nil {
		if gitext.Unreadable(err) {
			return "", nil
		}
		return "", err
	}
	if !mentions(patch, name, "+") {
		return "", nil
	}
	return name, nil
}

// mentions reports whether a patch has a name in lines with one of the signs, or, if context counts, in
// the heading of a function that it changes. A module counts as a name in its file. Tests do not count.
func mentions(patch *gitext.Patch, name, signs string) bool {
	has := func(text string) bool { return source.WordIndex(text, name) >= 0 }
	for _, f := range patch.Files {
		if source.FileKindOf(f.NewPath) == source.TestFile {
			continue
		}
		if isModule(f.NewPath, name) && (f.Status == 'A' || signs != "+") {
			return true
		}
		for _, h := range f.Hunks {
			if strings.Contains(signs, " ") && has(h.Section) {
				return true
			}
			for _, l := range h.Lines {
				if strings.IndexByte(signs, l.Op) >= 0 && has(string(l.Text)) {
					return true
				}
			}
		}
	}
	return false
}

// isModule reports whether a file is a module that is named as Python or Node.js names it, pkg.n, src/n.js or src/n, or
// belongs to a package of Go, which is named by its path or by the last part of it.
func isModule(file, name string) bool {
	if dir := path.Dir(file); path.Ext(file) == ".go" {
		return strings.HasSuffix(name, "/"+dir) || name == path.Base(dir)
	}
	stem := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(file, path.Ext(file)), "/__init__"), "/index")
	if strings.Contains(name, "/") && stem == name {
		return true
	}
	dotted := strings.ReplaceAll(stem, "/", ".")
	return file == name || strings.Contains(name, ".") && (dotted == name || strings.HasSuffix(dotted, "."+name))
}
