package app

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"testing"
)

// A tag that the go command read is the version. Everything else is a pre-release of the next
// version, so that it sorts before it, and names the commit where that is known.
func TestVersionOf(t *testing.T) {
	const id = "352c063a4b1d0f0e9d8c7b6a5f4e3d2c1b0a9f8e"
	stamped := func(version, modified string) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Version: version}, Settings: []debug.BuildSetting{
			{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: id}, {Key: "vcs.modified", Value: modified},
		}}
	}
	for _, c := range []struct {
		name, want, commit string
		info               *debug.BuildInfo
	}{
		{"nothing is known", "0.1.0-dev", "", nil},
		{"no stamp", "0.1.0-dev", "", &debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}},
		{"a commit of install.sh", "0.1.0-dev+352c063a4b1d", id, nil},
		{"changed files", "0.1.0-dev+352c063a4b1d.dirty", id + ".dirty", nil},
		{"a short commit", "0.1.0-dev+352c063", "352c063", nil},
		{"a tag", "0.1.0", "", stamped("v0.1.0", "false")},
		{"a pre-release", "0.2.0-rc.1", "", stamped("v0.2.0-rc.1", "false")},
		{"no tag", "0.1.0-dev+352c063a4b1d", "", stamped("v0.0.0-20261126170721-352c063a4b1d", "false")},
		{"no tag, changed files", "0.1.0-dev+352c063a4b1d.dirty", "", stamped("v0.0.0-20261126170721-352c063a4b1d+dirty", "true")},
	} {
		if got := versionOf(c.info, c.commit); got != c.want {
			t.Errorf("%s: version %q, not %q", c.name, got, c.want)
		}
	}
}

// The changes are cut by version, the version of this source first. A section says when its
// version was released; only the first one may be in the making.
func TestChangesAreCutByVersion(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "CHANGELOG.md"))
	if err != nil {
		t.Fatal(err)
	}
	sections := regexp.MustCompile(`(?m)^## (.*)$`).FindAllStringSubmatch(string(text), -1)
	if len(sections) == 0 {
		t.Fatal("CHANGELOG.md has no section")
	}
	head := regexp.MustCompile(`^(\d+\.\d+\.\d+) \((not released yet|\d{4}-\d{2}-\d{2})\)$`)
	for i, s := range sections {
		m := head.FindStringSubmatch(s[1])
		switch {
		case m == nil:
			t.Errorf("the heading %q is no version with its date", s[1])
		case i == 0 && m[1] != nextRelease:
			t.Errorf("CHANGELOG.md begins with %s, this is %s", m[1], nextRelease)
		case i > 0 && m[2] == "not released yet":
			t.Errorf("%s was never released", m[1])
		}
	}
}

// A program of Go has the id of its content, and another file has none.
func TestLinkedID(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if id := linkedID(program); runtime.GOOS == "linux" && !bytes.Contains(id, []byte("/")) {
		t.Errorf("the id of %s: %q", program, id)
	}
	if id := linkedID("build_test.go"); id != nil {
		t.Errorf("the id of a text: %q", id)
	}
}
