package model

import (
	"context"
	"fmt"
	"time"
)

type (
	waitKey   struct{}
	repeatKey struct{}
)

// OnRepeat returns a context whose requests call f before a retry if the server
// may charge for the failed attempt, because it received the request but gave no
// complete answer. If f returns false, the request fails with the error.
func OnRepeat(ctx context.Context, f func() bool) context.Context {
	return context.WithValue(ctx, repeatKey{}, f)
}

// mayRepeat reports whether a request that failed with e may be sent again.
func mayRepeat(ctx context.Context, e *Error) bool {
	f, ok := ctx.Value(repeatKey{}).(func() bool)
	return !ok || !e.Charged() || f()
}

// OnWait returns a context whose requests call f before each noticeable wait,
// with a text for the user: the reason and the duration.
func OnWait(ctx context.Context, f func(text string)) context.Context {
	return context.WithValue(ctx, waitKey{}, f)
}

// noticed is the shortest wait that is reported.
const noticed = time.Second

// reportWait reports that a request waits because of e.
func reportWait(ctx context.Context, e *Error, wait time.Duration) {
	if f, ok := ctx.Value(waitKey{}).(func(string)); ok && wait >= noticed {
		f(fmt.Sprintf("%s; asking again in %s", e.summary(), spanText(wait)))
	}
}

// summary describes an error in a few words.
func (e *Error) summary() string {
	s := "the model server fails"
	switch e.Class {
	case ClassBusy:
		s = "the model server is busy"
	case ClassTransport:
		s = "the model server gives no answer"
	case ClassMalformed:
		s = "the model server sent no readable answer"
	}
	if e.Status >= 300 {
		s += fmt.Sprintf(" (status %d)", e.Status)
	}
	return s
}

// tooLong returns the error for a server that demands a wait longer than maxWait.
func tooLong(e Error, wait time.Duration) *Error {
	e.RetryAfter = wait
	if e.Message != "" {
		e.Message += "; "
	}
	e.Message += fmt.Sprintf("the server asks to wait for %s; git-agent waits for %s at most", spanText(wait), spanText(maxWait))
	return &e
}

// spanText formats a duration in one unit, rounded up: "8 s", "10 min", "3 h".
func spanText(d time.Duration) string {
	up := func(unit time.Duration) int64 { return int64((d + unit - 1) / unit) }
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s", up(time.Second))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", up(time.Minute))
	}
	return fmt.Sprintf("%d h", up(time.Hour))
}
