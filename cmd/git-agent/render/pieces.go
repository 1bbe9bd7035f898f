package render

import (
	"fmt"
	"strconv"
	"strings"

	"git-agent/cmd/git-agent/layout"
)

// A placeholder is one %-sequence of the --format of a verb, whose rows are of type
// R. The manual's tables are generated from these.
type placeholder[R any] struct {
	Name  string // without the percent sign
	Doc   string
	value func(row R) string
}

// piece is a part of a format: literal text, or a function that returns the
// value of a placeholder.
type piece[R any] struct {
	text  string
	value func(row R) string
}

// parsePieces parses the value of --format. An unknown placeholder is an error,
// so that a typing error is noticed; git would print it unchanged.
func parsePieces[R any](format string, known []placeholder[R]) ([]piece[R], error) {
	format = strings.TrimPrefix(strings.TrimPrefix(format, "tformat:"), "format:")
	var pieces []piece[R]
	for format != "" {
		text, rest, found := strings.Cut(format, "%")
		if text != "" {
			pieces = append(pieces, piece[R]{text: text})
		}
		if !found {
			break
		}
		p, used, err := parsePlaceholder(rest, known)
		if err != nil {
			return nil, err
		}
		pieces, format = append(pieces, p), rest[used:]
	}
	return pieces, nil
}

// parsePlaceholder parses the placeholder at the beginning of s, after the
// percent sign, and returns how many bytes it takes.
func parsePlaceholder[R any](s string, table []placeholder[R]) (p piece[R], used int, err error) {
	if len(s) >= 3 && s[0] == 'x' {
		if n, err := strconv.ParseUint(s[1:3], 16, 8); err == nil {
			return piece[R]{text: string([]byte{byte(n)})}, 3, nil
		}
	}
	for _, known := range table {
		if known.value != nil && strings.HasPrefix(s, known.Name) {
			return piece[R]{value: known.value}, len(known.Name), nil
		}
	}
	bad, _, _ := strings.Cut(s, " ")
	if end := strings.IndexByte(bad, ')'); end >= 0 && strings.HasPrefix(bad, "(") {
		bad = bad[:end+1]
	}
	return piece[R]{}, 0, fmt.Errorf("unknown placeholder %q in --format", "%"+bad)
}

// lineOf returns the text of one row. Unless clean is set, values are written
// unchanged, as git log writes them. The format's own text is never escaped,
// because the user wrote it.
func lineOf[R any](pieces []piece[R], row R, clean bool) string {
	var b strings.Builder
	for _, p := range pieces {
		text := p.text
		if p.value != nil {
			text = p.value(row)
		}
		if p.value != nil && clean {
			text = layout.Printable(text)
		}
		b.WriteString(text)
	}
	return b.String()
}
