package trial

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-agent/agent/sandbox"
)

// Cargo's home where there is a network has the user's crates, and what is downloaded stays in it.
func TestHomeOfCargo(t *testing.T) {
	t.Parallel()
	user, own := t.TempDir(), filepath.Join(t.TempDir(), "cargo")
	const crate = "registry/cache/index.crates.io-1949cf8c6b5b557f/cfg-if-1.0.0.crate"
	write(t, user, map[string]string{crate: "crate", "registry/index/x": "x", "config.toml": "token", "bin/cargo": "x"})
	if err := fillCargo(user, own); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(own, crate)); err != nil || string(text) != "crate" {
		t.Errorf("%q, %v", text, err)
	}
	write(t, filepath.Join(own, filepath.Dir(crate)), map[string]string{"new.crate": "downloaded"})
	if found, _ := filepath.Glob(filepath.Join(user, filepath.Dir(crate), "*")); len(found) != 1 {
		t.Errorf("the user's crates are %q", found)
	}
	for _, name := range []string{"registry/index", "config.toml", "bin"} {
		if _, err := os.Lstat(filepath.Join(own, name)); err == nil {
			t.Errorf("%s is there", name)
		}
	}
	if err := fillCargo(filepath.Join(user, "none"), filepath.Join(own, "none")); err != nil {
		t.Errorf("without a home of the user: %v", err)
	}
}

// Only a confined command with the network downloads into the caches of the workspace.
func TestDownloads(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		network bool
		level   sandbox.Level
		want    bool
	}{
		{true, sandbox.Bwrap, true},
		{true, sandbox.Landlock, true},
		{true, sandbox.None, false},
		{false, sandbox.Bwrap, false},
	} {
		w := &Workspace{level: c.level, cache: t.TempDir(), tree: t.TempDir(), opt: Options{Network: c.network}}
		set, err := w.cargo()
		if err != nil || (len(set) == 1) != c.want {
			t.Errorf("%+v: %q, %v", c, set, err)
		}
		write(t, w.tree, map[string]string{"go.mod": "module x\n"})
		if modules, err := w.modules(); err != nil || (len(modules) == 1) != c.want {
			t.Errorf("%+v: %q, %v", c, modules, err)
		}
		maven := strings.Join(w.quickMaven(), "")
		if strings.Contains(maven, "-Dmaven.repo.local="+filepath.Join(w.cache, mavenFolder)+" ") != c.want {
			t.Errorf("%+v: %q", c, maven)
		}
	}
}

// Go's directory of modules has what the user downloaded, but for what Go opens for writing.
func TestModules(t *testing.T) {
	t.Parallel()
	user, own := t.TempDir(), filepath.Join(t.TempDir(), "modules")
	const at = "cache/download/example.com/a/@v/"
	write(t, user, map[string]string{at + "v1.0.0.zip": "zip", at + "v1.0.0.lock": "", at + "list": "v1.0.0\n", "example.com/a@v1.0.0/a.go": "package a\n"})
	if err := fillModules(user, own); err != nil {
		t.Fatal(err)
	}
	write(t, own, map[string]string{at + "v1.1.0.zip": "downloaded"})
	if text, err := os.ReadFile(filepath.Join(own, at+"v1.0.0.zip")); err != nil || string(text) != "zip" {
		t.Errorf("%q, %v", text, err)
	}
	for _, name := range []string{filepath.Join(own, at+"v1.0.0.lock"), filepath.Join(own, at+"list"), filepath.Join(own, "example.com"), filepath.Join(user, at+"v1.1.0.zip")} {
		if _, err := os.Lstat(name); err == nil {
			t.Errorf("%s is there", name)
		}
	}
	if err := fillModules(filepath.Join(user, "none"), filepath.Join(own, "none")); err != nil {
		t.Errorf("without modules of the user: %v", err)
	}
}
