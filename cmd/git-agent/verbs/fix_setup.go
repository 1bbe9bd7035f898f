package verbs

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"git-agent/agent/fix/testcmd"
	"git-agent/agent/source"
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

// These bound what is shown of a setup command's output: lines from its end, and lines before them that tell
// an error.
const (
	shownOfSetup  = 20
	errorsOfSetup = 5
)

// tellsError matches a line by which an installer reports an error. Of Maven and npm, dozens of lines of advice or of
// a stack may follow it.
var tellsError = source.Lazy(
	`^\s*(?:\[ERROR\] *\S|(?:fatal |[\w.]*)?[Ee]rror\b(?:\[\w+\])?:? \S|ERROR:? \S|FATAL\b|fatal: |npm (?:ERR!|error) \S|E: |ERR_\w+|Caused by: |FAILURE: |> \S.*\b(?:failed|not)\b|Exception in )`,
)

// tellingLines returns the first lines of an output that tell an error, each once.
func tellingLines(lines []string) []string {
	var found []string
	for _, l := range lines {
		if len(found) < errorsOfSetup && tellsError().MatchString(l) && !slices.Contains(found, l) {
			found = append(found, l)
		}
	}
	return found
}

// explainSetup prints the end of a failed setup command's output, and the errors before it.
func explainSetup(a *app.App, err error) error {
	var failed *trial.SetupError
	if !errors.As(err, &failed) {
		return err
	}
	lines := strings.Split(strings.TrimRight(string(failed.Output), "\n"), "\n")
	end := max(0, len(lines)-shownOfSetup)
	telling := tellingLines(lines[:end])
	if len(telling) > 0 {
		telling = append(telling, "...")
	}
	for _, l := range slices.Concat(telling, lines[end:]) {
		fmt.Fprintln(a.Stderr, ui.Printable(strings.TrimRight(l, "\r")))
	}
	if install := testcmd.Installer(failed.Output); install != "" {
		return app.WithHint(err, "%s installs it; it must be on PATH", install)
	}
	return app.WithHint(
		err,
		"the command has the network, but not the home directory; run it in the work tree yourself, or give another with --setup",
	)
}
