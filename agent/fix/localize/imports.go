package localize

import (
	"bytes"
	"context"
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"

	"git-agent/agent/source"
)

// foreign stands for the folder of imports from outside of the project.
const foreign = "\x00foreign"

// importLines bounds the first lines of a file that are searched for imports.
const importLines = 150

// A project lists the modules of the tree, for comparison with imports.
type project struct {
	modules map[string]string // Go: the folder of each module path
	name    string            // name of the JavaScript package
	roots   map[string]bool   // Python: the names of files without ending, and of folders
}

// findProject reads the manifests of a tree.
func (s *search) findProject(ctx context.Context) (project, error) {
	p := project{modules: map[string]string{}, roots: map[string]bool{}}
	for name := range s.files.all {
		for _, part := range strings.Split(strings.TrimSuffix(name, path.Ext(name)), "/") {
			p.roots[part] = true
		}
		base := path.Base(name)
		if base != "go.mod" && name != "package.json" {
			continue
		}
		f, err := s.files.get(ctx, name)
		if err != nil {
			return p, err
		}
		if m := goModule().FindSubmatch(bytes.Join(f.lines, []byte("\n"))); m != nil && base == "go.mod" {
			p.modules[string(m[1])] = strings.TrimPrefix(path.Dir(name), ".")
		}
		var manifest struct{ Name string }
		if base != "go.mod" && json.Unmarshal(bytes.Join(f.lines, []byte("\n")), &manifest) == nil {
			p.name = manifest.Name
		}
	}
	return p, nil
}

var (
	goModule   = source.Lazy(`(?m)^module\s+"?([^"\s]+)`)
	goImported = source.Lazy(`^(?:import\s+|\s+)(?:([\w.]+)\s+)?"([^"\s]+)"\s*(?://.*)?$`)
	pyImport   = source.Lazy(`^import\s+([\w.]+)(?:\s+as\s+(\w+))?\s*$`)
	pyFrom     = source.Lazy(`^from\s+(\w[\w.]*)\s+import\s+(.+)$`)
	jsRequired = source.Lazy(`^(?:const|let|var)\s+(.+?)\s*=\s*require\(['"]([^'"]+)['"]\)`)
	jsImported = source.Lazy(`^import\s+(.+?)\s+from\s+['"]([^'"]+)['"]`)
	goVersion  = source.Lazy(`^v\d+$`)
	oneName    = source.Lazy(`\w+`)
)

// importsOf maps the imported names of a file to their folders, or to foreign if they are
// outside of the project. An ambiguous name is not in the result.
func (p project) importsOf(f *file) map[string]string {
	out := map[string]string{}
	top := f.lines[:min(len(f.lines), importLines)]
	switch path.Ext(f.path) {
	case ".go":
		p.goImports(top, out)
	case ".py":
		p.pyImports(top, out)
	case ".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx":
		p.jsImports(top, out)
	}
	return out
}

func (p project) goImports(top [][]byte, out map[string]string) {
	for _, l := range top {
		m := goImported().FindSubmatch(l)
		if m == nil {
			continue
		}
		imported := string(m[2])
		name := path.Base(imported)
		if goVersion().MatchString(name) {
			name = path.Base(path.Dir(imported))
		}
		if len(m[1]) > 0 {
			name = string(m[1])
		}
		out[name] = p.goPlace(imported)
	}
}

// goPlace returns the folder of an imported package of the project, else foreign.
func (p project) goPlace(imported string) string {
	for module, dir := range p.modules {
		if imported == module {
			return dir
		}
		if rest, ok := strings.CutPrefix(imported, module+"/"); ok {
			return path.Join(dir, rest)
		}
	}
	return foreign
}

func (p project) pyImports(top [][]byte, out map[string]string) {
	for _, l := range top {
		if m := pyImport().FindSubmatch(l); m != nil {
			root, _, _ := strings.Cut(string(m[1]), ".")
			name := root
			if len(m[2]) > 0 {
				name = string(m[2])
			}
			if !p.roots[root] {
				out[name] = foreign
			}
		}
		if m := pyFrom().FindSubmatch(l); m != nil {
			root, _, _ := strings.Cut(string(m[1]), ".")
			if !p.roots[root] {
				addNamed(string(m[2]), out)
			}
		}
	}
}

func (p project) jsImports(top [][]byte, out map[string]string) {
	for _, l := range top {
		for _, pattern := range []*regexp.Regexp{jsRequired(), jsImported()} {
			m := pattern.FindSubmatch(l)
			if m == nil || bytes.HasPrefix(m[2], []byte(".")) || p.name != "" && strings.HasPrefix(string(m[2]), p.name) {
				continue
			}
			addNamed(string(m[1]), out)
		}
	}
}

// addNamed adds the names of an import clause, such as "a, {b as c}".
func addNamed(clause string, out map[string]string) {
	for part := range strings.SplitSeq(clause, ",") {
		if names := oneName().FindAllString(part, -1); len(names) > 0 {
			out[names[len(names)-1]] = foreign
		}
	}
}

// ofTestTools are methods of the test tools' objects in Go and JavaScript, with the usual names
// of these objects.
var (
	ofTestTools = strings.Fields(
		`Run Error Errorf Fatal Fatalf Log Logf Skip Skipf Helper Cleanup Parallel Name Fail FailNow Failed TempDir Setenv Context
test equal deepEqual same equals notEqual notOk ok end plan pass fail throws doesNotThrow match is not comment intercept capture teardown`,
	)
	testValues = strings.Fields("t tb b f st st2 s2t test assert")
)

// toTestTool reports whether a name after a dot is a method of the test tool and not of the
// project.
func toTestTool(f *file, holder, name string) bool {
	return f.test && slices.Contains(testValues, holder) && slices.Contains(ofTestTools, name)
}
