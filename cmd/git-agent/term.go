package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"git-agent/cmd/git-agent/layout"
	"git-agent/cmd/git-agent/terminal"
	"git-agent/gitext/gitconfig"
)

// personReads reports whether a person reads standard output: on a terminal, or
// in the pager that git starts for `git -p agent`.
func (a *app) personReads() bool {
	return terminal.IsTerminal(a.stdout) || a.env.get("GIT_PAGER_IN_USE") != ""
}

// textWidth returns the width of the output: COLUMNS, which git respects first
// too, or the terminal's width, or 100 if there is no terminal. It is 40 at least,
// because narrower text cannot be laid out.
func (a *app) textWidth() int {
	if n, err := strconv.Atoi(a.env.get("COLUMNS")); err == nil && n > 0 {
		return max(40, n)
	}
	if terminal.IsTerminal(a.stdout) {
		width, _ := terminal.Size(a.stdout)
		return max(40, width)
	}
	return 100
}

// wantColor reports whether to use color. --color decides, then NO_COLOR, then
// git's own rule for color.agent, which respects color.ui, TERM and
// GIT_PAGER_IN_USE. It starts a git process only if there is a terminal or a
// pager of git's.
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
	tty := terminal.IsTerminal(a.stdout)
	if !tty && a.env.get("GIT_PAGER_IN_USE") == "" {
		return false
	}
	return gitconfig.ColorBool(ctx, "color.agent", tty)
}

// colorSlots maps each slot of color.agent.<slot> to its default, as git's
// configuration spells it. Colour never carries meaning alone.
var colorSlots = map[string]string{
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

// newPalette returns the colours of the slots, or an empty palette if color is
// not wanted. It asks git only for slots that are configured.
func (a *app) newPalette(ctx context.Context) layout.Palette {
	if !a.wantColor(ctx) {
		return layout.Palette{}
	}
	p := layout.Palette{Codes: gitconfig.Colors(ctx, "color.agent", maps.Clone(colorSlots))}
	a.colors = append(slices.Collect(maps.Values(p.Codes)), layout.ColorReset)
	return p
}

// page returns the stream for output that people read. The caller must Close it.
func (a *app) page(ctx context.Context) *terminal.Pager {
	return terminal.NewPager(ctx, a.stdout, a.stderr, &a.colors)
}

// logCall prints one call of git for -v, as a line that can be pasted into a
// shell. Paths in it are those of the top of the work tree, which -C leads to from a
// subdirectory; revisions were read where the user stands.
func (a *app) logCall(argv []string, d time.Duration, exit int) {
	if a.repo != nil && len(argv) > 1 && argv[1] != "rev-parse" {
		if up := hereIn(a.repo).up(); up != "" {
			argv = slices.Insert(slices.Clone(argv), 1, "-C", up)
		}
	}
	fmt.Fprintf(a.stderr, "%s # exit %d, %s\n", layout.ShellJoin(argv), exit, d.Round(100*time.Microsecond))
}

// lineEnd returns what ends a line of output: NUL with -z, else a newline.
func lineEnd(null bool) string {
	if null {
		return "\x00"
	}
	return "\n"
}
