package bisecttrain

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"git-agent/agent/eval"
	"git-agent/agent/fix"
	"git-agent/agent/fix/coverage"
	"git-agent/agent/fix/testcmd"
	"git-agent/agent/fix/testrun"
	"git-agent/agent/trial"
	"git-agent/cmd/train/heldout"
	"git-agent/cmd/train/szztrain/execute"
	"git-agent/gitext"
)

// A known is a fix with its culprit.
type known struct {
	ID     string       `json:"id"`
	Repo   string       `json:"repo"`
	Fix    gitext.OID   `json:"fix"`
	BICs   []gitext.OID `json:"bics"`
	Source string       `json:"label_source"`
	Langs  []string     `json:"langs"`
}

// A regression is a case with a culprit that was found by execution.
type regression struct {
	known
	Proof struct {
		Build   string   `json:"build_cmd"`
		Command string   `json:"test_cmd"`
		Files   []string `json:"test_files"`
		Tests   []string `json:"tests"`
		Alone   bool     `json:"tests_alone"`
	} `json:"proof"`
}

// A failing is what the one run of a regression's test showed.
type failing struct {
	ID     string   `json:"id"`
	State  string   `json:"state"` // of fix.State; the others are known only if it is failing
	Output string   `json:"output,omitempty"`
	Opened []string `json:"opened,omitempty"`
	// Covered is what -cover records.
	Covered *spectrum `json:"covered,omitempty"`
}

// A spectrum counts, for each line of the repository that the failing tests execute, the failing and the
// passing tests that do.
type spectrum struct {
	Failing int                 `json:"failing"` // tests that were recorded
	Passing int                 `json:"passing"`
	Lines   map[string][][3]int `json:"lines"` // for each path: line, failing tests, passing tests
}

// keptOutput bounds the kept output of a run, in bytes at each end.
const keptOutput = 2 << 10

// languages orders the cases: quick toolchains come first.
var languages = []string{"Go", "Python", "JavaScript", "C", "Rust", "Java"}

// readRegressions reads the regressions among the cases of files.
func readRegressions(files []string) ([]regression, error) {
	all, err := eval.ReadLines[regression](files...)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(c regression) bool { return c.Source != "executed:regression" || len(c.BICs) == 0 })
	return all, heldout.Refuse("szz", all, func(c regression) string { return c.Repo })
}

// reproduce runs the test of each case before its fix.
func reproduce(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("reproduce", flag.ContinueOnError)
	root := flags.String("repos", "", "`folder` with the repositories")
	only := flags.String("only", "", "run only cases in these `languages`, with commas")
	compiled := flags.String("cache", "", "`folder` for what Go compiles")
	limit := flags.Duration("run-time", time.Minute, "give up a run after this `time`")
	budget := flags.Duration("time", 20*time.Minute, "begin no run after this `time`")
	cover := flags.Int("cover", 0, "also record the lines that the failing tests execute, and those of at most this `number` of passing tests")
	whole := flags.Bool("whole", false, "with -cover, count all that a command of Python or Go executes as executed by one failing test")
	if err := flags.Parse(args); err != nil {
		return err
	}
	cases, err := readRegressions(flags.Args())
	if err != nil {
		return err
	}
	place := func(c regression) int { return slices.Index(languages, c.Langs[0]) }
	slices.SortStableFunc(cases, func(a, b regression) int { return place(a) - place(b) })
	out, start := bufio.NewWriter(os.Stdout), time.Now()
	for _, c := range cases {
		if *only != "" && !slices.Contains(strings.Split(*only, ","), c.Langs[0]) {
			continue
		}
		if time.Since(start) > *budget {
			break
		}
		begin := time.Now()
		f, err := failureOf(ctx, *root, c, coverage.Options{MaxPassing: *cover, Whole: *whole}, trial.Options{
			Timeout: *limit, Compiled: *compiled, Env: []string{"GOPROXY", "GOMODCACHE", "GOPATH", "CLASSPATH", "JDK_JAVAC_OPTIONS", "NODE_PATH"},
		})
		fmt.Fprintln(os.Stderr, c.ID, f.State, len(f.Output), len(f.Opened), time.Since(begin).Round(time.Millisecond), err)
		if err == nil {
			json.NewEncoder(out).Encode(f) // out keeps its first error for Flush
		}
		if err := errors.Join(ctx.Err(), out.Flush()); err != nil {
			return err
		}
	}
	return nil
}

// failureOf runs the test of a case before its fix. If cover.MaxPassing is not 0, it also records what the
// failing tests execute, and as many passing ones.
func failureOf(ctx context.Context, root string, c regression, cover coverage.Options, opt trial.Options) (f failing, err error) {
	f.ID = c.ID
	repo, bad, err := openBefore(ctx, root, c)
	if err != nil {
		return f, err
	}
	defer repo.Close()
	over, err := laidOver(ctx, repo, c)
	if err != nil {
		return f, err
	}
	more, err := needed(ctx, repo, c, bad)
	if err != nil {
		return f, err
	}
	w, err := trial.Open(ctx, repo, opt)
	if err != nil {
		return f, err
	}
	defer w.Close()
	if compile, ok := testcmd.CompileOnly(c.Proof.Command); ok && opt.Compiled != "" {
		if err := w.Prepare(ctx, bad, append(more, over...)); err != nil {
			return f, err
		}
		if err := w.Compile(ctx, compile); err != nil {
			return f, err
		}
	}
	p := fix.Problem{Tree: fix.Tree{Commit: bad, Over: append(more, over...)}, Build: c.Proof.Build, Test: c.Proof.Command}
	got, err := testrun.Reproduce(ctx, w, p, testrun.Options{Runs: 1, Timeout: opt.Timeout})
	if err != nil {
		return f, err
	}
	f.State = string(got.State)
	if got.State != fix.Failing {
		fmt.Fprintf(os.Stderr, "%s: %s; %s %.300q\n", c.ID, got.How, got.Lacking, got.Output)
		return f, nil
	}
	f.Output = strings.ToValidUTF8(withoutMiddle(string(got.Output)), "?")
	if f.Opened, err = tracked(ctx, repo, bad, got.Opened); err != nil || cover.MaxPassing == 0 {
		return f, err
	}
	cover.Budget = 2 * opt.Timeout
	f.Covered, err = coveredBy(ctx, w, p, got, c, cover)
	return f, err
}

// coveredBy returns what the failing tests of a case execute, and as many passing ones.
func coveredBy(
	ctx context.Context, w *trial.Workspace, p fix.Problem, got fix.Reproduction, c regression, cover coverage.Options,
) (*spectrum, error) {
	var sp *fix.Spectrum
	var err error
	note := ""
	if cover.Whole && c.Langs[0] == "Go" {
		sp, err = recorded(ctx, w, p)
	} else {
		sp, note, err = coverage.Measure(ctx, w, p, got, cover)
	}
	if sp == nil {
		return nil, errors.Join(err, fmt.Errorf("%s: no lines were recorded: %s", c.ID, note))
	}
	out := &spectrum{Failing: sp.Failing, Passing: sp.Passing, Lines: map[string][][3]int{}}
	for path, lines := range sp.Files {
		for _, l := range lines {
			out.Lines[path] = append(out.Lines[path], [3]int{l.Line, l.Failing, l.Passing})
		}
	}
	return out, err
}

// recorded returns the lines that a run of the test executes, as a bisection records them.
func recorded(ctx context.Context, w *trial.Workspace, p fix.Problem) (*fix.Spectrum, error) {
	paths, err := w.Paths(ctx, p.Tree.Commit, p.Tree.Over)
	if err != nil {
		return nil, err
	}
	if err := w.Prepare(ctx, p.Tree.Commit, p.Tree.Over); err != nil {
		return nil, err
	}
	r, err := coverage.Record(w, p.Test, paths)
	if err != nil || r == nil {
		return nil, err
	}
	_, err = testrun.Run(ctx, w, testrun.Commands{Build: p.Build, Test: p.Test, OfTest: testrun.Surroundings{Set: r.Set(), Writable: r.Writable()}})
	return r.Spectrum(), err
}

// laidOver returns the test files of a fix.
func laidOver(ctx context.Context, repo *gitext.Repo, c regression) ([]gitext.Overlay, error) {
	var over []gitext.Overlay
	for _, name := range c.Proof.Files {
		text, err := repo.BlobAt(ctx, c.Fix, name, 1<<20)
		if err != nil {
			return nil, err
		}
		over = append(over, gitext.Overlay{Path: name, Mode: 0o100644, Content: text})
	}
	return over, nil
}

// needed returns the files that the command of a case needs besides the tests: the runner of
// Java, and a go.mod where the commit has none.
func needed(ctx context.Context, repo *gitext.Repo, c regression, bad gitext.OID) ([]gitext.Overlay, error) {
	entries, err := repo.Tree(ctx, bad)
	if err != nil {
		return nil, err
	}
	has := func(name string) bool {
		return slices.ContainsFunc(entries, func(e gitext.TreeEntry) bool { return e.Path == name })
	}
	switch c.Langs[0] {
	case "Java":
		over := []gitext.Overlay{execute.JavaRunner()}
		for _, e := range entries {
			if e.Path == "module-info.java" || strings.HasSuffix(e.Path, "/module-info.java") {
				over = append(over, gitext.Overlay{Path: e.Path})
			}
		}
		return over, nil
	case "Go":
		if has("go.mod") {
			return nil, nil
		}
		text, err := moduleOf(ctx, repo, c)
		return []gitext.Overlay{{Path: "go.mod", Mode: 0o100644, Content: text}}, err
	}
	return nil, nil
}

// tracked returns the opened files that the commit has, in order.
func tracked(ctx context.Context, repo *gitext.Repo, bad gitext.OID, opened map[string]bool) ([]string, error) {
	entries, err := repo.Tree(ctx, bad)
	if err != nil || opened == nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if opened[e.Path] {
			names = append(names, e.Path)
		}
	}
	return names, nil
}

func withoutMiddle(text string) string {
	if len(text) <= 2*keptOutput {
		return text
	}
	return text[:keptOutput] + "\n[...]\n" + text[len(text)-keptOutput:]
}
