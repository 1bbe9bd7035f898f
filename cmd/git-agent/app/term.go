package app

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext/gitconfig"
)

// PersonReads reports whether a person reads standard output: on a terminal, or
// in the pager that git starts for `git -p agent`.
func (a *App) PersonReads() bool {
	return ui.IsTerminal(a.Stdout) || a.Env.Get("GIT_PAGER_IN_USE") != ""
}

// TextWidth returns the width of the output in columns: COLUMNS, as in git, or the terminal's
// width, or 100 without a terminal. It is at least 40, because narrower text cannot be laid out.
func (a *App) TextWidth() int {
	if n, err := strconv.Atoi(a.Env.Get("COLUMNS")); err == nil && n > 0 {
		return max(40, n)
	}
	if ui.IsTerminal(a.Stdout) {
		width, _ := ui.TerminalSize(a.Stdout)
		return max(40, width)
	}
	return 100
}

// WantColor reports whether to use color. --color decides, then NO_COLOR, then git's own rule for
// color.agent, which respects color.ui, TERM and GIT_PAGER_IN_USE. It starts a git process only
// for a terminal or a pager of git.
func (a *App) WantColor(ctx context.Context) bool {
	switch a.Flags.Color {
	case "always":
		return true
	case "never":
		return false
	}
	if a.Env.Get("NO_COLOR") != "" {
		return false
	}
	tty := ui.IsTerminal(a.Stdout)
	if !tty && a.Env.Get("GIT_PAGER_IN_USE") == "" {
		return false
	}
	return gitconfig.ColorBool(ctx, "color.agent", tty)
}

// ColorSlots maps each slot of color.agent.<slot> to its default in the syntax of git's
// configuration. Colour is never the only carrier of a meaning.
var ColorSlots = map[string]string{
	"fix":         "bold",
	"suspect":     "yellow",
	"probability": "bold green",
	"doubt":       "dim",
	"path":        "cyan",
	"command":     "dim",
	"heading":     "bold",
	"old":         "red",
	"new":         "green",
	"ok":          "green",
	"warning":     "yellow",
	"error":       "red",
}

// NewPalette returns the colours of the slots, or an empty palette if color is not wanted. It
// asks git only for configured slots.
func (a *App) NewPalette(ctx context.Context) ui.Palette {
	if !a.WantColor(ctx) {
		return ui.Palette{}
	}
	p := ui.Palette{Codes: gitconfig.Colors(ctx, "color.agent", maps.Clone(ColorSlots))}
	a.colors = append(slices.Collect(maps.Values(p.Codes)), ui.ColorReset)
	return p
}

// Page returns the stream for output that people read. The caller must Close it.
func (a *App) Page(ctx context.Context) *ui.Pager {
	return ui.NewPager(ctx, a.Stdout, a.Stderr, &a.colors)
}

// logCall prints one call of git for -v, as a line that can be pasted into a shell. Paths in the
// call are relative to the top of the work tree, so the line has -C in a subdirectory; revisions
// were resolved in the current directory.
func (a *App) logCall(argv []string, d time.Duration, exit int) {
	if a.Repo != nil && len(argv) > 1 && argv[1] != "rev-parse" {
		if up := HereIn(a.Repo).Up(); up != "" {
			argv = slices.Insert(slices.Clone(argv), 1, "-C", up)
		}
	}
	fmt.Fprintf(a.Stderr, "%s # exit %d, %s\n", ui.ShellJoin(argv), exit, d.Round(100*time.Microsecond))
}

// LineEnd returns the end of a line of output: NUL with -z, else a newline.
func LineEnd(null bool) string {
	if null {
		return "\x00"
	}
	return "\n"
}
