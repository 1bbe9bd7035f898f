package engine

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"git-agent/agent/sandbox"
	"git-agent/agent/source"
	"git-agent/agent/trial"
	"git-agent/gitext/quote"
)

// hidden says why the test command cannot run in a scratch work tree although it runs
// for the user: it names a script that is there for the user and not for the command.
// It returns "" if there is none. Without it, "no such file" would be taken for the bug.
func (s *study) hidden(ctx context.Context, space *trial.Workspace) (string, error) {
	for _, script := range scriptsOf(s.problem.Test) {
		place, word := script, quote.Shell(script)
		if rel, ok := strings.CutPrefix(script, "~/"); ok {
			home, err := os.UserHomeDir()
			if err != nil {
				continue
			}
			place, word = filepath.Join(home, rel), "~/"+quote.Shell(rel)
		} else if !filepath.IsAbs(script) {
			place = filepath.Join(s.engine.Repo.WorkTree(), script)
		}
		if info, err := os.Stat(place); err != nil || info.IsDir() {
			continue // the user has no such file either
		}
		seen, err := space.Exec(ctx, "test -e "+word, trial.ExecOptions{})
		if err != nil {
			return "", err
		}
		if seen.Exit != 0 {
			return s.whyHidden(script, place, space.Level()), nil
		}
	}
	return "", nil
}

// whyHidden explains that a script is not there for a command.
func (s *study) whyHidden(script, place string, level sandbox.Level) string {
	tree := s.engine.Repo.WorkTree()
	inside := false
	if rel, err := filepath.Rel(tree, place); tree != "" && err == nil && filepath.IsLocal(rel) {
		inside = true
	}
	const scratch = "the test runs in a scratch copy of the work tree"
	switch {
	case inside && filepath.IsAbs(script):
		return fmt.Sprintf("%s, which cannot see %s: name it by its path in the work tree", scratch, script)
	case inside:
		return fmt.Sprintf("%s, to which %s is not copied, because it is ignored", scratch, script)
	case level == sandbox.None:
		return fmt.Sprintf("%s, from which there is no %s: name it by its absolute path", scratch, script)
	}
	return fmt.Sprintf("%s, and the sandbox hides %s from it: put it into the work tree, or make it visible with git config --global --add agent.sandboxRead %s",
		scratch, script, quote.Shell(place))
}

var (
	simpleCommands = source.Lazy(`[;&|()\n]+`)
	interpreter    = source.Lazy(`^(?:.*/)?(?:sh|bash|dash|zsh|ksh|python[\d.]*|node|perl|ruby|php)$`)
	assignment     = source.Lazy(`^\w+=`)
)

// scriptsOf returns the files that a shell command names in the place of a program, or
// after an interpreter.
func scriptsOf(command string) []string {
	var list []string
	for _, simple := range simpleCommands().Split(command, -1) {
		words := strings.Fields(simple)
		for len(words) > 0 && assignment().MatchString(words[0]) {
			words = words[1:]
		}
		given := len(words) > 1 && interpreter().MatchString(words[0])
		if given {
			words = words[1:]
		}
		if len(words) == 0 || strings.HasPrefix(words[0], "-") || strings.ContainsAny(words[0], "'\"\\$`*?<>") {
			continue
		}
		if name := words[0]; (given || strings.Contains(name, "/")) && !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}
