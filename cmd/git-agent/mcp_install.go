package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/clients"
	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext"
)

// configure adds the server to the configuration of a client, or removes it.
func (c *mcpCmd) configure(ctx context.Context, a *app.App) error {
	project := c.Scope == "project"
	places, err := c.places(ctx, a, project)
	if err != nil {
		return err
	}
	client, _ := clients.Find(cmp.Or(c.Install, c.Uninstall)) // the parser knows the names
	var change *clients.Change
	if c.Install != "" {
		server, err := c.server(places, project)
		if err != nil {
			return err
		}
		if change, err = client.Install(places, project, server); err != nil {
			return manualHint(err)
		}
	} else if change, err = client.Uninstall(places, project); err != nil {
		return manualHint(err)
	}
	switch {
	case change.Empty() && c.Install != "":
		a.Say("%s has this server already, in %s", client.Title, ui.Printable(change.Path))
		return nil
	case change.Empty():
		a.Say("%s has no such server in %s", client.Title, ui.Printable(change.Path))
		return nil
	}
	if c.Install != "" && c.Repo == "" && client.Elsewhere {
		a.WarnOnce(fmt.Sprintf("%s may start the server outside of your repository; --repo=<directory> names one", client.Title))
	}
	return c.agree(a, client, change)
}

// agree shows a change and makes it if the user agrees.
func (c *mcpCmd) agree(a *app.App, client clients.Client, change *clients.Change) error {
	if _, err := fmt.Fprint(a.Stdout, change.Diff()); err != nil {
		return err
	}
	if !c.Yes {
		if !ui.IsTerminal(a.Stdin) || !ui.IsTerminal(a.Stderr) {
			a.Say("%s is not changed: without a terminal to ask on, the change needs --yes", ui.Printable(change.Path))
			return app.ExitStatus(app.ExitNothing)
		}
		if !ui.Confirm(bufio.NewReader(a.Stdin), a.Stderr, fmt.Sprintf("Write this to %s?", ui.Printable(change.Path))) {
			return app.ExitStatus(app.ExitNothing)
		}
	}
	if err := change.Apply(app.WriteFile); err != nil {
		return err
	}
	if len(change.After) == 0 {
		a.Say("%s had nothing else in it and is removed; %s no longer starts the server", ui.Printable(change.Path), client.Title)
		return nil
	}
	a.Say("%s is written; %s reads it when it starts", ui.Printable(change.Path), client.Title)
	return nil
}

// places returns where configuration is. The configuration of a project is at the top of its
// work tree.
func (c *mcpCmd) places(ctx context.Context, a *app.App, project bool) (clients.Places, error) {
	places := clients.Places{Getenv: a.Env.Get}
	if !project {
		return places, nil
	}
	repo, err := a.Open(ctx, gitext.OpenOptions{Dir: c.Repo})
	if err != nil {
		return places, err
	}
	places.Top = repo.WorkTree()
	return places, nil
}

// server returns how a client is to start this program, with the options of the command line.
// The server of a project serves the project, whatever its place is.
func (c *mcpCmd) server(places clients.Places, project bool) (clients.Server, error) {
	exe, _ := os.Executable() // without it, the name is written
	s := clients.Server{Command: clients.Command(places, exe, project), Args: []string{"mcp"}}
	if c.Repo != "" && !project {
		dir, err := filepath.Abs(c.Repo)
		if err != nil {
			return s, err
		}
		s.Args = append(s.Args, "--repo="+dir)
	}
	for _, option := range [][2]string{{"--tip=", c.Tip}, {"--fix=", c.Fix}, {"--allow=", c.Allow}} {
		if option[1] != "" {
			s.Args = append(s.Args, option[0]+option[1])
		}
	}
	if !c.Cache {
		s.Args = append(s.Args, "--no-cache")
	}
	return s, nil
}

// writePlugin writes the plugin's folder. The plugin is for other machines, too, so that it starts
// the program by its name.
func (c *mcpCmd) writePlugin(a *app.App) error {
	server, err := c.server(clients.Places{Getenv: a.Env.Get}, false)
	if err != nil {
		return err
	}
	server.Command = clients.Name
	files, err := clients.PluginFiles(app.VersionString(), server)
	if err != nil {
		return err
	}
	written, err := clients.WritePlugin(c.Plugin, files, app.WriteFile)
	for _, path := range written {
		fmt.Fprintf(a.Stdout, "%s\n", path)
	}
	return err
}

// manualHint adds the lines that a person has to add.
func manualHint(err error) error {
	var manual *clients.ManualError
	if !errors.As(err, &manual) {
		return err
	}
	if manual.Lines == "" {
		return app.WithHint(err, "remove the server %s by hand", clients.Name)
	}
	return app.WithHint(err, "add this by hand:\n%s", manual.Lines)
}
