package sandbox

import (
	"os"
	"os/exec"
	"runtime"
	"testing"
)

func TestFirstChildOfAnyThread(t *testing.T) {
	// A child that another thread than the first one started is found: without it, a stopped command of a
	// supervisor that started it so waited until its time limit.
	command := exec.Command("sleep", "60")
	started, ended := make(chan error), make(chan bool)
	go func() {
		runtime.LockOSThread() // the child belongs to this thread while it lives
		started <- command.Start()
		<-ended
	}()
	defer close(ended)
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	defer func() { command.Process.Kill(); command.Wait() }()
	if child := firstChild(os.Getpid()); child != command.Process.Pid {
		t.Errorf("%d, want %d", child, command.Process.Pid)
	}
	if child := firstChild(command.Process.Pid); child != 0 {
		t.Errorf("sleep has the child %d", child)
	}
}
