package locate

import (
	"cmp"
	"context"
	"path"
	"regexp"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
	"git-agent/agent/symbol"
	"git-agent/gitext"
)

// Limits on the search for methods and functions that are in another file now.
const (
	maxResettled = 12 // frames of a report
	maxSupers    = 6  // superclasses of one class
	minMoved     = 8  // bytes of the name of a function that is looked for in all files
)

// Resettle maps the frames whose file has no such function at the commit, as Compare found out, to the
// file that has it: a method of Java to the superclass from which the class inherits it, another
// function to the only file that defines one of its name. The report is then of another version, in
// which the function was where the report says.
func Resettle(ctx context.Context, repo *gitext.Repo, commit gitext.OID, report *crash.Report) error {
	lost := lostFrames(report)
	if len(lost) == 0 {
		return nil
	}
	files, err := FilesOf(ctx, repo, commit)
	if files == nil {
		return err
	}
	read := func(p string) ([]byte, error) { return repo.BlobAt(ctx, commit, p, maxFitBytes) }
	h := heir{files: files, read: read}
	var rest []crash.FrameRef
	for _, ref := range lost {
		f := report.At(ref)
		if p, lines := h.definer(f.Path, f.Function); p != "" {
			settle(report, ref, p, lines, RuleInherited)
		} else {
			rest = append(rest, ref)
		}
	}
	return cmp.Or(context.Cause(ctx), moved(ctx, repo, commit, report, rest, read))
}

// lostFrames returns the first frames whose file does not define their function at the commit.
func lostFrames(report *crash.Report) []crash.FrameRef {
	var out []crash.FrameRef
	for i, s := range report.Stacks {
		for j, f := range s.Frames {
			if f.Path != "" && f.Moved && f.At == 0 && f.DefinedAt == 0 && !f.Uncommitted && !f.Assertion && len(out) < maxResettled {
				out = append(out, crash.FrameRef{Stack: i, Frame: j})
			}
		}
	}
	return out
}

// settle maps a frame to the file with the given lines, which defines its function.
func settle(report *crash.Report, ref crash.FrameRef, file string, lines [][]byte, rule Rule) {
	text := fileText{path: file, lines: lines, definitions: map[string][]int{}}
	there := report.At(ref)
	there.Path, there.Line = file, 0
	s := text.siteOfFunction(there, Callee(report, ref), "")
	f := &report.Stacks[ref.Stack].Frames[ref.Frame]
	f.Path, f.Rule, f.At, f.DefinedAt = file, string(rule), s.At, s.Function.Body
}

// moved maps frames to the only file in their language that defines a function of their name.
func moved(
	ctx context.Context, repo *gitext.Repo, commit gitext.OID, report *crash.Report, refs []crash.FrameRef, read func(string) ([]byte, error),
) error {
	var names []string
	for _, ref := range refs {
		if name := symbol.Last(report.At(ref).Function); len(name) >= minMoved {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	defined, err := symbol.Find(ctx, repo, commit, names)
	if err != nil && !gitext.Unreadable(err) {
		return err
	}
	for _, ref := range refs {
		f := report.At(ref)
		found := map[string]bool{}
		for _, d := range defined[symbol.Last(f.Function)] {
			if d.Kind == symbol.Function && path.Ext(d.Path) == path.Ext(f.Path) {
				found[d.Path] = true
			}
		}
		if len(found) != 1 {
			continue
		}
		for p := range found {
			text, err := read(p)
			if lines := source.SplitLines(text); err == nil && p != f.Path && len(symbol.DefinedIn(p, lines, f.Function)) > 0 {
				settle(report, ref, p, lines, RuleMoved)
			}
		}
	}
	return nil
}

// An heir looks for what classes inherit.
type heir struct {
	files *Files
	read  func(path string) ([]byte, error)
}

// definer returns the file and its lines of the nearest superclass that defines a method, which the
// class in a file does not. It returns "" if there is none in the files.
func (h heir) definer(file, function string) (string, [][]byte) {
	class, method, ok := methodOf(function)
	if !ok || path.Ext(file) != ".java" {
		return "", nil
	}
	text, err := h.read(file)
	for n := 0; err == nil && n < maxSupers; n++ {
		super := symbol.Superclass(text, class)
		if super == "" {
			return "", nil
		}
		outer, _, _ := strings.Cut(super, ".")
		class = symbol.Last(super)
		if !declaresClass(text, outer) {
			if file = h.fileOf(file, text, outer); file == "" {
				return "", nil
			}
			text, err = h.read(file)
		}
		if lines := source.SplitLines(text); len(symbol.DefinedIn(file, lines, method)) > 0 {
			return file, lines
		}
	}
	return "", nil
}

// methodOf splits "a.b.Outer$Inner.method" into Inner and method. It returns false for functions that
// no class inherits: constructors, lambdas and functions of classes without a name.
func methodOf(function string) (class, method string, ok bool) {
	parts := strings.FieldsFunc(function, func(r rune) bool { return r == '.' || r == '$' })
	if len(parts) < 2 || strings.ContainsAny(function, "<>") || strings.Contains(function, "lambda$") {
		return "", "", false
	}
	class, method = parts[len(parts)-2], parts[len(parts)-1]
	return class, method, !source.IsDigit(class[0]) && !source.IsDigit(method[0])
}

func declaresClass(text []byte, class string) bool {
	return regexp.MustCompile(`(?m)^\s*(?:[\w@]+\s+)*class\s+` + regexp.QuoteMeta(class) + `\b`).Match(text)
}

var (
	packageLine  = source.Lazy(`(?m)^\s*package\s+([\w.]+)\s*;`)
	importedLine = source.Lazy(`(?m)^\s*import\s+([\w.]+(?:\.\*)?)\s*;`)
)

// fileOf returns the file of a class that the text of a file names: by an import, else in its package.
func (h heir) fileOf(file string, text []byte, class string) string {
	var packages []string
	for _, m := range importedLine().FindAllSubmatch(text, -1) {
		if name, ok := strings.CutSuffix(string(m[1]), "."+class); ok {
			packages = append(packages, name)
		}
	}
	if beside := path.Join(path.Dir(file), class+".java"); len(packages) == 0 && h.files.Has(beside) {
		return beside
	}
	for _, m := range importedLine().FindAllSubmatch(text, -1) {
		if name, ok := strings.CutSuffix(string(m[1]), ".*"); ok {
			packages = append(packages, name)
		}
	}
	if m := packageLine().FindSubmatch(text); m != nil {
		packages = append(packages, string(m[1]))
	}
	for _, p := range packages {
		if found, _ := h.files.Find(strings.ReplaceAll(p, ".", "/") + "/" + class + ".java"); len(found) == 1 {
			return found[0]
		}
	}
	return ""
}
