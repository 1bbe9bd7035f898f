package record

import (
	"crypto/sha256"
	"encoding/binary"
)

// keyDomain separates these hashes from any other use of SHA-256. Its number
// changes with the encoding below.
const keyDomain = "git-agent cache key 1\n"

// Key identifies a value by everything that determines it: full object ids (never
// ref names), the versions of git and of git-agent, and every option. Order
// matters.
type Key struct {
	Kind  string // the origin of the value, such as "blame" or "model"; Stats groups by kind
	Parts []string
}

// Sum returns the hash under which the value is stored.
func (k Key) Sum() [sha256.Size]byte {
	return sha256.Sum256(k.encode())
}

// encode gives different keys different bytes: the length precedes each string
// and the number of parts precedes the parts, so ("ab", "c") and ("a", "bc")
// differ.
func (k Key) encode() []byte {
	b := []byte(keyDomain)
	b = AppendString(b, k.Kind)
	b = binary.AppendUvarint(b, uint64(len(k.Parts)))
	for _, part := range k.Parts {
		b = AppendString(b, part)
	}
	return b
}

// AppendString appends s to b, preceded by its length, so that two strings in a row can be told
// apart from two others.
func AppendString(b []byte, s string) []byte {
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}
