package render

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"

	"git-agent/agent"
	"git-agent/agent/bisect"
	"git-agent/agent/bisect/engine"
	"git-agent/agent/szz"
	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext"
	"git-agent/gitext/quote"
)

// Bisect prints the end of a search for people. The culprit has the form of a suspect:
//
//	bisect 6bd1c5a3f0e2  go test ./parser -run TestAhead
//	    it fails (exit 1): TestAhead
//
//	first bad commit  99%  1f0c7d2b9a44  2019-03-02  Ada Example
//	    parser: read ahead by one token
//	    the command fails since this commit
//	    confirmed: the command fails at it and passes at its parent 0b4e7c1d2a33
//	      parser/parse.go:118  + tok = next[1]
//	        git show 1f0c7d2b9a44... -- parser/parse.go
//
//	5 runs; git bisect run takes about 9 for these 412 commits
//	  git bisect start 6bd1c5a3f0e2 0b4e7c1d2a33 && git bisect run sh -c '...'
//
// up leads from the current directory to the top of the work tree, where git bisect must be called;
// it is "" at the top.
func (r *Human) Bisect(found *engine.Result, up string) error {
	var b bytes.Buffer
	lead := "bisect " + found.Question.Tip.Short()
	fmt.Fprintf(&b, "%s  %s\n", r.color.Paint("fix", lead), ui.OneLine(found.Question.Test))
	if found.Status == bisect.Nothing {
		wrapped(&b, r.width, 4, "there is nothing to look for: it "+found.How)
	} else {
		wrapped(&b, r.width, 4, "it "+found.How+failingTests(found.Failing, r.all))
	}
	if found.Culprit != nil {
		r.suspect(&b, culpritTitle(found), szz.Suspect{Suspect: *found.Culprit})
	}
	if found.Status != bisect.Proved && len(found.Candidates) > 1 {
		r.candidates(&b, found)
	}
	if r.all {
		r.bisectRuns(&b, found)
	}
	fmt.Fprintln(&b)
	for _, n := range found.Notes {
		for i, l := range ui.Wrap("note: "+ui.OneLine(n), measure(r.width)-6) {
			line(&b, 6*min(i, 1), l)
		}
	}
	r.bisectCost(&b, found, up)
	_, err := r.w.Write(b.Bytes())
	return err
}

// failingTests lists the failing tests behind the end of a command.
func failingTests(names []string, all bool) string {
	const shown = 3
	if len(names) == 0 {
		return ""
	}
	list := names[:min(len(names), shown)]
	if all {
		list = names
	}
	text := ": " + strings.Join(list, ", ")
	if more := len(names) - len(list); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// culpritTitle names the role of the commit.
func culpritTitle(found *engine.Result) string {
	switch {
	case found.Status == bisect.Proved && found.Question.Fixed:
		return "first fixed commit"
	case found.Status == bisect.Proved:
		return "first bad commit"
	case found.Status == bisect.Always:
		return "oldest commit that was judged"
	}
	return "most probable commit"
}

// candidates lists the commits that are left.
func (r *Human) candidates(b *bytes.Buffer, found *engine.Result) {
	title := "these commits cannot be told apart, because the command says nothing at some of them"
	if found.Status != bisect.Apart {
		title = "the most probable commits"
	}
	fmt.Fprintf(b, "\n%s\n", r.color.Paint("heading", title))
	for _, c := range found.Candidates {
		fmt.Fprintf(b, "  %s  %s  %s\n", percent(c.Probability), r.color.Paint("suspect", c.Commit.Short()),
			ui.Clip(ui.OneLine(found.Subject(c.Commit)), measure(r.width)-22))
	}
}

// bisectRuns lists the runs.
func (r *Human) bisectRuns(b *bytes.Buffer, found *engine.Result) {
	fmt.Fprintf(b, "\n%s\n", r.color.Paint("heading", "runs"))
	for _, run := range found.Runs {
		line(b, 2, fmt.Sprintf("%s  it %s%s  %s", run.Commit.Short(), ui.OneLine(run.How),
			map[bool]string{true: ", says an earlier call"}[run.Earlier], ui.Clip(ui.OneLine(found.Subject(run.Commit)), 50)))
	}
}

// bisectCost prints the number of runs, beside that of git bisect, and the command that shows the
// same.
func (r *Human) bisectCost(b *bytes.Buffer, found *engine.Result, up string) {
	text := runsText(found)
	if found.FalseNew >= 0.01 || found.FalseOld >= 0.01 {
		text += fmt.Sprintf("; the command seems to be wrong in %.0f%% of its runs", 100*max(found.FalseNew, found.FalseOld))
	}
	wrapped(b, r.width, 0, text)
	if found.Status == bisect.Proved && found.GitAgrees() {
		line(b, 2, r.color.Paint("command", ui.OneLine(gitBisect(found, up))))
	}
}

// runsText says how many runs a search took, and how many git bisect run takes for its range. Without a good commit
// of the user, the range ends at the first one that was found, from which git has to begin.
func runsText(found *engine.Result) string {
	text, from := agent.Plural(len(found.Runs), "run"), ""
	lacks := " without a good commit"
	if found.Question.Fixed {
		lacks = " without a bad commit"
	}
	switch old := oldest(found); {
	case found.Status == bisect.Nothing:
		return text
	case len(found.Question.Old) == 0 && old == "":
		return text + lacks
	case len(found.Question.Old) == 0:
		text, from = text+lacks, "from "+old.Short()+", "
	}
	if found.Halvings == 0 {
		return text
	}
	return fmt.Sprintf("%s; %sgit bisect run takes about %d for these %s", text, from, found.Halvings, agent.Plural(found.Range, "commit"))
}

// gitBisect returns the commands of git bisect for the same search.
func gitBisect(found *engine.Result, up string) string {
	git := "git bisect "
	if up != "" {
		git = "git -C " + quote.Shell(up) + " bisect "
	}
	old := cmp.Or(oldest(found), found.First+"^")
	start, test := "start ", cmp.Or(found.Focused, found.Question.Test)
	if found.Question.Fixed {
		start, test = "start --term-new=fixed --term-old=broken ", "! { "+test+"; }"
	}
	if build := found.Question.Build; build != "" {
		test = "( " + build + " ) || exit 125; " + test
	}
	return fmt.Sprintf("%s%s%s %s && %srun sh -c %s", git, start, found.Question.Tip.Short(), old.Short(), git, quote.Shell(test))
}

// oldest returns a commit that begins the range: one that the user named, else the first one with
// the outcome Old.
func oldest(found *engine.Result) gitext.OID {
	if len(found.Question.Old) > 0 {
		return found.Question.Old[0]
	}
	for _, run := range found.Runs {
		if run.Outcome == bisect.Old {
			return run.Commit
		}
	}
	return ""
}

// WriteBisectLog writes the runs as git bisect log does, for git bisect replay.
func WriteBisectLog(w io.Writer, found *engine.Result) error {
	var b bytes.Buffer
	isNew, isOld := "bad", "good"
	fmt.Fprint(&b, "git bisect start")
	if found.Question.Fixed {
		isNew, isOld = "fixed", "broken"
		fmt.Fprint(&b, " '--term-new=fixed' '--term-old=broken'")
	}
	fmt.Fprintln(&b)
	mark := func(term string, c gitext.OID) {
		fmt.Fprintf(&b, "# %s: [%s] %s\ngit bisect %s %s\n", term, c, ui.OneLine(found.Subject(c)), term, c)
	}
	seen := map[gitext.OID]bool{}
	for _, c := range found.Question.Old {
		mark(isOld, c)
		seen[c] = true
	}
	for _, run := range found.Runs {
		term := found.Term(run.Commit, isNew, isOld)
		if !seen[run.Commit] && term != "" {
			mark(term, run.Commit)
		}
		seen[run.Commit] = true
	}
	if found.Status == bisect.Proved {
		fmt.Fprintf(&b, "# first %s commit: [%s] %s\n", isNew, found.First, ui.OneLine(found.Subject(found.First)))
	}
	_, err := w.Write(b.Bytes())
	return err
}
