package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"git-agent/gitext"
	"git-agent/gitext/visible"

	"golang.org/x/term"
)

// isTerminal tells whether a stream is one.
func isTerminal(stream any) bool {
	f := asFile(stream)
	return f != nil && term.IsTerminal(int(f.Fd()))
}

// screen is the terminal's size, or 80x24 where none is known.
func screen(stream any) (width, height int) {
	if f := asFile(stream); f != nil {
		if w, h, err := term.GetSize(int(f.Fd())); err == nil && w > 0 && h > 0 {
			return w, h
		}
	}
	return 80, 24
}

// shown is true when a person reads standard output, also through the pager
// that git started for `git -p agent`.
func (a *app) shown() bool { return isTerminal(a.stdout) || a.env.get("GIT_PAGER_IN_USE") != "" }

// textWidth is how wide running text may be: COLUMNS, which goes first for git
// too, then the terminal's width, then what suits a reader that is none. Below
// 40 columns nothing can be laid out.
func (a *app) textWidth() int {
	if n, err := strconv.Atoi(a.env.get("COLUMNS")); err == nil && n > 0 {
		return max(40, n)
	}
	if isTerminal(a.stdout) {
		width, _ := screen(a.stdout)
		return max(40, width)
	}
	return 100
}

// wantColor decides by --color, then NO_COLOR, then git's own rule for
// color.agent, which folds in color.ui, TERM and GIT_PAGER_IN_USE. Without a
// terminal or a pager of git's the answer costs no process.
func (a *app) wantColor(ctx context.Context) bool {
	switch a.flags.Color {
	case "always":
		return true
	case "never":
		return false
	}
	if a.env.get("NO_COLOR") != "" {
		return false
	}
	tty := isTerminal(a.stdout)
	if !tty && a.env.get("GIT_PAGER_IN_USE") == "" {
		return false
	}
	return gitext.ColorBool(ctx, "color.agent", tty)
}

// colorSlots are the parts of an answer that color.agent.<slot> colours, with
// git's spelling of each default. Colour never carries meaning alone.
var colorSlots = map[string]string{
	"fix":         "bold",
	"suspect":     "yellow",
	"probability": "bold green",
	"doubt":       "dim",
	"path":        "cyan",
	"command":     "dim",
	"heading":     "bold",
	"ok":          "green",
	"warning":     "yellow",
	"error":       "red",
}

// palette paints text; its zero value leaves text as it is.
type palette struct{ codes map[string]string }

// newPalette resolves the slots, asking git only for those configured.
func (a *app) newPalette(ctx context.Context) palette {
	if !a.wantColor(ctx) {
		return palette{}
	}
	p := palette{gitext.Colors(ctx, "color.agent", maps.Clone(colorSlots))}
	a.colors = append(slices.Collect(maps.Values(p.codes)), colorReset)
	return p
}

// paint wraps s in the slot's colour.
func (p palette) paint(slot, s string) string {
	code := p.codes[slot]
	if code == "" || s == "" {
		return s
	}
	return code + s + colorReset
}

// colorReset ends a colour, as git spells it.
const colorReset = "\x1b[m"

// printable spells out what is hidden in a text. The streams do so too: it is
// for text that is laid out, kept, or given to others.
func printable(s string) string { return visible.Text(s) }

// plural is "1 turn" or "2 turns".
func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// oneLine is printable without line breaks.
func oneLine(s string) string {
	return printable(strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' }), " "))
}

// logCall prints one git call for -v, as a line that can be pasted.
func (a *app) logCall(argv []string, d time.Duration, exit int) {
	fmt.Fprintf(a.stderr, "%s # exit %d, %s\n", shellJoin(argv), exit, d.Round(100*time.Microsecond))
}

// shellJoin quotes words for a POSIX shell where they need it.
func shellJoin(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = gitext.ShellQuote(w)
	}
	return strings.Join(quoted, " ")
}

// columns is how wide a text is on a terminal: characters of East Asia and
// pictures take two columns, marks on other characters none.
func columns(s string) int {
	n := 0
	for _, r := range s {
		n += columnsOf(r)
	}
	return n
}

func columnsOf(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case visible.Hidden(r), unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case r >= 0x1100 && r <= 0x115f, r >= 0x2e80 && r <= 0xa4cf && r != 0x303f, r >= 0xa960 && r <= 0xa97c, r >= 0xac00 && r <= 0xd7a3,
		r >= 0xf900 && r <= 0xfaff, r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60, r >= 0xffe0 && r <= 0xffe6,
		r >= 0x1f300 && r <= 0x1f64f, r >= 0x1f680 && r <= 0x1f6ff, r >= 0x1f900 && r <= 0x1faff, r >= 0x17000 && r <= 0x18cff, r >= 0x20000 && r <= 0x3fffd:
		return 2
	}
	return 1
}

// cutColumns is the beginning of s that is at most so wide.
func cutColumns(s string, width int) string {
	for i, r := range s {
		if width -= columnsOf(r); width < 0 {
			return s[:i]
		}
	}
	return s
}
