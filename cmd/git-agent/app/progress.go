package app

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext/quote"
)

// Progress is reported as in git: on stderr if that is a terminal, after a delay, on one line
// that is rewritten. With --progress and no terminal, a new line appears at most every 30
// seconds. Work of many minutes prints a line a minute even without --progress, so that the log
// of a job shows a sign of life.
const (
	progressDelay  = time.Second            // git's default of GIT_PROGRESS_DELAY
	progressRedraw = 100 * time.Millisecond // the least time between two changes of the line
	ProgressPlain  = 30 * time.Second       // the least time between two lines without a terminal
	ProgressLong   = time.Minute            // likewise, if --progress is not given
	progressBeat   = time.Second            // interval of updates of the elapsed time
)

// Progress shows one line about work that may take long. The zero value and nil
// show nothing.
type Progress struct {
	mu     sync.Mutex
	w      io.Writer
	tty    bool
	now    func() time.Time
	begun  time.Time
	next   time.Time     // earliest time of the next write
	every  time.Duration // the least time between two lines without a terminal
	shown  bool          // the line is on the terminal
	title  string
	active bool
	hidden int           // calls of clear without a resume
	ended  chan struct{} // closed by end

	done, total int // from the last update
	what        string
}

// NewProgress starts reporting progress. It returns nil, which reports nothing,
// if --no-progress or -q is given, or if stderr is no terminal.
func (a *App) NewProgress(title string) *Progress {
	tty := ui.IsTerminal(a.Stderr)
	show := tty && a.Flags.Verbose == 0 // -v prints a line for each git command
	if a.Flags.Progress != nil {
		show = *a.Flags.Progress
	}
	if a.Flags.Quiet || !show {
		return nil
	}
	delay := progressDelay
	if n, err := strconv.Atoi(a.Env.Get("GIT_PROGRESS_DELAY")); err == nil && n >= 0 {
		delay = time.Duration(n) * time.Second
	}
	return a.startProgress(title, tty, delay, ProgressPlain)
}

// NewSlowProgress is NewProgress, but if no option is given and stderr is no terminal, it prints
// a line at intervals of every.
func (a *App) NewSlowProgress(title string, every time.Duration) *Progress {
	if a.Flags.Progress == nil && !a.Flags.Quiet && a.Flags.Verbose == 0 && !ui.IsTerminal(a.Stderr) {
		return a.startProgress(title, false, every, every)
	}
	return a.NewProgress(title)
}

func (a *App) startProgress(title string, tty bool, delay, every time.Duration) *Progress {
	begun := a.Now()
	p := &Progress{
		w: ui.WithoutEscaping(a.Stderr), tty: tty, every: every, now: a.Now, begun: begun, next: begun.Add(delay),
		title: title, active: true, ended: make(chan struct{}),
	}
	go p.beat()
	return p
}

// beat redraws the line every second until end is called, so that the elapsed
// time stays right between updates.
func (p *Progress) beat() {
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

// redraw draws the line with the current time.
func (p *Progress) redraw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.draw()
}

// Update sets the finished and the total amount of work; an unknown total is 0.
func (p *Progress) Update(done, total int, what string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done, p.total, p.what = done, total, what
	p.draw()
}

// setText sets the text about the current work.
func (p *Progress) setText(what string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.what = what
	p.draw()
}

// draw writes the line if enough time has passed and no other output is in progress. The caller
// holds p.mu.
func (p *Progress) draw() {
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
	p.next = now.Add(p.every)
	fmt.Fprintln(p.w, line)
}

func (p *Progress) line(elapsed time.Duration) string {
	line := p.title + ":"
	if p.total > 1 { // a percentage of one is useless
		line += fmt.Sprintf(" %3d%% (%d/%d)", p.done*100/p.total, p.done, p.total)
	}
	if p.what != "" {
		line += " " + ui.OneLine(p.what)
	}
	width := 80
	if p.tty {
		width, _ = ui.TerminalSize(p.w)
	}
	tail := fmt.Sprintf(", %s", elapsed.Round(time.Second))
	if strings.HasSuffix(line, ":") {
		tail = tail[1:]
	}
	room := max(0, width-1-len(tail))
	if ui.CutColumns(line, room) != line {
		dots := "..."[:min(3, room)]
		line = strings.TrimRightFunc(ui.CutColumns(line, room-len(dots)), quote.Hidden) + dots // cutting may leave a joiner with nothing to join
	}
	return strings.TrimRightFunc(line, quote.Hidden) + tail
}

// Clear removes the line so that something else can be printed. The line returns after the same
// number of calls of Resume.
func (p *Progress) Clear() {
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

// Resume undoes one call of Clear.
func (p *Progress) Resume() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hidden--
}

// End removes the line and stops reporting. It may be called more than once.
func (p *Progress) End() {
	if p == nil {
		return
	}
	p.Clear()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.active {
		p.active = false
		close(p.ended)
	}
}
