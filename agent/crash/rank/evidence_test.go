package rank

import (
	"testing"

	"git-agent/agent/crash"
)

// The file of a signal's handler is behind those of the stack that received the signal.
func TestHandlersAreNotInnermost(t *testing.T) {
	t.Parallel()
	report := &crash.Report{Stacks: []crash.Stack{{Kind: crash.StackCrash, Frames: []crash.Frame{
		{Function: "sigdie", Path: "src/sig.c", Line: 4, Handler: true},
		{Function: "<signal handler called>", Handler: true},
		{Function: "real", Path: "src/real.c", Line: 3},
		{Function: "main", Path: "src/main.c", Line: 3},
	}}}}
	found := map[string]*evidence{}
	for _, e := range collect(report) {
		found[e.path] = e
	}
	handler, real := found["src/sig.c"], found["src/real.c"]
	if handler == nil || handler.isMain || !handler.handler || !real.isMain || real.position != 0 || found["src/main.c"].position != 1 {
		t.Errorf("%+v, %+v", handler, real)
	}
}

// How many files mention a file's name is told only if the name means the file. The names are from
// reports of cobra's users, netty, Open vSwitch and zfs.
func TestTellingNames(t *testing.T) {
	t.Parallel()
	for p, want := range map[string]bool{
		"cmd/root.go":                     false, // the package cmd
		"internal/lib/stats/stats.go":     false,
		"src/lib/buffer.c":                false,
		"app/models.py":                   false,
		"mesonbuild/build/__init__.py":    false,
		"lib/dpif-netdev.c":               true,
		"module/zfs/zfs_vfsops.c":         true,
		"src/http/HttpObjectDecoder.java": true,
	} {
		if telling(p) != want {
			t.Errorf("%s: %v", p, !want)
		}
	}
}
