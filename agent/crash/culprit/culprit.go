// Package culprit names the commits that may have introduced a crash.
//
// Candidates are the commits that own lines of the functions around the project's frames, at the
// commit that crashed, and the latest commits that changed these functions. A choice model orders
// candidates by the lines that they own, the distance of these lines to the lines of frames, the
// weight of the frames' files, the age of the commit, and the words that its message shares with
// the report. The weights are fitted to crashes with known culprits and are independent of any
// repository. cmd/train/crashtrain makes model.json.
//
// Nothing newer than the commit that crashed is read.
package culprit

import (
	"context"
	"fmt"
	"slices"
	"time"

	"git-agent/agent/crash"
	"git-agent/agent/suspect"
	"git-agent/gitext"

	"golang.org/x/sync/errgroup"
)

// Options restrict the commits that may be named.
type Options struct {
	Since gitext.OID // only commits that are not reachable from Since; "" for all
	Until time.Time  // only commits until then; the zero time is any time
	Max   int        // most suspects
}

// Found are the suspects, the likeliest first.
type Found struct {
	Suspects []suspect.Suspect
	Notes    []string // a sentence about each thing that could not be read
}

// Find names the commits behind the frames of a report. The frames must be located and the files
// ranked.
func Find(ctx context.Context, repo *gitext.Repo, commit gitext.OID, report *crash.Report, files []crash.File, opt Options) (*Found, error) {
	g, candidates, err := gather(ctx, repo, commit, report, files, opt)
	if err != nil {
		return nil, err
	}
	found := &Found{}
	vectors := g.vectors(candidates)
	weights := committed().weights(g.noLines())
	shares := committed().shares(vectors, g.noLines())
	order := make([]int, len(candidates))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case shares[a] > shares[b]:
			return -1
		case shares[a] < shares[b]:
			return 1
		}
		return 0
	})
	probability := make([]float64, len(candidates))
	for i := range probability {
		probability[i] = committed().probability(shares[i])
	}
	doubted, err := g.doubtTests(ctx, candidates, order, probability)
	if err != nil {
		return nil, err
	}
	found.Notes = g.notes
	for _, i := range order[:min(len(order), max(opt.Max, 0))] {
		c := candidates[i]
		reason := g.reason(report, c)
		if doubted[i] {
			reason += "; it changes only tests, which show a bug and seldom make it"
		}
		found.Suspects = append(found.Suspects, suspect.Suspect{
			Commit: c.Commit, Probability: probability[i],
			Reason: reason, Evidence: g.evidence(c), Signals: signals(vectors[i], weights),
		})
	}
	return found, nil
}

// onlyHandled reports whether all frames in the project handle the signal or the panic that others raised.
func onlyHandled(report *crash.Report) bool {
	found := false
	for _, s := range report.Stacks {
		for _, f := range s.Frames {
			if f.Path != "" && !f.Handler {
				return false
			}
			found = found || f.Path != ""
		}
	}
	return found
}

// gather finds the candidates of a report.
func gather(
	ctx context.Context,
	repo *gitext.Repo,
	commit gitext.OID,
	report *crash.Report,
	files []crash.File,
	opt Options,
) (*gathering, []*candidate, error) {
	g := &gathering{repo: repo, until: opt.Until, byOID: map[gitext.OID]*candidate{}, words: reportWords(report)}
	var err error
	if g.commit, err = repo.Commit(ctx, commit); err != nil {
		return nil, nil, err
	}
	if g.regions, g.notes, err = regionsOf(ctx, repo, commit, report, files); err != nil {
		return nil, nil, err
	}
	if len(g.regions) == 0 {
		why := "no frame of the report has a line or a function of the project, so no commit is suspected"
		switch {
		case len(g.notes) > 0:
			why = "no file of the frames could be traced, so no commit is suspected"
		case onlyHandled(report):
			why = "the frames of the report in the project only handle the signal or the panic, so no commit is suspected"
		case slices.ContainsFunc(files, func(f crash.File) bool { return !f.Related }):
			why = "no line and no function of the report is in the code of this commit, so no commit is suspected"
		}
		g.notes = append(g.notes, why)
		return g, nil, nil
	}
	if g.since, err = newSince(ctx, repo, commit, opt.Since); err != nil {
		return nil, nil, err
	}
	if g.ignored, err = suspect.IgnoredRevs(ctx, repo, commit); err != nil {
		return nil, nil, err
	}
	var latest histories
	both, bctx := errgroup.WithContext(ctx)
	both.Go(func() error { return g.blame(bctx) })
	both.Go(func() (err error) { latest, err = g.readHistories(bctx); return err })
	if err := both.Wait(); err != nil {
		return nil, nil, err
	}
	g.takeOwners()
	g.takeHistories(latest)
	candidates, err := g.read(ctx)
	if len(candidates) == 0 && g.since != nil && err == nil {
		g.notes = append(g.notes, fmt.Sprintf("none of the commits since %s owns a line of the functions in the stacks", opt.Since.Short()))
	}
	return g, candidates, err
}

// noLines reports whether no frame of the project has a line number.
func (g *gathering) noLines() bool {
	for _, r := range g.regions {
		for _, p := range r.places {
			if p.line > 0 {
				return false
			}
		}
	}
	return true
}
