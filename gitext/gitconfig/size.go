package gitconfig

// ParseSize reads a number of bytes as git does: k, m and g are powers of 1024.
func ParseSize(s string) (int64, bool) {
	n, err := ParseInt(s)
	return n, err == nil && n >= 0
}
