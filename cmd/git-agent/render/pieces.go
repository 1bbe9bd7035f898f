package render

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"git-agent/cmd/git-agent/ui"
)

// A placeholder is one %-sequence of the --format of a verb, whose rows are of type R. The
// manual's tables are generated from placeholders.
type placeholder[R any] struct {
	Name  string // without the percent sign
	Doc   string
	value func(row R) string
}

// piece is a part of a format: literal text, a colour, or a function that returns the
// value of a placeholder.
type piece[R any] struct {
	text  string
	value func(row R) string
	oid   bool // the value is an object id, which %C(auto) colours

	color  string // an escape sequence
	always bool   // the colour is printed even if colour is not wanted
	auto   bool   // %C(auto)
}

// autoColor is git's default of color.diff.commit.
const autoColor = "yellow"

// prettyNames are the names of git's formats that fit on one line.
var prettyNames = map[string]string{
	"oneline":   "%C(auto)%H%C(reset) %s",
	"reference": "%C(auto)%h%C(reset) (%s, %as)",
}

// otherNames are the names of git's formats with several lines for a commit.
var otherNames = []string{"short", "medium", "full", "fuller", "email", "mboxrd", "raw"}

// unnamed returns the format for a name of git. Like git, it treats a text without placeholders
// as a name, unless format: or tformat: precedes it.
func unnamed(format string, names map[string]string) (string, error) {
	for _, prefix := range []string{"tformat:", "format:"} {
		if rest, ok := strings.CutPrefix(format, prefix); ok {
			return rest, nil
		}
	}
	switch known := names[format]; {
	case format == "" || strings.Contains(format, "%"):
		return format, nil
	case known != "":
		return known, nil
	case slices.Contains(otherNames, format):
		return "", fmt.Errorf("--format=%s is not supported, because each suspect takes one line", format)
	}
	return "", fmt.Errorf("invalid --format: %q has no placeholder", format)
}

// parsePieces parses the value of --format. An unknown placeholder is an error, to reveal typing
// errors; git would print it unchanged.
func parsePieces[R any](format string, known []placeholder[R], names map[string]string) ([]piece[R], error) {
	format, err := unnamed(format, names)
	if err != nil {
		return nil, err
	}
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

// parsePlaceholder parses the placeholder at the beginning of s, after the percent sign, and
// returns its length in bytes.
func parsePlaceholder[R any](s string, table []placeholder[R]) (p piece[R], used int, err error) {
	if len(s) >= 3 && s[0] == 'x' {
		if n, err := strconv.ParseUint(s[1:3], 16, 8); err == nil {
			return piece[R]{text: string([]byte{byte(n)})}, 3, nil
		}
	}
	if strings.HasPrefix(s, "C") {
		return parseColor[R](s)
	}
	for _, known := range table {
		if known.value != nil && strings.HasPrefix(s, known.Name) {
			return piece[R]{value: known.value, oid: strings.EqualFold(known.Name, "h")}, len(known.Name), nil
		}
	}
	if n := strings.IndexByte(s, ')'); n >= 0 && strings.IndexAny(s, "<>w|") == 0 {
		return piece[R]{}, 0, fmt.Errorf("%q is not supported in --format: columns are not padded and lines are not wrapped", "%"+s[:n+1])
	}
	bad, _, _ := strings.Cut(s, " ")
	if end := strings.IndexByte(bad, ')'); end >= 0 && strings.HasPrefix(bad, "(") {
		bad = bad[:end+1]
	}
	return piece[R]{}, 0, fmt.Errorf("unknown placeholder %q in --format", "%"+bad)
}

// parseColor parses %C(...) and git's four short names of colours.
func parseColor[R any](s string) (p piece[R], used int, err error) {
	for _, name := range []string{"red", "green", "blue", "reset"} {
		if strings.HasPrefix(s, "C"+name) {
			p.color, err = ui.ColorCode(name)
			return p, len(name) + 1, err
		}
	}
	inner, _, closed := strings.Cut(strings.TrimPrefix(s, "C("), ")")
	if !strings.HasPrefix(s, "C(") || !closed {
		return p, 0, fmt.Errorf("unknown placeholder %q in --format", "%"+s[:1])
	}
	used = len("C()") + len(inner)
	if inner == "auto" {
		p.auto = true
		return p, used, nil
	}
	spelled, always := strings.CutPrefix(inner, "always,")
	p.always = always
	p.color, err = ui.ColorCode(strings.TrimPrefix(spelled, "auto,"))
	if err != nil {
		return p, 0, fmt.Errorf("%w in --format", err)
	}
	return p, used, nil
}

// HasColor reports whether a format mentions colours.
func HasColor(format string) bool {
	return strings.Contains(format, "%C") || prettyNames[format] != ""
}

// lineOf returns the text of one row. Unless clean is set, values are written unchanged, as in
// git log. The format's own text is never escaped, because the user wrote it. Colours are printed
// if color is set.
func lineOf[R any](pieces []piece[R], row R, clean, color bool) string {
	var b strings.Builder
	auto := false
	for _, p := range pieces {
		if p.color != "" || p.auto {
			auto = p.auto
			if color || p.always {
				b.WriteString(p.color)
			}
			continue
		}
		text := p.text
		if p.value != nil {
			text = p.value(row)
		}
		if p.value != nil && clean {
			text = ui.Printable(text)
		}
		if p.oid && auto && color {
			code, _ := ui.ColorCode(autoColor) // it is a colour
			text = code + text + ui.ColorReset
		}
		b.WriteString(text)
	}
	return b.String()
}
