package model

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"git-agent/gitext/pattern"
)

var waitText = pattern.Lazy(
	`(?i)(?:try again|retry|available|wait)\b[^.0-9]{0,40}?((?:\d+(?:\.\d+)?\s*(?:ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hours?)\b\s*,?\s*)+)`,
)

var waitParts = pattern.Lazy(`(?i)(\d+(?:\.\d+)?)\s*([a-z]+)`)

// waitIn returns the wait that a message demands: "try again in 1.5s", "in 20ms",
// "in 6m0s", "retry after 3 seconds".
func waitIn(message string) time.Duration {
	m := waitText().FindStringSubmatch(message)
	if m == nil {
		if i := strings.Index(strings.ToLower(message), "try again in "); i >= 0 {
			d, _ := time.ParseDuration(strings.TrimRight(firstWord(message[i+len("try again in "):]), ".,;"))
			return max(d, 0)
		}
		return 0
	}
	var total time.Duration
	for _, part := range waitParts().FindAllStringSubmatch(m[1], -1) {
		total += seconds(part[1], unitOf(part[2]))
	}
	return total
}

func firstWord(s string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(s), " ")
	return word
}

func unitOf(word string) time.Duration {
	switch word = strings.ToLower(word); {
	case strings.HasPrefix(word, "ms"), strings.HasPrefix(word, "mil"):
		return time.Millisecond
	case strings.HasPrefix(word, "m"):
		return time.Minute
	case strings.HasPrefix(word, "h"):
		return time.Hour
	}
	return time.Second
}

// longestHeaderWait bounds the wait in a header, so that it cannot overflow.
const longestHeaderWait = 30 * 24 * time.Hour

// seconds returns n units, or 0 if n is not a sensible number.
func seconds(n string, unit time.Duration) time.Duration {
	f, err := strconv.ParseFloat(strings.TrimSpace(n), 64)
	switch {
	case f != f || f <= 0:
		return 0
	case err != nil && f < 1e300, f*float64(unit) > float64(longestHeaderWait):
		if err != nil && f < 1e300 {
			return 0
		}
		return longestHeaderWait
	}
	return time.Duration(f * float64(unit))
}

// waitOf returns the wait that the headers demand, or 0.
func waitOf(h http.Header, now time.Time) time.Duration {
	if d := seconds(h.Get("Retry-After-Ms"), time.Millisecond); d > 0 {
		return d
	}
	after := h.Get("Retry-After")
	if d := seconds(after, time.Second); d > 0 {
		return d
	}
	if at, err := http.ParseTime(after); err == nil {
		return min(max(at.Sub(now), 0), longestHeaderWait)
	}
	return 0
}
