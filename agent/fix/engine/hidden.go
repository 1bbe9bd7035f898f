package engine

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"git-agent/agent/fix"
	"git-agent/agent/fix/testcmd"
	"git-agent/agent/sandbox"
	"git-agent/agent/source"
	"git-agent/agent/trial"
	"git-agent/gitext/quote"
)

// hidden says why the test command runs for the user and cannot run in a scratch work tree: it
// names a script that only the user can see. It returns "" if there is no such script. Without
// this check, "no such file" would be taken for the bug.
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
	if s.answer.Reproduction.State != fix.Broken {
		return "", nil
	}
	return s.hiddenEnvironment(ctx, space)
}

// hiddenEnvironment says that a program is in a Python virtual environment that the sandbox
// hides. The programs are those that the command names and those that its output reports as
// missing. It returns "" if no program is hidden in this way.
func (s *study) hiddenEnvironment(ctx context.Context, space *trial.Workspace) (string, error) {
	names := programsOf(s.problem.Test)
	if absent := testcmd.AbsentPath(s.answer.Reproduction.Lacking); absent != "" {
		names = append(names, absent)
	}
	for _, name := range names {
		program := name
		if !filepath.IsAbs(name) {
			var err error
			if program, err = sandbox.Program(name); err != nil {
				continue
			}
		}
		env := testcmd.EnvironmentOf(program)
		if env == "" {
			continue
		}
		seen, err := space.Exec(ctx, "test -e "+quote.Shell(filepath.Join(env, testcmd.EnvironmentMark)), trial.ExecOptions{})
		if err != nil {
			return "", err
		}
		if seen.Exit != 0 {
			return whyEnvironmentHidden(name, env), nil
		}
	}
	return "", nil
}

// whyEnvironmentHidden explains that a program's virtual environment is hidden.
func whyEnvironmentHidden(program, env string) string {
	return fmt.Sprintf(
		"the sandbox hides %s, the Python environment of %s, from the test: make it visible with git config --global --add agent.sandboxRead %s",
		env,
		program,
		quote.Shell(env),
	)
}

// whyHidden explains that a command cannot see a script.
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
	if env := testcmd.EnvironmentOf(place); env != "" {
		return whyEnvironmentHidden(script, env)
	}
	return fmt.Sprintf(
		"%s, and the sandbox hides %s from it: put it into the work tree, or make it visible with git config --global --add agent.sandboxRead %s",
		scratch,
		script,
		quote.Shell(place),
	)
}

var (
	simpleCommands = source.Lazy(`[;&|()\n]+`)
	interpreter    = source.Lazy(`^(?:.*/)?(?:sh|bash|dash|zsh|ksh|python[\d.]*|node|perl|ruby|php)$`)
	assignment     = source.Lazy(`^\w+=`)
)

// programsOf returns the programs that a shell command starts by name.
func programsOf(command string) []string {
	var list []string
	for _, simple := range simpleCommands().Split(command, -1) {
		words := strings.Fields(simple)
		for len(words) > 0 && assignment().MatchString(words[0]) {
			words = words[1:]
		}
		if len(words) > 0 && !strings.ContainsAny(words[0], "'\"\\$`*?<>/") && !slices.Contains(list, words[0]) {
			list = append(list, words[0])
		}
	}
	return list
}

// scriptsOf returns the files that a shell command runs as programs or passes to an
// interpreter.
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
