package app

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"git-agent/cmd/git-agent/doctor"
	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext"
	"git-agent/gitext/gitconfig"
)

// Hint prints a hint unless -q, GIT_ADVICE or advice.agent turns hints off.
func (a *App) Hint(ctx context.Context, text string) {
	if a.Flags.Quiet || !a.adviceWanted(ctx) {
		return
	}
	writeHint(a.Stderr, text)
}

// writeHint prints each line of a hint after the prefix "hint:".
func writeHint(w io.Writer, text string) {
	for line := range strings.Lines(text) {
		fmt.Fprintf(w, "hint: %s\n", ui.Printable(strings.TrimRight(line, "\n")))
	}
}

// adviceWanted reports whether hints are wanted, by git's own rules for hints: GIT_ADVICE, a
// boolean, decides, or the configuration if it is unset or empty.
func (a *App) adviceWanted(ctx context.Context) bool {
	if v := a.Env.Get("GIT_ADVICE"); v != "" {
		return !gitconfig.IsFalse(v)
	}
	return gitconfig.Bool(context.WithoutCancel(ctx), "advice.agent", true)
}

// warnings remembers printed warnings. Its zero value is ready to use.
type warnings struct {
	mu    sync.Mutex
	texts map[string]bool
}

// WarnOfTop warns that the user's commands run at the top of the work tree, if this is called below it. Commands that
// first enter a directory say themselves where they run; empty ones do not count.
func (a *App) WarnOfTop(repo *gitext.Repo, commands ...string) {
	atTop := slices.ContainsFunc(commands, func(c string) bool { return c != "" && !strings.HasPrefix(strings.TrimLeft(c, "( "), "cd ") })
	if below := PathspecsIn(repo, nil).Prefix; below != "" && atTop {
		a.WarnOnce("the command runs at the top of the work tree, not in " + ui.Printable(below))
	}
}

// WarnOnce prints a warning, once for each text. It is for problems that do not prevent an
// answer.
func (a *App) WarnOnce(text string) {
	a.given.mu.Lock()
	defer a.given.mu.Unlock()
	if a.given.texts == nil {
		a.given.texts = map[string]bool{}
	}
	if !a.given.texts[text] {
		a.given.texts[text] = true
		fmt.Fprintf(a.Stderr, "warning: %s\n", ui.Printable(text))
	}
}

// WarnUntrusted warns once that a setting is ignored because the repository
// itself sets it.
func (a *App) WarnUntrusted(key, scope string) {
	if a.Warned[key] {
		return
	}
	if a.Warned == nil {
		a.Warned = map[string]bool{}
	}
	a.Warned[key] = true
	fmt.Fprintf(a.Stderr, "warning: %s (%s) is ignored: a repository may not set it; use 'git config --global %s <value>'\n", key, scope, key)
}

// warnUnknown warns of unknown settings, because a mistyped setting would silently have no
// effect.
func (a *App) warnUnknown(config map[string][]gitconfig.Value) {
	for _, key := range slices.Sorted(maps.Keys(config)) {
		nearest, unknown := doctor.Unknown(a.settings, key)
		switch {
		case !unknown:
		case nearest != "":
			a.WarnOnce(fmt.Sprintf("%s (%s) is no setting and does nothing; did you mean %s?", key, config[key][0].Scope, nearest))
		default:
			a.WarnOnce(fmt.Sprintf("%s (%s) is no setting and does nothing", key, config[key][0].Scope))
		}
	}
}

// Say prints a notice to standard error, unless -q is given.
func (a *App) Say(format string, args ...any) {
	if !a.Flags.Quiet {
		fmt.Fprintf(a.Stderr, format+"\n", args...)
	}
}
