package fixtool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/agent/fix/testcmd"
	"git-agent/agent/fix/testrun"
	"git-agent/agent/secret"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// Writing returns the additional tools for writing the failing test of a bug, beside those of
// Reading: write_test, and a finish that accepts a failing test.
func (b *Box) Writing() ([]agent.Tool, error) {
	write, err := newWriteTest(b)
	if err != nil {
		return nil, err
	}
	finish, err := newTool(b, finishName, "finish_test", agent.DeedAnswer, 0, finishTestParams{}, b.concludeTest)
	if err != nil {
		return nil, err
	}
	finish.resume = func(_ context.Context, _ finishTestParams, recorded agent.CallResult) error {
		if !recorded.Final {
			b.ending.objections++
		}
		return nil
	}
	return []agent.Tool{write, finishTestTool{finish}}, nil
}

// Written returns the model's last test, nil if it does not fail.
func (b *Box) Written() *fix.OwnTest {
	if b.own == nil || b.own.state != fix.Failing {
		return nil
	}
	return &fix.OwnTest{File: gitext.Overlay{Path: b.own.path, Mode: 0o100644, Content: b.own.text}, Command: b.own.command}
}

// An ownTest is a test that the model wrote.
type ownTest struct {
	path    string
	text    []byte
	command string
	state   fix.State // result of its run
}

type writeTestParams struct {
	Path string `json:"path" arg:"required"`
	Text string `json:"text" arg:"required,bytes=262144"`
}

const writeTestName = "write_test"

func newWriteTest(b *Box) (agent.Tool, error) {
	t, err := newTool(b, writeTestName, writeTestName, agent.DeedTest, 0, writeTestParams{}, b.writeTest)
	if err != nil {
		return nil, err
	}
	t.resume = func(ctx context.Context, p writeTestParams, recorded agent.CallResult) error {
		if recorded.Failed {
			return nil
		}
		if err := b.layTest(ctx, p); err != nil {
			return err
		}
		b.own.state = stateIn(recorded.Text)
		return nil
	}
	return t, nil
}

// These begin an answer with the result of a test; a resumed run reads the result there.
const (
	saidFails  = "the new test fails, as it must before the repair"
	saidPasses = "the new test passes, so it does not show the bug"
	saidBroken = "the new test cannot be judged, so it shows nothing"
)

// stateIn reads the result of a test from the answer.
func stateIn(answer string) fix.State {
	switch first, _, _ := strings.Cut(answer, "\n"); first {
	case saidFails:
		return fix.Failing
	case saidPasses:
		return fix.Passing
	}
	return fix.Broken
}

// writeTest writes a test, runs it, and describes the result.
func (b *Box) writeTest(ctx context.Context, p writeTestParams) (agent.Result, error) {
	if err := b.layTest(ctx, p); err != nil {
		return agent.Result{}, err
	}
	end, err := testrun.Run(ctx, b.space, testrun.Commands{Build: b.problem.Build, Test: b.own.command})
	if err != nil {
		return agent.Result{}, err
	}
	b.own.state = end.State
	first := saidBroken
	switch end.State {
	case fix.Failing:
		first = saidFails
	case fix.Passing:
		first = saidPasses
	}
	now := verdict{passed: end.State == fix.Passing, failing: end.Report.Failing}
	subject := "$ " + agent.Shorten(agent.CleanLine(b.own.command), maxOutputLine) + "\nthe command"
	return agent.Result{Text: first + "\n" + b.renderTest(subject, end, now, "")}, nil
}

// layTest puts a test into the work tree instead of the previous one.
func (b *Box) layTest(ctx context.Context, p writeTestParams) error {
	name, err := b.newTestPath(ctx, p.Path)
	if err != nil {
		return err
	}
	text := []byte(strings.TrimRight(p.Text, "\n") + "\n")
	command, ok := testcmd.Alone(b.problem.Suite, name, text)
	switch {
	case !ok:
		return refuse(
			writeTestName,
			"it is not known how %s is run: no command of this project's tests is known, and the file needs more than an interpreter",
			agent.CleanLine(name),
		)
	case !source.IsTestOf(name, command):
		return refuse(
			writeTestName,
			"%s is not called like a test, so that the repair could change it; call it like the project's tests",
			agent.CleanLine(name),
		)
	case binary(text):
		return refuse(writeTestName, "the text holds a NUL byte")
	}
	if why := parseError(name, text); why != "" {
		return refuse(writeTestName, "%s does not parse: %s", agent.CleanLine(name), why)
	}
	if b.own != nil && b.own.path != name {
		if err := b.remove(b.own.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	b.own = &ownTest{path: name, text: text, command: command, state: fix.Broken}
	return b.write(name, text, 0o644)
}

// newTestPath returns the path for a test, which must be new.
func (b *Box) newTestPath(ctx context.Context, raw string) (string, error) {
	tries, err := b.inside(writeTestName, raw)
	if err != nil {
		return "", err
	}
	name := tries[0]
	shown := agent.CleanLine(name)
	link, err := b.linked(name)
	if err != nil {
		return "", err
	}
	known, err := b.taken(ctx, name)
	switch {
	case err != nil:
		return "", err
	case link != "":
		return "", refuse(writeTestName, "%s is a link; name a place in the repository", agent.CleanLine(link))
	case known:
		return "", refuse(writeTestName, "%s is there already, and a new file is asked for", shown)
	case source.SteersTests(name) || source.RunsItself(name) || source.Shadows(name, b.packaged(name)) || slices.Contains(lockFiles, path.Base(name)):
		return "", refuse(writeTestName, "%s is no test: programs obey a file of this name", shown)
	case source.IsVendored(name) || secret.MustRedact(name):
		return "", refuse(writeTestName, "%s is no place for a test of this project", shown)
	}
	return name, nil
}

// taken reports whether a path is a file or a directory of the problem's tree, or is below such
// a file.
func (b *Box) taken(ctx context.Context, name string) (bool, error) {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if known, err := b.tracked(ctx, dir); known || err != nil {
			return known, err
		}
	}
	if _, _, err := b.read(name); errors.Is(err, isDirectory) {
		return true, nil
	}
	return b.tracked(ctx, name)
}

// packaged reports whether a file is in a package of Python.
func (b *Box) packaged(name string) bool {
	root, err := b.root()
	if err != nil {
		return false
	}
	defer root.Close()
	_, err = root.Stat(filepath.FromSlash(path.Join(path.Dir(name), "__init__.py")))
	return err == nil
}

type finishTestParams struct {
	Status      string `json:"status" arg:"required,enum=success|failure"`
	Explanation string `json:"explanation" arg:"bytes=16384"`
}

// finishTestTool is an agent.Decider.
type finishTestTool struct{ *tool[finishTestParams] }

// Decides marks the tool as an agent.Decider.
func (finishTestTool) Decides() {}

// concludeTest accepts the end of the work on a test, or objects to it.
func (b *Box) concludeTest(_ context.Context, p finishTestParams) (agent.Result, error) {
	claim := fix.Claim{Success: p.Status == "success", Explanation: agent.Clean(p.Explanation)}
	if claim.Success && b.Written() == nil {
		if b.ending.objections < maxObjections {
			b.ending.objections++
			return agent.Result{}, refuse(
				finishName,
				"the last test does not fail, so it does not show the bug; call write_test with another one, or finish with status failure",
			)
		}
		claim.Success = false
	}
	return agent.Result{Text: fmt.Sprintf("finished: %s\n", p.Status), Value: claim, Final: true, Nothing: !claim.Success}, nil
}
