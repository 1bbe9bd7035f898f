package evalcmd

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"git-agent/agent"
	crashrank "git-agent/agent/crash/rank"
	"git-agent/agent/eval"
	bisecteval "git-agent/agent/eval/bisect"
	crasheval "git-agent/agent/eval/crash"
	fixeval "git-agent/agent/eval/fix"
	szzeval "git-agent/agent/eval/szz"
	"git-agent/agent/shard"
	szzrank "git-agent/agent/szz/rank"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/szzcmd"
)

// evalMergeCmd is `git agent eval merge`: it joins the journals of all shards.
type evalMergeCmd struct {
	Partial     bool   `help:"accept that shards or answers are missing, and report the others"`
	RunName     string `name:"run" placeholder:"<name>" help:"also store the predictions under <name>, for --compare and --calibrate of the other commands"`
	reportFlags `embed:""`
	Journals    []string `arg:"" name:"journal" help:"the journal of a shard, as --journal wrote it"`
}

// Run joins the journals and prints the report of all of them, or the answers of szz.
func (c *evalMergeCmd) Run(ctx context.Context, a *app.App) error {
	// The scores of all answers stay in memory: with the usual 100, a million scores would take
	// twice the necessary memory.
	debug.SetGCPercent(50)
	set, err := shard.Join(c.Journals, shard.Options{Partial: c.Partial})
	if err != nil {
		return mergeError(err)
	}
	defer set.Close()
	if err := c.warn(a, set); err != nil {
		return err
	}
	if set.Header.Kind == szzcmd.JournalKind {
		if c.HTML != "" || c.Rows != "" || c.RunName != "" {
			return app.Usagef("the journals have answers of szz, which make no report; --html, --rows and --run do not apply")
		}
		return szzcmd.MergeAnswers(ctx, a, set, c.Partial)
	}
	about, algorithms, err := eval.AboutShards(set.Header)
	if err != nil {
		return err
	}
	task, err := c.task(ctx, a, set.Header.Kind, algorithms)
	if err != nil {
		return err
	}
	journal := eval.ShardsJournal{Task: task, Set: set}
	res, err := eval.RecallShards(ctx, journal, algorithms, c.Partial)
	if err != nil {
		return err
	}
	e := evaluation{algorithms: algorithms, trained: trainedOn(task)}
	if err := e.warnTrained(a, res.Cases); err != nil {
		return err
	}
	if err := c.store(ctx, a, journal); err != nil {
		return err
	}
	if err := c.writeRows(ctx, journal, res); err != nil {
		return err
	}
	about.NoTimes, about.Fallback = !c.Times, c.Fallback
	return c.show(a, eval.NewReport(task, about, res))
}

// mergeError adds the shards that must run to an error about journals.
func mergeError(err error) error {
	var bad *shard.ProblemsError
	if !errors.As(err, &bad) {
		return err
	}
	const most = 20
	if n := len(bad.Problems) - most; n > 0 {
		bad.Problems = append(bad.Problems[:most:most], fmt.Sprintf("and %s more", agent.Plural(n, "problem")))
	}
	if len(bad.Again) == 0 {
		return bad
	}
	return app.WithHint(bad, "run shards %s of %d again with their commands; what their journals have is kept", shard.Ranges(bad.Again), bad.Of)
}

// warn warns if something other than the shards may change the report.
func (c *evalMergeCmd) warn(a *app.App, set *shard.Set) error {
	if len(set.Gits) > 1 {
		fmt.Fprintf(
			a.Stderr,
			"warning: the shards ran with different versions of git, which may blame differently: %s\n",
			strings.Join(set.Gits, ", "),
		)
	}
	version, err := app.EngineVersion()
	if err == nil && version != set.Header.Build {
		fmt.Fprintf(
			a.Stderr,
			"warning: the answers are of build %s, and this is build %s, which may score them differently\n",
			set.Header.Build,
			version,
		)
	}
	return err
}

// task returns the task of the journals' predictions, with its options at that time.
func (c *evalMergeCmd) task(ctx context.Context, a *app.App, kind string, algorithms []string) (eval.Task, error) {
	name, _ := eval.TaskOfKind(kind)
	switch name {
	case szzeval.Task{}.Name():
		task := szzeval.Task{Fallback: c.Fallback}
		if !slices.ContainsFunc(algorithms, szzeval.IsAgent) {
			return task, nil
		}
		settings, err := a.ModelSettings(ctx)
		if err != nil {
			return nil, err
		}
		task.Calibration, err = app.SzzCalibration.Configured(settings)
		return task, err
	case crasheval.Task{}.Name():
		task := crasheval.Task{Fallback: c.Fallback}
		if !slices.ContainsFunc(algorithms, crasheval.IsAgent) {
			return task, nil
		}
		settings, err := a.ModelSettings(ctx)
		if err != nil {
			return nil, err
		}
		task.Calibration, err = app.CrashCalibration.Configured(settings)
		return task, err
	case fixeval.Task{}.Name():
		task := fixeval.TaskFor(algorithms)
		task.Fallback = c.Fallback
		return task, nil
	case bisecteval.Task{}.Name():
		return bisecteval.Task{}, nil
	}
	return nil, fmt.Errorf("the journals are of kind %q, which this build does not know", kind)
}

// trainedOn returns the function that lists the training repositories of a task's algorithm rank.
func trainedOn(t eval.Task) func() (map[string]int, error) {
	switch t.(type) {
	case szzeval.Task:
		return szzrank.TrainedOn
	case crasheval.Task:
		return func() (map[string]int, error) { return crashrank.TrainedOn(), nil }
	}
	return func() (map[string]int, error) { return nil, nil }
}

// store adds the predictions to the recorded run of --run.
func (c *evalMergeCmd) store(ctx context.Context, a *app.App, from eval.ShardsJournal) (err error) {
	if c.RunName == "" {
		return nil
	}
	traces, err := a.OpenOwnTraces(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, traces.Close()) }()
	to, err := eval.OpenJournal(ctx, from.Task, traces, c.RunName)
	if err != nil {
		return err
	}
	err = eval.Copy(ctx, to, from)
	return errors.Join(err, to.Finish(ctx, err))
}
