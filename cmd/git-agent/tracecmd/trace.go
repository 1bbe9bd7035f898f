// Package tracecmd is git agent trace: it lists, shows, exports, replays and resumes the
// recorded runs of models.
package tracecmd

import (
	"context"
	"errors"

	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/store"
	"git-agent/gitext"
)

// Cmd is `git agent trace`: it shows the actions of models in recorded runs, step by step.
type Cmd struct {
	List   traceListCmd   `cmd:"" help:"list the recorded runs, newest first"`
	Show   traceShowCmd   `cmd:"" help:"show a run as a conversation; default: the last run"`
	Export traceExportCmd `cmd:"" help:"export a run for other programs"`
	Replay traceReplayCmd `cmd:"" help:"replay runs of ${recorded_verbs} with the model's recorded answers, and report what differs"`
	Resume traceResumeCmd `cmd:"" help:"resume an interrupted run of ${recorded_verbs}"`
	Smells traceSmellsCmd `cmd:"" help:"report signs of trouble in runs, and how often they occur"`
}

// openRuns opens the existing files of recorded runs: the current repository's, and the one for
// runs without a repository.
func openRuns(ctx context.Context, a *app.App) (*store.Stores, error) {
	repo, err := a.Open(ctx, gitext.OpenOptions{})
	if err != nil && !errors.Is(err, gitext.ErrNotRepository) {
		return nil, err
	}
	s := &store.Stores{Repo: repo, Data: a.Data, Warn: a.WarnOnce}
	return s, s.Open(ctx)
}
