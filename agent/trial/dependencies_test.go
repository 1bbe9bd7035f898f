package trial

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"git-agent/agent/sandbox"
	"git-agent/gitext/gittest"
)

// write makes untracked files in the user's work tree.
func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// FindDependencies returns directories of installed packages without tracked files.
func TestFindDependencies(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	commit := h.Commit("c", gittest.Files{"a.js": "\n", "web/b.js": "\n", "lib/vendor/modules.txt": "tracked\n", "py/c.py": "\n", "ex/mix.exs": "\n"})
	write(t, h.Dir, map[string]string{
		"node_modules/a/index.js": "", "web/node_modules/b/index.js": "", "untracked/node_modules/c/index.js": "",
		"py/.venv/pyvenv.cfg": "", "py/venv/readme": "no environment", "vendor/modules.txt": "",
		"ex/deps/jason/mix.exs": "", "deps/jason/mix.exs": "no project of Elixir",
	})
	got, err := FindDependencies(t.Context(), h.Open(), commit)
	if want := []string{"ex/deps", "node_modules", "py/.venv", "vendor", "web/node_modules"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
}

// The command finds the user's installed packages in its work tree, cannot write them but
// for what tools keep beside them,
// and loads packages that are part of the project from its own work tree. They are
// there again after clean, and no change of the work tree.
func TestDependenciesAreThere(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	commit := h.Commit("c", gittest.Files{"packages/own/v": "tracked\n"})
	write(t, h.Dir, map[string]string{"node_modules/a/v": "installed\n", "node_modules/@p/b/v": "scoped\n", "packages/own/v": "the user's\n", "node_modules/.vite-temp/old": ""})
	if err := os.Symlink("../packages/own", filepath.Join(h.Dir, "node_modules", "own")); err != nil {
		t.Fatal(err)
	}
	r := h.Open()
	deps, err := FindDependencies(t.Context(), r, commit)
	if err != nil {
		t.Fatal(err)
	}
	w, err := Open(t.Context(), r, Options{
		Command: "cat node_modules/a/v node_modules/@p/b/v node_modules/own/v; echo written >node_modules/.vite-temp/new && cat node_modules/.vite-temp/*; echo >node_modules/a/new",
		Scratch: filepath.Join(t.TempDir(), "scratch"), Dependencies: deps,
	})
	if err != nil {
		t.Skip(err) // no sandbox
	}
	defer w.Close()
	for range 2 {
		got, err := w.Run(t.Context(), commit, nil)
		if err != nil || !strings.HasPrefix(string(got.Output), "installed\nscoped\ntracked\nwritten\n") {
			t.Fatalf("%+v %s %v", got, got.Output, err)
		}
		if _, err := os.Lstat(filepath.Join(h.Dir, "node_modules", "a", "new")); err == nil && w.Level() != sandbox.None {
			t.Error("the command changed an installed package")
		}
		if changes, err := w.Changes(t.Context()); err != nil || len(changes.Untracked)+len(changes.Tracked) > 0 {
			t.Errorf("%+v, %v", changes, err)
		}
		if err := w.clean(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// The programs of packages that are part of the project are those of the work tree, whether a link or pnpm's script
// starts them; those of other packages are the installed ones.
func TestProgramsOfTheProjectsPackages(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	commit := h.Commit("c", gittest.Files{"packages/own/cli": "echo tracked\n"})
	write(t, h.Dir, map[string]string{
		"node_modules/a/cli": "echo installed\n", "node_modules/.bin/shim": `sh "$(cd -P "${0%/*}" && pwd)/../own/cli"` + "\n", "packages/own/cli": "echo the user\n",
	})
	for link, target := range map[string]string{"own": "../packages/own", ".bin/own": "../own/cli", ".bin/a": "../a/cli"} {
		if err := os.Symlink(target, filepath.Join(h.Dir, "node_modules", link)); err != nil {
			t.Fatal(err)
		}
	}
	r := h.Open()
	deps, err := FindDependencies(t.Context(), r, commit)
	if err != nil {
		t.Fatal(err)
	}
	w, err := Open(t.Context(), r, Options{
		Command: "cd node_modules/.bin && sh a && sh own && sh ./shim", Scratch: filepath.Join(t.TempDir(), "scratch"), Dependencies: deps,
	})
	if err != nil {
		t.Skip(err) // no sandbox
	}
	defer w.Close()
	for range 2 {
		got, err := w.Run(t.Context(), commit, nil)
		if err != nil || string(got.Output) != "installed\ntracked\ntracked\n" {
			t.Fatalf("%s, %v", got.Output, err)
		}
		if err := w.clean(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// Python imports a package that pip installed with -e from the scratch work tree, not
// from the user's.
func TestEditablePackagesAreThoseOfTheWorkTree(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	commit := h.Commit("c", gittest.Files{"src/p/__init__.py": "\n"})
	write(t, h.Dir, map[string]string{
		".venv/pyvenv.cfg": "", ".venv/lib/python3.11/site-packages/_p.pth": h.Dir + "/src\nimport x\n/elsewhere\n",
		"flit/r.py": "",
		".venv/lib/python3.11/site-packages/__editable___q_finder.py": "MAPPING = {'q': '" + h.Dir + "/lib/q'}\n",
	})
	if err := os.Symlink(filepath.Join(h.Dir, "flit", "r.py"), filepath.Join(h.Dir, ".venv/lib/python3.11/site-packages/r.py")); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{`echo "$PYTHONPATH"`, `PYTHONPATH=src sh -c 'echo "$PYTHONPATH"'`} {
		w := open(t, h, Options{Command: command, Dependencies: []string{".venv"}})
		got, err := w.Run(t.Context(), commit, nil)
		if err != nil {
			t.Fatal(err)
		}
		list := filepath.SplitList(strings.TrimSpace(string(got.Output)))
		for _, dir := range []string{"src", "lib", "flit"} {
			if !slices.Contains(list, filepath.Join(w.Dir(), dir)) {
				t.Errorf("%q lacks %s of %s", list, dir, w.Dir())
			}
		}
		if slices.ContainsFunc(list, func(dir string) bool { return strings.HasPrefix(dir, h.Dir) || dir == "/elsewhere" }) {
			t.Errorf("%q", list)
		}
	}
}
