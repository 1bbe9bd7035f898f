package offline

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"git-agent/agent/sandbox"
	"git-agent/agent/trial"
)

// maxExported bounds the directories with listed imports.
const maxExported = 5

// exportProgram is a script that PATH has before go. Instead of go test, it lists the export
// data files of all packages that the packages of some directories import.
const exportProgram = `#!/bin/sh
test "$1" = test || exec @REAL@ "$@"
exec @REAL@ list -e -export -deps -f '{{if .Export}}@MARK@ {{.ImportPath}} {{.Export}}{{end}}' @DIRS@
`

// exports returns the files with the export data of the imports of suspected Go code, by import
// path. It returns nil if the test command does not run go, or if go lists none.
func (s *search) exports(ctx context.Context, w *trial.Workspace) (map[string]string, error) {
	if !s.needsExports() {
		return nil, nil
	}
	dirs := s.goDirectories()
	folder, err := w.Folder("exports")
	if err != nil {
		return nil, err
	}
	real, err := sandbox.Program("go")
	if err != nil {
		return nil, nil // the tests do not need it either
	}
	for i, d := range dirs {
		dirs[i] = quoted(filepath.Join(w.Dir(), filepath.FromSlash(d)))
	}
	text := strings.NewReplacer("@REAL@", quoted(real), "@MARK@", mark, "@DIRS@", strings.Join(dirs, " ")).Replace(exportProgram)
	if err := os.WriteFile(filepath.Join(folder, "go"), []byte(text), 0o700); err != nil {
		return nil, fmt.Errorf("write a program: %w", err)
	}
	res, err := w.Exec(ctx, s.in.Problem.Test, trial.ExecOptions{
		Timeout: buildLimit, MaxOutput: maxOutput, Readable: []string{folder},
		Set: []string{"PATH=" + folder + string(os.PathListSeparator) + os.Getenv("PATH")},
	})
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for line := range strings.Lines(string(res.Output)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == mark {
			files[f[1]] = f[2]
		}
	}
	return files, nil
}

// needsExports reports whether candidates are made with the types of suspected Go code.
func (s *search) needsExports() bool { return !s.in.RevertOnly && len(s.goDirectories()) > 0 }

// goDirectories returns the directories of the first suspected Go functions.
func (s *search) goDirectories() []string {
	var dirs []string
	if s.in.Localization == nil {
		return nil
	}
	for _, l := range s.in.Localization.Locations {
		if d := path.Dir(l.Path); path.Ext(l.Path) == ".go" && !slices.Contains(dirs, d) && len(dirs) < maxExported {
			dirs = append(dirs, d)
		}
	}
	return dirs
}
