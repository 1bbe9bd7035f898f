package offline

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"git-agent/agent/source"
	"git-agent/agent/trial"
)

// forkModule is a Python module that runs the tests with many variants in forks of one process.
//
//go:embed inject/python/sitecustomize.py
var forkModule []byte

// pythonCommand matches commands that run Python tests.
var pythonCommand = source.Lazy(`(^|[\s;&|(/])(python[0-9.]*|pytest|py\.test|tox|nox|nosetests|hatch|poetry|pdm|pipenv|uv)\b`)

// forked are the programs that get the module even if the command sets PYTHONPATH itself.
var forked = []string{"python", "python3", "pytest", "py.test"}

// forkProgram is a script that PATH has before the real program.
const forkProgram = `#!/bin/sh
PATH=${PATH#@DIR@/bin:}
if test -n "$GIT_AGENT_FORK"; then
	PYTHONPATH=@DIR@/python${PYTHONPATH:+:$PYTHONPATH}
	export PYTHONPATH
fi
exec @REAL@ "$@"
`

// pythonFork tries each candidate in a fork of one Python process.
type pythonFork struct{}

func (pythonFork) takes(s *search, file string) bool {
	return path.Ext(file) == ".py" && pythonCommand().MatchString(s.in.Problem.Test)
}

func (pythonFork) group(string) string     { return "" }
func (pythonFork) leads() bool             { return true }
func (pythonFork) suites() bool            { return true }
func (pythonFork) name(test string) string { return test }

// run runs the failing tests, or the wider ones, with each variant. The runs are empty if the
// command starts no Python process that runs tests.
func (pythonFork) run(ctx context.Context, s *screen, variants map[int]variant) (map[int][]screened, map[int]bool, error) {
	dir, err := s.forkFiles(variants)
	if err != nil {
		return nil, nil, err
	}
	if err := s.w.Prepare(ctx, s.in.Problem.Tree.Commit, s.in.Problem.Tree.Over); err != nil {
		return nil, nil, err
	}
	command, took := s.in.Problem.Test, s.baseline.took
	switch {
	case s.suite:
		command, took = s.in.Problem.Suite, suiteLimit/screenSlower
	case s.quick.command != "":
		command, took = s.quick.command, s.quick.took
	}
	search := filepath.Join(dir, "python")
	if set := os.Getenv("PYTHONPATH"); set != "" {
		search += string(os.PathListSeparator) + set
	}
	limit := min(max(screenSlower*took, leastScreen), max(screenLimit, took))
	list := numbersOf(variants)
	res, err := s.exec(ctx, command, trial.ExecOptions{
		Timeout: screenTime + s.baseline.limit + 10*limit, MaxOutput: 2 * screenOutput * len(list),
		Set: append(s.variantsIn(list, limit),
			"PATH="+filepath.Join(dir, "bin")+string(os.PathListSeparator)+s.w.Path(),
			"PYTHONPATH="+search,
			"GIT_AGENT_FORK="+dir, "GIT_AGENT_TREE="+s.w.Dir(),
		),
		Writable: []string{dir},
	})
	if err != nil {
		return nil, nil, err
	}
	return readScreened(res.Output, true), nil, nil
}

// numbersOf returns the numbers of the variants in order, between runs without a change: the
// first one shows what the tests import, and the last one which lines vary.
func numbersOf(variants map[int]variant) []string {
	list := []string{"0", "0"}
	for n := range maxNumber(variants) + 1 {
		if _, ok := variants[n]; ok {
			list = append(list, strconv.Itoa(n))
		}
	}
	return list
}

// forkFiles writes the variants, the module and the scripts, and returns their directory.
func (s *screen) forkFiles(variants map[int]variant) (string, error) {
	dir, err := s.writeVariants("fork", variants)
	if err != nil {
		return "", err
	}
	files := map[string][]byte{"python/sitecustomize.py": forkModule}
	fill := strings.NewReplacer("@DIR@", dir)
	for _, name := range forked {
		if real, err := s.w.Program(name); err == nil {
			files["bin/"+name] = []byte(strings.Replace(fill.Replace(forkProgram), "@REAL@", quoted(real), 1))
		}
	}
	for _, sub := range []string{"bin", "python"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			return "", err
		}
	}
	for name, text := range files {
		mode := os.FileMode(0o600)
		if strings.HasPrefix(name, "bin/") {
			mode = 0o700
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), text, mode); err != nil {
			return "", fmt.Errorf("write a variant: %w", err)
		}
	}
	return dir, nil
}
