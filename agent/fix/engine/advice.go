package engine

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/fix"
	"git-agent/agent/fix/localize"
	"git-agent/agent/fix/testcmd"
	"git-agent/agent/fix/testrun"
	"git-agent/agent/fix/testrun/testlog"
	"git-agent/agent/source"
	"git-agent/agent/trial"
)

// inSubmodule returns the line of the output about a file that a submodule has, which is an empty directory where the commands
// run, and says where the file is and what to do, as text behind a sentence; "" if there is none.
func (s *study) inSubmodule(ctx context.Context) (line, where string) {
	name, line := trial.InSubmodule(ctx, s.engine.Repo, s.problem.Tree.Commit, s.answer.Reproduction.Output)
	if name == "" {
		return "", ""
	}
	return line, "; a file of it is in the submodule " + strconv.Quote(name) + ", an empty directory where the commands run: name tests that do without it"
}

// advice returns what to do about a command without a judgement, as text behind a sentence.
func (s *study) advice(ctx context.Context) (string, error) {
	rep := s.answer.Reproduction
	switch {
	case rep.TimedOut && testlog.Read(rep.Output).Watches:
		return "; its tool waits for changes of files: CI=true before the command, or an option such as --run or --watch=false, " +
			"lets it end", nil
	case rep.TimedOut && s.clock.shorter(s.trial.Timeout) && s.setUp > s.clock.whole/setUpPart:
		return fmt.Sprintf(" (setting up took %s of --time, and is done for the next run)", brief(s.setUp)), nil
	case rep.TimedOut && s.clock.shorter(s.trial.Timeout):
		return " (--time allows more; a command that runs fewer tests is better)", nil
	case rep.TimedOut:
		return " (--test-timeout allows more; a command that runs fewer tests is better)", nil
	case rep.Full:
		return " (--disk allows more)", nil
	}
	if _, where := s.inSubmodule(ctx); where != "" && rep.Lacks == "" {
		return where, nil
	}
	cure, err := testcmd.CureOf(ctx, s.engine.Repo, s.problem.Tree, rep)
	switch {
	case err != nil:
		return "", err
	case rep.Unbuilt != "" && source.IsTestPath(rep.Unbuilt):
		return "; the test does not fit the code as it is: make it " + builds(rep.Unbuilt) + " first", nil
	case rep.Unbuilt != "":
		return "; make it " + builds(rep.Unbuilt) + " first, for a test can only fail where its code does", nil
	case cure.Text() != "":
		return "; " + cure.Text(), nil
	case cure.Install == "":
		return "", nil
	}
	if strings.Contains(s.problem.Setup, cure.Install) {
		return "; the setup command does not install it: run it yourself to see why", nil
	}
	if s.problem.Setup != "" {
		cure.Install = s.problem.Setup + " && " + cure.Install
	}
	if s.answer.Setup = cure.Install; cure.Instead != "" {
		s.note("%s", cure.Instead)
	}
	return fix.GetBy(cure.Install), nil
}

// builds returns the word for what a file must do before its tests run: interpreters load it.
func builds(file string) string {
	switch strings.ToLower(path.Ext(file)) {
	case ".py", ".rb", ".php", ".js", ".mjs", ".cjs", ".jsx", ".lua", ".pl":
		return "load"
	}
	return "compile"
}

// inSetUp says why the failure comes from the tests' environment and not from a bug: all
// failing tests die in their set-up, and no frame is in the project's own code. Otherwise it
// returns "".
func (s *study) inSetUp(ctx context.Context) (string, error) {
	out := s.answer.Reproduction.Output
	read := testlog.Read(out)
	inHook, err := s.dieInHooks(ctx, read)
	if err != nil {
		return "", err
	}
	if !s.answer.Reproduction.InSetUp && !inHook {
		return "", s.leaveOut(ctx, read)
	}
	s.inHooks = true
	own, err := s.reachesCode(ctx, read, out)
	if err != nil || own || !s.engine.Effort.Abstain {
		return "", err
	}
	where := ""
	if len(read.Places) > 0 {
		p := read.Places[0]
		said := cmp.Or(p.Text, lineBelow(string(out), p.Test))
		where = strings.TrimSuffix(fmt.Sprintf(": %s:%d: %s", p.File, p.Line, said), ": ")
	} else if read.Missing != "" {
		where = ": " + agent.Shorten(read.Missing, shownLine)
	}
	return "the tests die in their set-up, before they test anything" + where +
		"; --setup installs what it needs, --network and --env let it reach more, and --no-abstain searches all the same", nil
}

// shownLine bounds a line of an output in a sentence, in characters.
const shownLine = 200

// lineBelow returns the first line below a test's heading in an output; many tools print the
// reason of the failure there.
func lineBelow(output, test string) string {
	found := false
	for l := range strings.Lines(output) {
		switch l = strings.TrimSpace(l); {
		case found && l != "" && l[0] != '[': // as Maven marks its own lines
			return l
		case test != "" && !strings.HasPrefix(l, "✕") && strings.HasSuffix(l, test):
			found = true
		}
	}
	return ""
}

// withoutTests removes the names of the failing tests from the input: the text of tests that
// die before it runs says nothing about the bug.
func withoutTests(in *localize.Input) {
	in.Problem.Test, in.Reproduction.Failing, in.Reproduction.Output = "", nil, nil
	in.Places = slices.DeleteFunc(in.Places, func(p localize.Place) bool { return source.IsTestPath(p.File) })
	for i, stack := range in.Stacks {
		in.Stacks[i].Frames = slices.DeleteFunc(stack.Frames, func(f crash.Frame) bool { return source.IsTestPath(f.File) })
	}
}

// setUpHook matches the first line of a hook that runs before tests.
var setUpHook = source.Lazy(
	`\b(?:beforeAll|beforeEach|before_all|before\(|before :|before_each|setUp|setUpClass|setUpModule|setUpBeforeClass|set_up|SetUp|SetUpTestSuite|setup_method|setup_class|setup_module|@Before(?:All|Each|Class)?\b)`,
)

// dieInHooks reports whether, by the output of jest or vitest, all failing tests fail in a hook
// of a test file that runs before tests.
func (s *study) dieInHooks(ctx context.Context, read testlog.Report) (bool, error) {
	if len(read.Failing) == 0 || len(read.Places) == 0 {
		return false, nil
	}
	inHook, known := map[string]bool{}, map[string]bool{}
	for _, name := range read.SetUp {
		inHook[name] = true
	}
	for _, p := range read.Places {
		at := fmt.Sprintf("%s:%d", p.File, p.Line)
		if _, seen := known[at]; !seen {
			text, err := s.textOf(ctx, p.File)
			if err != nil {
				return false, err
			}
			known[at] = source.IsTestPath(p.File) && withinHook(strings.Split(text, "\n"), p.Line)
		}
		inHook[p.Test] = inHook[p.Test] || known[at]
	}
	return !slices.ContainsFunc(read.Failing, func(name string) bool { return !inHook[name] }), nil
}

// withinHook reports whether a hook is the innermost hook, test or suite around a line. Blocks
// are recognized by their indentation.
func withinHook(lines []string, line int) bool {
	if line < 1 || line > len(lines) {
		return false
	}
	indent := func(l string) int { return len(l) - len(strings.TrimLeft(l, " \t")) }
	if setUpHook().MatchString(lines[line-1]) {
		return true
	}
	at := indent(lines[line-1])
	for k := line - 2; k >= 0 && at > 0; k-- {
		l := lines[k]
		if strings.TrimSpace(l) == "" || indent(l) >= at {
			continue
		}
		if at = indent(l); setUpHook().MatchString(l) || k > 0 && strings.HasPrefix(strings.TrimSpace(lines[k-1]), "@Before") {
			return true
		}
		if testBlock().MatchString(l) {
			return false
		}
	}
	return false
}

// testBlock matches the first line of a test or a suite.
var testBlock = source.Lazy(`^\s*(?:it|test|describe|context|suite|specify)\b[\w.]*\(`)

// textOf returns the text of a file of the problem's tree, "" if there is none.
func (s *study) textOf(ctx context.Context, path string) (string, error) {
	const most = 1 << 20
	for _, o := range s.problem.Tree.Over {
		if o.Path == path && o.OID == "" {
			return string(o.Content), nil
		}
	}
	blob, err := s.engine.Repo.BlobAt(ctx, s.problem.Tree.Commit, path, most)
	if err != nil {
		return "", ctx.Err() // the file does not exist, or is too large for a test
	}
	return string(blob), nil
}

// reachesCode reports whether a place or a frame of the output is in a file of the tree that is
// neither a test nor part of the tests' set-up.
func (s *study) reachesCode(ctx context.Context, read testlog.Report, out []byte) (bool, error) {
	files := map[string]bool{}
	for _, p := range read.Places {
		files[p.File] = true
	}
	for _, stack := range testrun.Stacks(out) {
		for _, f := range stack.Frames {
			files[f.File] = true
		}
	}
	for file := range files {
		if is, err := s.isCode(ctx, file); is || err != nil {
			return is, err
		}
	}
	return false, nil
}

// isCode reports whether a file is in the tree and is neither a test nor part of the tests'
// set-up.
func (s *study) isCode(ctx context.Context, file string) (bool, error) {
	if file == "" || source.IsTestPath(file) || strings.HasSuffix(file, "conftest.py") {
		return false, nil
	}
	text, err := s.textOf(ctx, file)
	return text != "", err
}

// leaveOut removes the tests that die in their set-up from the failing ones, if other tests
// fail in their own code, because no patch makes the removed ones pass. Tests whose set-up
// fails in the project's own code stay.
func (s *study) leaveOut(ctx context.Context, read testlog.Report) error {
	died := map[string]bool{}
	for _, name := range read.SetUp {
		died[name] = true
	}
	for _, p := range read.Places {
		if !died[p.Test] {
			continue
		}
		is, err := s.isCode(ctx, p.File)
		if err != nil {
			return err
		}
		died[p.Test] = !is
	}
	var out, left []string
	for _, name := range s.answer.Reproduction.Failing {
		if died[name] {
			out = append(out, name)
		} else {
			left = append(left, name)
		}
	}
	if len(out) > 0 && len(left) > 0 {
		s.problem.Known, s.answer.Reproduction.Failing = append(slices.Clone(s.problem.Known), out...), left
		s.note("failing tests that die in their set-up are left out: %s, such as %s", agent.Plural(len(out), "test"), out[0])
	}
	return nil
}
