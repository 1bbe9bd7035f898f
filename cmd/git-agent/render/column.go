package render

import (
	"bytes"
	"fmt"
	"strings"

	"git-agent/cmd/git-agent/ui"
)

// measure returns the width of running text on a page, 100 columns at most, because longer lines
// are hard to read.
func measure(width int) int { return min(width, 100) }

// line adds a line.
func line(b *bytes.Buffer, indent int, s string) {
	fmt.Fprintf(b, "%s%s\n", strings.Repeat(" ", indent), s)
}

// wrapped adds a text as running text of a page with this width.
func wrapped(b *bytes.Buffer, width, indent int, text string) {
	for _, l := range ui.Wrap(ui.OneLine(text), measure(width)-indent) {
		line(b, indent, l)
	}
}
