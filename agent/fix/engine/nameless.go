package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/agent/fix/testcmd"
	"git-agent/agent/fix/testrun"
	"git-agent/agent/fix/testrun/testlog"
	"git-agent/agent/source"
)

// nameless says why a failure is none of a test: the command names the tests that fail, or is a guess that may do more
// than test, and its output names neither a test nor a place in the tree. Otherwise it returns "".
//
// The project's own scripts and programs, which seldom name tests, are trusted.
func (s *study) nameless(ctx context.Context) (string, error) {
	rep := s.answer.Reproduction
	guessed := s.problem.Others != nil && testcmd.RunsScript(rep.Command)
	if !s.engine.Effort.Abstain || !guessed && !testcmd.NamesTests(rep.Command) {
		return "", nil
	}
	if speaks, err := s.speaks(ctx, rep); speaks || err != nil {
		return "", err
	}
	end := ""
	if line := lastSaid(rep.Output); line != "" {
		end = "; it ends with: " + agent.Shorten(line, shownLine)
	}
	return fmt.Sprintf("the test cannot be judged: it %s, and no test is named in the output%s (--test names another command, "+
		"and --no-abstain goes on by the exit code alone)", rep.How, end), nil
}

// speaks reports whether the output of a failing command names a failing test, a crash, or a place in the tree.
func (s *study) speaks(ctx context.Context, rep fix.Reproduction) (bool, error) {
	read := testlog.Read(rep.Output)
	if len(rep.Failing) > 0 || read.Panicked {
		return true, nil
	}
	var files []string
	for _, p := range slices.Concat(read.Places, read.BuildErrors) {
		files = append(files, p.File)
	}
	for _, stack := range testrun.Stacks(rep.Output) {
		for _, f := range stack.Frames {
			files = append(files, f.File)
		}
	}
	slices.Sort(files)
	for _, file := range slices.Compact(files) {
		if file == "" {
			continue
		}
		if text, err := s.textOf(ctx, file); text != "" || err != nil {
			return text != "", err
		}
	}
	return false, nil
}

// ofLauncher matches what package managers print behind the output of a script that failed.
var ofLauncher = source.Lazy(
	`^(?:npm (?:error|ERR!)|error Command failed with|info Visit |.*ELIFECYCLE|error: script ".*" exited|Lifecycle script )`,
)

// lastSaid returns the last line of an output that no package manager printed, and that has a word.
func lastSaid(output []byte) string {
	lines := strings.Split(string(output), "\n")
	for _, line := range slices.Backward(lines) {
		line = strings.TrimSpace(line)
		if strings.ContainsFunc(line, func(r rune) bool { return r >= 'A' && r <= 'z' }) && !ofLauncher().MatchString(line) {
			return line
		}
	}
	return ""
}
