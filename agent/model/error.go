package model

import (
	"errors"
	"fmt"
	"net"
	"time"
)

// Class says what can be done about an error.
type Class string

// The classes, with what they mean to a caller. A Client has retried what can
// be retried before it returns one of them.
const (
	ClassAuth      Class = "auth"      // ends every run: the key is wrong
	ClassQuota     Class = "quota"     // ends every run: no credit
	ClassModel     Class = "model"     // ends every run: no such model, or not for this key
	ClassOverflow  Class = "overflow"  // the conversation is too long: shorten it
	ClassRefused   Class = "refused"   // a content filter: not retryable as it is
	ClassRequest   Class = "request"   // the server does not take the request: ends this run
	ClassBusy      Class = "busy"      // 429, 503, 529 until the wait was too long
	ClassServer    Class = "server"    // 5xx, until the attempts were used up
	ClassTransport Class = "transport" // no connection, a cut stream, a time-out
	ClassMalformed Class = "malformed" // what came is no reply
)

// Error is a failed request.
type Error struct {
	Class      Class
	Status     int    // HTTP status, 0 without a response
	Code       string // the server's word, such as "insufficient_quota"
	Param      string // the parameter that the server blames
	Message    string // the server's text, cleaned and cut; never holds a key
	RetryAfter time.Duration
	Attempts   int
	Err        error // the cause, may be nil

	once bool // asking again would not help
}

func (e *Error) Error() string {
	s := fmt.Sprintf("the model server failed (%s", e.Class)
	if e.Status != 0 {
		s += fmt.Sprintf(", status %d", e.Status)
	}
	s += ")"
	switch {
	case e.Message != "":
		s += ": " + e.Message
	case e.Err != nil:
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *Error) Unwrap() error { return e.Err }

// Charged is true for errors after which the server may want money: it got the
// request, and the answer was lost on the way or cannot be read. Servers do
// not charge for what they refuse.
func (e *Error) Charged() bool {
	var dial *net.OpError
	switch e.Class {
	case ClassMalformed:
		return true
	case ClassTransport:
		return !errors.As(e.Err, &dial) || dial.Op != "dial"
	}
	return false
}

// EndsAll is true for errors that every other request would meet as well.
func (e *Error) EndsAll() bool {
	return e.Class == ClassAuth || e.Class == ClassQuota || e.Class == ClassModel
}
