package trace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"git-agent/agent/model"
)

// ArgsText formats the arguments of a call on one line, in the model's order, as in
// `commit=HEAD path="a b.c"`. It returns arguments that are not a JSON object
// unchanged.
func ArgsText(args string) string {
	dec := json.NewDecoder(strings.NewReader(args))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return args
	}
	var words []string
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return args
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return args
		}
		words = append(words, fmt.Sprintf("%v=%s", name, valueText(value)))
	}
	return strings.Join(words, " ")
}

// valueText formats a value without unnecessary quotes. A string that looks like another kind of
// value, such as "1", keeps its quotes.
func valueText(value json.RawMessage) string {
	var s string
	if json.Unmarshal(value, &s) != nil {
		var b bytes.Buffer
		if json.Compact(&b, value) != nil {
			return string(value)
		}
		return b.String()
	}
	if s == "" || strings.ContainsAny(s, " \t\n\"'") || json.Valid([]byte(s)) {
		return strconv.Quote(s)
	}
	return s
}

// Excerpt returns the first lines of a text and the number of further lines.
func Excerpt(text string, lines int) (head string, more int) {
	text = strings.TrimRight(text, "\n")
	at := 0
	for range lines {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			return text, 0
		}
		at += i + 1
	}
	return strings.TrimSuffix(text[:at], "\n"), strings.Count(text[at:], "\n") + 1
}

// Cut shortens a text to at most max characters.
func Cut(s string, max int) string {
	if r := []rune(s); len(r) > max {
		return string(r[:max-1]) + "…"
	}
	return s
}

// CountText formats a number of tokens briefly, as in "940", "18.2k" and "1.3M".
func CountText(n int64) string {
	switch {
	case n < 1000:
		return strconv.FormatInt(n, 10)
	case n < 999_950:
		return fmt.Sprintf("%.1fk", float64(n)/1000)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}

// CostText formats a cost as "$0.0123" or "$0". It returns "" for an unknown cost.
func CostText(usd *float64) string {
	if usd == nil {
		return ""
	}
	if *usd == 0 {
		return "$0"
	}
	return fmt.Sprintf("$%.4f", *usd)
}

// UsageText formats the usage of one or more turns, as in "1.2k sent (1.0k cached),
// 95 received, $0.0012".
func UsageText(u model.Usage) string {
	s := CountText(u.Prompt()) + " sent"
	if u.CacheRead > 0 {
		s += " (" + CountText(u.CacheRead) + " cached)"
	}
	s += ", " + CountText(u.Output) + " received"
	if u.Reasoning > 0 {
		s += " (" + CountText(u.Reasoning) + " reasoning)"
	}
	if u.CostUSD != nil {
		s += ", " + CostText(u.CostUSD)
	}
	if u.Estimated {
		s += ", estimated"
	}
	return s
}

// SpanText formats a duration as "0.4 s", "12 s", "3 min 5 s" or "2 h 10 min".
func SpanText(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}

// Seconds formats a number of seconds as SpanText does.
func Seconds(s float64) string { return SpanText(time.Duration(s * float64(time.Second))) }
