package locate

import (
	"context"
	"path"
	"regexp"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
	"git-agent/agent/symbol"
	"git-agent/gitext"
)

// Limits on the search for inherited methods.
const (
	maxInherited = 12 // frames of a report
	maxSupers    = 6  // superclasses of one class
)

// inherited maps frames of Java whose class has no such method at the commit to the superclass that
// has it: the report is of another version, in which the class had the method itself.
func inherited(ctx context.Context, repo *gitext.Repo, commit gitext.OID, report *crash.Report) error {
	var files *Files
	left := maxInherited
	for i := range report.Stacks {
		for j := range report.Stacks[i].Frames {
			f := &report.Stacks[i].Frames[j]
			if path.Ext(f.Path) != ".java" || !f.Moved || f.At > 0 || f.DefinedAt > 0 || f.Uncommitted || left == 0 {
				continue
			}
			left--
			if files == nil {
				var err error
				if files, err = FilesOf(ctx, repo, commit); files == nil {
					return err
				}
			}
			h := heir{files: files, read: func(p string) ([]byte, error) { return repo.BlobAt(ctx, commit, p, maxFitBytes) }}
			p, lines := h.definer(f.Path, f.Function)
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if p == "" {
				continue
			}
			text := fileText{path: p, lines: lines, definitions: map[string][]int{}}
			there := *f
			there.Path, there.Line = p, 0
			s := text.siteOfFunction(there, Callee(report, crash.FrameRef{Stack: i, Frame: j}), "")
			f.Path, f.Rule, f.At, f.DefinedAt = p, string(RuleInherited), s.At, s.Function.Body
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
	if !ok {
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
