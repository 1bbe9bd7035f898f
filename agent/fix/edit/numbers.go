package edit

import (
	"strconv"
	"strings"
)

// unnumbered returns a pair without the line numbers that a reading tool put before each line
// of the old text, and perhaps of the new one. It reports false if the lines of the old text
// have no consecutive numbers.
func unnumbered(old, new string) (pair, bool) {
	p := pair{}
	lines := splitLines(old)
	var sign string
	for i, line := range lines {
		n, s, rest, ok := numberBefore(line)
		if !ok || i > 0 && (n != p.line+i || s != sign) {
			return p, false
		}
		if i == 0 {
			p.line, sign = n, s
		}
		lines[i] = rest
	}
	p.single = len(lines) == 1
	p.old = joinLike(lines, old)
	changed := splitLines(new)
	for i, line := range changed {
		if _, s, rest, ok := numberBefore(line); ok && s == sign {
			changed[i] = rest
		}
	}
	p.new = joinLike(changed, new)
	return p, p.old != ""
}

// joinLike joins lines; the result ends in a line break if text does.
func joinLike(lines []string, text string) string {
	joined := strings.Join(lines, "\n")
	if strings.HasSuffix(text, "\n") {
		joined += "\n"
	}
	return joined
}

// numberSigns are the signs of tools between the number of a line and the line.
var numberSigns = []string{"|", "→", "\t", ": ", ":", "  ", " "}

// numberBefore splits a line shown by a tool into its number, the sign behind it, and the line
// itself.
func numberBefore(line string) (n int, sign, rest string, ok bool) {
	const most = 7 // digits
	text := strings.TrimLeft(line, " >")
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	if digits == 0 || digits > most || len(line)-len(text) > most {
		return 0, "", "", false
	}
	n, err := strconv.Atoi(text[:digits])
	if err != nil || n == 0 {
		return 0, "", "", false
	}
	text = text[digits:]
	for _, sign := range numberSigns {
		if rest, ok := strings.CutPrefix(text, sign); ok {
			return n, strings.TrimSpace(sign), rest, true
		}
	}
	return n, "", "", text == "" // an empty line that lost its blanks
}
