package model

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// Unless the server demands a wait, intervals double from firstWait to
// longestWait, and each wait is a random part of its interval ("full jitter").
const (
	firstWait   = time.Second
	longestWait = time.Minute
)

// maxWait is the longest wait that a server may demand.
const maxWait = 2 * time.Minute

// pace schedules requests. If a server is busy, all requests of a Client wait,
// not only the refused one.
type pace struct {
	now    func() time.Time
	sleep  func(context.Context, time.Duration) error
	jitter func() float64

	mu    sync.Mutex
	until time.Time // when the pause ends
	why   *Error    // the error that caused it
}

// await waits for the end of the pause. If the pause is longer than maxWait,
// await immediately returns the error that caused the pause.
func (p *pace) await(ctx context.Context) error {
	for {
		p.mu.Lock()
		left, why := p.until.Sub(p.now()), p.why
		p.mu.Unlock()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case left <= 0:
			return nil
		case left > maxWait:
			return tooLong(*why, left)
		}
		left += time.Duration(p.jitter() * float64(min(left, firstWait))) // so that requests do not all resume at once
		reportWait(ctx, why, left)
		if err := p.sleep(ctx, left); err != nil {
			return err
		}
	}
}

// backOff waits after the tries-th failed attempt. It returns e if the wait would
// be too long, and the context's error if ctx ends.
func (p *pace) backOff(ctx context.Context, e *Error, tries int) error {
	wait := e.RetryAfter
	if wait <= 0 {
		longest := min(longestWait, firstWait<<min(tries-1, 10))
		wait = time.Duration(p.jitter() * float64(longest))
	}
	if e.Class == ClassBusy {
		p.pause(wait, e)
	}
	if wait > maxWait {
		return tooLong(*e, wait)
	}
	reportWait(ctx, e, wait)
	return p.sleep(ctx, wait)
}

func (p *pace) pause(wait time.Duration, why *Error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if until := p.now().Add(wait); until.After(p.until) {
		copied := *why // a copy, because the caller changes its own
		p.until, p.why = until, &copied
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

func jitter() float64 { return rand.Float64() }
