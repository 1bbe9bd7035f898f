package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"git-agent/cmd/git-agent/layout"
	"git-agent/gitext"

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

// personReads is true when a person reads standard output, also through the pager
// that git started for `git -p agent`.
func (a *app) personReads() bool { return isTerminal(a.stdout) || a.env.get("GIT_PAGER_IN_USE") != "" }

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

// newPalette resolves the slots, asking git only for those configured.
func (a *app) newPalette(ctx context.Context) layout.Palette {
	if !a.wantColor(ctx) {
		return layout.Palette{}
	}
	p := layout.Palette{Codes: gitext.Colors(ctx, "color.agent", maps.Clone(colorSlots))}
	a.colors = append(slices.Collect(maps.Values(p.Codes)), layout.ColorReset)
	return p
}

// logCall prints one git call for -v, as a line that can be pasted.
func (a *app) logCall(argv []string, d time.Duration, exit int) {
	fmt.Fprintf(a.stderr, "%s # exit %d, %s\n", layout.ShellJoin(argv), exit, d.Round(100*time.Microsecond))
}
