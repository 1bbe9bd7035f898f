package format

import (
	"strings"
	"testing"

	"git-agent/agent/crash"
)

const hung = `SIGQUIT: quit
goroutine 1 [chan receive, 448 minutes]:
main.main()
	/src/cmd/coordinator/main.go:60 +0x17

goroutine 7997 [semacquire, 96 minutes]:
sync.runtime_Semacquire(0xb55e0c)
	/usr/local/go/src/runtime/sema.go:43 +0x2d
sync.(*Mutex).Lock(0xb55e08)
	/usr/local/go/src/sync/mutex.go:82 +0x1c3
main.handleStatus(0x7f77b5f65570, 0xc20831dd90, 0xc208120750)
	/src/cmd/coordinator/coordinator.go:388 +0x98
created by net/http.(*Server).Serve
	/usr/local/go/src/net/http/server.go:1802 +0x39e

goroutine 7593 [semacquire, 448 minutes]:
sync.runtime_Semacquire(0xb55e0c)
	/usr/local/go/src/runtime/sema.go:43 +0x2d
main.getStatus(0xc208877c0f, 0x12, 0xc208877c26, 0x28, 0xc208877c52, 0xc, 0x0)
	/src/cmd/coordinator/coordinator.go:363 +0x3e

goroutine 8 [semacquire]:
main.busy()
	/src/cmd/coordinator/coordinator.go:12 +0x3e
`

// A dump of goroutines without a panic is of a program that hung: the crash is where a goroutine
// waited longest for a lock.
func TestDumpOfAHungProgram(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		hung: "deadlock 7593",
		"panic: test timed out after 10m0s\n\n" + hung[len("SIGQUIT: quit\n"):]:    "deadlock 7593",
		"panic: boom\n\n" + hung[len("SIGQUIT: quit\n"):]:                          "panic 1",
		strings.NewReplacer(", 448 minutes", "", ", 96 minutes", "").Replace(hung): " 1",
	} {
		r, err := Read(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		main, kind := r.Stacks[r.Main()], ""
		if main.Problem >= 0 {
			kind = r.Problems[main.Problem].Kind
		}
		if got := kind + " " + main.Thread; got != want {
			t.Errorf("%.30q: %q, want %q; problems %+v", text, got, want, r.Problems)
		}
		if kind == "deadlock" && r.Problems[main.Problem].Message != "goroutine 7593 has waited for a lock for 448 minutes, and another one waits too" {
			t.Errorf("message %q", r.Problems[main.Problem].Message)
		}
		for _, s := range r.Stacks {
			if s.Kind == crash.StackCrash && s.Thread != main.Thread {
				t.Errorf("two stacks of the crash: %s and %s", main.Thread, s.Thread)
			}
		}
	}
}

const raced = `Write at 0x00c0001d3fa0 by goroutine 40:
  app/cli.TestOrganizer()
      /srv/app/cli/pop_test.go:89 +0x952

Previous read at 0x00c0001d3fa0 by goroutine 41:
  app/cli.serve()
      /srv/app/cli/pop.go:12 +0x9
`

// A data race whose heading was not copied is a data race, and so is each further one. Old
// versions of Go print no address.
func TestRaceWithoutHeading(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		raced: 1,
		strings.ReplaceAll(raced, " at 0x00c0001d3fa0", ""):                                                     1,
		"WARNING: DATA RACE\n" + raced:                                                                          1,
		raced + strings.ReplaceAll(raced, "3fa0", "4000"):                                                       2,
		"==================\nWARNING: DATA RACE\n" + raced + "==================\nWARNING: DATA RACE\n" + raced: 2,
	} {
		r, err := Read(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Problems) != want || len(r.Stacks) != 2*want {
			t.Errorf("%q: problems %+v, %d stacks", text, r.Problems, len(r.Stacks))
			continue
		}
		for i, p := range r.Problems {
			if p.Kind != "data race" || p.Access != "write" || r.Stacks[2*i].Problem != i || r.Stacks[2*i+1].Kind != crash.StackAccess {
				t.Errorf("%q: %+v, stacks %+v", text, p, r.Stacks)
			}
		}
	}
}
