package tracecmd

import (
	"context"
	"errors"
	"fmt"

	"git-agent/agent"
	"git-agent/agent/session"
	"git-agent/agent/trace"
	"git-agent/cache"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/store"
	"git-agent/cmd/git-agent/ui"
	"git-agent/cmd/git-agent/verbs"
	"git-agent/gitext"
)

type traceResumeCmd struct {
	MaxCost       *float64 `placeholder:"<usd>" help:"spend at most <usd> US dollars on the rest of the run"`
	AllowUnpriced bool     `help:"use a model even if its price is unknown"`
	JSON          bool     `name:"json" help:"print the answer as the command that began the run does with --json"`
	Name          string   `arg:"" optional:"" name:"run" help:"a unique part of the run's name; default: the last run that was interrupted"`
}

// Run resumes an interrupted run and prints its answer. Recorded answers of the model are reused,
// to avoid paying for them again.
func (c *traceResumeCmd) Run(ctx context.Context, a *app.App) (err error) {
	stores, err := openRuns(ctx, a)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stores.Close()) }()
	r, err := c.find(ctx, stores)
	if err != nil {
		return err
	}
	t, err := stores.Read(r)
	if err != nil {
		return err
	}
	question, err := verbs.QuestionOf(t)
	switch {
	case err != nil:
		return fmt.Errorf("run %s: %w", r.ID, err)
	case r.Traces == nil:
		return errors.New("a file of steps cannot be resumed; only a recorded run can")
	case r.OtherRepo != "":
		return app.WithHint(fmt.Errorf("run %s belongs to %q", r.ID, r.OtherRepo), "resume it in that repository")
	case t.About.Repo != "":
		return app.WithHint(fmt.Errorf("run %s belongs to an evaluation", r.ID), "repeat the same 'git agent eval' command, which resumes it")
	case stores.Repo == nil:
		return gitext.ErrNotRepository
	}
	opened, err := c.openSession(ctx, a, t.About, r.Traces)
	if err != nil {
		return err
	}
	return c.resume(ctx, a, stores.Repo, opened, r, question)
}

// find returns the named run, or the last interrupted one.
func (c *traceResumeCmd) find(ctx context.Context, stores *store.Stores) (store.Run, error) {
	if c.Name != "" {
		r, err := stores.Find(ctx, c.Name)
		if err == nil && r.State != cache.Interrupted {
			err = app.WithHint(fmt.Errorf("run %s is %s, not interrupted", r.ID, r.State), "git agent trace show %s", r.ID)
		}
		return r, err
	}
	all, err := verbs.ListResumable(ctx, stores)
	if err != nil {
		return store.Run{}, err
	}
	for _, r := range all {
		if r.State == cache.Interrupted {
			return r, nil
		}
	}
	return store.Run{}, errors.New("no run was interrupted here")
}

// openSession opens a session with the model of the run, because a conversation cannot continue
// with another model. The other settings are the current ones.
func (c *traceResumeCmd) openSession(ctx context.Context, a *app.App, run trace.About, traces *cache.Traces) (*session.Session, error) {
	if err := app.CheckCost(c.MaxCost); err != nil {
		return nil, err
	}
	settings, err := a.ModelSettings(ctx)
	if err != nil {
		return nil, err
	}
	settings.Model, settings.From["agent.model"] = run.Model, "the recorded run"
	if c.MaxCost != nil {
		settings.MaxCost = *c.MaxCost
	}
	settings.AllowUnpriced = settings.AllowUnpriced || c.AllowUnpriced
	if settings.ServerID() != run.BaseURL {
		// The hint has no command to paste: an attacker could have forged the record to redirect
		// prompts and the key to another server.
		return nil, app.WithHint(fmt.Errorf("the run asked %s, and %s is configured", ui.Printable(run.BaseURL), ui.Printable(settings.ServerID())),
			"if you know that server, set agent.baseUrl to it and resume again")
	}
	return a.NewSession(ctx, settings, traces, false)
}

// resume resumes the run, prints its answer and closes it. It fails if the run's first prompt
// differs from the prompt of this build.
func (c *traceResumeCmd) resume(
	ctx context.Context,
	a *app.App,
	repo *gitext.Repo,
	opened *session.Session,
	r store.Run,
	question app.RecordedQuestion,
) error {
	ans, err := question.Resume(ctx, a, app.Resumption{Repo: repo, Opened: opened, Reopen: func() (agent.Journal, error) {
		if err := r.Traces.Resume(ctx, r.ID); err != nil {
			return nil, store.Hinted(err)
		}
		a.Say("resuming run %s, which was interrupted after %d steps", r.ID, r.Steps)
		return opened.Followed(agent.NewTraceJournal(r.Traces, r.ID), r.Kind, r.Spec), nil
	}})
	if err != nil {
		return err // the run stays open, so that it can be resumed again
	}
	if err := ans.Print(ctx, c.JSON); err != nil {
		return err // nobody has seen the answer, so the run stays open
	}
	if err := r.Traces.Finish(context.WithoutCancel(ctx), r.ID, session.StateOf(ans.Status())); err != nil {
		return store.Hinted(err)
	}
	return ans.Exit()
}
