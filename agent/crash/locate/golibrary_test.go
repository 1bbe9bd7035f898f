package locate

import (
	"testing"

	"git-agent/agent/crash"
	"git-agent/gitext/gittest"
)

// The files of Go's own library, whose paths a program built with -trimpath has without their folder, are not those of the project
// with the end of such a path. The frames are of a panic in minio.
func TestGoLibrary(t *testing.T) {
	t.Parallel()
	const handler = "package http\n\nfunc (f *Forwarder) ServeHTTP(w http.ResponseWriter, r *http.Request) {\n}\n\nfunc (srv *Server) Start() {\n}\n"
	for _, test := range []struct {
		files gittest.Files
		want  []string
	}{
		{gittest.Files{"internal/http/server.go": handler, "_fixtures/panic.go": "package main\n"}, []string{"", "internal/http/server.go", ""}},
		{gittest.Files{"src/net/http/server.go": handler, "src/runtime/panic.go": "package runtime\n"}, []string{"src/net/http/server.go"}},
	} {
		report := &crash.Report{Stacks: []crash.Stack{{Kind: crash.StackCrash, Format: "go", Frames: []crash.Frame{
			{Function: "net/http.HandlerFunc.ServeHTTP", File: "net/http/server.go", Line: 2047},
			{Function: "github.com/minio/minio/internal/http.(*Server).Start", File: "github.com/minio/minio/internal/http/server.go", Line: 6},
			{Function: "panic", File: "C:/Program Files/Go/src/runtime/panic.go", Line: 785},
		}}}}
		h := gittest.New(t)
		tip := h.Commit("one", test.files)
		if _, err := Locate(t.Context(), h.Open(), tip, report); err != nil {
			t.Fatal(err)
		}
		for i, want := range test.want {
			if f := &report.Stacks[0].Frames[i]; f.Path != want {
				t.Errorf("%s: %q, want %q", f.Function, f.Path, want)
			}
		}
	}
}
