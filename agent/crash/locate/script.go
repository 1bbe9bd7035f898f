package locate

import (
	"path"
	"slices"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// MadeLines says of which program the lines of a report's frames are, if they are not those of the files, or "".
func MadeLines(report *crash.Report) string {
	for _, s := range report.Stacks {
		for _, f := range s.Frames {
			switch {
			case f.Line == 0:
			case f.Rule == string(RuleTranspiled):
				return "scripts that were made of these files"
			case f.Rule == string(RuleShortened):
				return "a program whose classes have shortened names"
			}
		}
	}
	return ""
}

// linesMade reports whether the lines of a frame are not those of the file that a rule found.
func linesMade(rule Rule) bool { return rule == RuleTranspiled || rule == RuleShortened }

// nodeOwn matches the files of Node.js itself in its stacks before version 12.
var nodeOwn = source.Lazy(
	`^(?:internal/[\w/-]+|module|events|node|bootstrap_node|timers|net|fs|util|vm|stream|_(?:stream|http|tls)_\w+|https?|child_process|cluster|` +
		`dgram|dns|domain|assert|buffer|console|crypto|path|readline|repl|tls|tty|url|zlib|string_decoder|querystring)\.js$`,
)

// ofNode reports whether a frame is in a file of Node.js itself: those of programs have absolute paths in its stacks, which pages have with
// columns, too.
func ofNode(s *crash.Stack, f *crash.Frame) bool {
	absolute := func(f crash.Frame) bool { return path.IsAbs(Clean(f.File)) }
	return s.Format == "javascript" && f.Column > 0 && nodeOwn().MatchString(f.File) && slices.ContainsFunc(s.Frames, absolute)
}

// Limits on the names of packages that R8 and ProGuard shorten, and on those that they leave.
const (
	maxShortened = 2 // letters: org.example.app.a.bc
	minLeft      = 2 // packages
	minStem      = 6 // letters of the only file of its name, if no package is left
)

// shortened returns the only file with the name that a class of Android has in a program whose packages were shortened:
// org/example/app/d/q/Login.kt is app/src/main/java/org/example/app/ui/login/Login.kt. It returns "" if there is none.
func (f *Files) shortened(p string) string {
	base := path.Base(p)
	named := f.byBase[strings.ToLower(base)]
	if ext := path.Ext(p); ext != ".kt" && ext != ".java" || len(named) != 1 || path.Base(named[0]) != base || path.IsAbs(p) {
		return ""
	}
	packages := strings.Split(path.Dir(p), "/")
	left := 0
	for left < len(packages) && strings.Contains("/"+named[0], "/"+strings.Join(packages[:left+1], "/")+"/") {
		left++
	}
	short := packages[left:]
	long := slices.ContainsFunc(short, func(name string) bool { return len(name) > maxShortened })
	if len(short) == 0 || long || left < minLeft && (left > 0 || len(base)-len(path.Ext(base)) < minStem) {
		return ""
	}
	return named[0]
}
