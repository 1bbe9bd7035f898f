package verify

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"git-agent/agent"
	"git-agent/agent/fix/testrun"
	"git-agent/agent/sandbox"
	"git-agent/agent/suspect"
	"git-agent/agent/szz"
	"git-agent/agent/szz/szztest"
	"git-agent/agent/trial"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// The project of these tests is a shell script, app.sh, that should print "good". Its
// test checks the output; fixTest comes with the fix.
const (
	oldTest = "exit 0\n"
	fixTest = `case "$(sh app.sh)" in
good) echo ok;;
skip) exit 125;;
*) echo "FAIL: want good, got $(sh app.sh)"; exit 1;;
esac
`
	app      = "#!/bin/sh\n# version %s\necho %s\n"
	runTests = "sh t/run.sh"
)

func version(n, prints string) gittest.Files {
	return gittest.Files{"app.sh": fmt.Sprintf(app, n, prints)}
}

// chain commits one version of the app per word, in order, and then the fix.
func chain(t *testing.T, prints ...string) (h *history, commits []gitext.OID, fix gitext.OID) {
	t.Helper()
	h = newHistory(t)
	h.Write(gittest.Files{"t/run.sh": oldTest})
	for i, word := range prints {
		commits = append(commits, h.Commit(fmt.Sprintf("c%d", i), version(fmt.Sprint(i), word)))
	}
	f := version("fix", "good")
	f["t/run.sh"] = fixTest
	return h, commits, h.Commit("fix", f)
}

// verify tries the commits as suspects, in this order.
func (h *history) verify(ctx context.Context, fix gitext.OID, opt Options, suspects ...gitext.OID) (*szz.Answer, error) {
	h.T.Helper()
	repo, err := gitext.Open(h.T.Context(), gitext.OpenOptions{Dir: h.Dir, DataDir: h.T.TempDir()})
	if err != nil {
		h.T.Fatal(err)
	}
	defer repo.Close()
	fc, err := szz.NewContext(h.T.Context(), repo, fix, szz.ContextOptions{NoAnnotations: true})
	if err != nil {
		h.T.Fatal(err)
	}
	return h.verifyIn(ctx, repo, fc, opt, suspects...)
}

func (h *history) verifyIn(ctx context.Context, repo *gitext.Repo, fc *szz.FixContext, opt Options, suspects ...gitext.OID) (*szz.Answer, error) {
	h.T.Helper()
	v := &szz.Answer{Fix: fc.Fix, Parent: fc.Parent}
	for _, oid := range suspects {
		c, err := repo.Commit(h.T.Context(), oid)
		if err != nil {
			h.T.Fatal(err)
		}
		v.Suspects = append(v.Suspects, szz.Suspect{Suspect: suspect.Suspect{Commit: c, Probability: 0.5, Reason: "ranked", Evidence: []suspect.Evidence{{}}}})
		v.Candidates = append(v.Candidates, oid)
	}
	if opt.Sandbox == "" {
		opt.Sandbox = sandbox.None
	}
	if opt.Command == "" && opt.Find == nil {
		opt.Command = runTests
	}
	if opt.Scratch == "" {
		opt.Scratch = filepath.Join(h.T.TempDir(), "scratch")
	}
	err := Suspects(ctx, repo, fc, v, opt)
	if left, _ := filepath.Glob(filepath.Join(opt.Scratch, "*-*")); len(left) > 0 {
		h.T.Errorf("left behind: %q", left)
	}
	return v, err
}

// statuses lists the suspects in order: "c2 confirmed, c3 refuted".
func statuses(v *szz.Answer) string {
	var out []string
	for _, s := range v.Suspects {
		status := "untried"
		if s.Confirmation != nil {
			status = s.Confirmation.Status
		}
		out = append(out, s.Commit.Subject()+" "+status)
	}
	return strings.Join(out, ", ")
}

func wantStatuses(t *testing.T, v *szz.Answer, err error, want string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if got := statuses(v); got != want {
		t.Errorf("got %q, want %q", got, want)
		for _, s := range v.Suspects {
			t.Logf("%s: %+v", s.Commit.Subject(), s.Confirmation)
		}
		t.Logf("notes %q", v.Notes)
	}
}

func wantNote(t *testing.T, v *szz.Answer, text string) {
	t.Helper()
	for _, n := range v.Notes {
		if strings.Contains(n, text) {
			return
		}
	}
	t.Errorf("no note says %q: %q", text, v.Notes)
}

func detail(v *szz.Answer, subject string) string {
	for _, s := range v.Suspects {
		if s.Commit.Subject() == subject && s.Confirmation != nil {
			return s.Confirmation.Detail
		}
	}
	return ""
}

func TestVerifyConfirmsRefutesAndStops(t *testing.T) {
	// The commit where the command turns from passing to failing is confirmed
	// and comes first. A later one is refuted because the bug is older, and an
	// earlier one because the bug is newer. None is tried after a confirmed one.
	t.Parallel()
	h, c, fix := chain(t, "good", "good", "bad", "bad", "bad")
	v, err := h.verify(t.Context(), fix, Options{}, c[3], c[1], c[2], c[4])
	wantStatuses(t, v, err, "c2 confirmed, c4 untried, c3 refuted, c1 refuted")
	first := v.Suspects[0]
	if first.Probability < 0.9 || first.Prior != 0.5 || first.Reason != "ranked; confirmed by running the command" ||
		first.Confirmation.Detail != "the command fails at it and passes at its parent "+c[1].Short() {
		t.Errorf("%+v", first)
	}
	if got := detail(v, "c3"); !strings.Contains(got, "the bug is older") {
		t.Error(got)
	}
	if got := detail(v, "c1"); !strings.Contains(got, "came later") {
		t.Error(got)
	}
	wantNote(t, v, "the command was run 5 times, with 1 test file of the fix laid over; no sandbox")
}

func TestVerifyDoesNotTakeABrokenBuildForTheBug(t *testing.T) {
	// A commit that fails differently from the fix's parent, or exits with 125, proves
	// nothing about its child or about itself.
	t.Parallel()
	h, c, fix := chain(t, "good", "good; fi", "bad", "skip", "bad", "bad")
	v, err := h.verify(t.Context(), fix, Options{}, c[2], c[4], c[3], c[1])
	wantStatuses(t, v, err, "c2 unclear, c4 unclear, c3 unclear, c1 unclear")
	if got := detail(v, "c2"); !strings.Contains(got, "but not in the way in which it fails at the fix's parent: ") {
		t.Error(got)
	}
	if got := detail(v, "c4"); !strings.Contains(got, "exit 125") {
		t.Error(got)
	}
}

func TestVerifyDoesNotTakeARunWithoutTestsForAPass(t *testing.T) {
	// A command that passes because it finds no test refutes no suspect.
	t.Parallel()
	h, c, fix := chain(t, "good", "none", "bad", "bad")
	const command = `grep -q none app.sh && { printf 'ok  \texample.com/m\t0.004s [no tests to run]\n'; exit; }; ` + runTests
	v, err := h.verify(t.Context(), fix, Options{Options: trial.Options{Command: command}}, c[1], c[2])
	wantStatuses(t, v, err, "c1 unclear, c2 unclear")
	if got := detail(v, "c1"); got != "at it the command runs no test" {
		t.Error(got)
	}
}

func TestVerifySaysWhenTheCommandCannotTell(t *testing.T) {
	// A command that fails at the fix, or passes at its parent, marks no suspect.
	t.Parallel()
	h, c, fix := chain(t, "good", "bad")
	for command, want := range map[string]string{
		"echo '--- FAIL: TestA (0.00s)'; echo FAIL; exit 1": "the command cannot tell: at the fix itself it fails (exit 1): TestA",
		"exit 3":                          "the command cannot tell: at the fix itself it fails (exit 3)",
		"exit 0":                          "the command cannot tell: it passes at the fix's parent, too",
		"no-such-program":                 "the command cannot tell: at the fix itself it found no program to run (exit 127)",
		"test -e .git/fix":                "the command cannot tell: at the fix itself it fails (exit 1)",
		"grep -q good app.sh || exit 125": "the command cannot tell: at the fix's parent it said that it cannot tell (exit 125)",
	} {
		v, err := h.verify(t.Context(), fix, Options{Options: trial.Options{Command: command}, Bisect: true}, c[1])
		wantStatuses(t, v, err, "c1 untried")
		wantNote(t, v, want)
	}
}

func TestVerifySaysWhyNoneOfSeveralCommandsCanTell(t *testing.T) {
	t.Parallel()
	h, c, fix := chain(t, "good", "bad")
	opt := Options{Find: func(context.Context, *gitext.Repo, *szz.FixContext) ([]Found, error) {
		return []Found{{Command: "exit 3"}, {Command: "exit 0"}, {Command: "exit 4 #" + strings.Repeat("x", 1000)}}, nil
	}}
	opt.Cure = func(_ context.Context, _ *gitext.Repo, at gitext.OID, command string, _ testrun.Ending) (string, error) {
		return "cure of " + command + " at " + string(at), nil
	}
	v, err := h.verify(t.Context(), fix, opt, c[1])
	wantStatuses(t, v, err, "c1 untried")
	wantNote(t, v, "exit 3 cannot tell: at the fix itself it fails (exit 3)")
	wantNote(t, v, "exit 0 cannot tell: it passes at the fix's parent, too")
	wantNote(t, v, "exit 4 #"+strings.Repeat("x", 232)+"…(+768) cannot tell: at the fix itself it fails (exit 4)")
	wantNote(t, v, "cure of exit 3 at "+string(fix))
}

func TestVerifyTakesASilentCommandAtItsExitCode(t *testing.T) {
	// A command that prints nothing is judged by its exit code alone.
	t.Parallel()
	h, c, fix := chain(t, "good", "bad", "bad")
	v, err := h.verify(t.Context(), fix, Options{Options: trial.Options{Command: runTests + " >/dev/null"}}, c[2], c[1])
	wantStatuses(t, v, err, "c1 confirmed, c2 refuted")
}

func TestVerifyAtTheFirstCommit(t *testing.T) {
	// A bug as old as the project is confirmed at the root commit.
	t.Parallel()
	h, c, fix := chain(t, "bad", "bad")
	v, err := h.verify(t.Context(), fix, Options{}, c[0])
	wantStatuses(t, v, err, "c0 confirmed")
}

func TestVerifyAMerge(t *testing.T) {
	// A merge is confirmed if the command passes at all of its parents, and refuted if
	// the bug came with one of them.
	t.Parallel()
	for _, c := range []struct{ left, right, merged, want string }{
		{"good", "good", "bad", "merge confirmed"},
		{"good", "bad", "bad", "merge refuted"},
	} {
		h := newHistory(t)
		h.Write(gittest.Files{"t/run.sh": oldTest})
		h.Commit("base", version("0", "good"))
		h.Git("checkout", "-q", "-b", "side")
		h.Commit("side", version("side", c.right))
		h.Git("checkout", "-q", "main")
		h.Commit("main", version("main", c.left))
		h.Git("merge", "-q", "-s", "ours", "--no-commit", "side")
		merge := h.Commit("merge", version("merge", c.merged))
		f := version("fix", "good")
		f["t/run.sh"] = fixTest
		v, err := h.verify(t.Context(), h.Commit("fix", f), Options{}, merge)
		wantStatuses(t, v, err, c.want)
	}
}

func TestVerifyEndsWhatHangs(t *testing.T) {
	// At the time limit the whole process group ends, including a grandchild that holds
	// the output, and the suspect is unclear.
	t.Parallel()
	h, c, _ := chain(t, "good", "bad", "hang")
	h.Git("reset", "-q", "--hard", string(c[2]))
	c = append(c, h.Commit("c3", version("3", "bad")))
	fix := h.Commit("fix", gittest.Files{"app.sh": fmt.Sprintf(app, "fix", "good"), "t/run.sh": "grep -q hang app.sh && { sleep 1000 & wait; }\n" + fixTest})
	v, err := h.verify(t.Context(), fix, Options{Options: trial.Options{Timeout: 5 * time.Second}}, c[3], c[1])
	wantStatuses(t, v, err, "c1 confirmed, c3 unclear")
	if got := detail(v, "c3"); !strings.Contains(got, "ran into its time limit of 5s") {
		t.Error(got)
	}
}

func TestVerifyBisectsOnWhenNobodyIsConfirmed(t *testing.T) {
	// With Bisect the first failing commit is found even if no suspect was right, and a
	// note names the savings by the ranking.
	t.Parallel()
	prints := make([]string, 40)
	for i := range prints {
		prints[i] = "good"
		if i >= 17 {
			prints[i] = "bad"
		}
	}
	h, c, fix := chain(t, prints...)
	v, err := h.verify(t.Context(), fix, Options{Bisect: true, MaxSuspects: 2}, c[20], c[14])
	wantStatuses(t, v, err, "c17 confirmed, c20 refuted, c14 refuted")
	if v.Suspects[0].Reason != "found by bisection, not by the ranking; confirmed by running the command" {
		t.Error(v.Suspects[0].Reason)
	}
	szztest.CheckAnswer(t, v)
	wantNote(t, v, "bisection took 2 runs, after 3 runs at suspects; halving the same 25 commits takes about 5")
}

func TestVerifyBisectsFromNothing(t *testing.T) {
	// Without any suspect the way back to a passing commit is found in doubling steps,
	// and a bug as old as the history ends at the first commit.
	t.Parallel()
	h, _, fix := chain(t, "good", "good", "good", "bad", "bad", "bad", "bad", "bad", "bad")
	v, err := h.verify(t.Context(), fix, Options{Bisect: true})
	wantStatuses(t, v, err, "c3 confirmed")

	h, c, fix := chain(t, "bad", "bad", "bad", "bad")
	v, err = h.verify(t.Context(), fix, Options{Bisect: true}, c[3])
	wantStatuses(t, v, err, "c0 confirmed, c3 refuted")
	wantNote(t, v, "as far back as the history goes")
}

func TestVerifyBisectWalksBackThroughTheRanking(t *testing.T) {
	// Untried candidates give the bounds first.
	t.Parallel()
	h, c, fix := chain(t, "good", "good", "good", "bad", "bad", "bad", "bad", "bad", "bad")
	v, err := h.verify(t.Context(), fix, Options{Bisect: true, MaxSuspects: 1}, c[8], c[2])
	wantStatuses(t, v, err, "c3 confirmed, c2 untried, c8 refuted")
	wantNote(t, v, "after 1 run at suspects; halving the same 6 commits takes about 3")
}

func TestVerifyBisectSkips(t *testing.T) {
	// Commits at which the command exits with 125 are stepped over. If the answer is
	// among them, a note says so and no suspect is confirmed.
	t.Parallel()
	h, _, fix := chain(t, "good", "good", "bad", "bad", "skip", "skip", "bad", "bad", "bad")
	v, err := h.verify(t.Context(), fix, Options{Bisect: true})
	wantStatuses(t, v, err, "c2 confirmed")

	h, c, fix := chain(t, "good", "good", "skip", "skip", "bad", "bad")
	v, err = h.verify(t.Context(), fix, Options{Bisect: true}, c[5])
	wantStatuses(t, v, err, "c5 refuted")
	wantNote(t, v, fmt.Sprintf("bisection ended at %s: 3 commits cannot be told apart", c[4].Short()))
}

func TestVerifyBisectOfUnjudgedHistory(t *testing.T) {
	// Where the command says nothing at older commits, the oldest failing one is no suspect: ripgrep's
	// 4df12981 needs crates there that are not downloaded.
	t.Parallel()
	h, c, fix := chain(t, "skip", "skip", "skip", "bad", "bad", "bad")
	v, err := h.verify(t.Context(), fix, Options{Bisect: true}, c[5])
	wantStatuses(t, v, err, "c5 refuted")
	wantNote(t, v, "bisection ended: the command passes at no older commit that was tried, and 3 of them could not be judged; at ")
}

func TestVerifyBisectFollowsTheSideBranch(t *testing.T) {
	// The first failing commit is found on a merged side branch.
	t.Parallel()
	h := newHistory(t)
	h.Write(gittest.Files{"t/run.sh": oldTest})
	h.Commit("base", version("0", "good"))
	h.Git("checkout", "-q", "-b", "side")
	for i := range 5 {
		h.Commit(fmt.Sprintf("side%d", i), gittest.Files{"app.sh": fmt.Sprintf(app, fmt.Sprint("side", i), map[bool]string{true: "bad", false: "good"}[i >= 2])})
	}
	h.Git("checkout", "-q", "main")
	for i := range 5 {
		h.Commit(fmt.Sprintf("main%d", i), gittest.Files{"doc": fmt.Sprint(i)})
	}
	h.Git("merge", "-q", "-m", "merge", "side")
	h.Commit("after", gittest.Files{"doc": "after"})
	f := version("fix", "good")
	f["t/run.sh"] = fixTest
	v, err := h.verify(t.Context(), h.Commit("fix", f), Options{Bisect: true})
	wantStatuses(t, v, err, "side2 confirmed")
}

func TestVerifyStopsAtTheMostRuns(t *testing.T) {
	// The limit of runs ends the work without an error but with a note.
	t.Parallel()
	h, c, fix := chain(t, "good", "bad", "bad")
	v, err := h.verify(t.Context(), fix, Options{Options: trial.Options{MaxRuns: 2}}, c[2], c[1])
	wantStatuses(t, v, err, "c2 untried, c1 untried")
	wantNote(t, v, "verification stopped after 2 runs")
}

func TestVerifyAnUncommittedFix(t *testing.T) {
	// A fix that is only in the work tree, or only in the index, is verified with its
	// tests from there.
	t.Parallel()
	for _, source := range []szz.Source{szz.SourceWorktree, szz.SourceStaged} {
		h, c, fix := chain(t, "good", "bad", "bad")
		h.Git("reset", "-q", "--soft", string(c[2]))
		if source == szz.SourceWorktree {
			h.Git("reset", "-q")
		}
		repo, err := gitext.Open(t.Context(), gitext.OpenOptions{Dir: h.Dir, DataDir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { repo.Close() })
		fc, err := szz.NewContext(t.Context(), repo, c[2], szz.ContextOptions{Source: source})
		if err != nil {
			t.Fatal(err)
		}
		v, err := h.verifyIn(t.Context(), repo, fc, Options{}, c[2], c[1])
		wantStatuses(t, v, err, "c1 confirmed, c2 refuted")
		if v.Fix != "" || fix == "" {
			t.Error("the fix is committed")
		}
	}
}

func TestVerifyLeavesTheRepositoryAlone(t *testing.T) {
	// The user's index, work tree, refs, configuration and objects stay the same bytes,
	// even if the command runs git.
	t.Parallel()
	h, c, fix := chain(t, "good", "bad", "bad", "bad")
	h.Write(gittest.Files{"app.sh": "dirty", "untracked": "x"})
	h.Git("add", "untracked")
	before := fingerprint(t, h.Dir)
	v, err := h.verify(t.Context(), fix, Options{Bisect: true, Options: trial.Options{Command: `
		git rev-parse HEAD | grep -qx "$GIT_AGENT_COMMIT" || exit 125
		git add -A && git -c user.name=x -c user.email=x commit -qm x --allow-empty && git tag x && git config x.y z || exit 125
		echo junk >app.sh.orig; sh t/run.sh`}}, c[3])
	wantStatuses(t, v, err, "c1 confirmed, c3 refuted")
	if fingerprint(t, h.Dir) != before {
		t.Error("the repository was written")
	}
}

// fingerprint hashes names, modes, times and contents of all files below dir.
func fingerprint(t *testing.T, dir string) string {
	t.Helper()
	sum := sha256.New()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintln(sum, path, info.Mode())
		// git renews the time stamp of an object instead of writing it again, also in an
		// alternate, so that a gc keeps it.
		if !strings.Contains(path, "/objects/") {
			fmt.Fprintln(sum, info.ModTime().UnixNano())
		}
		if info.Mode().IsRegular() {
			text, err := os.ReadFile(path)
			sum.Write(text)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", sum.Sum(nil))
}

func TestVerifyKeepsWhatItFoundWhenCancelled(t *testing.T) {
	// When the context ends, the suspects tried until then keep their marks, the cause is
	// the error, and no scratch directory stays.
	t.Parallel()
	h, c, fix := chain(t, "good", "bad", "bad", "bad")
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	fifo := filepath.Join(t.TempDir(), "fifo")
	if out, err := exec.Command("mkfifo", fifo).CombinedOutput(); err != nil { // syscall has it on Unix only
		t.Fatalf("mkfifo: %v\n%s", err, out)
	}
	go func() {
		os.ReadFile(fifo) // returns when the command runs at c1
		cancel(enough)
	}()
	v, err := h.verify(ctx, fix, Options{Options: trial.Options{Command: "grep -q 'version 1' app.sh && { echo >" + fifo + "; sleep 1000; }; " + runTests}}, c[3], c[2])
	if !errors.Is(err, enough) {
		t.Errorf("error %v", err)
	}
	if got := statuses(v); got != "c2 untried, c3 refuted" {
		t.Error(got)
	}
}

func TestVerifySaysWhatAScratchTreeLacks(t *testing.T) {
	// That files of Git LFS are only pointers may be the reason for an unclear command.
	t.Parallel()
	h := newHistory(t)
	h.Write(gittest.Files{"t/run.sh": oldTest, ".gitattributes": "*.bin filter=lfs\n"})
	culprit := h.Commit("c0", version("0", "bad"))
	f := version("fix", "good")
	f["t/run.sh"] = fixTest
	v, err := h.verify(t.Context(), h.Commit("fix", f), Options{}, culprit)
	wantStatuses(t, v, err, "c0 confirmed")
	wantNote(t, v, "Git LFS")
}

func TestVerifyGivesNoKeyToTheCommand(t *testing.T) {
	// The command finds no key in its environment, in any sandbox.
	t.Setenv("OPENAI_API_KEY", "sk-canary")
	h, c, fix := chain(t, "good", "bad")
	v, err := h.verify(t.Context(), fix, Options{Options: trial.Options{Sandbox: sandbox.Auto, Command: "env | grep canary && exit 125; " + runTests}}, c[1])
	wantStatuses(t, v, err, "c1 confirmed")
}

func TestVerifyCommandCanAskGit(t *testing.T) {
	// In a sandbox, too, git finds the checked out commit, its history and its objects,
	// including the test files of the fix.
	h, c, fix := chain(t, "good", "bad")
	ask := `test "$(git rev-parse HEAD)" = "$GIT_AGENT_COMMIT" && git log --oneline >log 2>&1 && ! grep error log && git diff --stat HEAD || exit 125; rm log; `
	for _, level := range []sandbox.Level{sandbox.Bwrap, sandbox.Landlock} {
		if _, err := sandbox.Probe(t.Context(), level); err != nil {
			t.Logf("not tried: %v", err)
			continue
		}
		v, err := h.verify(t.Context(), fix, Options{Options: trial.Options{Sandbox: level, Command: ask + runTests}}, c[1])
		wantStatuses(t, v, err, "c1 confirmed")
		if v.Sandbox != string(level) {
			t.Errorf("the verdict says %q", v.Sandbox)
		}
	}
}

func TestVerifyReportsProgress(t *testing.T) {
	// All events are progress, which may be dropped.
	t.Parallel()
	h, c, fix := chain(t, "good", "bad")
	var events []agent.Event
	_, err := h.verify(t.Context(), fix, Options{Options: trial.Options{OnEvent: func(e agent.Event) { events = append(events, e) }}}, c[1])
	if err != nil || len(events) == 0 {
		t.Errorf("%d events, error %v", len(events), err)
	}
	for _, e := range events {
		if _, ok := e.(agent.Progress); !ok {
			t.Errorf("%#v", e)
		}
	}
}

func TestBuildThatDoesNotPass(t *testing.T) {
	// Exit 125 of a command with a build before it says what the build says: a commit of cJSON could not be judged, and
	// the answer did not say that the test does not compile there.
	t.Parallel()
	h := newHistory(t)
	h.Commit("c0", gittest.Files{"app.sh": "good\n"})
	c1 := h.Commit("c1", gittest.Files{"app.sh": "bad\n", "said": "t/run.c:4:5: error: unknown type name 'buffer'\n"})
	h.Commit("c2", gittest.Files{"said": gittest.Gone})
	fix := h.Commit("fix", gittest.Files{"app.sh": "good\n", "t/run.c": "\n"})
	find := func(context.Context, *gitext.Repo, *szz.FixContext) ([]Found, error) {
		return []Found{{Command: "{ ! cat said || exit 125; }; grep good app.sh", Builds: true}}, nil
	}
	v, err := h.verify(t.Context(), fix, Options{Find: find}, c1)
	if got := detail(v, "c1"); err != nil || !strings.Contains(got, "does not build") || !strings.Contains(got, "t/run.c:4: unknown type name") {
		t.Errorf("%q, %v", got, err)
	}
}

func TestCommandsThatLackTheSame(t *testing.T) {
	// Of python-slugify, four commands lacked one package, each with a note and the same hint.
	t.Parallel()
	h, c, fix := chain(t, "good", "bad")
	const lacks = "echo \"ModuleNotFoundError: No module named 'unidecode'\"; exit "
	opt := Options{Find: func(context.Context, *gitext.Repo, *szz.FixContext) ([]Found, error) {
		return []Found{{Command: lacks + "2"}, {Command: lacks + "1"}, {Command: "exit 3"}, {Command: lacks + "4"}}, nil
	}}
	v, err := h.verify(t.Context(), fix, opt, c[1])
	wantStatuses(t, v, err, "c1 untried")
	wantNote(t, v, "exit 3 cannot tell: at the fix itself it fails (exit 3)")
	wantNote(t, v, "2 other commands of the tests lack the same")
	if len(v.Notes) != 4 { // with the summary
		t.Errorf("%q", v.Notes)
	}
}

func TestAllTestsRunOnlyWhereNoOtherCommandTests(t *testing.T) {
	t.Parallel()
	h, c, fix := chain(t, "good", "bad")
	for first, runs := range map[string]int{"true": 2, "exit 127": 4} {
		opt := Options{Find: func(context.Context, *gitext.Repo, *szz.FixContext) ([]Found, error) {
			return []Found{{Command: first}, {Command: runTests, Whole: true}}, nil
		}}
		v, err := h.verify(t.Context(), fix, opt, c[1])
		if err != nil {
			t.Fatal(err)
		}
		wantNote(t, v, fmt.Sprintf("the command was run %d times", runs))
	}
}
