package main

import (
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"
)

// Progress follows git: it appears on stderr when that is a terminal, after a
// delay, on one line that is rewritten. Forced without a terminal, it writes a
// plain line now and then.
const (
	progressDelay  = time.Second            // git's default of GIT_PROGRESS_DELAY
	progressRedraw = 100 * time.Millisecond // how often a line may change
	progressPlain  = 30 * time.Second       // between lines where there is no terminal
)

// progress shows one line about work that may take long. Its zero value, and
// nil, show nothing.
type progress struct {
	mu     sync.Mutex
	w      io.Writer
	tty    bool
	now    func() time.Time
	begun  time.Time
	next   time.Time // when a line may be written again
	shown  bool      // a line stands on the terminal
	title  string
	active bool

	done, total int // as last said
}

// newProgress decides whether to report, by --[no-]progress, -q and stderr.
func (a *app) newProgress(title string) *progress {
	tty := isTerminal(a.stderr)
	show := tty
	if a.flags.Progress != nil {
		show = *a.flags.Progress
	}
	if a.flags.Quiet || !show {
		return nil
	}
	delay := progressDelay
	if n, err := strconv.Atoi(a.env.get("GIT_PROGRESS_DELAY")); err == nil && n >= 0 {
		delay = time.Duration(n) * time.Second
	}
	begun := a.now()
	return &progress{w: a.stderr, tty: tty, now: a.now, begun: begun, next: begun.Add(delay), title: title, active: true}
}

// update says how far the work is. total 0 means that nobody knows.
func (p *progress) update(done, total int, what string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done, p.total = done, total
	p.draw(what)
}

// say adds what is being done, by whoever does it.
func (p *progress) say(what string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.draw(what)
}

// draw writes the line if it is time to; the caller holds the lock.
func (p *progress) draw(what string) {
	now := p.now()
	if !p.active || now.Before(p.next) {
		return
	}
	line := p.line(what, now.Sub(p.begun))
	if p.tty {
		p.next = now.Add(progressRedraw)
		p.shown = true
		fmt.Fprintf(p.w, "\r%s\x1b[K", line)
		return
	}
	p.next = now.Add(progressPlain)
	fmt.Fprintln(p.w, line)
}

func (p *progress) line(what string, elapsed time.Duration) string {
	line := p.title + ":"
	if p.total > 0 {
		line += fmt.Sprintf(" %3d%% (%d/%d)", p.done*100/p.total, p.done, p.total)
	}
	if what != "" {
		line += " " + oneLine(what)
	}
	width := 80
	if p.tty {
		width, _ = screen(p.w)
	}
	tail := fmt.Sprintf(", %s", elapsed.Round(time.Second))
	if runes := []rune(line); len(runes)+len(tail) > width-1 {
		line = string(runes[:max(0, width-1-len(tail))])
	}
	return line + tail
}

// clear removes the line, so that an answer can be printed; the next update
// draws it again.
func (p *progress) clear() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
}

// end removes the line for good.
func (p *progress) end() {
	if p == nil {
		return
	}
	p.clear()
	p.mu.Lock()
	p.active = false
	p.mu.Unlock()
}
