// Package execute finds bug-introducing commits by execution: it adds the test of a fix to older
// commits, and searches for the commit at which the test begins to fail. It knows the suites of
// Go, Python, JavaScript, Rust and Java; for C, the user gives the commands.
package execute

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"git-agent/agent/eval"
	"git-agent/agent/source"
	"git-agent/cmd/train/heldout"
	"git-agent/gitext"
)

// An attempt is one line of the journal of execute: a fix whose test was run through history,
// with the result.
type attempt struct {
	Repo string        `json:"repo"`
	Fix  gitext.OID    `json:"fix"`
	Why  string        `json:"why,omitempty"` // why there is no case
	Runs int           `json:"runs,omitempty"`
	Took float64       `json:"seconds,omitempty"`
	Case *executedCase `json:"case,omitempty"`
}

// An executedCase is a case of eval szz whose culprit was found by running the test of the fix.
// eval ignores Proof and the fields after it.
type executedCase struct {
	ID          string       `json:"id"`
	Repo        string       `json:"repo"`
	Fix         gitext.OID   `json:"fix"`
	BICs        []gitext.OID `json:"bics"`
	LabelSource string       `json:"label_source"`
	Langs       []string     `json:"langs"`
	AgeDays     float64      `json:"age_days"`
	Proof       proof        `json:"proof"`
}

// A proof describes how the culprit of a case was found.
type proof struct {
	Kind     string     `json:"kind"`                // regression or never worked
	Build    string     `json:"build_cmd,omitempty"` // build before the tests; "" if their command builds
	Command  string     `json:"test_cmd"`
	Tests    []string   `json:"tests"`
	Files    []string   `json:"test_files"`
	Alone    bool       `json:"tests_alone,omitempty"` // the tests were run without the other tests of their files
	LastGood gitext.OID `json:"last_good,omitempty"`   // parent of the culprit, where the tests pass; "" if they never did
	FirstBad gitext.OID `json:"first_bad"`
	Runs     int        `json:"runs"`
	Skipped  int        `json:"skipped,omitempty"`  // commits without a judgement of the tests
	NamedBy  string     `json:"named_by,omitempty"` // data set that names the culprit; "" if it was searched here
	Before   string     `json:"before,omitempty"`   // never worked: why no commit before the culprit could be tested
}

// These are the bounds of a mining run.
type bounds struct {
	perCase time.Duration
	perRun  time.Duration
	runs    int
	perRepo time.Duration
	fixes   int // most fixes to try in a repository
	cases   int // most cases of a repository
	dry     int // most fixes in a row without a case
	setup   string
	since   string // only fixes since this date
	only    string // only these fixes, separated by commas

	regressions bool           // skip bugs as old as the code
	named       []namedCulprit // check these, and search nothing
	given       commands
}

// Run finds fixes with a test, and runs the test through history to find the commit at which it
// begins to fail. Its journal has all attempts, so that a new start continues the work.
func Run(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("execute", flag.ContinueOnError)
	root := fs.String("repos", "", "`folder` with the repositories")
	name := fs.String("journal", "", "`file` that gets a line for each fix that was tried; those in it are not tried again")
	print := fs.Bool("print", false, "print the cases of the journal, and try nothing")
	kept := fs.String("cache", "", "`folder` for what is installed and compiled")
	known := fs.String("known", "", "`file` with cases whose fixes are not tried again")
	culprits := fs.String("culprits", "", "`file` with the culprits of another data set: check those, and search none")
	var b bounds
	b.addFlags(fs)
	if err := fs.Parse(args); err != nil {
		return err
	}
	tried, err := readJournal(*name)
	if err != nil {
		return err
	}
	if *print {
		return printCases(tried)
	}
	if err := heldout.RefuseNames("szz", fs.Args()); err != nil {
		return err
	}
	if tried, err = withKnown(tried, *known); err != nil {
		return err
	}
	if b.named, err = readNamed(*culprits); err != nil {
		return err
	}
	journal, err := os.OpenFile(*name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("open the journal: %w", err)
	}
	defer journal.Close()
	for _, repo := range fs.Args() {
		m := miner{root: *root, name: repo, cache: *kept, bounds: b, journal: journal, tried: map[gitext.OID]bool{}}
		for _, a := range tried {
			if a.Repo == repo {
				m.note(a)
			}
		}
		if err := m.run(ctx); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", repo, err)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// addFlags adds the flags of what bounds the work, and of the commands that the user gives.
func (b *bounds) addFlags(fs *flag.FlagSet) {
	fs.DurationVar(&b.perCase, "time", 90*time.Second, "give up a fix after this `time`")
	fs.DurationVar(&b.perRun, "run-time", 20*time.Second, "give up a run of the tests after this `time`")
	fs.DurationVar(&b.perRepo, "repo-time", 10*time.Minute, "end with a repository after this `time`")
	fs.IntVar(&b.runs, "runs", 80, "give up a fix after `n` runs")
	fs.IntVar(&b.fixes, "fixes", 150, "try at most `n` fixes of a repository, the newest first")
	fs.IntVar(&b.cases, "cases", 12, "end with a repository when it has `n` cases")
	fs.IntVar(&b.dry, "dry", 20, "end with a repository when `n` fixes in a row gave no case")
	fs.StringVar(&b.since, "since", "", "try only fixes since this `date`, as 2018-01-31: older code may not run today")
	fs.StringVar(&b.only, "only", "", "try only these `fixes` of the repository, separated by commas, whatever their subjects say")
	fs.BoolVar(&b.regressions, "regressions", false, "give up a fix as soon as it seems that its tests never passed before")
	fs.StringVar(&b.setup, "setup", "", "run this `command` at HEAD, with the network, before the tests are run without it")
	fs.StringVar(
		&b.given.language,
		"language",
		"",
		"the next commands are for fixes in this `language`: Go, Python, JavaScript, TypeScript, Rust, Java or C",
	)
	fs.StringVar(&b.given.build, "build", "", "build by this `command`; $TESTS lists the test files of the fix, $ONLY the tests that show the bug")
	fs.StringVar(&b.given.test, "test", "", "run the tests by this `command`, which names them in a form that testrun reads")
	fs.StringVar(&b.given.control, "control", "", "build the code without its tests by this `command`")
}

func readJournal(name string) ([]attempt, error) {
	if name == "" {
		return nil, errors.New("name the journal: -journal=FILE")
	}
	tried, err := eval.ReadLines[attempt](name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return tried, err
}

// withKnown adds the cases of a file to the attempts of a journal.
func withKnown(tried []attempt, name string) ([]attempt, error) {
	if name == "" {
		return tried, nil
	}
	cases, err := eval.ReadLines[executedCase](name)
	if err != nil {
		return nil, err
	}
	for _, c := range cases {
		if !slices.ContainsFunc(tried, func(a attempt) bool { return a.Repo == c.Repo && a.Fix == c.Fix }) {
			tried = append(tried, attempt{Repo: c.Repo, Fix: c.Fix, Case: &c})
		}
	}
	return tried, nil
}

func printCases(tried []attempt) error {
	out := bufio.NewWriter(os.Stdout)
	for _, a := range tried {
		if a.Case != nil {
			json.NewEncoder(out).Encode(a.Case) // out keeps its first error for Flush
		}
	}
	return out.Flush()
}

// candidateFix is a fix with a test.
type candidateFix struct {
	commit  gitext.Commit
	changes []gitext.FileChange
	tests   []string     // added or changed test files
	sources []string     // changed source files, by their old names
	named   namedCulprit // of another data set, if any
	// testsSince is the commit before the tests came, the parent of the fix or an older one.
	testsSince gitext.OID
}

// These constants bound the files of a fix. Larger fixes do more than repair one bug.
const (
	mostTestFiles   = 6
	mostSourceFiles = 5
)

// fixWords are words in the subjects of fixes.
var fixWords = source.Lazy(
	`(?i)\b(?:fix\w*|bug\w*|crash\w*|panic\w*|regress\w*|incorrect\w*|wrong\w*|broken|hang\w*|deadlock\w*|leak\w*|races?|overflow\w*|fail\w*|mishandl\w*|correct\w*|prevent\w*|avoid\w*|don't|do not|should(?:n't| not))\b`,
)

// fixesWithTests lists the fixes with a test in the history of HEAD: fixes of regressions (by
// their messages) first, and newer before older ones.
func fixesWithTests(ctx context.Context, repo *gitext.Repo, since string) ([]candidateFix, error) {
	head, err := repo.Resolve(ctx, "HEAD")
	if err != nil {
		return nil, err
	}
	var found []candidateFix
	seen := map[string]bool{} // a merged fix of another branch fixes the same bug
	for e, err := range repo.Log(ctx, gitext.LogOptions{Tip: head, NoMerges: true, Files: true, MaxFiles: 40}) {
		if err != nil {
			return nil, err
		}
		if len(e.Parents) != 1 || !fixWords().MatchString(e.Subject) {
			continue
		}
		f := candidateFix{changes: e.Files}
		f.sort()
		if e.CommitTime.Format(time.DateOnly) < since {
			continue
		}
		if seen[e.Subject] || len(f.sources) == 0 || len(f.sources) > mostSourceFiles {
			continue
		}
		if f.commit, err = repo.Commit(ctx, e.OID); err != nil {
			return nil, err
		}
		if err := f.findTests(ctx, repo); err != nil {
			return nil, err
		}
		if len(f.tests) == 0 || len(f.tests) > mostTestFiles {
			continue
		}
		seen[e.Subject] = true
		found = append(found, f)
	}
	slices.SortStableFunc(found, func(a, b candidateFix) int { return a.rank() - b.rank() })
	return found, nil
}

// These are words in messages about bugs that were not always there: regressionWords for sure,
// changeWords perhaps.
var (
	regressionWords = source.Lazy(
		`(?i)regress|introduced (?:in|by|with)\b|\bbroken? (?:since|by|in) |\bbisect|caused by (?:commit|#|[0-9a-f]{7})|\bsince (?:commit )?[0-9a-f]{7}`,
	)
	changeWords = source.Lazy(`(?i)no longer|\bbroke\b|\bsince (?:v?\d|version|commit|#)|used to\b|previously|restor|revert|caused by`)
)

// rank orders the fixes: a lower rank is tried first.
func (f *candidateFix) rank() int {
	switch {
	case regressionWords().MatchString(f.commit.Message):
		return 0
	case changeWords().MatchString(f.commit.Message):
		return 1
	}
	return 2
}

// sort divides the files of a fix into tests and sources.
func (f *candidateFix) sort() {
	for _, c := range f.changes {
		switch {
		case c.Submodule:
		case c.Status != 'D' && source.FileKindOf(c.NewPath) == source.TestFile:
			f.tests = append(f.tests, c.NewPath)
		case c.Status != 'A' && source.FileKindOf(c.OldPath) == source.SourceFile:
			f.sources = append(f.sources, c.OldPath)
		}
	}
	slices.Sort(f.tests)
	slices.Sort(f.sources)
}
