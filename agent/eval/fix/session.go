package fixeval

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/crash/engine"
	"git-agent/agent/crash/format"
	"git-agent/agent/eval"
	"git-agent/agent/fix"
	"git-agent/agent/sandbox"
	"git-agent/agent/trial"
	"git-agent/gitext"
)

// Options configure the questions to the engines and the judging of answers.
type Options struct {
	Locate func(commonDir string) string // returns the folder of a clone's shadow, see gitext
	Repair Repairer                      // asks an engine; nil if only Developers is measured
	// Trial has the sandbox and the limits for all commands of the engines and of the judge. Its
	// readable paths and its environment provide what the tests need in addition to the
	// repository, such as a folder of installed modules. Its cache and its command are not used.
	Trial  trial.Options
	Report bool // give the engines the user's description of the bug, and the crash report
	// HideTests gives the engines the reports, but neither the files of the fix's tests nor the
	// commands that run them. The tests are still used for judging.
	HideTests bool
	Patches   int // number of judged patches of an answer; 0 means mostPatches
	// Samples is the number of trajectories of each case. It is ignored for algorithms that start
	// more trajectories when the first ones fail.
	Samples int
	// Smells returns the names of the smells in recorded runs, which are one trajectory of a
	// model; nil searches for none.
	Smells  func(ctx context.Context, runs []string) []string
	Foreign map[string]*eval.Foreign // answers of other programs, by the names of their algorithms
}

// mostPatches is the number of patches that an answer needs for all metrics.
const mostPatches = 5

// Open returns an eval.Opener that opens repositories for the engines. It returns an error if
// commands in the sandbox may read the repository, which contains the fixes.
func Open(opt Options) eval.Opener {
	if opt.Patches == 0 {
		opt.Patches = mostPatches
	}
	return func(ctx context.Context, dir string, cases int) (eval.Session, error) {
		full, err := eval.OpenRepository(ctx, dir, 1, eval.Opening{Locate: opt.Locate}) // little is read from it
		if err != nil {
			return nil, err
		}
		s := &session{full: full, opt: opt, cases: map[string]*prepared{}}
		if err := errors.Join(s.checkHidden(ctx), s.makeScratch()); err != nil {
			return nil, errors.Join(err, full.Close())
		}
		return s, nil
	}
}

type session struct {
	full    *gitext.Repo // has the fixes
	opt     Options
	scratch *sandbox.Scratch
	engine  trial.Options // of the engines' commands
	judge   trial.Options // of the judge's commands

	mu    sync.Mutex
	made  int                  // numbers the scratch directories
	cases map[string]*prepared // by id
}

// checkHidden returns an error if the options allow commands to read the repository.
func (s *session) checkHidden(ctx context.Context) error {
	dir, err := filepath.EvalSymlinks(s.full.CommonDir())
	if err != nil {
		return err
	}
	for _, path := range slices.Concat(s.opt.Trial.Readable, s.opt.Trial.Writable) {
		real, err := filepath.EvalSymlinks(path)
		if err != nil {
			continue // a missing path shows nothing
		}
		if up, err := filepath.Rel(real, dir); err == nil && filepath.IsLocal(up) || s.tracked(ctx, real) {
			return fmt.Errorf("commands in the sandbox may read %q, and the repository of the cases, which has the fixes, is there", path)
		}
	}
	return nil
}

// tracked reports whether a path is in the repository's work tree and contains files of its last
// commit, which may contain the fixes too.
func (s *session) tracked(ctx context.Context, path string) bool {
	top, err := filepath.EvalSymlinks(s.full.WorkTree())
	if err != nil || s.full.WorkTree() == "" {
		return false
	}
	rel, err := filepath.Rel(top, path)
	if err != nil || !filepath.IsLocal(rel) {
		return false
	}
	head, err := s.full.Resolve(ctx, "HEAD")
	if err != nil {
		return false // there is no commit
	}
	files, err := s.full.Tree(ctx, head, filepath.ToSlash(rel))
	return err != nil || len(files) > 0
}

// makeScratch makes the directories of the session. The engines and the judge share compiled
// files; commands of an engine cannot write there.
func (s *session) makeScratch() (err error) {
	if s.scratch, err = sandbox.NewScratch(s.opt.Trial.Scratch); err != nil {
		return err
	}
	s.engine, s.judge = s.opt.Trial, s.opt.Trial
	s.engine.Command, s.judge.Command = "", ""
	s.engine.Compiled, err = s.scratch.Dir("compiled")
	s.judge.Compiled = s.engine.Compiled
	return err
}

// Close removes the files of the session and ends the git processes of the repository.
func (s *session) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	for _, p := range s.cases {
		err = errors.Join(err, p.close())
	}
	s.cases = nil
	return errors.Join(err, s.full.Close(), s.scratch.Close())
}

// End removes the files that Begin made for a case.
func (s *session) End(of eval.Case) {
	id := of.Head().ID
	s.mu.Lock()
	p := s.cases[id]
	delete(s.cases, id)
	s.mu.Unlock()
	if p != nil {
		p.close() // Close removes the rest, and reports errors
	}
}

// Begin makes a repository that ends at the case's base.
func (s *session) Begin(ctx context.Context, of eval.Case) (eval.Answerer, []gitext.OID, error) {
	c := of.(Case)
	absent, err := eval.Absent(ctx, s.full, c.Base, c.Fix)
	if err == nil && len(absent) > 0 {
		err = &eval.AbsentError{Commits: absent}
	}
	if err != nil {
		return nil, nil, err
	}
	p, err := s.prepare(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if old := s.cases[c.ID]; old != nil {
		return nil, nil, errors.Join(fmt.Errorf("case %q is already under way", c.ID), p.close())
	}
	s.cases[c.ID] = p
	return func(ctx context.Context, algorithm string) (eval.Answer, error) {
		return s.answer(ctx, p, algorithm)
	}, nil, nil
}

// answer asks the engine about a case and judges its first patches.
func (s *session) answer(ctx context.Context, p *prepared, name string) (eval.Answer, error) {
	if from := s.opt.Foreign[name]; from != nil {
		return s.judgeForeign(ctx, p, from)
	}
	a, err := ParseAlgorithm(name)
	if err != nil {
		return nil, &eval.StopError{Err: err}
	}
	var w eval.Observer
	var reads eval.Reading
	see := func(e agent.Event) {
		w.See(e)
		reads.See(e)
	}
	ans, err := s.ask(ctx, p, a, see)
	if err != nil {
		return nil, err
	}
	out := predictionOf(a, ans, p.truth)
	out.Facts = p.known
	if a.Engine == Agent && !a.Method.Auto {
		out.Samples = s.opt.Samples
	}
	if ans.Agent != nil {
		work := w.Work(runsOf(ans.Agent), ans.Agent.RunReports(), ans.Agent.Fallback)
		out.Work, out.Read, out.ReadCommits = &work, reads.Paths, reads.Commits
	}
	if a.Engine == Locate {
		return out, nil
	}
	start := time.Now()
	if err := s.judgeAll(ctx, p, ans, &out); err != nil {
		return nil, err
	}
	out.Judging = time.Since(start).Seconds()
	return out, nil
}

// judgeAll judges the first patches of an answer, and the patches of all trajectories behind it.
func (s *session) judgeAll(ctx context.Context, p *prepared, ans *fix.Answer, out *Prediction) error {
	bench := &bench{judge: p.judge, known: map[string]Judged{}}
	if ans.Agent != nil {
		var err error
		if out.Trajectories, err = s.trajectories(ctx, p, bench, attempts(ans.Agent.Runs)); err != nil {
			return err
		}
	}
	patches := ans.Plausible
	if len(patches) == 0 {
		patches = ans.OwnTested
	}
	for _, t := range patches[:min(max(s.opt.Patches, out.Samples), len(patches))] {
		judged, err := bench.judged(ctx, t)
		if err != nil {
			return err
		}
		out.Patches = append(out.Patches, judged)
	}
	return nil
}

// ask returns the answer of the engine of an algorithm.
func (s *session) ask(ctx context.Context, p *prepared, a Algorithm, see func(agent.Event)) (*fix.Answer, error) {
	if a.Engine == Developers {
		return &fix.Answer{
			Engine:       string(Developers),
			Plausible:    []fix.Trial{{Patch: fix.Patch{Files: p.truth.files}, Origin: "the fix of the developers"}},
			Tried:        1,
			Reproduction: fix.Reproduction{State: fix.Failing},
		}, nil
	}
	if s.opt.Repair == nil {
		return nil, &eval.StopError{Err: fmt.Errorf("no engine is configured for %s", a.Name)}
	}
	problem := p.problem
	if s.opt.HideTests {
		problem = untested(problem)
	}
	if a.Given {
		problem.Given = p.truth.given()
	}
	commands := s.engine
	p.equip(&commands)
	if err := p.compileCovered(ctx, commands); err != nil {
		return nil, err
	}
	ans, err := s.opt.Repair(ctx, Inquiry{Case: p.c, Repo: p.repo, Problem: problem, Algorithm: a, Trial: commands, OnEvent: see})
	if err == nil && ans == nil {
		err = errors.New("the engine gave no answer")
	}
	return ans, err
}

// equip sets what the commands of a case are shown of the clone besides the files of a commit.
func (p *prepared) equip(commands *trial.Options) {
	commands.Hidden, commands.CratesOnly, commands.Locks = p.hidden, p.covered, p.locks
	commands.Dependencies, commands.Checkout = p.packages, p.checkout
}

// compileCovered compiles the crates of a case whose tests need a later release of the project, before
// the time of the engine begins: its limit could end the compiler of that release, which no other
// command can compile.
func (p *prepared) compileCovered(ctx context.Context, commands trial.Options) error {
	if len(p.covered) == 0 || p.problem.Test == "" {
		return nil
	}
	w, err := trial.Open(ctx, p.repo, commands)
	if err != nil {
		return err
	}
	defer w.Close()
	if err := w.Prepare(ctx, p.problem.Tree.Commit, p.problem.Tree.Over); err != nil {
		return err
	}
	_, err = compileCrates(ctx, w, p.problem)
	return err
}

// untested returns a problem with only the report: the tree is the base's, and a model has to
// write a failing test by itself. The tests that also fail with the fix are not named either.
func untested(p fix.Problem) fix.Problem {
	return fix.Problem{Tree: fix.Tree{Commit: p.Tree.Commit}, Report: p.Report, Crash: p.Crash, Files: p.Files, Suspects: p.Suspects, WriteTest: true}
}

// checkReported returns an error for a case that the report alone does not describe.
func checkReported(c Case) error {
	switch {
	case strings.TrimSpace(c.BugReport) == "" && c.CrashReport == "":
		return errors.New("the case has no bug_report and no crash_report, so an engine would know nothing of the bug")
	case len(c.TestFiles) == 0:
		return errors.New("the case names no test_files, so its tests cannot be hidden")
	}
	return nil
}

// runsOf returns the ids of the recorded runs.
func runsOf(r *fix.AgentReport) []string {
	var ids []string
	for _, run := range r.Runs {
		if run.Trace != "" {
			ids = append(ids, run.Trace)
		}
	}
	return ids
}

// prepared is a case with a repository that ends at its base.
type prepared struct {
	c       Case
	dir     string
	repo    *gitext.Repo
	problem fix.Problem
	truth   *truth
	known   *Facts
	judge   *judge
	tell    bool            // the engines are told the reports about the bug
	hidden  []string        // releases of the project, which may contain the fix
	covered []sandbox.Cover // the sources of those that its own tests need
	locks   []trial.Lock
	// packages are the directories of the clone's work tree, checkout, with installed packages.
	packages []string
	checkout string
}

// prepare makes the repository of a case and reads its truth from the full one.
func (s *session) prepare(ctx context.Context, c Case) (*prepared, error) {
	tests, err := filesOf(ctx, s.full, c.Base, c.Fix, c.TestFiles)
	if err != nil {
		return nil, err
	}
	sources, err := filesOf(ctx, s.full, c.Base, c.Fix, c.SrcFiles)
	if err != nil {
		return nil, err
	}
	p := &prepared{c: c, truth: &truth{files: sources}, problem: fix.Problem{
		Tree: fix.Tree{Commit: c.Base, Over: tests}, Test: c.TestCmd, Suite: c.SuiteCmd,
		Known: append(slices.Clone(c.KnownFailing), bareNames(c.KnownFailing)...),
	}}
	if s.opt.HideTests {
		if err := checkReported(c); err != nil {
			return nil, err
		}
	}
	if p.tell = s.opt.Report || s.opt.HideTests; p.tell {
		p.problem.Report = strings.TrimSpace(c.BugReport)
	}
	s.mu.Lock()
	s.made++
	name := fmt.Sprintf("case%d", s.made)
	s.mu.Unlock()
	if p.dir, err = s.scratch.Dir(name); err != nil {
		return nil, err
	}
	if p.locks, err = locksOf(ctx, s.full, c.Base); err != nil {
		return nil, err
	}
	if p.packages, err = trial.FindDependencies(ctx, s.full, c.Base); err != nil {
		return nil, err
	}
	p.checkout = s.full.WorkTree()
	releases, covered := releasesOf(ctx, s.full, c.Base, s.packageFolders(p), p.locks)
	p.hidden, p.covered = append(slices.Clone(s.opt.Trial.Hidden), releases...), covered
	if err := p.open(ctx, s.full, s.judge); err != nil {
		return nil, errors.Join(err, p.close())
	}
	return p, nil
}

// packageFolders returns the folders of installed packages that the options and the clone show.
func (s *session) packageFolders(p *prepared) []string {
	list := slices.Concat(s.opt.Trial.Readable, filepath.SplitList(os.Getenv("NODE_PATH")))
	for _, dir := range p.packages {
		list = append(list, filepath.Join(p.checkout, filepath.FromSlash(dir)))
	}
	return list
}

// open makes the repository and determines the changes of the fix.
func (p *prepared) open(ctx context.Context, full *gitext.Repo, judging trial.Options) error {
	clone := filepath.Join(p.dir, "repo")
	if err := full.Truncate(ctx, p.c.Base, clone); err != nil {
		return err
	}
	var err error
	p.repo, err = gitext.Open(ctx, gitext.OpenOptions{Dir: clone, DataDir: filepath.Join(p.dir, "data"), Bloom: gitext.BloomBuild})
	if err != nil {
		return err
	}
	p.equip(&judging)
	p.judge = newJudge(p, judging)
	if p.truth.changes, err = p.judge.reader.changes(ctx, p.truth.files); err != nil {
		return err
	}
	if len(p.truth.changes) == 0 {
		return fmt.Errorf("the fix %s changes none of the case's source files", p.c.Fix.Short())
	}
	if p.known, err = p.facts(ctx); err != nil || !p.tell {
		return err
	}
	return p.addCrash(ctx)
}

// addCrash reads the case's report of a crash. It ranks the files and commits behind the crash in
// the repository that ends at the base.
func (p *prepared) addCrash(ctx context.Context) error {
	if strings.TrimSpace(p.c.CrashReport) == "" {
		return nil
	}
	report, err := format.Read(strings.NewReader(p.c.CrashReport))
	if err != nil {
		return fmt.Errorf(`the field "crash_report": %w`, err)
	}
	ranking, err := (&engine.Engine{Repo: p.repo}).Rank(ctx, crash.Question{Report: report, Commit: p.c.Base, Suspects: crashSuspects})
	if err != nil {
		return err
	}
	p.problem.Crash, p.problem.Files, p.problem.Suspects = report, ranking.Files, ranking.Suspects
	return nil
}

// crashSuspects is the number of suspect commits for a crash, the same as in fix --crash.
const crashSuspects = 3

// close removes the repository of a case.
func (p *prepared) close() error {
	if p.judge != nil {
		p.judge.close()
	}
	var err error
	if p.repo != nil {
		err = p.repo.Close()
	}
	return errors.Join(err, os.RemoveAll(p.dir))
}
