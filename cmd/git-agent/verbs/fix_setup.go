package verbs

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"git-agent/agent/trial"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext"
)

// SetupCommandKey is the setting of the command that installs what the others need. Only
// the user can set it: it has the network, and runs before anything is tested.
const SetupCommandKey = "agent.setupCommand"

// setupCommand returns the command of --setup, else that of the user's configuration.
func (c *Fix) setupCommand(ctx context.Context, a *app.App) (string, error) {
	if c.Setup != "" {
		return c.Setup, nil
	}
	config, err := gitext.Settings(ctx)
	if err != nil {
		return "", err
	}
	command := ""
	for _, v := range config[strings.ToLower(SetupCommandKey)] {
		if !v.Trusted() {
			a.WarnUntrusted(SetupCommandKey, v.Scope)
			continue
		}
		command = v.Value // the last one wins, as in git
	}
	if command != "" {
		a.Say("setup: %s (%s)", ui.Printable(command), SetupCommandKey)
	}
	return command, nil
}

// keptSetups is the folder, among the cached data of a repository, of what setup commands
// installed.
const keptSetups = "setup"

// setupFolder returns the folder in which is kept what setup commands of a repository
// install, "" if there is none.
func setupFolder(ctx context.Context, a *app.App, repo *gitext.Repo) string {
	folders := a.Data.Folders(ctx, repo.CommonDir())
	if folders.CacheErr != nil {
		return ""
	}
	return filepath.Join(folders.Cache.Path, keptSetups)
}

// shownOfSetup is how many of the last lines of a setup command's output are shown.
const shownOfSetup = 20

// explainSetup prints the end of what a setup command printed that did not pass.
func explainSetup(a *app.App, err error) error {
	var failed *trial.SetupError
	if !errors.As(err, &failed) {
		return err
	}
	lines := strings.Split(strings.TrimRight(string(failed.Output), "\n"), "\n")
	for _, l := range lines[max(0, len(lines)-shownOfSetup):] {
		fmt.Fprintln(a.Stderr, ui.Printable(strings.TrimRight(l, "\r")))
	}
	return app.WithHint(
		err,
		"the command has the network, but not the home directory; run it in the work tree yourself, or give another with --setup",
	)
}
