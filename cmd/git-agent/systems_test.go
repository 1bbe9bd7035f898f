package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"
)

// The program has files for some systems only. Here they are checked for types, which takes a
// fraction of the time of compiling them. A release compiles them.
func TestOtherSystems(t *testing.T) {
	if testing.Short() {
		t.Skip("not with -short: it reads the whole program and its modules")
	}
	source := &parsedFiles{set: token.NewFileSet()}
	for _, system := range []string{"darwin/arm64", "windows/amd64"} {
		t.Run(system, func(t *testing.T) {
			t.Parallel()
			for _, err := range typeErrors(t, system, source) {
				t.Error(err)
			}
		})
	}
}

// A listedPackage is what go list says of a package.
type listedPackage struct {
	ImportPath, Dir string
	GoFiles         []string
	ImportMap       map[string]string
	Module          *struct{ Main bool }
}

// typeErrors are the errors of type in the program's own packages, and those of other packages' declarations.
func typeErrors(t *testing.T, system string, source *parsedFiles) (found []error) {
	goos, goarch, _ := strings.Cut(system, "/")
	done := map[string]*types.Package{"unsafe": types.Unsafe}
	for _, p := range listed(t, goos, goarch) {
		if p.ImportPath == "unsafe" || unread(p.ImportPath) || strings.HasSuffix(p.ImportPath, ".test") { // the latter is the generated main of tests
			continue
		}
		files, err := source.of(p)
		if err != nil {
			return append(found, err)
		}
		config := types.Config{
			IgnoreFuncBodies: p.Module == nil || !p.Module.Main,
			Sizes:            types.SizesFor("gc", goarch),
			Importer:         importing{p.ImportMap, done},
			Error: func(err error) {
				if !strings.Contains(err.Error(), errUnread.Error()) {
					found = append(found, err)
				}
			},
		}
		done[p.ImportPath], _ = config.Check(p.ImportPath, source.set, files, nil)
	}
	return found
}

// listed are the program's packages for a system, each after those that it imports.
func listed(t *testing.T, goos, goarch string) (all []listedPackage) {
	cmd := exec.Command(need(t, "go"), "list", "-deps", "-test", "-json=ImportPath,Dir,GoFiles,ImportMap,Module", "./...")
	cmd.Dir, cmd.Env = top, append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0", "GOFLAGS=-mod=readonly")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list for %s: %v", goos, err)
	}
	for stream := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listedPackage
		if err := stream.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// parsedFiles are the files that were read for any system, each read once.
type parsedFiles struct {
	set   *token.FileSet
	files sync.Map // by path: a function that gives the *ast.File and an error
}

// of reads the files of a package.
func (s *parsedFiles) of(p listedPackage) ([]*ast.File, error) {
	files := make([]*ast.File, len(p.GoFiles))
	var group errgroup.Group
	for i, name := range p.GoFiles {
		group.Go(func() (err error) {
			files[i], err = s.file(filepath.Join(p.Dir, name))
			return err
		})
	}
	return files, group.Wait()
}

func (s *parsedFiles) file(path string) (*ast.File, error) {
	read, _ := s.files.LoadOrStore(path, sync.OnceValues(func() (*ast.File, error) {
		return parser.ParseFile(s.set, path, nil, parser.SkipObjectResolution)
	}))
	return read.(func() (*ast.File, error))()
}

// errUnread is why a package that unread names is not imported. The checker takes every use of such a package as right.
var errUnread = errors.New("this package is not read")

// unread reports whether a package is one of SQLite in Go: much source code, of which the program uses a few names that are the
// same on each system.
func unread(importPath string) bool { return strings.HasPrefix(importPath, "modernc.org/") }

// importing gives a package the checked packages that it imports.
type importing struct {
	renamed map[string]string // as go list's ImportMap
	done    map[string]*types.Package
}

func (i importing) Import(path string) (*types.Package, error) {
	if other := i.renamed[path]; other != "" {
		path = other
	}
	if unread(path) {
		return nil, errUnread
	}
	if p := i.done[path]; p != nil {
		return p, nil
	}
	return nil, errors.New("not listed before: " + path)
}
