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

// SetupCommandKey is the setting of the command that installs the dependencies of the others.
// Only the user can set it, because the command has network access and runs before all tests.
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

// keptSetups is the folder for the output of setup commands among the cached data of a
// repository.
const keptSetups = "setup"

// setupFolder returns the folder for the output of a repository's setup commands, "" if there is
// none.
func setupFolder(ctx context.Context, a *app.App, repo *gitext.Repo) string {
	folders := a.Data.Folders(ctx, repo.CommonDir())
	if folders.CacheErr != nil {
		return ""
	}
	return filepath.Join(folders.Cache.Path, keptSetups)
}

// shownOfSetup is the number of shown lines from the end of a setup command's output.
const shownOfSetup = 20

// explainSetup prints the end of a failed setup command's output.
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
