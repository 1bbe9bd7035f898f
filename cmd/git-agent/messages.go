package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"git-agent/cmd/git-agent/layout"
	"git-agent/gitext"
)

// fetchAllHint turns a partial clone into a whole one. Without --tags what only
// tags reach stays away (rack: 109 of 3001 objects).
const fetchAllHint = "git fetch --refetch --no-filter --tags"

// hint prints advice unless GIT_ADVICE or advice.agent turns it off.
func (a *app) hint(ctx context.Context, text string) {
	if a.flags.Quiet || !a.adviceWanted(ctx) {
		return
	}
	writeHint(a.stderr, text)
}

func writeHint(w io.Writer, text string) {
	for line := range strings.Lines(text) {
		fmt.Fprintf(w, "hint: %s\n", layout.Printable(strings.TrimRight(line, "\n")))
	}
}

// adviceWanted asks what git itself asks before it prints a hint. git's
// environment variable is boolean; unset or empty, the configuration decides.
func (a *app) adviceWanted(ctx context.Context) bool {
	if v := a.env.get("GIT_ADVICE"); v != "" {
		return !gitext.IsFalse(v)
	}
	return gitext.ConfigBool(context.WithoutCancel(ctx), "advice.agent", true)
}

// warnOnce is for what goes wrong beside the answer.
func (a *app) warnOnce(text string) {
	a.data.mu.Lock()
	defer a.data.mu.Unlock()
	if a.data.given == nil {
		a.data.given = map[string]bool{}
	}
	if !a.data.given[text] {
		a.data.given[text] = true
		fmt.Fprintf(a.stderr, "warning: %s\n", layout.Printable(text))
	}
}

// warnUntrusted says once that a setting of the repository itself is ignored.
func (a *app) warnUntrusted(key, scope string) {
	if a.warned[key] {
		return
	}
	if a.warned == nil {
		a.warned = map[string]bool{}
	}
	a.warned[key] = true
	fmt.Fprintf(a.stderr, "warning: %s (%s) is ignored: a repository may not set it; use 'git config --global %s <value>'\n", key, scope, key)
}

// say tells something on standard error that is no part of the answer.
func (a *app) say(format string, args ...any) {
	if !a.flags.Quiet {
		fmt.Fprintf(a.stderr, format+"\n", args...)
	}
}
