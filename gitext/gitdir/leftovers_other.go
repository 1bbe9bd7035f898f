//go:build !unix

package gitdir

// makeIn does nothing: without kernel locks, leftovers cannot be told from what
// another process is making.
func makeIn(string) (done func()) { return func() {} }
