package cache

import (
	"math/rand/v2"
	"testing"
)

// noise returns n bytes that do not compress, the same ones each time.
func noise(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{1}).Read(b)
	return b
}

// fatalWarn is for tests in which nothing is worth a warning.
func fatalWarn(t testing.TB) func(string) {
	return func(text string) {
		t.Helper()
		t.Errorf("unexpected warning: %s", text)
	}
}
