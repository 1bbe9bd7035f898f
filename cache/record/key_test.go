package record

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// Two keys have the same encoding, and so the same hash, only if they are equal. The
// fuzzer cuts two strings into parts at will.
func FuzzKeysAreDistinct(f *testing.F) {
	f.Add("blame", "a\nbc", "blame", "ab\nc")
	f.Add("", "", "", "\n")
	f.Add("k", "\x01a", "k\x01", "a")
	f.Fuzz(func(t *testing.T, kind1, parts1, kind2, parts2 string) {
		a := Key{Kind: kind1, Parts: strings.Split(parts1, "\n")}
		b := Key{Kind: kind2, Parts: strings.Split(parts2, "\n")}
		equal := a.Kind == b.Kind && slices.Equal(a.Parts, b.Parts)
		if bytes.Equal(a.encode(), b.encode()) != equal || (a.Sum() == b.Sum()) != equal {
			t.Errorf("%q and %q: equal %t, encodings %x and %x", a, b, equal, a.encode(), b.encode())
		}
	})
}

// All keys with up to three parts, each of up to two bytes that could be
// lengths, have different encodings.
func TestAllSmallKeysAreDistinct(t *testing.T) {
	texts := []string{""}
	for _, a := range "\x00\x01a" {
		texts = append(texts, string(a))
		for _, b := range "\x00\x01a" {
			texts = append(texts, string(a)+string(b))
		}
	}
	keys := []Key{}
	for _, kind := range texts {
		keys = append(keys, Key{Kind: kind})
	}
	seen := map[string]Key{}
	for depth := 0; ; depth++ {
		for _, key := range keys {
			if other, met := seen[string(key.encode())]; met {
				t.Fatalf("%q and %q have one encoding", key, other)
			}
			seen[string(key.encode())] = key
		}
		if depth == 3 {
			break
		}
		var longer []Key
		for _, key := range keys {
			for _, part := range texts {
				longer = append(longer, Key{Kind: key.Kind, Parts: append(slices.Clone(key.Parts), part)})
			}
		}
		keys = longer
	}
	t.Logf("%d keys", len(seen))
}
