package ui

import (
	"io"
	"strings"
	"testing"
)

// Text for people has no characters that control a terminal except our own
// colours; progress may move the cursor.
func TestStreams(t *testing.T) {
	var out, errs strings.Builder
	var colors []string
	answer, alerts := AnswerWriter{&out}, &LockedWriter{W: &errs}
	text := TextWriter{answer, &colors}
	const evil = "\x1b[31m\u202e\x00\x1b[2J\n"
	const spelled = `\x1b[31m\u202e\x00\x1b[2J` + "\n"
	for _, c := range []struct {
		to     io.Writer
		colors []string
		text   string
		want   string
	}{
		{text, nil, evil, spelled},
		{text, nil, "\x1b[1mbold\x1b[m", `\x1b[1mbold\x1b[m`},
		{text, []string{"\x1b[1m", "\x1b[m"}, "\x1b[1mbold\x1b[m " + evil + "\x1b[1", "\x1b[1mbold\x1b[m " + spelled + `\x1b[1`},
		{answer, nil, evil, evil},
		{alerts, nil, evil, spelled},
		{WithoutEscaping(alerts), nil, "\rworking\x1b[K", "\rworking\x1b[K"},
	} {
		out.Reset()
		errs.Reset()
		colors = c.colors
		n, err := io.WriteString(c.to, c.text)
		if got := out.String() + errs.String(); got != c.want || n != len(c.text) || err != nil {
			t.Errorf("%q is written as %q (%d, %v), want %q", c.text, got, n, err, c.want)
		}
	}
}
