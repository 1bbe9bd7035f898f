package gitconfig

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A BadValueError says that the value of a setting is invalid. For numbers and booleans, its text
// is git's message.
type BadValueError struct {
	Key   string // as in the manual
	Value Value
	Err   error // ErrUnit, ErrRange, ErrBool, ErrNoValue, or another error with the valid values
}

// These errors are git's reasons to refuse a value.
var (
	ErrUnit    = errors.New("invalid unit") // also for text that is no number
	ErrRange   = errors.New("out of range")
	ErrBool    = errors.New("not a boolean")
	ErrNoValue = errors.New("missing value")
)

// Error returns git's fatal message for such a value.
func (e *BadValueError) Error() string {
	switch {
	case errors.Is(e.Err, ErrNoValue):
		return fmt.Sprintf("missing value for '%s'", e.Key)
	case errors.Is(e.Err, ErrBool):
		return fmt.Sprintf("bad boolean config value '%s' for '%s'", e.Value.Value, e.Key)
	case errors.Is(e.Err, ErrUnit), errors.Is(e.Err, ErrRange):
		return fmt.Sprintf("bad numeric config value '%s' for '%s'%s: %v", e.Value.Value, e.Key, e.Value.where(), e.Err)
	}
	return fmt.Sprintf("bad config value '%s' for '%s'%s: %v", e.Value.Value, e.Key, e.Value.where(), e.Err)
}

func (e *BadValueError) Unwrap() error { return e.Err }

// where names the file with the value, or returns "" for a value outside files.
func (v Value) where() string {
	if file, found := strings.CutPrefix(v.Origin, "file:"); found {
		return " in file " + file
	}
	return ""
}

// ParseBool reads a boolean as git config --type=bool does: a word, a number, or a key without a
// value.
func ParseBool(v Value) (bool, error) {
	if v.Bare {
		return true, nil
	}
	switch strings.ToLower(v.Value) {
	case "true", "yes", "on":
		return true, nil
	case "", "false", "no", "off":
		return false, nil
	}
	n, err := ParseInt(v.Value)
	if err != nil {
		return false, ErrBool
	}
	return n != 0, nil
}

// ParseInt reads a number as git config --type=int does: 0x begins a hexadecimal number, 0 begins
// an octal one, and the suffixes k, m and g are powers of 1024. The error is ErrUnit or ErrRange.
func ParseInt(s string) (int64, error) {
	s = strings.TrimLeft(s, " \t\n\v\f\r")
	shift := 0
	if s != "" {
		shift = 10 * (1 + strings.IndexByte("kmg", s[len(s)-1]|0x20))
	}
	if shift > 0 {
		s = s[:len(s)-1]
	}
	if strings.ContainsAny(s, "_bBoO") && !strings.HasPrefix(strings.ToLower(strings.TrimLeft(s, "+-")), "0x") || strings.Contains(s, "_") {
		return 0, ErrUnit // forms of Go, not of C
	}
	n, err := strconv.ParseInt(s, 0, 64)
	switch {
	case errors.Is(err, strconv.ErrRange) || err == nil && (n > math.MaxInt64>>shift || n < math.MinInt64>>shift):
		return 0, ErrRange
	case err != nil:
		return 0, ErrUnit
	}
	return n << shift, nil
}
