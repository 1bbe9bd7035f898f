package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"git-agent/cmd/git-agent/layout"
	"git-agent/gitext/visible"
)

// Progress follows git: it appears on stderr when that is a terminal, after a
// delay, on one line that is rewritten. Forced without a terminal, it writes a
// plain line now and then.
const (
	progressDelay  = time.Second            // git's default of GIT_PROGRESS_DELAY
	progressRedraw = 100 * time.Millisecond // how often a line may change
	progressPlain  = 30 * time.Second       // between lines where there is no terminal
	progressBeat   = time.Second            // how often the time is brought up to date
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
	hidden int           // how many print something else
	ended  chan struct{} // closed by end

	done, total int // as last said
	what        string
}

// newProgress decides whether to report, by --[no-]progress, -q and stderr.
func (a *app) newProgress(title string) *progress {
	tty := isTerminal(a.stderr)
	show := tty && a.flags.Verbose == 0 // each git command is a line of its own
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
	p := &progress{w: withoutEscaping(a.stderr), tty: tty, now: a.now, begun: begun, next: begun.Add(delay), title: title, active: true, ended: make(chan struct{})}
	go p.beat()
	return p
}

// beat keeps the line alive while nobody has anything new to say, until end.
func (p *progress) beat() {
	tick := time.NewTicker(progressBeat)
	defer tick.Stop()
	for {
		select {
		case <-p.ended:
			return
		case <-tick.C:
			p.redraw()
		}
	}
}

// redraw brings the line up to date.
func (p *progress) redraw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.draw()
}

// update says how far the work is. total 0 means that nobody knows.
func (p *progress) update(done, total int, what string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done, p.total, p.what = done, total, what
	p.draw()
}

// setText adds what is being done, by whoever does it.
func (p *progress) setText(what string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.what = what
	p.draw()
}

// draw writes the line if it is time to and nothing else is being printed; the
// caller holds the lock.
func (p *progress) draw() {
	now := p.now()
	if !p.active || p.hidden > 0 || now.Before(p.next) {
		return
	}
	line := p.line(now.Sub(p.begun))
	if p.tty {
		p.next = now.Add(progressRedraw)
		p.shown = true
		fmt.Fprintf(p.w, "\r%s\x1b[K", line)
		return
	}
	p.next = now.Add(progressPlain)
	fmt.Fprintln(p.w, line)
}

func (p *progress) line(elapsed time.Duration) string {
	line := p.title + ":"
	if p.total > 1 { // of one, a share says nothing
		line += fmt.Sprintf(" %3d%% (%d/%d)", p.done*100/p.total, p.done, p.total)
	}
	if p.what != "" {
		line += " " + layout.OneLine(p.what)
	}
	width := 80
	if p.tty {
		width, _ = screen(p.w)
	}
	tail := fmt.Sprintf(", %s", elapsed.Round(time.Second))
	if strings.HasSuffix(line, ":") {
		tail = tail[1:]
	}
	line = layout.CutColumns(line, max(0, width-1-len(tail)))
	return strings.TrimRightFunc(line, visible.Hidden) + tail // a joiner joins nothing any more
}

// clear removes the line, so that something can be printed. It stays away
// until as many have called resume.
func (p *progress) clear() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hidden++
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
}

// resume lets the line come back after one clear.
func (p *progress) resume() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hidden--
}

// end removes the line for good. It may be called more than once.
func (p *progress) end() {
	if p == nil {
		return
	}
	p.clear()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.active {
		p.active = false
		close(p.ended)
	}
}
