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
	"testing"

	"golang.org/x/sync/errgroup"
)

// The program has files for some systems only. Here they are checked for types, which takes a
// fraction of the time of compiling them. A release compiles them.
func TestOtherSystems(t *testing.T) {
	if testing.Short() {
		t.Skip("not with -short: it reads the whole program and its modules")
	}
	for _, system := range []string{"darwin/arm64", "windows/amd64"} {
		t.Run(system, func(t *testing.T) {
			t.Parallel()
			for _, err := range typeErrors(t, system) {
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
func typeErrors(t *testing.T, system string) (found []error) {
	goos, goarch, _ := strings.Cut(system, "/")
	fset, done := token.NewFileSet(), map[string]*types.Package{"unsafe": types.Unsafe}
	for _, p := range listed(t, goos, goarch) {
		if p.ImportPath == "unsafe" || strings.HasSuffix(p.ImportPath, ".test") { // the latter is the generated main of tests
			continue
		}
		files, err := parsed(fset, p)
		if err != nil {
			return append(found, err)
		}
		config := types.Config{
			IgnoreFuncBodies: p.Module == nil || !p.Module.Main,
			Sizes:            types.SizesFor("gc", goarch),
			Importer:         importing{p.ImportMap, done},
			Error:            func(err error) { found = append(found, err) },
		}
		done[p.ImportPath], _ = config.Check(p.ImportPath, fset, files, nil)
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

// parsed reads the files of a package.
func parsed(fset *token.FileSet, p listedPackage) ([]*ast.File, error) {
	files := make([]*ast.File, len(p.GoFiles))
	var group errgroup.Group
	for i, name := range p.GoFiles {
		group.Go(func() (err error) {
			files[i], err = parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			return err
		})
	}
	return files, group.Wait()
}

// importing gives a package the checked packages that it imports.
type importing struct {
	renamed map[string]string // as go list's ImportMap
	done    map[string]*types.Package
}

func (i importing) Import(path string) (*types.Package, error) {
	if other := i.renamed[path]; other != "" {
		path = other
	}
	if p := i.done[path]; p != nil {
		return p, nil
	}
	return nil, errors.New("not listed before: " + path)
}
