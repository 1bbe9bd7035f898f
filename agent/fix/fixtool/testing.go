package fixtool

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/agent/fix/testrun"
	"git-agent/agent/fix/testrun/testlog"
)

type testParams struct {
	Suite bool `json:"suite"`
}

type testOnlyParams struct{}

// A verdict is the result of a test command for the work tree. A command that ran into its time
// limit has none.
type verdict struct {
	known   bool
	version int // of the work tree
	passed  bool
	named   bool     // failing has the names of all failing tests
	failing []string // names of the failing tests
}

const testName = "test"

// newTest makes the tool test. It returns nil if the problem has no command to run. Without
// wider tests, the tool has no parameter.
func newTest(b *Box) (agent.Tool, error) {
	switch {
	case b.problem.Test == "" && b.problem.Suite == "":
		return nil, nil
	case b.problem.Test == "" || b.problem.Suite == "":
		return testTool(b, "test_only", testOnlyParams{}, func(testOnlyParams) bool { return b.problem.Test == "" })
	}
	return testTool(b, "test", testParams{}, func(p testParams) bool { return p.Suite })
}

func testTool[P any](b *Box, text string, defaults P, suite func(P) bool) (agent.Tool, error) {
	t, err := newTool(b, testName, text, agent.DeedTest, 0, defaults, func(ctx context.Context, p P) (agent.Result, error) {
		said, err := b.runTests(ctx, suite(p))
		return agent.Result{Text: said}, err
	})
	if err != nil {
		return nil, err
	}
	t.step = func(p P) Step { return Step{Kind: StepTest, Passed: b.verdictOf(suite(p)).passed} }
	t.resume = func(_ context.Context, p P, recorded agent.CallResult) error {
		if !recorded.Failed {
			*b.verdictOf(suite(p)) = b.recordedVerdict(recorded.Text)
		}
		return nil
	}
	return t, nil
}

func (b *Box) verdictOf(suite bool) *verdict {
	if suite {
		return &b.suite
	}
	return &b.tested
}

// runTests builds, runs the failing command or the wider tests in the work tree, keeps the
// verdict and renders it.
func (b *Box) runTests(ctx context.Context, suite bool) (string, error) {
	command := b.problem.Test
	if suite {
		command = b.problem.Suite
	}
	end, err := testrun.Run(ctx, b.space, testrun.Commands{Build: b.problem.Build, Test: command})
	if err != nil {
		return "", err
	}
	return b.judge(suite, end), nil
}

// judge keeps the verdict of a run and renders it.
func (b *Box) judge(suite bool, end testrun.Ending) string {
	before := *b.verdictOf(suite)
	now := verdict{known: !end.TimedOut, version: b.version, passed: end.State == fix.Passing, failing: end.Report.Failing}
	now.named = len(now.failing) > 0 && end.State == fix.Failing
	subject := "the test command"
	var known []string
	if suite {
		subject = "the command of the wider tests"
		now.failing, known = without(now.failing, b.problem.Known)
		now.passed = now.passed || now.named && len(now.failing) == 0
	}
	*b.verdictOf(suite) = now
	if now.passed && len(known) > 0 {
		return fmt.Sprintf("%s passes but for tests that failed before the repair: %s\n", subject, names(known))
	}
	return b.renderTest(subject, end, now, since(before, now))
}

// without splits a list into the names outside of drop and those in it.
func without(list, drop []string) (kept, dropped []string) {
	for _, name := range list {
		if slices.Contains(drop, name) {
			dropped = append(dropped, name)
		} else {
			kept = append(kept, name)
		}
	}
	return kept, dropped
}

// renderTest describes the end of a command and its failing tests, and shows the informative
// part of its output.
func (b *Box) renderTest(subject string, end testrun.Ending, now verdict, since string) string {
	var t strings.Builder
	fmt.Fprintf(&t, "%s %s\n", subject, b.opt.Mask.Shorten(b.relative(end.How), maxOutputLine))
	if len(now.failing) > 0 {
		fmt.Fprintf(&t, "failing tests (%d): %s\n", len(now.failing), names(now.failing))
	}
	if since != "" {
		fmt.Fprintf(&t, "since the last run: %s\n", since)
	}
	if now.passed {
		if end.Report.Ran > 0 { // how much a pass proves
			fmt.Fprintf(&t, "it ran %s\n", agent.Plural(end.Report.Ran, "test"))
		}
		return t.String()
	}
	if text := excerpt(b.outputLines(end.Output), marksOf(end.Report), maxExcerpt); text != "" {
		t.WriteString("\n" + text)
	}
	return t.String()
}

// marksOf returns texts that identify the lines of failed assertions and compiler errors.
func marksOf(r testlog.Report) []string {
	const most = 30
	var marks []string
	for _, p := range slices.Concat(r.BuildErrors, r.Places) {
		if p.File != "" && p.Line > 0 && len(marks) < most {
			marks = append(marks, fmt.Sprintf("%s:%d", path.Base(p.File), p.Line))
		}
	}
	return marks
}

// maxNames bounds the listed names of tests.
const maxNames = 12

// names lists names of tests.
func names(list []string) string {
	var out []string
	for _, n := range list[:min(len(list), maxNames)] {
		out = append(out, agent.Shorten(agent.CleanLine(n), 160))
	}
	if more := len(list) - len(out); more > 0 {
		out = append(out, fmt.Sprintf("%d more", more))
	}
	return strings.Join(out, "; ")
}

// since names the tests that newly pass and those that newly fail.
func since(before, now verdict) string {
	if !before.named || !now.named || now.passed {
		return ""
	}
	fixed, _ := without(before.failing, now.failing)
	broken, _ := without(now.failing, before.failing)
	var parts []string
	if len(fixed) > 0 {
		parts = append(parts, "passes now: "+names(fixed))
	}
	if len(broken) > 0 {
		parts = append(parts, "fails now: "+names(broken))
	}
	if len(parts) == 0 {
		return "the same tests fail"
	}
	return strings.Join(parts, "; ")
}

// recordedVerdict reads a verdict from a recorded answer.
func (b *Box) recordedVerdict(text string) verdict {
	first, rest, _ := strings.Cut(text, "\n")
	v := verdict{known: !strings.Contains(first, " ran into its time limit of "), version: b.version}
	v.passed = strings.HasSuffix(first, " passes") || strings.Contains(first, " passes but for tests ")
	if second, _, _ := strings.Cut(rest, "\n"); strings.HasPrefix(second, "failing tests (") {
		if _, list, ok := strings.Cut(second, "): "); ok {
			v.failing = strings.Split(list, "; ")
			v.named = strings.HasPrefix(second, fmt.Sprintf("failing tests (%d)", len(v.failing)))
		}
	}
	return v
}
