package model

import (
	"errors"
	"fmt"
	"net"
	"time"
)

// Class is the kind of an error, by its remedy.
type Class string

// These are the classes and their meaning for a caller. A Client returns an error
// only after its retries.
const (
	ClassAuth      Class = "auth"      // the key is wrong; every other request would fail, too
	ClassQuota     Class = "quota"     // no credit; every other request would fail, too
	ClassModel     Class = "model"     // no such model, or not for this key; every other request would fail, too
	ClassOverflow  Class = "overflow"  // the conversation is too long: shorten it
	ClassRefused   Class = "refused"   // a content filter: a retry would be refused too
	ClassRequest   Class = "request"   // the server rejects the request
	ClassBusy      Class = "busy"      // 429, 503 or 529, and the wait would be too long
	ClassServer    Class = "server"    // 5xx after the last attempt
	ClassTransport Class = "transport" // no connection, a cut stream, a time-out
	ClassMalformed Class = "malformed" // the answer is not a reply
)

// Error is a failed request.
type Error struct {
	Class      Class
	Status     int    // HTTP status, 0 without a response
	Code       string // the server's code, such as "insufficient_quota"
	Param      string // the parameter that the server blames
	Message    string // the server's text, escaped and shortened; never holds a key
	RetryAfter time.Duration
	Attempts   int
	Err        error // the cause, may be nil

	once    bool // a retry would not help
	charged bool // the server gave a complete answer, which is of no use
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

// Charged reports whether the server may charge for the failed request: it
// received the request, but the answer was lost or is unreadable or of no use. Servers do
// not charge for refused requests.
func (e *Error) Charged() bool {
	var dial *net.OpError
	switch {
	case e.charged, e.Class == ClassMalformed:
		return true
	case e.Class == ClassTransport:
		return !errors.As(e.Err, &dial) || dial.Op != "dial"
	}
	return false
}

// EndsAll reports whether every other request would fail in the same way.
func (e *Error) EndsAll() bool {
	return e.Class == ClassAuth || e.Class == ClassQuota || e.Class == ClassModel
}
