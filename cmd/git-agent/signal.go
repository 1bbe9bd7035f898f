package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// errInterrupted is the cause of a context that a signal ended.
var errInterrupted = errors.New("interrupted")

// relayWindow is how long signals count as one. Through `git agent`, a single
// Ctrl-C arrives twice at once: from the terminal and from git, which relays
// it to its child.
const relayWindow = time.Second

// lastWait is how long the end may take after a signal. Removing a large
// checkout takes seconds; a file on a server that is gone takes for ever.
const lastWait = 20 * time.Second

// withSignals returns a context that the first SIGINT, SIGTERM or SIGHUP
// cancels. The second one leaves at once, and so does the end of lastWait.
// SIGHUP comes when the terminal closes, and reaches no git, each of which is
// in a group of its own; under nohup it stays ignored. SIGPIPE is caught so that
// a closed pipe shows as an EPIPE of the write; children still get the default
// disposition.
func withSignals(parent context.Context, stderr io.Writer) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGPIPE)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	done := make(chan struct{})
	leave := func() {
		io.WriteString(stderr, "\n")
		os.Exit(exitInterrupted)
	}
	go func() {
		watchSignals(signals, done, time.Now, func() {
			cancel(errInterrupted)
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

// watchSignals calls first for the first signal and second for the first one
// that is not a relay of it.
func watchSignals(signals <-chan os.Signal, done <-chan struct{}, now func() time.Time, first, second func()) {
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
				first()
			case now().Sub(since) >= relayWindow:
				second()
				return
			}
		}
	}
}
