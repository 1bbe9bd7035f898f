package gitext

import (
	"fmt"

	"git-agent/gitext/gitdir"
)

// OID is an object id: 40 or 64 lower-case hexadecimal digits.
type OID string

// shortDigits is the length of an abbreviated id, as in the kernel's Fixes
// trailers.
const shortDigits = 12

// Short is the abbreviated id, twelve digits.
func (o OID) Short() string {
	if len(o) <= shortDigits {
		return string(o)
	}
	return string(o[:shortDigits])
}

// zero reports whether o stands for "no object" in git's output.
func (o OID) zero() bool {
	for i := range len(o) {
		if o[i] != '0' {
			return false
		}
	}
	return true
}

// ParseOID accepts a full object id and nothing else.
func ParseOID(s string) (OID, error) {
	if !gitdir.IsOID(s) {
		return "", fmt.Errorf("%q is not a full object id", s)
	}
	return OID(s), nil
}

// valid checks an id before it becomes part of a command line.
func (o OID) valid() error {
	_, err := ParseOID(string(o))
	return err
}

func validAll(oids ...OID) error {
	for _, o := range oids {
		if err := o.valid(); err != nil {
			return err
		}
	}
	return nil
}
