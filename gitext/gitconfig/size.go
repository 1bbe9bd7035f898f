package gitconfig

import (
	"math"
	"strconv"
	"strings"
)

// ParseSize reads a number of bytes as git does: k, m and g are powers of 1024.
func ParseSize(s string) (int64, bool) {
	shift := 0
	if s != "" {
		shift = 10 * (1 + strings.IndexByte("kmg", s[len(s)-1]|0x20))
	}
	if shift > 0 {
		s = s[:len(s)-1]
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n << shift, err == nil && n <= math.MaxInt64>>shift && n >= 0
}
