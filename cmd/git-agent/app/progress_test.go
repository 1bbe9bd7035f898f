package app

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// Progress waits before it appears, is one line on a terminal that is redrawn
// at most ten times a second, and leaves nothing behind.
func TestProgressOnTerminal(t *testing.T) {
	var out strings.Builder
	clock := time.Unix(0, 0)
	p := &Progress{w: &out, tty: true, now: func() time.Time { return clock }, begun: clock, next: clock.Add(time.Second), title: "tracing", active: true, ended: make(chan struct{})}
	at := func(d time.Duration) { clock = time.Unix(0, 0).Add(d) }
	p.Update(0, 4, "")
	at(1 * time.Second)
	p.Update(1, 4, "reading\x1b[2J history")
	at(1050 * time.Millisecond)
	p.setText("too early")
	at(1200 * time.Millisecond)
	p.setText("blame")
	p.End()
	p.Update(4, 4, "after the end")
	want := "\rtracing:  25% (1/4) reading\\x1b[2J history, 1s\x1b[K\rtracing:  25% (1/4) blame, 1s\x1b[K\r\x1b[K"
	if out.String() != want {
		t.Errorf("wrote %q, want %q", out.String(), want)
	}
}

// Without updates, the line is still redrawn, but not during other output.
func TestProgressGoesOn(t *testing.T) {
	var out strings.Builder
	clock := time.Unix(0, 0)
	p := &Progress{w: &out, tty: true, now: func() time.Time { return clock }, begun: clock, next: clock, title: "tracing", active: true, ended: make(chan struct{})}
	step := func(act func()) {
		clock = clock.Add(time.Second)
		act()
	}
	p.Update(0, 1, "")
	step(p.redraw)
	step(p.Clear)
	step(p.redraw)
	step(func() { p.setText("another fix") }) // by who works on it
	step(p.Clear)
	step(p.Resume)
	step(p.redraw)
	step(p.Resume)
	step(p.redraw)
	p.End()
	p.End()
	step(p.redraw)
	want := "\rtracing: 0s\x1b[K\rtracing: 1s\x1b[K\r\x1b[K\rtracing: another fix, 9s\x1b[K\r\x1b[K"
	if out.String() != want {
		t.Errorf("wrote %q, want %q", out.String(), want)
	}
}

// With --progress and no terminal, progress is a plain line at intervals.
func TestProgressWithoutTerminal(t *testing.T) {
	var out strings.Builder
	clock := time.Unix(0, 0)
	p := &Progress{w: &out, every: ProgressPlain, now: func() time.Time { return clock }, begun: clock, next: clock, title: "tracing", active: true, ended: make(chan struct{})}
	for range 61 {
		p.Update(0, 0, "x")
		clock = clock.Add(time.Second)
	}
	p.End()
	if want := "tracing: x, 0s\ntracing: x, 30s\ntracing: x, 1m0s\n"; out.String() != want {
		t.Errorf("wrote %q, want %q", out.String(), want)
	}
}

// Long work without a terminal prints a line once a minute.
func TestLongProgressWithoutTerminal(t *testing.T) {
	var out strings.Builder
	clock := time.Unix(0, 0)
	a := &App{Stderr: &out, Now: func() time.Time { return clock }}
	p := a.NewSlowProgress("fix", ProgressLong)
	for n := range 150 {
		p.Update(0, 0, fmt.Sprintf("try %d", n))
		clock = clock.Add(time.Second)
	}
	p.End()
	if want := "fix: try 60, 1m0s\nfix: try 120, 2m0s\n"; out.String() != want {
		t.Errorf("wrote %q, want %q", out.String(), want)
	}
	if a.Flags.Quiet = true; a.NewSlowProgress("fix", ProgressLong) != nil {
		t.Error("-q says something")
	}
}

// A line that is too long ends with dots, before the time.
func TestProgressIsCut(t *testing.T) {
	p := &Progress{title: "fix", what: strings.Repeat("reverts a hunk, ", 9)}
	if line := p.line(time.Minute); len(line) != 79 || !strings.HasSuffix(line, ", r..., 1m0s") {
		t.Errorf("%d columns: %q", len(line), line)
	}
	p.what = "reverts a hunk"
	if line := p.line(time.Minute); line != "fix: reverts a hunk, 1m0s" {
		t.Errorf("%q", line)
	}
}

// A nil meter shows nothing.
func TestNoProgress(t *testing.T) {
	var p *Progress
	p.Update(1, 2, "x")
	p.setText("x")
	p.Clear()
	p.End()
}

// Without a terminal and without an option, slow work prints a line, but not at
// once.
func TestSlowProgress(t *testing.T) {
	var seconds atomic.Int64
	for _, quiet := range []bool{false, true} {
		var out strings.Builder
		seconds.Store(0)
		a := &App{Stderr: &out, Now: func() time.Time { return time.Unix(seconds.Load(), 0) }}
		a.Flags.Quiet = quiet
		p := a.NewSlowProgress("reading", ProgressPlain)
		for _, at := range []int64{29, 30, 31, 60} {
			seconds.Store(at)
			p.Update(0, 1, "dump")
		}
		p.End()
		want := map[bool]string{false: "reading: dump, 30s\nreading: dump, 1m0s\n"}[quiet]
		if out.String() != want {
			t.Errorf("quiet %t: wrote %q, want %q", quiet, out.String(), want)
		}
	}
}
