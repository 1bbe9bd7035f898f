package quote

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// This file escapes characters that are invisible or that control a terminal.
// Text from repositories, servers, case files, settings and the environment is
// escaped before it reaches a terminal, a model or a program.
//
// Promises: the result has no control character except newline and tab, no
// invalid UTF-8, and no invisible character that could hide a difference. Text
// without any of these is unchanged, and so is text that was already escaped. In
// JSON the characters become JSON escapes, so that the decoded value stays the
// same.

// Hidden reports whether a character controls a terminal or is invisible:
// controls other than newline and tab, characters that reorder text, and those
// without a width (Unicode's Default_Ignorable_Code_Point).
func Hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < 0x20, r >= 0x7f && r < 0xa0: // C0, DEL, C1
		return true
	case r < 0x300:
		return r == 0xad
	case r == 0x34f, r == 0x61c, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5, r >= 0x180b && r <= 0x180f:
		return true
	case r >= 0x200b && r <= 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x206f:
		return true
	case r == 0x3164, r >= 0xfe00 && r <= 0xfe0f, r == 0xfeff, r == 0xffa0, r >= 0xfff0 && r <= 0xfffb:
		return true
	case r >= 0x13430 && r <= 0x1343f, r >= 0x1bca0 && r <= 0x1bca3, r >= 0x1d173 && r <= 0x1d17a:
		return true
	}
	return r >= 0xe0000 && r <= 0xe0fff // tags and variation selectors
}

// Text escapes each hidden character of s, as \x1b or \u202e, and each byte that
// is not UTF-8, as \xff. Joiners with a visible effect stay.
func Text(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	before := rune(' ')
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		after, _ := utf8.DecodeRuneInString(s[i+size:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case !Hidden(r) || shapes(before, r, after):
			b.WriteString(s[i : i+size])
		case r < utf8.RuneSelf:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		before, i = r, i+size
	}
	return b.String()
}

// escapedByte matches a byte that is not UTF-8, as Text writes it.
var escapedByte = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\\x([89a-f][0-9a-f])`) })

// Bytes undoes Text for bytes that are not UTF-8. A reader who has seen the name of a file in an answer can name
// it so.
func Bytes(s string) string {
	return escapedByte().ReplaceAllStringFunc(s, func(escaped string) string {
		b, _ := strconv.ParseUint(escaped[2:], 16, 8) // two hexadecimal digits
		return string([]byte{byte(b)})
	})
}

// plain reports whether Text leaves s unchanged.
func plain(s string) bool {
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if Hidden(rune(c)) {
				return false
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if size == 1 || Hidden(r) {
			return false
		}
		i += size
	}
	return true
}

// joining lists the scripts in which joiners change the shapes of letters.
var joining = []*unicode.RangeTable{
	unicode.Arabic, unicode.Syriac, unicode.Nko, unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya,
	unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar,
}

// shapes reports whether a joiner has a visible effect. Joiners in Persian, Hindi
// and Malayalam words and in emoji stay. Between other letters, a joiner is
// invisible and makes two names look alike, so it is escaped.
func shapes(before, r, after rune) bool {
	switch r {
	case '\u200c', '\u200d': // the zero-width non-joiner and joiner
		if unicode.In(before, joining...) {
			return unicode.Is(unicode.M, before) || unicode.In(after, joining...)
		}
		return r == '\u200d' && emoji(before) && emoji(after)
	case '\ufe0e', '\ufe0f': // variation selectors for text and for a picture
		return emoji(before) && before != r || after == '\u20e3' && strings.ContainsRune("0123456789#*", before)
	}
	return false
}

// emoji reports whether r is a picture (arrows included), a skin tone, or the
// variation selector that asks for a picture.
func emoji(r rune) bool {
	return r == '\ufe0f' || r >= 0x2190 && r != utf8.RuneError && unicode.In(r, unicode.So, unicode.Sm) || r >= 0x1f3fb && r <= 0x1f3ff
}

// JSON escapes hidden characters in a complete JSON text, which can have them
// only in strings. A byte that is not UTF-8 becomes the escape of U+FFFD, as
// encoding/json reads it.
func JSON(text []byte) []byte {
	if plain(string(text)) {
		return text
	}
	var b bytes.Buffer
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			b.WriteString(`\ufffd`)
		case r == '\r' || !Hidden(r): // outside strings \r may separate values
			b.Write(text[i : i+size])
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		i += size
	}
	return b.Bytes()
}

// Marshal encodes v as one line of JSON without hidden characters, without the
// escapes that only HTML needs.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	err := NewEncoder(&b).Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// NewEncoder returns a json.Encoder whose output has no hidden characters, and
// no escapes that only HTML needs.
func NewEncoder(w io.Writer) *json.Encoder {
	enc := json.NewEncoder(jsonWriter{w})
	enc.SetEscapeHTML(false)
	return enc
}

// jsonWriter escapes the output of an encoder. The encoder writes each value in
// one piece.
type jsonWriter struct{ w io.Writer }

// Write writes p with hidden characters escaped.
func (j jsonWriter) Write(p []byte) (int, error) {
	if _, err := j.w.Write(JSON(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}
