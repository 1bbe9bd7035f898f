package generate

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"strings"

	"git-agent/agent/fix/generate/mutate"
	"git-agent/gitext"
)

// A goCheck rejects changes of Go files that cannot compile. It reads the declarations of the
// package's other files, and the export data of imported packages if there is any. Names of
// other imports have no known type and cause no error. So it misses some errors, and every
// error that it reports is also an error for the compiler.
type goCheck struct {
	tree     *tree
	exports  map[string]string     // see Input
	packages map[string]*goPackage // by the path of the changed file
}

// A goPackage has the other files of a package, and the existing errors of the package.
type goPackage struct {
	set   *token.FileSet
	files []*ast.File
	known map[string]bool
	used  map[string]bool // names of used imports of the file

	imports types.Importer
}

func newGoCheck(t *tree, exports map[string]string) *goCheck {
	return &goCheck{tree: t, exports: exports, packages: map[string]*goPackage{}}
}

// accepts reports whether changed files may compile.
func (c *goCheck) accepts(files []gitext.Overlay) bool {
	for _, f := range files {
		if path.Ext(f.Path) == ".go" && !c.acceptsFile(f.Path, f.Content) {
			return false
		}
	}
	return true
}

func (c *goCheck) acceptsFile(p string, content []byte) bool {
	pkg := c.packageOf(p)
	if pkg == nil {
		_, err := parser.ParseFile(token.NewFileSet(), p, content, parser.SkipObjectResolution)
		return err == nil
	}
	found, used, err := pkg.errorsWith(p, content)
	if err != nil {
		return false
	}
	for name := range pkg.used {
		if !used[name] {
			return false // an unused import
		}
	}
	for msg := range found {
		if !pkg.known[msg] {
			return false
		}
	}
	return true
}

// scopeOf returns the available names in the Go function around a line.
func (c *goCheck) scopeOf(p string, content []byte, line int) mutate.Known {
	if path.Ext(p) != ".go" {
		return mutate.Known{}
	}
	if pkg := c.packageOf(p); pkg != nil {
		return knownAt(pkg.set, pkg.imports, pkg.files, p, content, line)
	}
	return mutate.Known{}
}

// maxPackage bounds the files of a package.
const maxPackage = 300

// packageOf returns the package of a file without this file; nil if it cannot be checked.
func (c *goCheck) packageOf(p string) *goPackage {
	if pkg, ok := c.packages[p]; ok {
		return pkg
	}
	c.packages[p] = nil
	content, _ := c.tree.read(p)
	pkg := &goPackage{set: token.NewFileSet()}
	pkg.imports = newImporter(pkg.set, c.exports)
	own, err := parser.ParseFile(token.NewFileSet(), p, content, parser.PackageClauseOnly)
	others := c.tree.beside(p)
	if err != nil || len(others) > maxPackage {
		return nil
	}
	for _, o := range others {
		content, ok := c.tree.read(o)
		if !ok || strings.HasSuffix(o, "_test.go") && !strings.HasSuffix(p, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(pkg.set, o, content, parser.SkipObjectResolution)
		if err != nil || f.Name.Name != own.Name.Name {
			continue
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				fn.Body = nil // only declarations matter to other files
			}
		}
		pkg.files = append(pkg.files, f)
	}
	if pkg.known, pkg.used, err = pkg.errorsWith(p, content); err == nil {
		c.packages[p] = pkg
	}
	return c.packages[p]
}

// errorsWith returns the error messages of the package with a file, and the names of used
// imports of the file.
func (pkg *goPackage) errorsWith(p string, content []byte) (map[string]bool, map[string]bool, error) {
	f, err := parser.ParseFile(pkg.set, p, content, parser.SkipObjectResolution)
	if err != nil {
		return nil, nil, err
	}
	defer pkg.set.RemoveFile(pkg.set.File(f.FileStart))
	found := map[string]bool{}
	conf := types.Config{
		FakeImportC: true, Importer: pkg.imports,
		Error: func(err error) {
			var e types.Error
			if errors.As(err, &e) {
				found[e.Msg] = true
			}
		},
	}
	pkg.typeCheck(&conf, f)
	return found, usedImports(f), nil
}

// typeCheck checks the package with a file. Damaged export data ends the check.
func (pkg *goPackage) typeCheck(conf *types.Config, f *ast.File) {
	defer func() { _ = recover() }()
	// Check also reports the error that it returns.
	_, _ = conf.Check("p", pkg.set, append(pkg.files[:len(pkg.files):len(pkg.files)], f), nil)
}

// usedImports returns the names of the file's imports that occur before a dot. The name of an
// import is guessed from its path.
func usedImports(f *ast.File) map[string]bool {
	imported := map[string]bool{}
	for _, spec := range f.Imports {
		name := path.Base(strings.Trim(spec.Path.Value, "`\""))
		if spec.Name != nil {
			name = spec.Name.Name
		}
		imported[name] = true
	}
	used := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := sel.X.(*ast.Ident); ok && imported[x.Name] {
				used[x.Name] = true
			}
		}
		return true
	})
	return used
}
