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
