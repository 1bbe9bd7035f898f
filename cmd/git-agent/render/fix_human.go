package render

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext"
	"git-agent/gitext/quote"
)

// FixHuman prints the answer about a bug for people. The patch comes last, so that git
// apply can read the whole text.
type FixHuman struct {
	W      io.Writer
	Color  ui.Palette
	Width  int
	All    bool                     // all findings and all plausible patches
	Exact  bool                     // the patch is for a program: it is printed byte for byte
	Locate bool                     // only the suspected functions and their history are wanted
	Ranges bool                     // with Locate: the reader is a program, which reads the lines of a function next
	Place  func(path string) string // writes a tracked path for the reader
}

const (
	shownLocations = 5
	shownGrounds   = 3
	shownBlamed    = 3
	shownFailing   = 5
	shownOthers    = 3
)

// Fix prints an answer about the bug at a commit.
func (r *FixHuman) Fix(commit gitext.OID, ans *fix.Answer) error {
	var b bytes.Buffer
	r.heading(&b, commit, ans)
	if t := ans.OwnTest; t != nil {
		wrapped(&b, r.Width, 4, "the model wrote this test itself, "+ui.Path(r.Place(t.File.Path))+": "+t.Why)
	}
	repaired := len(ans.Offered()) > 0
	sought := ans.Stopped == "" || len(ans.Localization.Locations) > 0 // else the work ended before the search
	if (ans.Declined == "" && !repaired || r.Locate || r.All) && sought {
		r.locations(&b, ans)
	}
	if ans.History != nil && (!repaired || r.Locate || r.All) {
		r.history(&b, ans.History)
	}
	if !r.Locate {
		r.outcome(&b, ans)
	}
	r.notes(&b, ans.Notes)
	r.work(&b, ans.Agent)
	if ans.Unproved != nil && !repaired && !r.Locate {
		r.patch(&b, 0, *ans.Unproved)
	}
	for i, t := range ans.Offered() {
		if i > 0 && !r.All {
			break
		}
		r.patch(&b, i, t)
	}
	_, err := r.W.Write(b.Bytes())
	return err
}

// heading prints the failing command and its failure, unless the outcome says it again.
func (r *FixHuman) heading(b *bytes.Buffer, commit gitext.OID, ans *fix.Answer) {
	rep := ans.Reproduction
	title := "fix " + commit.Short()
	if r.Locate && r.Ranges { // szz, which the reader calls too, names the fixing commit so
		title = "at commit " + commit.Short()
	}
	b.WriteString(r.Color.Paint("fix", title))
	if rep.Command != "" {
		b.WriteString("  " + ui.OneLine(rep.Command))
	}
	b.WriteString("\n")
	if rep.State == "" {
		return
	}
	said := fmt.Sprintf("it %s, %s in %s", rep.How, agent.Plural(rep.Runs, "run"), rep.Took.Round(10*time.Millisecond))
	if rep.Runs > 1 {
		said = fmt.Sprintf("it %s, %d runs, the last in %s", rep.How, rep.Runs, rep.Took.Round(10*time.Millisecond))
	}
	if strings.Contains(ans.Declined, rep.How) {
		_, said, _ = strings.Cut(said, rep.How+", ")
	}
	wrapped(b, r.Width, 4, said)
	for i, name := range rep.Failing {
		if i == shownFailing && !r.All {
			line(b, 6, fmt.Sprintf("and %s, with -v", agent.Plural(len(rep.Failing)-i, "more test")))
			break
		}
		line(b, 6, r.Color.Paint("heading", ui.OneLine(name)))
	}
}

// locations prints the suspected functions.
func (r *FixHuman) locations(b *bytes.Buffer, ans *fix.Answer) {
	list := ans.Localization.Locations
	switch {
	case len(list) == 0 && ans.Declined != "":
		fmt.Fprintln(b)
		r.declined(b, "no function of this repository is suspected: "+ans.Declined, ans.Setup)
	case len(list) == 0:
		fmt.Fprintf(b, "\nno function of this repository is suspected\n")
	default:
		fmt.Fprintf(b, "\n%s\n", r.Color.Paint("heading", "suspected functions"))
	}
	for i, l := range list {
		if i == shownLocations && !r.All {
			line(b, 4, r.Color.Paint("doubt", fmt.Sprintf("and %s, with -v", agent.Plural(len(list)-i, "more function"))))
			break
		}
		lines := strconv.Itoa(l.Lines.Start)
		if r.Ranges {
			lines = rangeText(l.Lines)
		}
		place := ui.Path(r.Place(l.Path)) + ":" + lines
		fmt.Fprintf(b, "%2d.  %s  %s\n", i+1, r.Color.Paint("path", place), r.Color.Paint("suspect", ui.OneLine(l.Function)))
		var why []string
		for _, g := range l.Grounds[:min(len(l.Grounds), shownGrounds)] {
			why = append(why, g.Text)
		}
		if len(why) > 0 {
			wrapped(b, r.Width, 4, strings.Join(why, "; "))
		}
		if len(l.Hot) > 0 && len(l.Hot) <= 6 {
			var lines []string
			for _, h := range l.Hot {
				lines = append(lines, rangeText(h))
			}
			line(b, 4, r.Color.Paint("doubt", "lines "+strings.Join(lines, ", ")))
		}
	}
}

func rangeText(l gitext.LineRange) string {
	switch {
	case l.Start == l.End:
		return fmt.Sprint(l.Start)
	case l.End < l.Start:
		return fmt.Sprintf("before %d", l.Start)
	}
	return fmt.Sprintf("%d-%d", l.Start, l.End)
}

// history prints the commits that wrote the suspected lines.
func (r *FixHuman) history(b *bytes.Buffer, h *fix.History) {
	if len(h.Blamed) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s\n", r.Color.Paint("heading", "commits that wrote the suspected lines"))
	for i, c := range joinFunctions(h.Blamed) {
		if i == shownBlamed && !r.All {
			break
		}
		fmt.Fprintf(b, "  %s %s %s\n", r.Color.Paint("suspect", c.Commit.OID.Short()), c.Commit.Committer.Time.UTC().Format("2006-01-02"),
			ui.Clip(ui.OneLine(c.Commit.Subject()), measure(r.Width)-28))
		how := fmt.Sprintf("wrote %s of %s", agent.Plural(len(c.Lines), "suspected line"), ui.Path(r.Place(c.Path)))
		if c.Nearby {
			how = "wrote the lines before the suspected place in " + ui.Path(r.Place(c.Path))
		}
		line(b, 4, how)
		line(b, 4, r.Color.Paint("command", "git show "+c.Commit.OID.Short()+" -- "+quote.FromTop(c.Path)))
	}
}

// joinFunctions makes one entry of those that a commit has for several functions of a file.
func joinFunctions(list []fix.Blamed) []fix.Blamed {
	var out []fix.Blamed
	for _, c := range list {
		i := slices.IndexFunc(out, func(o fix.Blamed) bool {
			return o.Commit.OID == c.Commit.OID && o.Path == c.Path && o.Nearby == c.Nearby
		})
		if i < 0 {
			out = append(out, c)
			continue
		}
		out[i].Lines = slices.Concat(out[i].Lines, c.Lines)
	}
	return out
}

// outcomeText says in a sentence how the repair ended. all says that all plausible patches are
// shown.
func outcomeText(ans *fix.Answer, all bool) string {
	switch {
	case ans.Declined != "":
		return "nothing was tried: " + ans.Declined
	case ans.Unproved != nil && len(ans.Plausible) == 0:
		return fmt.Sprintf("no patch is proved: %s after a patch passed the failing test, and before its proof by the wider tests ended; "+
			"--time allows more, and --suite=<command> names wider tests that take less", ans.Stopped)
	case ans.Tried == 0 && ans.Engine == "offline" && ans.Stopped != "":
		return "no patch was tried: " + ans.Stopped
	case ans.Tried == 0 && ans.Engine == "offline":
		return "no patch was tried: neither history nor small changes give a candidate"
	case ans.Tried == 0:
		return "no patch was tried: the model made none"
	case len(ans.Plausible) == 0 && len(ans.OwnTested) > 0:
		return fmt.Sprintf("%d %s of the model, reproduced by a test that it wrote itself: %s; whether that test shows the reported bug, only you can say",
			len(ans.OwnTested), agent.PluralOf(len(ans.OwnTested), "patch", "patches"), tried(ans.Tried))
	case len(ans.Plausible) == 0 && ans.Engine == "offline":
		return fmt.Sprintf("no patch made the tests pass: %s, made from history and by small changes%s", tried(ans.Tried), behind(ans.Stopped))
	case len(ans.Plausible) == 0:
		return "no patch made the tests pass: " + tried(ans.Tried)
	case len(ans.Plausible) == 1:
		return "a plausible patch: " + tried(ans.Tried)
	case all:
		return fmt.Sprintf("%d plausible %s: %s", len(ans.Plausible), agent.PluralOf(len(ans.Plausible), "patch", "patches"), tried(ans.Tried))
	}
	return fmt.Sprintf("%d plausible %s: %s; the others are shown with -v", len(ans.Plausible), agent.PluralOf(len(ans.Plausible), "patch", "patches"), tried(ans.Tried))
}

// declined prints why nothing was tried. The setup command at the end has a line of its own, so that
// it can be copied.
func (r *FixHuman) declined(b *bytes.Buffer, why, setup string) {
	head, ok := strings.CutSuffix(why, fix.GetBy(setup))
	wrapped(b, r.Width, 0, head)
	if ok && setup != "" {
		wrapped(b, r.Width, 0, "get it with this option, or run its command yourself:")
		line(b, 4, r.Color.Paint("command", "--setup="+quote.Shell(setup)))
	}
}

// outcome prints the result of the repair.
func (r *FixHuman) outcome(b *bytes.Buffer, ans *fix.Answer) {
	fmt.Fprintln(b)
	if ans.Declined != "" {
		r.declined(b, outcomeText(ans, r.All), ans.Setup)
		return
	}
	wrapped(b, r.Width, 0, outcomeText(ans, r.All))
	if len(ans.Offered()) > 0 && !r.All {
		return
	}
	for i, t := range ans.Others {
		if i == shownOthers && !r.All {
			break
		}
		said := fmt.Sprintf("%s: %s", t.Verdict, t.Origin)
		if len(t.Failing) > 0 {
			said += fmt.Sprintf(" (%s)", agent.Plural(len(t.Failing), "failing test"))
		}
		wrapped(b, r.Width, 4, said)
	}
}

// behind joins a predicate to a sentence.
func behind(text string) string {
	if text == "" {
		return ""
	}
	return "; " + text
}

func tried(n int) string { return agent.Plural(n, "candidate") + " tried" }

// patch prints a plausible patch with its evidence.
func (r *FixHuman) patch(b *bytes.Buffer, i int, t fix.Trial) {
	title := "patch"
	if i > 0 {
		title = fmt.Sprintf("patch %d", i+1)
	}
	verdict := string(t.Verdict)
	if slices.Contains(t.Cautions, fix.NamesNoTest) {
		verdict += "; the command names no test"
	}
	fmt.Fprintf(b, "\n%s  %s\n", r.Color.Paint("heading", title+" ("+verdict+")"), ui.OneLine(t.Origin))
	for _, c := range t.Cautions {
		wrapped(b, r.Width, 4, "caution: "+ui.OneLine(c))
	}
	if t.Votes > 1 {
		line(b, 4, fmt.Sprintf("%d candidates are this patch", t.Votes))
	}
	if t.Why != "" {
		wrapped(b, r.Width, 4, t.Why)
	}
	if t.Preferred != "" {
		wrapped(b, r.Width, 4, "the reviewer chose it: "+t.Preferred)
	}
	if t.Commit != "" {
		line(b, 4, "introduced by "+r.Color.Paint("suspect", t.Commit.Short()))
	}
	for _, c := range t.Checks {
		line(b, 4, r.Color.Paint("command", "$ "+ui.Clip(ui.OneLine(c.Command), measure(r.Width)-20))+"  "+ui.OneLine(c.How))
	}
	fmt.Fprintln(b)
	if r.Exact {
		b.Write(t.Patch.Diff)
		return
	}
	for line := range bytes.Lines(t.Patch.Diff) {
		text := strings.TrimRight(string(line), "\n")
		b.WriteString(r.Color.Paint(diffSlot(text), ui.Printable(text)) + "\n")
	}
}

// diffSlot returns the color slot of a line of a patch.
func diffSlot(line string) string {
	switch {
	case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"), strings.HasPrefix(line, "diff "), strings.HasPrefix(line, "index "):
		return "path"
	case strings.HasPrefix(line, "+"):
		return "new"
	case strings.HasPrefix(line, "-"):
		return "old"
	case strings.HasPrefix(line, "@@"):
		return "doubt"
	}
	return ""
}

func (r *FixHuman) notes(b *bytes.Buffer, notes []string) {
	for _, n := range slices.Compact(slices.Clone(notes)) {
		for i, l := range ui.Wrap("note: "+ui.OneLine(n), measure(r.Width)-6) {
			line(b, 6*min(i, 1), l)
		}
	}
}

// work prints the amount of a model's work, and the commands that show its trajectories.
func (r *FixHuman) work(b *bytes.Buffer, report *fix.AgentReport) {
	if report == nil {
		return
	}
	done := modelWorkOf(report.RunReports())
	fmt.Fprintf(
		b,
		"%s: %s in %d %s, %s\n",
		ui.OneLine(report.Model),
		agent.Plural(done.Turns, "step"),
		len(report.Runs),
		agent.PluralOf(len(report.Runs), "trajectory", "trajectories"),
		UsageText(done.Usage),
	)
	for _, run := range report.Runs {
		if run.Trace != "" {
			line(b, 2, r.Color.Paint("command", "git agent trace show "+ui.OneLine(run.Trace))+"  "+fix.Name(run.History)+", "+fateOf(run))
		}
	}
	if report.Fallback != "" {
		wrapped(b, r.Width, 2, ui.OneLine(report.Fallback)+": the offline engine went on")
	}
}

// fateOf describes the end of a trajectory in a few words.
func fateOf(run fix.Run) string {
	cut := ""
	if run.Cut != "" {
		cut = fmt.Sprintf("ended after %d of %d steps: %s", run.Turns, run.Allowed, ui.OneLine(run.Cut))
	}
	switch {
	case run.Phase == fix.PhaseAnalysis && run.Cut == "" && run.Reason == "":
		return "analysis"
	case run.Phase == fix.PhaseTest && run.Cut == "" && run.Reason == "" && run.Claim.Success:
		return "wrote the test"
	case run.Phase == fix.PhaseTest && run.Cut == "" && run.Reason == "":
		return "wrote no test that fails"
	case run.Verdict != "" && cut != "":
		return string(run.Verdict) + ", " + cut
	case run.Verdict != "":
		return string(run.Verdict)
	case cut != "":
		return cut
	case run.Reason != "":
		return ui.Clip(ui.OneLine(run.Reason), 60)
	}
	said := "changed no source file"
	if text := ui.OneLine(run.Claim.Explanation); text != "" && !run.Claim.Success {
		said += ", and said: " + ui.Clip(text, 60)
	}
	return said
}
