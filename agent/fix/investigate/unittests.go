package investigate

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"git-agent/agent/source"
)

// unitTest finds the source of a test of Rust within a crate by the modules in its name:
// "naive::date::tests::test_x" is in src/naive/date/tests.rs, or in a module of src/naive/date.rs,
// src/naive/date/mod.rs or an outer one. It returns nil if none of them has the test.
func (w *work) unitTest(ctx context.Context, name string) (*shownTest, error) {
	modules := strings.Split(name, "::")
	if len(modules) < 2 || strings.ContainsAny(name, "/.\\ ") {
		return nil, nil
	}
	test, modules := modules[len(modules)-1], modules[:len(modules)-1]
	files, err := w.moduleFiles(ctx, modules)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		lines, err := w.lines(ctx, file)
		if err != nil {
			return nil, err
		}
		start, end := findTest(file, lines, test)
		if start > 0 && source.UnitTests(file, lines)(start) {
			return &shownTest{path: file, start: withDecorators(file, lines, start), end: end}, nil
		}
	}
	return nil, nil
}

// moduleFiles lists the files of Rust that can contain a module, those of the innermost first.
func (w *work) moduleFiles(ctx context.Context, modules []string) ([]string, error) {
	var files []string
	for _, o := range w.in.Problem.Tree.Over {
		if o.Mode != 0 {
			files = append(files, o.Path)
		}
	}
	entries, err := w.repo.Tree(ctx, w.in.Problem.Tree.Commit)
	if entries == nil {
		return nil, err
	}
	for _, e := range entries {
		if !e.Submodule && !slices.Contains(files, e.Path) {
			files = append(files, e.Path)
		}
	}
	depth := func(file string) int { return moduleDepth(file, modules) }
	files = slices.DeleteFunc(files, func(file string) bool { return depth(file) < 0 })
	slices.SortStableFunc(files, func(a, b string) int { return cmp.Compare(depth(b), depth(a)) })
	return files[:min(len(files), maxTestFiles)], nil
}

// moduleDepth returns how many of the first modules a file of a crate stands for: 0 for src/lib.rs and
// src/main.rs, and -1 for a file of other modules.
func moduleDepth(file string, modules []string) int {
	rest, ok := strings.CutPrefix("/"+file, "/src/")
	if !ok {
		_, rest, ok = strings.Cut(file, "/src/")
	}
	stem, rust := strings.CutSuffix(rest, ".rs")
	switch {
	case !ok, !rust:
		return -1
	case stem == "lib", stem == "main":
		return 0
	case path.Base(stem) == "mod":
		stem = path.Dir(stem)
	}
	parts := strings.Split(stem, "/")
	if len(parts) > len(modules) || !slices.Equal(parts, modules[:len(parts)]) {
		return -1
	}
	return len(parts)
}
