package cache

import (
	"bytes"
	"testing"
)

// After any change to its bytes, a stored value is refused, unless it is unchanged.
func FuzzUnpackRefusesDamage(f *testing.F) {
	f.Add([]byte("value"), uint(3), byte(1))
	f.Add(bytes.Repeat([]byte("line\n"), 300), uint(17), byte(0x80))
	var c codec
	f.Fuzz(func(t *testing.T, value []byte, at uint, flip byte) {
		s := c.pack([]byte("owner"), value)
		got, err := c.unpack([]byte("owner"), s)
		if err != nil || !bytes.Equal(got, value) {
			t.Fatalf("got %q, %v", got, err)
		}
		if _, err := c.unpack([]byte("other"), s); err == nil {
			t.Error("another owner's value was accepted")
		}
		if len(s.data) == 0 || flip == 0 {
			return
		}
		s.data = bytes.Clone(s.data)
		s.data[at%uint(len(s.data))] ^= flip
		if _, err := c.unpack([]byte("owner"), s); err == nil {
			t.Error("a changed byte was accepted")
		}
	})
}
