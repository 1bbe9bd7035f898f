package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A command does not see hidden files and directories below a path that it may read, by
// whatever name that path has, and sees what is beside them.
func TestHidden(t *testing.T) {
	for _, level := range []Level{Landlock, Bwrap} {
		if _, err := Probe(t.Context(), level); err != nil {
			continue
		}
		top := t.TempDir()
		for _, name := range []string{"pkg/keep", "pkg/a/secret/x", "pkg/a/keep", "pkg/a/file"} {
			if err := os.MkdirAll(filepath.Join(top, filepath.Dir(name)), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(top, name), []byte("text of "+name+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		alias := filepath.Join(t.TempDir(), "alias")
		if err := os.Symlink(filepath.Join(top, "pkg"), alias); err != nil {
			t.Fatal(err)
		}
		for _, dir := range []string{filepath.Join(top, "pkg"), alias} {
			s := Spec{Dir: t.TempDir(), Command: "cat " + dir + "/keep " + dir + "/a/keep " + dir + "/a/file " + dir + "/a/secret/x 2>&1", Sandbox: level, Readable: []string{dir},
				Hidden: []string{filepath.Join(top, "pkg/a/secret"), filepath.Join(top, "pkg/a/file"), filepath.Join(top, "none")}}
			if dir == alias {
				s.Readable = append(s.Readable, filepath.Join(top, "pkg"))
			}
			res, err := Run(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			out := string(res.Output)
			if !strings.Contains(out, "text of pkg/keep") || !strings.Contains(out, "text of pkg/a/keep") || strings.Contains(out, "text of pkg/a/file") || strings.Contains(out, "text of pkg/a/secret/x") {
				t.Errorf("%s, %s:\n%s", level, dir, out)
			}
		}
	}
}

// A covered file does not show its text. Where files can be mounted, another one is in its place, as
// for a tool that only asks whether the file is there.
func TestCovered(t *testing.T) {
	for _, level := range []Level{Landlock, Bwrap} {
		if _, err := Probe(t.Context(), level); err != nil {
			continue
		}
		top := t.TempDir()
		for _, name := range []string{"secret", "other", "dir/secret"} {
			if err := os.MkdirAll(filepath.Join(top, filepath.Dir(name)), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(top, name), []byte("text of "+name+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		res, err := Run(t.Context(), Spec{Dir: t.TempDir(), Command: "cat " + top + "/dir/secret; cat " + top + "/secret", Sandbox: level, Readable: []string{top},
			Covered: []Cover{{Path: filepath.Join(top, "secret"), With: filepath.Join(top, "other")}, {Path: filepath.Join(top, "dir")}}})
		if err != nil {
			t.Fatal(err)
		}
		out := string(res.Output)
		if strings.Contains(out, "text of secret") || strings.Contains(out, "text of dir/secret") || (level == Bwrap) != (res.Exit == 0 && strings.Contains(out, "text of other")) {
			t.Errorf("%s: exit %d\n%s", level, res.Exit, out)
		}
	}
}

// A path that is hidden as a whole is not granted at all, and where nothing is hidden
// the grants stay as they are.
func TestWithoutHidden(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	list := []visiblePath{{path: "/usr"}, {path: top}}
	if got := withoutHidden(list, []string{top}); len(got) != 1 || got[0].path != "/usr" {
		t.Errorf("%v", got)
	}
	if got := withoutHidden(list, []string{filepath.Join(top, "none")}); len(got) != 2 {
		t.Errorf("%v", got)
	}
}
