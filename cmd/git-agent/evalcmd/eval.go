// Package evalcmd is git agent eval: it measures the answers of szz, crash, fix and bisect on cases
// with known answers, and compares engines, models and other tools.
package evalcmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"git-agent/agent/eval"
	"git-agent/agent/session"
	"git-agent/cache"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/ui"
)

// Cmd is `git agent eval`: it measures the quality of answers.
type Cmd struct {
	Szz    evalSzzCmd    `cmd:"" help:"measure szz on fixes whose bug-introducing commits are known"`
	Crash  evalCrashCmd  `cmd:"" help:"measure crash on crash reports whose fixes are known"`
	Fix    evalFixCmd    `cmd:"" help:"measure fix on bugs whose fixes and tests are known"`
	Bisect evalBisectCmd `cmd:"" help:"measure bisect, and git bisect run, on regressions whose culprits are known"`
	Merge  evalMergeCmd  `cmd:"" help:"join the journals of all shards, and print what one run over all cases prints"`
}

// evalFlags are the shared options of all evaluations.
type evalFlags struct {
	Limit          int           `placeholder:"<n>" help:"evaluate only a fixed sample of <n> cases"`
	Timeout        time.Duration `placeholder:"<duration>" help:"give up on a prediction after <duration>, such as 90s"`
	RunName        string        `name:"run" placeholder:"<name>" help:"store predictions under <name>, or report those stored there; default: a run of this build"`
	Repeat         int           `default:"1" placeholder:"<n>" help:"ask the model <n> times about each case, and report the mean and the spread of these repetitions; default: 1"`
	Reuse          []string      `placeholder:"<names>" help:"reuse the predictions of other builds for these algorithms"`
	answerFlags    `embed:""`
	app.ShardFlags `embed:""`
	Compare        bool `help:"compare two runs, each given as <run> or <run>:<algorithm>"`
	reportFlags    `embed:""`
	Cases          []string `arg:"" optional:"" name:"file" help:"a file of cases, one JSON object on each line"`
}

// reportFlags are the options for printing a report.
type reportFlags struct {
	Times    bool   `negatable:"" default:"true" help:"show how long predictions took (the default), and in JSON how many were stored before"`
	Fallback bool   `help:"count the offline engine's answer where the model gave none, and say so in the name of the row; by default, such an answer counts as empty"`
	JSON     bool   `name:"json" help:"print the report as one JSON object"`
	HTML     string `name:"html" placeholder:"<file>" kind:"path" help:"also write the report to <file> as an HTML page with plots"`
	Rows     string `placeholder:"<file>" kind:"path" help:"also write each prediction and its score to <file>, as one JSON object per line"`
}

// evaluation has the parts of one task's evaluation that differ among tasks.
type evaluation struct {
	*evalFlags
	task       eval.Task // without a calibration
	repos      string    // folder of the repositories
	jobs       int       // 0 means the number of processors
	algorithms []string
	trained    func() (map[string]int, error) // training cases of the algorithm rank, by repository
	only       func(eval.Case) bool           // selects the reported cases; nil selects all
	onlyName   string                         // the name of the cases that only selects, such as "core cases"

	// foreignLine returns an error for a line of --answers that the task cannot read.
	foreignLine func(line json.RawMessage) error
	annotations bool
	index       bool // the ranking asks an index of changed lines
	asksModel   bool
	isAgent     func(algorithm string) bool
	doubt       doubt
	// staff adds the engines to a plan.
	staff func(ctx context.Context, plan *eval.Plan, traces *cache.Traces) error
	// recalled returns the task and the results for the report of a stored run.
	recalled func(ctx context.Context, journal *eval.RunJournal, res *eval.Results) (eval.Task, *eval.Results, error)
	// report prints the report of a run. whole is false if the run was interrupted.
	report func(task eval.Task, about eval.About, res *eval.Results, whole bool) error
}

// doubt counts the cases with contradicted fields.
type doubt struct {
	count  func(res *eval.Results) int
	by     string // the contradicting things, in the plural: "repositories"
	fields string // the fields that may be contradicted
}

// run measures the algorithms, or reports an earlier run, or compares two runs.
func (e *evaluation) run(ctx context.Context, a *app.App) (err error) {
	if e.Repeat > 1 && !e.asksModel {
		return app.Usagef("--repeat is for a model, and no algorithm asks one; the others always give the same answer")
	}
	e.algorithms = eval.Repeated(e.algorithms, e.Repeat, e.isAgent)
	var traces *cache.Traces
	if e.Journal == "" || e.asksModel { // a model's conversations are recorded, too
		if traces, err = a.OpenOwnTraces(ctx); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, traces.Close()) }()
	}
	switch {
	case e.Compare:
		return e.compare(ctx, a, traces)
	case len(e.Cases) == 0:
		return e.recall(ctx, a, traces)
	}
	return e.measure(ctx, a, traces)
}

// openingOf returns the way to open repositories in an evaluation: with an index of changed lines
// that is built in the background, or with none, so that predictions are the same on all
// machines.
func openingOf(ctx context.Context, a *app.App, index bool) eval.Opening {
	how := eval.Opening{Locate: a.Data.Locate(ctx)}
	if index {
		how.Index = a.Data.GrowIndex
	}
	return how
}

// checkNames returns an error if an algorithm is neither in offline nor one of the arms. It puts
// the parts of the arms in order.
func (f *evalFlags) checkNames(algorithms, offline []string, arms eval.Arms) error {
	for _, list := range [][]string{algorithms, f.Reuse} {
		for i, name := range list {
			if _, n := eval.RepetitionOf(name); n > 1 {
				return app.Usagef("%s is a repetition; ask for it with --repeat=%d", name, n)
			}
			if _, ok := arms.Parts(name); !ok && !slices.Contains(offline, name) {
				known := append(slices.Clone(offline), arms.Names()...)
				return app.Usagef(
					"unknown algorithm %q; there are %s; + joins arms, as in agent-%s+%s",
					name,
					strings.Join(known, ", "),
					arms[0],
					arms[1],
				)
			}
			list[i] = arms.Canonical(name)
		}
	}
	slices.Sort(f.Reuse)
	return nil
}

// check returns an error for options that make no sense together. repos and jobs are
// the options of these names.
func (f *evalFlags) check(repos string, jobs int) error {
	if err := f.ShardFlags.CheckShard(); err != nil {
		return err
	}
	switch {
	case f.Journal != "" && (f.Compare || f.RunName != "" || len(f.Reuse) > 0):
		return app.Usagef("--journal takes the place of recorded runs, so it goes with none of --run, --reuse and --compare")
	case f.Journal != "" && len(f.Cases) == 0:
		return app.Usagef("no file of cases; git agent eval merge reports journals")
	case len(f.Answers) > 0 && (f.Compare || len(f.Cases) == 0):
		return app.Usagef("--answers needs the files of the cases; leave it out to report a stored run")
	case f.Compare && len(f.Cases) != 2:
		return app.Usagef("--compare takes two runs, not %d", len(f.Cases))
	case f.Compare:
		return nil
	case len(f.Cases) == 0 && f.RunName == "":
		return app.Usagef("no file of cases, and no --run to report")
	case f.Repeat < 1:
		return app.Usagef("--repeat takes a number from 1")
	case f.Repeat > 1 && len(f.Cases) == 0:
		return app.Usagef("--repeat needs the files of cases; a stored run is reported with its own repetitions")
	case len(f.Cases) > 0 && repos == "":
		return app.Usagef("--repos=<directory> is missing: where are the repositories?")
	case jobs < 0 || f.Limit < 0 || f.Timeout < 0:
		return app.Usagef("--jobs, --limit and --timeout take no negative numbers")
	}
	return nil
}

// caseOf returns the name for recording the model's work on a case. Each repetition has its own
// name, so that it resumes its own conversations.
func caseOf(repo, id, algorithm string) session.Case {
	of := session.Case{Repo: repo, Name: id}
	if _, n := eval.RepetitionOf(algorithm); n > 1 {
		of.Repeat = n
	}
	return of
}

// measure makes the missing predictions, and reports all predictions.
func (e *evaluation) measure(ctx context.Context, a *app.App, traces *cache.Traces) (err error) {
	cases, about, err := e.read(ctx, a)
	if err != nil {
		return err
	}
	own, digest, err := eval.Deal(e.Part, cases)
	if err != nil {
		return err
	}
	plan, err := e.plan(a, own)
	if err != nil {
		return err
	}
	if err := e.addAnswers(ctx, a, &plan, cases); err != nil {
		return err
	}
	if err := e.staff(ctx, &plan, traces); err != nil {
		return err
	}
	plan.SetForeign()
	about.Version, about.Run = plan.Version, e.RunName
	if about.Run == "" {
		about.Run = e.task.Name() + "-" + plan.Version
	}
	journal, err := e.openJournal(ctx, traces, plan, about, len(cases), digest)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, journal.Close()) }()
	meter := a.NewProgress("measuring")
	plan.Journal, plan.OnProgress = journal, func(p eval.Progress) { meter.Update(p.Done, p.Total, evalStatus(p)) }
	res, runErr := eval.Run(ctx, plan)
	meter.End()
	err = journal.Finish(ctx, runErr)
	var stop *eval.StopError
	if res == nil || runErr != nil && ctx.Err() == nil && !errors.As(runErr, &stop) {
		return errors.Join(runErr, err)
	}
	e.warnDoubt(a, res)
	if err := errors.Join(err, e.report(plan.Task, about, res, runErr == nil), e.writeRows(ctx, journal, res)); err != nil {
		return err
	}
	if runErr != nil {
		fmt.Fprintf(a.Stderr, "stopped: %d of %d cases are not done; what is done is kept\n", res.Unfinished, len(res.Cases))
		return app.WithHint(runErr, "continue with the same command:\n%s", ui.ShellJoin(append([]string{"git", "agent"}, a.Args...)))
	}
	return nil
}

// keptJournal is a journal that records the end of a run.
type keptJournal interface {
	eval.Journal
	Finish(ctx context.Context, err error) error
	Close() error
}

// read reads the cases of all shards, and returns them with the description for the report.
func (e *evaluation) read(ctx context.Context, a *app.App) ([]eval.Case, eval.About, error) {
	about := eval.About{Annotations: e.annotations, Index: e.index, Fallback: e.Fallback, Only: e.onlyName, NoTimes: !e.Times}
	if e.Part.Of > 1 {
		about.Shard = e.Part.String()
	}
	cases, files, err := eval.ReadCaseFiles(ctx, e.task, e.Cases)
	if err != nil {
		return nil, about, err
	}
	about.Files = files
	if e.only != nil {
		cases = slices.DeleteFunc(cases, func(c eval.Case) bool { return !e.only(c) })
	}
	if err := e.warnTrained(a, cases); err != nil {
		return nil, about, err
	}
	if info, err := os.Stat(e.repos); err != nil || !info.IsDir() {
		return nil, about, fmt.Errorf("%q is no folder of repositories", e.repos)
	}
	sample := eval.Sample(cases, e.Limit)
	if len(sample) < len(cases) {
		about.SampledFrom = len(cases)
	}
	return sample, about, nil
}

// warnDoubt warns of contradicted fields of the cases.
func (e *evaluation) warnDoubt(a *app.App, res *eval.Results) {
	if n := e.doubt.count(res); n > 0 {
		fmt.Fprintf(a.Stderr, "warning: the %s contradict the fields %s of %d of the %d cases; the %s count, and --rows names the fields\n",
			e.doubt.by, e.doubt.fields, n, len(res.Cases), e.doubt.by)
	}
}

// warnTrained warns if rank is measured on its training repositories.
func (e *evaluation) warnTrained(a *app.App, cases []eval.Case) error {
	if !slices.Contains(e.algorithms, "rank") {
		return nil
	}
	trained, err := e.trained()
	if err != nil {
		return err
	}
	n := 0
	for _, k := range cases {
		if trained[k.Head().Repo] > 0 {
			n++
		}
	}
	if n > 0 {
		fmt.Fprintf(
			a.Stderr,
			"warning: rank was trained on the repositories of %d of the %d cases; its figures for them may flatter\n",
			n,
			len(cases),
		)
	}
	return nil
}

// plan returns the plan of a run without its engines and its journal.
func (e *evaluation) plan(a *app.App, cases []eval.Case) (eval.Plan, error) {
	version, err := app.EngineVersion()
	if err != nil {
		return eval.Plan{}, err
	}
	jobs := e.jobs
	if jobs == 0 {
		jobs = runtime.GOMAXPROCS(0) // GOMAXPROCS respects the limit of a container
	}
	return eval.Plan{
		Task: e.task, Cases: cases, Algorithms: e.algorithms, Version: version, Reuse: e.Reuse,
		Repos: eval.Finder{Dir: e.repos}, Jobs: jobs, Timeout: e.Timeout, Now: a.Now,
	}, nil
}

// recall reports a stored run and makes no predictions.
func (e *evaluation) recall(ctx context.Context, a *app.App, traces *cache.Traces) error {
	journal, res, err := e.recallRun(ctx, traces, e.RunName)
	if err != nil {
		return err
	}
	task := e.task
	if e.recalled != nil {
		if task, res, err = e.recalled(ctx, journal, res); err != nil {
			return err
		}
	}
	e.warnDoubt(a, res)
	if err := e.writeRows(ctx, journal, res); err != nil {
		return err
	}
	return e.report(
		task,
		eval.About{Run: e.RunName, Annotations: e.annotations, Index: e.index, Fallback: e.Fallback, Only: e.onlyName, NoTimes: !e.Times},
		res,
		true,
	)
}

// recallRun reads the predictions of a stored run, without a calibration.
func (e *evaluation) recallRun(ctx context.Context, traces *cache.Traces, name string) (*eval.RunJournal, *eval.Results, error) {
	journal, err := eval.FindJournal(ctx, e.task, traces, name)
	if err != nil {
		return nil, nil, err
	}
	res, err := eval.Recall(ctx, e.task, journal)
	if err == nil && e.only != nil {
		res = res.Only(e.only)
	}
	return journal, res, err
}

func (e *evaluation) compare(ctx context.Context, a *app.App, traces *cache.Traces) error {
	var sides [2]eval.Contender
	for i, name := range e.Cases {
		sides[i] = eval.ParseContender(name)
		sides[i].Fallback = e.Fallback
		_, res, err := e.recallRun(ctx, traces, sides[i].Name) // probabilities are not compared
		if err != nil {
			return err
		}
		sides[i].Results = res
	}
	list, err := eval.CompareRuns(e.task, sides[0], sides[1])
	if err != nil {
		return err
	}
	return e.show(a, eval.NewComparison(e.task, list))
}
