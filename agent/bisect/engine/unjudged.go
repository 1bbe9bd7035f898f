package engine

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/bisect"
	"git-agent/agent/fix"
	"git-agent/agent/fix/testcmd"
	"git-agent/agent/fix/testrun"
	"git-agent/agent/source"
	"git-agent/agent/trial"
	"git-agent/gitext"
	"git-agent/gitext/quote"
)

// noteUnjudged says how many runs could not be judged, the reason of one, and what may help, unless the culprit is
// proved. The reason is that of a commit whose run the proof lacks, else the one that most of them have.
func (r *Result) noteUnjudged(ctx context.Context, repo *gitext.Repo, online bool) {
	if r.Answer == nil || r.Status == bisect.Proved || r.Status == bisect.Nothing {
		return
	}
	unjudged, most, counts := 0, bisect.Run{}, map[string]int{}
	for _, run := range r.Runs {
		if run.Outcome != bisect.Unknown {
			continue
		}
		unjudged++
		if counts[cause(run)]++; counts[cause(run)] > counts[cause(most)] {
			most = run
		}
	}
	lacking := func(run bisect.Run) bool { return run.Outcome == bisect.Unknown && r.proofLacks(run.Commit) }
	if i := slices.IndexFunc(r.Runs, lacking); r.Status == bisect.Apart && i >= 0 {
		most = r.Runs[i]
	}
	if unjudged == 0 {
		return
	}
	r.Notes = append(r.Notes, fmt.Sprintf("%s could not be judged (-v shows all); at %s, it %s",
		agent.Plural(unjudged, "run"), most.Commit.Short(), most.How))
	why := slices.Collect(maps.Keys(counts))
	if !online && slices.ContainsFunc(why, testrun.Downloads) {
		r.Notes = append(r.Notes, "--network lets the command download what it lacks at a commit")
	}
	ofCommand := func(how string) bool { return testrun.Lacks(how, fix.LackCommand) }
	if slices.ContainsFunc(why, ofCommand) && len(r.Question.Over) == 0 {
		r.Notes = append(r.Notes, "where a file of the command is not there, --with=<file> lays it over each commit")
	}
	ofGoMod := func(how string) bool { return testrun.Lacks(how, fix.LackGoMod) }
	if slices.ContainsFunc(why, ofGoMod) && r.mayLayGoMod(ctx, repo) {
		r.Notes = append(r.Notes, "--with=go.mod and --with=go.sum lay these files of the work tree over each commit")
	}
}

// proofLacks reports whether a commit is the most probable culprit or its parent, and no run there was judged.
func (r *Result) proofLacks(c gitext.OID) bool {
	unjudged := func(t bisect.Tally) bool { return t.New+t.Old == 0 }
	return c == r.First && unjudged(r.At) ||
		slices.ContainsFunc(r.Parents, func(p bisect.ParentRuns) bool { return c == p.Commit && unjudged(p.Tally) })
}

// cause is the beginning of what an unjudged run says, without the line of the output behind the exit status.
func cause(run bisect.Run) string {
	why, _, _ := strings.Cut(run.How, " (exit ")
	return why
}

// mayLayGoMod reports whether the top of the tree has a go.mod that is not laid over the commits.
func (r *Result) mayLayGoMod(ctx context.Context, repo *gitext.Repo) bool {
	const name = "go.mod"
	if slices.ContainsFunc(r.Question.Over, func(o gitext.Overlay) bool { return o.Path == name }) {
		return false
	}
	known, err := repo.Tree(ctx, r.Question.Tip, name)
	return err == nil && len(known) > 0
}

// noteOnlyTests says how to look for a bug that is older than its test, where the proved culprit changes nothing
// but tests that are there at the tip.
func (r *Result) noteOnlyTests(patch *gitext.Patch) {
	if r.Status != bisect.Proved || r.Question.Fixed || r.Builds || len(patch.Files) == 0 {
		return
	}
	const most = 3
	var with []string
	for _, f := range patch.Files {
		if f.Status == 'D' || !source.IsTestOf(f.NewPath, r.Question.Test) {
			return
		}
		with = append(with, "--with="+quote.Shell(f.NewPath))
	}
	lay := "--with=<file> lays a file of the work tree over each commit"
	if len(with) <= most {
		lay = strings.Join(with, " ") + agent.PluralOf(len(with), " lays its test", " lay its tests") + " over each commit"
	}
	r.Notes = append(r.Notes, "the commit changes only tests, so that the bug may be older; "+lay)
}

// noteHang says how to look for the beginning of a hang, which the time limit does not count as a failure.
func (r *Result) noteHang(timedOut bool) {
	if r.Answer == nil || r.Status != bisect.Nothing || r.Question.Fixed || !timedOut {
		return
	}
	r.Notes = append(r.Notes, "a run that the time limit ends says nothing; to find since when the command hangs, let it end itself, "+
		"as timeout 60 <command> does: that fails")
}

// missSubmodule turns the failure at the tip into a lack, if the command says that a file of a submodule is not
// there: it fails so at each commit that uses the submodule.
func (c *command) missSubmodule(ctx context.Context, w *trial.Workspace, e *testrun.Ending) {
	if c.q.Fixed || e.State == fix.Passing {
		return
	}
	path, text := trial.InSubmodule(ctx, c.engine.Repo, c.q.Tip, e.Output)
	if entries, err := os.ReadDir(filepath.Join(w.Dir(), filepath.FromSlash(path))); path == "" || err != nil || len(entries) > 0 {
		return
	}
	e.State, e.Report.Lacks, e.Report.Missing = fix.Broken, lackSubmodule, text
	e.How = fmt.Sprintf("needs a file of the submodule %q (exit %d): %s", path, e.Exit, source.Cut(text, maxLine))
	c.notes = append(c.notes, "git bisect run can fill submodules at each commit: git submodule update --init && <command>")
}

// lackSubmodule is what a command lacks that needs a file of a submodule.
const lackSubmodule fix.Lack = "a file of a submodule"

// maxLine bounds the line of an output that a sentence quotes, in bytes.
const maxLine = 200

// noteNetwork says how to let the command use the network, where it fails everywhere, names no failing test
// and prints nothing that tells why, as curl -s does.
func (r *Result) noteNetwork(online bool) {
	if r.Answer == nil || r.Status != bisect.Always || r.isNew() || online || len(r.Failing) > 0 || r.Builds {
		return
	}
	r.Notes = append(r.Notes, "the command had no network; if it fails for want of one, --network lets it use it")
}

// noteLeftOut says that the command did not see uncommitted changes, where it passes though the user
// looks for the beginning of a failure.
func (r *Result) noteLeftOut() {
	if r.Answer == nil || r.Status != bisect.Nothing || r.Question.Fixed || r.Question.LeftOut == 0 {
		return
	}
	r.Notes = append(r.Notes, fmt.Sprintf("the command ran at %s, without %s of the work tree; if it fails with them, the bug is not committed yet",
		r.Question.Tip.Short(), agent.Plural(r.Question.LeftOut, "uncommitted file")))
}

// noteCure says how to get what the command lacks at the tip, where it could not be judged for this
// reason.
func (r *Result) noteCure(ctx context.Context, repo *gitext.Repo, c *command) error {
	tip := c.tip.ending
	if r.Answer == nil || r.Status != bisect.Nothing || tip.State != fix.Broken || tip.Report.Lacks == lackSubmodule {
		return nil
	}
	cure, err := testcmd.CureOf(ctx, repo, fix.Tree{Commit: r.Question.Tip}, testrun.Summarize(r.Question.Test, []testrun.Ending{tip}))
	if err != nil {
		return err
	}
	if cure.Install == "" && tip.Report.Lacks == fix.LackGoMod {
		cure.Advice += "; --with=go.mod and --with=go.sum lay them over each commit"
	}
	if text := cure.Note("at the top of the work tree", testcmd.Build); text != "" {
		r.Notes = append(r.Notes, text)
	}
	return nil
}
