package main

import (
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// What people read has our own colours, and nothing else that a terminal acts
// on; progress may move the cursor.
func TestStreams(t *testing.T) {
	var out, errs strings.Builder
	a := &app{raw: answerWriter{&out}, stderr: &lockedWriter{w: &errs}}
	a.stdout = textWriter{a.raw, a}
	const evil = "\x1b[31m\u202e\x00\x1b[2J\n"
	const spelled = `\x1b[31m\u202e\x00\x1b[2J` + "\n"
	for _, c := range []struct {
		to     io.Writer
		colors []string
		text   string
		want   string
	}{
		{a.stdout, nil, evil, spelled},
		{a.stdout, nil, "\x1b[1mbold\x1b[m", `\x1b[1mbold\x1b[m`},
		{a.stdout, []string{"\x1b[1m", "\x1b[m"}, "\x1b[1mbold\x1b[m " + evil + "\x1b[1", "\x1b[1mbold\x1b[m " + spelled + `\x1b[1`},
		{a.raw, nil, evil, evil},
		{a.stderr, nil, evil, spelled},
		{withoutEscaping(a.stderr), nil, "\rworking\x1b[K", "\rworking\x1b[K"},
	} {
		out.Reset()
		errs.Reset()
		a.colors = c.colors
		n, err := io.WriteString(c.to, c.text)
		if got := out.String() + errs.String(); got != c.want || n != len(c.text) || err != nil {
			t.Errorf("%q is written as %q (%d, %v), want %q", c.text, got, n, err, c.want)
		}
	}
}

// Signals within a second are one: git relays what the terminal already sent.
// A later one leaves; SIGPIPE is no reason to.
func TestSignalsAreCoalesced(t *testing.T) {
	begin := time.Unix(1000, 0)
	for name, c := range map[string]struct {
		signals []os.Signal
		at      []time.Duration
		want    string
	}{
		"one":          {[]os.Signal{os.Interrupt}, []time.Duration{0}, "first "},
		"relayed":      {[]os.Signal{os.Interrupt, os.Interrupt}, []time.Duration{0, time.Millisecond}, "first "},
		"second":       {[]os.Signal{os.Interrupt, os.Interrupt}, []time.Duration{0, 2 * time.Second}, "first second "},
		"relay, again": {[]os.Signal{os.Interrupt, os.Interrupt, syscall.SIGTERM}, []time.Duration{0, 0, 3 * time.Second}, "first second "},
		"pipe":         {[]os.Signal{syscall.SIGPIPE, syscall.SIGPIPE}, []time.Duration{0, 5 * time.Second}, ""},
	} {
		var got strings.Builder
		signals, done := make(chan os.Signal), make(chan struct{})
		ended := make(chan struct{})
		n := 0
		now := func() time.Time { return begin.Add(c.at[n]) }
		go func() {
			defer close(ended)
			watchSignals(signals, done, now, func() { got.WriteString("first ") }, func() { got.WriteString("second ") })
		}()
		for i, s := range c.signals {
			n = i
			signals <- s
			select {
			case signals <- syscall.SIGPIPE: // accepted only when s was handled
			case <-ended:
			}
		}
		close(done)
		<-ended
		if got.String() != c.want {
			t.Errorf("%s: %q, want %q", name, got.String(), c.want)
		}
	}
}
