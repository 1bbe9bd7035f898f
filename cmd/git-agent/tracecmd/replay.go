package tracecmd

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"

	"git-agent/agent"
	"git-agent/agent/eval"
	"git-agent/agent/trace"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/render"
	"git-agent/cmd/git-agent/schema"
	"git-agent/cmd/git-agent/store"
	"git-agent/cmd/git-agent/ui"
	"git-agent/cmd/git-agent/verbs"
	"git-agent/gitext"
)

// traceReplaySchema is the schema of `trace replay --json`.
const traceReplaySchema = "git-agent/trace-replay/1"

type traceReplayCmd struct {
	Plain bool     `help:"also replay runs of szz with uncondensed tool answers, and compare the size of the prompts in tokens"`
	All   bool     `help:"replay every recorded run of ${recorded_verbs} that has ended"`
	Repos string   `placeholder:"<directory>" kind:"path" help:"directory that holds the repositories of runs of an evaluation"`
	JSON  bool     `name:"json" help:"print one JSON object for each run"`
	Null  bool     `short:"z" help:"terminate the lines of --json with NUL, not newline"`
	Runs  []string `arg:"" optional:"" name:"run" help:"a unique part of the run's name, or a file of exported steps"`
}

// ReplayRow is the result of replaying one run. It is the documented JSON form.
type ReplayRow struct {
	Schema     string       `json:"schema"`
	Run        string       `json:"run"`
	Equal      bool         `json:"equal"`
	Turns      int          `json:"turns"` // requests answered from the record
	Of         int          `json:"of"`    // requests recorded with an answer
	Steps      int          `json:"steps"` // steps equal to the recorded ones
	Difference *replayDiff  `json:"difference"`
	Tokens     int64        `json:"prompt_tokens"` // in all prompts, counted by this program
	Plain      *replayPlain `json:"plain,omitempty"`
}

// Formats are the forms of the outputs of trace replay and trace smells.
func Formats() []schema.Format {
	return []schema.Format{
		{Name: "trace-replay", Title: "git agent trace replay --json: one replayed run", ID: traceReplaySchema, Type: reflect.TypeFor[ReplayRow]()},
		{Name: "trace-smells", Title: "git agent trace smells --json: the signs of trouble in one run", ID: traceSmellsSchema, Type: reflect.TypeFor[smellsRow]()},
	}
}

type replayDiff struct {
	Step string `json:"step"`
	What string `json:"what"`
	Was  string `json:"was"`
	Is   string `json:"is"`
}

// replayPlain is the result of replaying the run without compressed tool answers.
type replayPlain struct {
	Turns       int     `json:"turns"`
	Tokens      int64   `json:"prompt_tokens"`
	Saved       float64 `json:"saved"`        // share of tokens saved by compression
	SameVerdict bool    `json:"same_verdict"` // the verdict is the recorded one
}

// Run replays each run and reports the first difference. It exits with 1 if there
// is a difference.
func (c *traceReplayCmd) Run(ctx context.Context, a *app.App) (err error) {
	switch {
	case c.All && len(c.Runs) > 0:
		return app.Usagef("--all takes no runs, but got %q", c.Runs[0])
	case c.Null && !c.JSON:
		return app.Usagef("-z needs --json")
	}
	stores, err := openRuns(ctx, a)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stores.Close()) }()
	runs, err := c.runs(ctx, stores)
	if err != nil {
		return err
	}
	rows, err := c.replayAll(ctx, a, stores, runs)
	if err != nil {
		return err
	}
	if c.Plain && len(rows) > 1 && !c.JSON {
		if _, err := fmt.Fprintln(a.Stdout, savingText(rows)); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(rows, func(r ReplayRow) bool { return !r.Equal }) {
		return app.ExitStatus(app.ExitNothing)
	}
	return nil
}

func (c *traceReplayCmd) runs(ctx context.Context, stores *store.Stores) ([]*trace.Trajectory, error) {
	if !c.All {
		return stores.ReadNamed(ctx, c.Runs)
	}
	all, err := verbs.ListResumable(ctx, stores)
	if err != nil {
		return nil, err
	}
	runs, err := stores.ReadAll(all)
	if err != nil {
		return nil, err
	}
	runs = slices.DeleteFunc(runs, func(t *trace.Trajectory) bool { return t.Closing == nil || t.Answers() == 0 })
	if len(runs) == 0 {
		return nil, fmt.Errorf("no run of %s that has ended is recorded here", verbs.Alternatives(app.RecordedVerb.VerbName))
	}
	return runs, nil
}

func (c *traceReplayCmd) replayAll(ctx context.Context, a *app.App, stores *store.Stores, runs []*trace.Trajectory) ([]ReplayRow, error) {
	meter := a.NewProgress("replaying")
	defer meter.End()
	var rows []ReplayRow
	for i, t := range runs {
		meter.Update(i, len(runs), string(t.Run.ID))
		row, err := c.replay(ctx, a, stores, t)
		if err != nil {
			return nil, fmt.Errorf("replay run %s: %w", t.Run.ID, err)
		}
		rows = append(rows, row)
		meter.Clear()
		if err := c.print(a, row); err != nil {
			return nil, err
		}
		meter.Resume()
	}
	return rows, nil
}

// replay replays one run as recorded, and with --plain again without compression.
func (c *traceReplayCmd) replay(ctx context.Context, a *app.App, stores *store.Stores, t *trace.Trajectory) (ReplayRow, error) {
	row := ReplayRow{Schema: traceReplaySchema, Run: string(t.Run.ID)}
	question, err := verbs.QuestionOf(t)
	if err != nil {
		return row, err
	}
	repo, done, err := c.repoOf(ctx, stores, t, question)
	if err != nil {
		return row, err
	}
	defer done()
	played, err := question.Replay(ctx, a, repo, t, !c.Plain, question.Plain())
	if err != nil {
		return row, err
	}
	row.Equal, row.Turns, row.Of, row.Steps, row.Tokens = played.First == nil &&
		played.Turns == played.Recorded, played.Turns, played.Recorded, played.Equal, played.Sent
	if d := played.First; d != nil {
		row.Difference = &replayDiff{d.Step, d.What, d.Was, d.Is}
	}
	if !c.Plain {
		return row, nil
	}
	if question.Plain() {
		return row, errors.New("it was recorded without compression: there is nothing to compare")
	}
	without, err := question.Replay(ctx, a, repo, t, false, true)
	if err != nil {
		return row, err
	}
	row.Plain = &replayPlain{Turns: without.Turns, Tokens: without.Sent, SameVerdict: without.Same}
	if without.Sent > 0 {
		row.Plain.Saved = 1 - float64(played.Sent)/float64(without.Sent)
	}
	return row, nil
}

// repoOf returns the repository of a run: the current one, or the one
// below --repos for a run of an evaluation. done closes it.
func (c *traceReplayCmd) repoOf(
	ctx context.Context,
	stores *store.Stores,
	t *trace.Trajectory,
	question app.RecordedQuestion,
) (repo *gitext.Repo, done func(), err error) {
	if t.About.Repo == "" || c.Repos == "" {
		if stores.Repo == nil {
			return nil, nil, app.WithHint(
				fmt.Errorf("it investigated %s, but the current directory is in no repository", question.Subject()),
				"run it in the repository, or give --repos=<directory>",
			)
		}
		return stores.Repo, func() {}, nil
	}
	dir, ok := eval.Finder{Dir: c.Repos}.Find(t.About.Repo)
	if !ok {
		return nil, nil, fmt.Errorf("%q is not below %q", t.About.Repo, c.Repos)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, nil, err
	}
	repo, err = gitext.Open(ctx, gitext.OpenOptions{Dir: dir, Locate: stores.Data.Locate(ctx)})
	if err != nil {
		return nil, nil, err
	}
	return repo, func() { repo.Close() }, nil // nothing was written
}

func (c *traceReplayCmd) print(a *app.App, row ReplayRow) error {
	if c.JSON {
		return render.WriteJSON(a.Raw, row, app.LineEnd(c.Null))
	}
	_, err := fmt.Fprintln(a.Stdout, replayText(row))
	return err
}

// replayText describes the result for a run: "<run> equal: 12 steps of 3 turns",
// or the first difference, and with --plain the savings by compression.
func replayText(row ReplayRow) string {
	s := fmt.Sprintf("%s  equal: %s of %s", row.Run, agent.Plural(row.Steps, "step"), agent.Plural(row.Turns, "turn"))
	switch d := row.Difference; {
	case d != nil:
		s = fmt.Sprintf("%s  differs at %s: %s", row.Run, d.Step, ui.OneLine(d.What))
	case !row.Equal:
		s = fmt.Sprintf("%s  ended after %d of %s", row.Run, row.Turns, agent.Plural(row.Of, "turn"))
	}
	if p := row.Plain; p != nil {
		verdict := "the same answer"
		if !p.SameVerdict {
			verdict = "another answer"
		}
		s += fmt.Sprintf(
			"; prompts of %s tokens, plain %s: %.0f%% saved, %s",
			trace.CountText(row.Tokens),
			trace.CountText(p.Tokens),
			100*p.Saved,
			verdict,
		)
	}
	return s
}

// savingText sums up the savings by compression in several runs.
func savingText(rows []ReplayRow) string {
	var with, without int64
	var shares []float64
	same := 0
	for _, r := range rows {
		with, without = with+r.Tokens, without+r.Plain.Tokens
		shares = append(shares, r.Plain.Saved)
		if r.Plain.SameVerdict {
			same++
		}
	}
	slices.Sort(shares)
	middle := shares[len(shares)/2]
	if len(shares)%2 == 0 {
		middle = (middle + shares[len(shares)/2-1]) / 2
	}
	total := 0.0
	if without > 0 {
		total = 1 - float64(with)/float64(without)
	}
	return fmt.Sprintf("%s: prompts of %s tokens, plain %s: %.0f%% saved in all, %.0f%% in the median run; %d with the same answer",
		agent.Plural(len(rows), "run"), trace.CountText(with), trace.CountText(without), 100*total, 100*middle, same)
}
