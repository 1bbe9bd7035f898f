package evalcmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"git-agent/agent/eval"
	"git-agent/cache"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext/gitcmd"
)

// show prints a report in the form of the options.
func (f *reportFlags) show(a *app.App, r *eval.Report) error {
	if f.HTML != "" {
		if err := app.WriteFile(f.HTML, 0o644, r.WriteHTML); err != nil {
			return err
		}
	}
	write := r.WriteText
	if f.JSON {
		write = r.WriteJSON
	}
	if err := write(a.Stdout); err != nil {
		return err
	}
	return noneEvaluated(a, r)
}

// noneEvaluated returns the exit status of a report without measurements because all of its cases
// were skipped, as with a wrong --repos; nil for any other report. A program that reads only the
// status would otherwise take the zeros for results. For a shard the status is nil: it may happen
// to have no case of an available repository, and its journal is complete.
func noneEvaluated(a *app.App, r *eval.Report) error {
	if r.Evaluated > 0 || r.Cases == 0 || len(r.Skipped) < r.Cases {
		return nil
	}
	kind := "error"
	if r.Shard != "" {
		kind = "warning"
	}
	fmt.Fprintf(
		a.Stderr,
		"%s: no case was evaluated; the first was skipped because of this: %s\n",
		kind,
		ui.FatalText(errors.New(r.Skipped[0].Reason)),
	)
	if r.Shard != "" {
		return nil
	}
	return app.ExitStatus(app.ExitNothing)
}

// writeRows writes the stored predictions of a run to the file of --rows, even after an
// interrupt.
func (f *reportFlags) writeRows(ctx context.Context, journal eval.Journal, res *eval.Results) error {
	if f.Rows == "" {
		return nil
	}
	return app.WriteFile(f.Rows, 0o644, func(w io.Writer) error {
		out := bufio.NewWriter(w)
		err := eval.WriteRows(context.WithoutCancel(ctx), out, journal, res)
		return errors.Join(err, out.Flush())
	})
}

// evalStatus returns the text of the progress line, after the counts.
func evalStatus(p eval.Progress) string {
	words := []string{}
	if p.Left > 0 {
		words = append(words, p.Left.Round(time.Second).String()+" left")
	}
	if p.Reused > 0 {
		words = append(words, fmt.Sprintf("%d kept before", p.Reused))
	}
	if p.Failed > 0 {
		words = append(words, fmt.Sprintf("%d failed", p.Failed))
	}
	if p.Skipped > 0 {
		words = append(words, fmt.Sprintf("%d skipped", p.Skipped))
	}
	return strings.Join(words, ", ")
}

// openJournal opens the file of --journal, or else the recorded run. all is the number of
// cases of all shards, and digest their digest.
func (e *evaluation) openJournal(
	ctx context.Context,
	traces *cache.Traces,
	plan eval.Plan,
	about eval.About,
	all int,
	digest string,
) (keptJournal, error) {
	if e.Journal == "" {
		return eval.OpenJournal(ctx, plan.Task, traces, about.Run)
	}
	git, err := gitcmd.UserVersion(ctx)
	if err != nil {
		return nil, err
	}
	options := map[string]string{"annotations": fmt.Sprint(about.Annotations), "core": about.Only, "timeout": plan.Timeout.String()}
	return eval.OpenFileJournal(e.Journal, e.Part, plan, about, all, digest, git, options)
}
