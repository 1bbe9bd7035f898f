package secret

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A text may hide a secret: invisible characters may stand inside a key, and
// letters may be written as escapes. So this package searches for secrets in the
// text as a reader would understand it, and removes them from the original text.

// folded is a text without its hidden characters.
type folded struct {
	text string
	at   []int32 // the original offset of each byte of text; nil if nothing was removed
}

// unseen reports whether r is invisible: control characters, except those that
// separate lines and words, and Unicode's formatting characters and variation
// selectors.
func unseen(r rune) bool {
	switch {
	case r == '\n' || r == '\t' || r == '\r':
		return false
	case r < 0x20, r >= 0x7f && r < 0xa0, r == utf8.RuneError:
		return true
	case r < 0x300:
		return r == 0xad
	}
	return unicode.In(r, unicode.Cf, unicode.Mn, unicode.Me, unicode.Variation_Selector) || r == 0x2028 || r == 0x2029 || r == 0x3164 ||
		r == 0x115f ||
		r == 0x1160
}

// fold removes invisible characters, and their escapes, such as \u200b, which the
// tools of package agent write.
func fold(text string) folded {
	if !foldable(text) {
		return folded{text: text}
	}
	var b strings.Builder
	at := make([]int32, 0, len(text))
	for i := 0; i < len(text); {
		r, width := utf8.DecodeRuneInString(text[i:])
		gone := unseen(r) && !(r == utf8.RuneError && width == 3) // U+FFFD itself is visible
		if r == '\\' {
			if spelled, n := escape(text[i:]); spelled >= 0 && unseen(spelled) {
				gone, width = true, n
			} else {
				width = backslashes(text[i:]) // the others mean the same; to read on from each of them would be quadratic
			}
		}
		if !gone {
			b.WriteString(text[i : i+width])
			for j := range width {
				at = append(at, int32(i+j))
			}
		}
		i += width
	}
	return folded{b.String(), at}
}

// foldable reports whether fold might change a text.
func foldable(text string) bool {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c >= utf8.RuneSelf, c < 0x20 && c != '\n' && c != '\t' && c != '\r', c == 0x7f:
			return true
		case c == '\\' && i+1 < len(text) && strings.IndexByte("uUx\\", text[i+1]) >= 0:
			return true
		}
	}
	return false
}

// letterPlace is the place of one letter of a skeleton in the original text.
type letterPlace struct{ from, to int32 }

// skeletonOf returns the skeleton of a text without the places.
func skeletonOf(text string) string {
	bones, _ := skeleton(text)
	return string(bones)
}

// skeleton returns the letters and digits of a decoded text, in lower case, and
// the place of each one.
func skeleton(text string) (bones []byte, at []letterPlace) {
	bones, at = make([]byte, 0, len(text)), make([]letterPlace, 0, len(text))
	for i := 0; i < len(text); {
		c, width := text[i], 1
		switch {
		case c == '\\' || c == '%' || c == '&' || c == '0' || c >= utf8.RuneSelf:
			var r rune
			r, width = spelled(text[i:])
			c = 0
			if r < utf8.RuneSelf {
				c = byte(r)
			}
		}
		switch {
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
		default:
			i += width
			continue
		}
		bones, at = append(bones, c), append(at, letterPlace{int32(i), int32(i + width)})
		i += width
	}
	return bones, at
}

// decoded decodes the escapes of a text once: \u0026#65; becomes &#65;.
func decoded(text string) (read string, at []letterPlace, changed bool) {
	if !strings.ContainsAny(text, `\%&`) {
		return text, nil, false
	}
	var b strings.Builder
	at = make([]letterPlace, 0, len(text))
	for i := 0; i < len(text); {
		r, width := rune(text[i]), 1
		if c := text[i]; c == '\\' || c == '%' || c == '&' {
			r, width = spelled(text[i:])
		}
		place := letterPlace{int32(i), int32(i + width)}
		if width == 1 || r <= 0 {
			for j := range width {
				b.WriteByte(text[i+j])
				at = append(at, letterPlace{int32(i + j), int32(i + j + 1)})
			}
		} else {
			n, _ := b.WriteRune(r)
			for range n {
				at = append(at, place)
			}
			changed = true
		}
		i += width
	}
	return b.String(), at, changed
}

// spelled decodes the first character of s, in any form of escape. width is the
// length of the escape.
func spelled(s string) (r rune, width int) {
	switch s[0] {
	case '\\':
		return escape(s)
	case '%':
		n := 1
		for strings.HasPrefix(s[n:], "25") { // escaped again
			n += 2
		}
		if v, ok := number(s, n, 2, 16); ok {
			return v, n + 2
		}
	case '&':
		return entity(s)
	case '0':
		if v, ok := number(s, 2, 2, 16); ok && s[1] == 'x' && (len(s) == 4 || !hexDigit(s[4])) {
			return v, 4
		}
	}
	r, width = utf8.DecodeRuneInString(s)
	if 0xff01 <= r && r <= 0xff5e { // letters of full width
		r -= 0xff01 - '!'
	}
	return r, width
}

// escape decodes \n, \x41, \u0041, \u{41} and \U00000041, with any number of
// backslashes, which double each time a text is quoted. It returns -1 for a line
// break and for an invalid character.
func escape(s string) (r rune, width int) {
	n := backslashes(s)
	if n == len(s) {
		return -1, n
	}
	digits := 0
	switch s[n] {
	case 'x':
		digits = 2
	case 'u':
		digits = 4
		if end := strings.IndexByte(s[n:min(len(s), n+10)], '}'); end > 2 && s[n+1] == '{' {
			if v, ok := number(s, n+2, end-2, 16); ok {
				return v, n + end + 1
			}
		}
	case 'U':
		digits = 8
	case 'n', 'r', 't', 'b', 'f', 'v':
		return -1, n + 1
	}
	if v, ok := number(s, n+1, digits, 16); ok && digits > 0 {
		return v, n + 1 + digits
	}
	return -1, n
}

// backslashes returns the number of backslashes at the beginning of s.
func backslashes(s string) int { return len(s) - len(strings.TrimLeft(s, `\`)) }

// entity reads &#65;, &#x41; and &amp;.
func entity(s string) (r rune, width int) {
	end := strings.IndexByte(s[:min(len(s), 12)], ';')
	if end < 0 {
		return 0, 1
	}
	digits, base := s[1:end], 10
	if !strings.HasPrefix(digits, "#") {
		if strings.Trim(digits, "abcdefghijklmnopqrstuvwxyz") == "" {
			return '&', end + 1 // none of these names is a letter or a digit; &amp;#65; may be one
		}
		return 0, 1
	}
	digits = digits[1:]
	if strings.HasPrefix(digits, "x") || strings.HasPrefix(digits, "X") {
		digits, base = digits[1:], 16
	}
	if v, ok := number(digits, 0, len(digits), base); ok {
		return v, end + 1
	}
	return 0, 1
}

// number parses digits of s from an offset on.
func number(s string, from, digits, base int) (rune, bool) {
	if digits <= 0 || from+digits > len(s) {
		return 0, false
	}
	n, err := strconv.ParseUint(s[from:from+digits], base, 31)
	return rune(n), err == nil && n <= unicode.MaxRune
}

func hexDigit(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}
