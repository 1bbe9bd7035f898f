package symbol

import (
	"cmp"
	"context"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"git-agent/agent/sandbox"
	"git-agent/agent/symbol/lsp"
	"git-agent/gitext"
)

// serverMemory bounds the memory of a language server and its children, each.
const serverMemory = 6 << 30

// startServer starts a language server on a checkout of the commit. The server reads
// the checkout and writes only to a folder beside it.
func (f *Finder) startServer(ctx context.Context, name string) (*lsp.Client, error) {
	program, err := sandbox.Program(name)
	if err != nil {
		return nil, err
	}
	tree, err := f.newDir("tree")
	if err != nil {
		return nil, err
	}
	work, err := f.newDir("server")
	if err != nil {
		return nil, err
	}
	cache, err := f.newDir("cache")
	if err != nil {
		return nil, err
	}
	if err := f.repo.Checkout(ctx, f.commit, tree); err != nil {
		return nil, err
	}
	argv, set := []string{program}, []string(nil)
	switch name {
	case "clangd":
		if err := f.writeFlags(ctx, tree, work); err != nil {
			return nil, err
		}
		argv = append(argv, clangdArguments(work)...)
	case "gopls":
		set = goVariables
	}
	return lsp.Start(ctx, lsp.Config{
		Root: tree, StartTime: serverStart,
		Spec: sandbox.Spec{
			Dir: work, Argv: argv, Set: set, Cache: cache, Timeout: serverLife, Memory: serverMemory,
			Sandbox: f.opt.Sandbox, Readable: append(slices.Clone(f.opt.Readable), tree),
		},
	})
}

// clangdArguments make clangd answer from open files alone. An index of the whole
// project would take minutes of all cores. The project's own configuration and
// compile_commands.json are not read: their flags can load plugins, and their folders
// are those of another machine.
func clangdArguments(work string) []string {
	return []string{
		"--compile-commands-dir=" + work, "--enable-config=0", "--background-index=0", "--clang-tidy=0",
		"--header-insertion=never", "--limit-results=20", "--log=error", "-j=2",
	}
}

// goVariables keep gopls and the go command from fetching, and from running a compiler
// of C.
var goVariables = []string{"GOPROXY=off", "GOTOOLCHAIN=local", "GOFLAGS=-buildvcs=false", "CGO_ENABLED=0", "GOTELEMETRY=off"}

// flagsFile is the file from which clangd takes the flags of all files.
const flagsFile = "compile_flags.txt"

// maxIncludes bounds the include directories. Each costs a failed open for each
// include directive.
const maxIncludes = 400

// writeFlags writes the flags for clangd: the project's folders with headers, and the
// folders above them.
func (f *Finder) writeFlags(ctx context.Context, tree, work string) error {
	entries, err := f.repo.Tree(ctx, f.commit)
	if err != nil && !gitext.Unreadable(err) {
		return err
	}
	var text strings.Builder
	text.WriteString("-Wno-everything\n")
	for _, dir := range includeDirs(entries) {
		text.WriteString("-I" + filepath.Join(tree, filepath.FromSlash(dir)) + "\n")
	}
	return os.WriteFile(filepath.Join(work, flagsFile), []byte(text.String()), 0o600)
}

// includeDirs returns the folders in which an include directive may look. Folders
// named include come first, then those nearest to the top.
func includeDirs(entries []gitext.TreeEntry) []string {
	seen := map[string]bool{}
	for _, e := range entries {
		if !isHeader(e.Path) || strings.ContainsAny(e.Path, "\n\r\"\\") {
			continue
		}
		for dir := path.Dir(e.Path); !seen[dir]; dir = path.Dir(dir) {
			seen[dir] = true
		}
	}
	dirs := make([]string, 0, len(seen))
	for dir := range seen {
		dirs = append(dirs, dir)
	}
	slices.SortFunc(dirs, func(a, b string) int {
		return cmp.Or(
			number(path.Base(a) != "include")-number(path.Base(b) != "include"),
			strings.Count(a, "/")-strings.Count(b, "/"), strings.Compare(a, b))
	})
	return dirs[:min(len(dirs), maxIncludes)]
}
