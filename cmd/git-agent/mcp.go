package main

import (
	"context"

	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/mcpcmd"
	"git-agent/cmd/git-agent/store"
	"git-agent/cmd/git-agent/ui"
	"git-agent/cmd/git-agent/verbs"
	"git-agent/gitext"
)

// mcpCmd is `git agent mcp`: it serves the git tools, szz, crash, the read-only parts of fix and,
// if it is allowed, bisect to other agents.
type mcpCmd struct {
	Repo  string `placeholder:"<directory>" kind:"path" help:"serve the repository at <directory>; default: the current one"`
	Tip   string `xor:"tip" placeholder:"<revision>" help:"let the tools see only <revision> and its ancestors; default: HEAD"`
	Fix   string `xor:"tip" placeholder:"<revision>" help:"let the tools see only what existed before this fix, and make it the default fix of szz"`
	Allow string `enum:",run" default:"" placeholder:"<what>" help:"run: offer the tool bisect, which runs commands of the client, confined, at commits of the repository"`
	Cache bool   `negatable:"" default:"true" help:"reuse cached answers, and cache new ones"`

	Install   string `enum:",claude,codex,gemini,cursor,vscode,zed,windsurf" default:"" placeholder:"<client>" help:"add the server, with the other options given, to the configuration of <client>: claude, codex, gemini, cursor, vscode, zed or windsurf; show the change, and ask before it is written"`
	Uninstall string `enum:",claude,codex,gemini,cursor,vscode,zed,windsurf" default:"" placeholder:"<client>" help:"remove the server from the configuration of <client> likewise"`
	Scope     string `enum:"user,project" default:"user" placeholder:"<scope>" help:"with --install and --uninstall, which configuration to change: user or project; default: user"`
	Plugin    string `placeholder:"<directory>" kind:"path" help:"write the server and its skills to <directory>, as a plugin of Claude Code, Codex and Gemini CLI"`
	Yes       bool   `help:"answer yes to the question of --install and --uninstall"`
}

// Run serves standard input and output until the client leaves.
func (c *mcpCmd) Run(ctx context.Context, a *app.App) error {
	switch {
	case c.Install != "" && c.Uninstall != "":
		return app.Usagef("--install and --uninstall can't be used together")
	case c.Plugin != "" && (c.Install != "" || c.Uninstall != "" || c.Yes || c.Scope != "user"):
		return app.Usagef("--plugin can't be used with --install, --uninstall, --scope or --yes")
	case c.Plugin != "":
		return c.writePlugin(a)
	case c.Install != "" || c.Uninstall != "":
		return c.configure(ctx, a)
	}
	if c.Yes || c.Scope != "user" {
		return app.Usagef("--yes and --scope need --install or --uninstall")
	}
	repo, err := a.Open(ctx, gitext.OpenOptions{Dir: c.Repo})
	if err != nil {
		return err
	}
	s := &mcpcmd.Server{Repo: repo, Tip: c.Tip, Fix: c.Fix, Version: app.VersionString(), Build: app.BuildIdentity(), Keys: a.Keys()}
	if _, err := s.Scope(ctx); err != nil && (c.Tip != "" || c.Fix != "") {
		return err // without --tip and --fix, the first commit may come while the server runs
	}
	if c.Cache {
		s.Cache = a.Data.OpenCache(ctx, repo)
		defer s.Cache.Close() // the cache has warned about unstored answers
	}
	s.Runs = func(ctx context.Context) (*store.Stores, error) {
		stores := &store.Stores{Repo: repo, Data: a.Data, Warn: a.WarnOnce}
		return stores, stores.OpenOwn(ctx)
	}
	if c.Allow == "run" {
		flags := verbs.NewCommandFlags()
		confined, err := flags.Confined(ctx, a)
		if err != nil {
			return err
		}
		confined.Compiled = a.CompiledFolder(ctx, repo)
		s.Trial = &confined
	}
	opt, err := s.Options()
	if err != nil {
		return err
	}
	if out := ui.File(a.Raw); out != nil {
		opt.Gone = func() bool { return ui.ReaderGone(out) }
	}
	if ui.IsTerminal(a.Stdin) {
		a.Say("this speaks the Model Context Protocol and waits for a client; 'git agent mcp --help' says how to add it to one")
	}
	return mcpcmd.Serve(ctx, a.Stdin, a.Raw, opt)
}
