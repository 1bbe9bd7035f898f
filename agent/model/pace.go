package model

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// Waits double from firstWait to longestWait, and are spread over the whole
// interval ("full jitter"), unless the server names one.
const (
	firstWait   = time.Second
	longestWait = time.Minute
)

// maxWait is the longest wait that a server may ask for.
const maxWait = 2 * time.Minute

// pace says when the next request may be sent. A server that is busy is left
// alone by all requests of a Client, not only by the one that was told so.
type pace struct {
	now    func() time.Time
	sleep  func(context.Context, time.Duration) error
	jitter func() float64

	mu    sync.Mutex
	until time.Time // of the pause
	why   *Error    // that ordered it
}

// await returns when no pause is on. It fails at once with the error that
// ordered the pause where that is longer than anybody wants to wait.
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
			return tooLong(*why, left, maxWait)
		}
		left += time.Duration(p.jitter() * float64(min(left, firstWait))) // not all at the same moment
		reportWait(ctx, why, left)
		if err := p.sleep(ctx, left); err != nil {
			return err
		}
	}
}

// backOff waits after the failed tries-th try, or returns an error where that
// would take too long: e itself, or the context's.
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
		return tooLong(*e, wait, maxWait)
	}
	reportWait(ctx, e, wait)
	return p.sleep(ctx, wait)
}

func (p *pace) pause(wait time.Duration, why *Error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if until := p.now().Add(wait); until.After(p.until) {
		copied := *why // the asker's own copy gets its own count of attempts
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
