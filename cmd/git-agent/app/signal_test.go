package app

import (
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Signals within a second count as one, because git relays the terminal's signal.
// A later signal ends the process; SIGPIPE does not.
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
			watchSignals(signals, done, now, func(os.Signal) { got.WriteString("first ") }, func() { got.WriteString("second ") })
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
