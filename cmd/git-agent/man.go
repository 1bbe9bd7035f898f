package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"git-agent/cmd/git-agent/app"
	"git-agent/man"
)

type manCmd struct {
	Install bool   `help:"install the pages below the given directory; default: where man(1) looks for pages of the program"`
	Page    string `arg:"" optional:"" name:"command" help:"the command to read about, or with --install, the directory"`
}

// Run shows the page of one command, or installs all pages.
func (c *manCmd) Run(_ context.Context, a *app.App) error {
	if !c.Install {
		name := "git-agent"
		if c.Page != "" {
			name += "-" + strings.TrimPrefix(strings.TrimPrefix(c.Page, "git-"), "agent-")
		}
		return app.ShowPage(a, name)
	}
	dir := c.Page
	if dir == "" {
		d, err := app.DefaultManDir(a.Env)
		if err != nil {
			return err
		}
		dir = d
	}
	files, err := man.Install(dir, func(file, page string) error {
		return app.WriteFile(file, 0o644, func(w io.Writer) error {
			_, err := io.WriteString(w, page)
			return err
		})
	})
	for _, f := range files {
		fmt.Fprintf(a.Stdout, "%s\n", f)
	}
	return err
}
