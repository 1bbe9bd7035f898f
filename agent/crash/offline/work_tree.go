package offline

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/crash/locate"
)

// namedLines bounds the lines that are not committed and named for one file.
const namedLines = 5

// readWork takes the lines of frames in changed files for lines of the work tree, and finds them
// in HEAD. It returns notes about these files.
func readWork(report *crash.Report, work []crash.WorkFile) []string {
	var notes []string
	for _, w := range work {
		var changed []string // the first lines that are not committed
		read := false
		for i := range report.Stacks {
			for j := range report.Stacks[i].Frames {
				f := &report.Stacks[i].Frames[j]
				if w.New && isNew(*f, w.Path) {
					f.Path, f.Rule = w.Path, string(locate.RuleNew)
				}
				if f.Line == 0 || f.File == "" || f.Path != w.Path && !(w.New && f.Path == "" && named(f.File, w.Path)) {
					continue
				}
				read = true
				at := w.Committed(f.Line)
				if line := strconv.Itoa(f.Line); at == 0 && len(changed) < namedLines && !slices.Contains(changed, line) {
					changed = append(changed, line)
				}
				if f.Path != "" {
					f.Uncommitted, f.Moved, f.At = true, at != f.Line, at
				}
			}
		}
		switch {
		case !read:
		case w.New:
			notes = append(notes, fmt.Sprintf("%q is not committed yet: no commit can be suspected for it", w.Path))
		case len(changed) == 1:
			notes = append(notes, fmt.Sprintf("line %s of %q is in a change that is not committed (see git diff HEAD): no commit can be suspected for it", changed[0], w.Path))
		case len(changed) > 0:
			notes = append(notes, fmt.Sprintf(
				"lines %s of %q are in changes that are not committed (see git diff HEAD): no commit can be suspected for them",
				strings.Join(changed, ", "),
				w.Path,
			))
		default:
			notes = append(notes, fmt.Sprintf("%q has changes that are not committed: its lines in the report are those of the work tree", w.Path))
		}
	}
	return notes
}

// isNew reports whether a frame is in a file of the work tree that HEAD does not have: the report's
// path ends with that of the file, and the frame was not mapped to a tracked one in as many folders.
func isNew(f crash.Frame, added string) bool {
	if f.File == "" {
		return false
	}
	file := locate.Clean(f.File)
	if file != added && !strings.HasSuffix(file, "/"+added) {
		return f.Path == "" && file == path.Base(added)
	}
	return f.Path == "" || strings.Count(f.Path, "/") < strings.Count(added, "/") || !strings.HasSuffix("/"+file, "/"+f.Path)
}

// named reports whether a report's path of a file ends with a path of the work tree, or is its
// name.
func named(file, tracked string) bool {
	file = locate.Clean(file)
	return file == tracked || strings.HasSuffix(file, "/"+tracked) || file == path.Base(tracked)
}
