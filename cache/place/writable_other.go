//go:build !unix

package place

// checkWritable does nothing on this system: the first write shows whether the
// directory is writable.
func checkWritable(string) error { return nil }
