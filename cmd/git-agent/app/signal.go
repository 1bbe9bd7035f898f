package app

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// ErrInterrupted is the cause with which a signal cancels the context.
var ErrInterrupted = errors.New("interrupted")

// relayWindow is the time within which several signals count as one. In `git agent`, a single
// Ctrl-C arrives twice: from the terminal, and from git, which relays it to its child.
const relayWindow = time.Second

// lastWait limits the time from a signal to the end of the process. Removing a
// large checkout takes seconds; closing a file on an unreachable server may take
// for ever.
const lastWait = 20 * time.Second

// Heard is the immediate answer to the first Ctrl-C, because ending may take seconds. It begins
// with a line break, because the terminal has printed ^C.
const Heard = "\ninterrupted; press Ctrl-C again to end at once\n"

// WithSignals returns a context that the first SIGINT, SIGTERM or SIGHUP cancels. A
// SIGINT is answered with a line on stderr, unless quiet is set.
// A second signal ends the process at once. Without one, the process ends at the latest after
// lastWait.
//
// SIGHUP is sent when the terminal closes. It does not reach the git processes, because each has
// its own process group. Under nohup, it stays ignored.
//
// SIGPIPE is caught so that writing to a closed pipe returns EPIPE. Children
// still get the default disposition.
func WithSignals(parent context.Context, stderr io.Writer, quiet *atomic.Bool) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGPIPE)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	done := make(chan struct{})
	leave := func() {
		io.WriteString(stderr, "\n")
		os.Exit(ExitInterrupted)
	}
	go func() {
		watchSignals(signals, done, time.Now, func(s os.Signal) {
			cancel(ErrInterrupted)
			if s == os.Interrupt && !quiet.Load() {
				io.WriteString(stderr, Heard)
			}
			late := time.AfterFunc(lastWait, leave)
			go func() { <-done; late.Stop() }()
		}, leave)
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel(nil)
	}
}

// watchSignals calls first for the first signal, and second for the next signal that is no relay
// of the first.
func watchSignals(signals <-chan os.Signal, done <-chan struct{}, now func() time.Time, first func(os.Signal), second func()) {
	var since time.Time
	for {
		select {
		case <-done:
			return
		case s := <-signals:
			switch {
			case s == syscall.SIGPIPE:
			case since.IsZero():
				since = now()
				first(s)
			case now().Sub(since) >= relayWindow:
				second()
				return
			}
		}
	}
}
