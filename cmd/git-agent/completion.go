package main

import (
	"fmt"

	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/ui"

	"github.com/alecthomas/kong"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish"`
}

// Run prints a completion script for the shell. The script completes both
// `git agent` and `git-agent`.
func (c *completionCmd) Run(k *kong.Context, a *app.App) error {
	_, err := fmt.Fprint(a.Stdout, ui.CompletionFor(c.Shell, k.Model.Node))
	return err
}
