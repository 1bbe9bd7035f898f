package locate

import (
	"testing"

	"git-agent/agent/crash"
	"git-agent/gitext/gittest"
)

// Frames of a module that the program requires are not in files of the project with the end of their paths, even
// if both have one owner. Those of a fork, of another module of the repository, and of a copy in the tree are. The
// frames are of a panic in gh.
func TestOtherGoModule(t *testing.T) {
	t.Parallel()
	const config = "package config\n\nfunc (c *Config) Get(keys []string) (string, error) {\n\treturn c.entry(keys)\n}\n"
	const getter = "pkg/config.(*Config).Get"
	for _, test := range []struct{ module, folder, function, file, want string }{
		{"github.com/cli/cli/v2", "internal/config", "github.com/cli/go-gh/" + getter, "github.com/cli/go-gh@v0.1.1-0.20220817122932-3630ab390fe7/pkg/config/config.go", ""},
		{"github.com/cli/cli/v2", "internal/config", "github.com/cli/go-gh/" + getter, "/builds/x/go/pkg/mod/github.com/cli/go-gh@v0.1.1/pkg/config/config.go", ""},
		{"github.com/cli/cli/v2", "pkg/config", "github.com/cli/cli/v2/" + getter, "github.com/cli/cli/v2@v2.15.0/pkg/config/config.go", "pkg/config/config.go"},
		{"github.com/cli/go-gh", "pkg/config", "github.com/fork/go-gh/v2/" + getter, "github.com/fork/go-gh/v2@v2.0.0/pkg/config/config.go", "pkg/config/config.go"},
		{"go.etcd.io/etcd/server/v3", "client/pkg/config", "go.etcd.io/etcd/client/" + getter, "go.etcd.io/etcd/client@v3.0.0/pkg/config/config.go", "client/pkg/config/config.go"},
		{"example.org/tool", "vendor/github.com/cli/go-gh/pkg/config", "github.com/cli/go-gh/" + getter, "github.com/cli/go-gh@v0.1.1/pkg/config/config.go", "vendor/github.com/cli/go-gh/pkg/config/config.go"},
	} {
		h := gittest.New(t)
		tip := h.Commit("one", gittest.Files{"go.mod": "module " + test.module + "\n", test.folder + "/config.go": config})
		report := &crash.Report{Stacks: []crash.Stack{{Kind: crash.StackCrash, Format: "go", Frames: []crash.Frame{
			{Function: test.function, File: test.file, Line: 4},
		}}}}
		if _, err := Locate(t.Context(), h.Open(), tip, report); err != nil {
			t.Fatal(err)
		}
		if f := report.Stacks[0].Frames[0]; f.Path != test.want {
			t.Errorf("%s in %s: %q, want %q", test.file, test.module, f.Path, test.want)
		}
	}
}
