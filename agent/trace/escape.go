package trace

import (
	"bytes"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"git-agent/agent"
)

// writeEscaped writes JSON with escapes for the characters that a terminal
// obeys or nobody sees, such as U+202E: they say the same, and show.
func writeEscaped(w io.Writer, text []byte) error {
	var b bytes.Buffer
	b.Grow(len(text))
	from := 0
	for i := 0; i < len(text); {
		if text[i] < 0x7f {
			i++
			continue
		}
		r, width := utf8.DecodeRune(text[i:])
		if s := string(text[i : i+width]); agent.Clean(s) != s {
			b.Write(text[from:i])
			from = i + width
			writeEscape(&b, r)
		}
		i += width
	}
	b.Write(text[from:])
	_, err := w.Write(b.Bytes())
	return err
}

func writeEscape(b *bytes.Buffer, r rune) {
	if hi, lo := utf16.EncodeRune(r); hi != utf8.RuneError {
		fmt.Fprintf(b, `\u%04x\u%04x`, hi, lo)
		return
	}
	fmt.Fprintf(b, `\u%04x`, r)
}
