package render

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/suspect"
	"git-agent/agent/szz"
	"git-agent/cmd/git-agent/ui"
)

// shownEvidence bounds the evidence of one suspect in the human form. -v and --json show all of it,
// and the signals.
const shownEvidence = 3

// listedOwner is the least probability of an owner of lines, not a suspect, whose evidence is
// shown. A less probable owner gets only one line, for a reader who misses the commit among the
// suspects.
const listedOwner = 0.1

// hardly is the probability below which a note says that an owner is hardly the origin, and above which probably not.
const hardly = 0.05

// Human prints answers for people. The output looks like this:
//
//	fix 6bd1c5a3f0e2  parser: do not read past the end
//
//	1.  84%  1f0c7d2b9a44  2019-03-02  Ada Example
//	    parser: read ahead by one token
//	    wrote 5 of the 6 lines of code that the fix removes
//	      src/parser.c:118  - tok = next[1];
//	        git blame -w -L 118,118 0b4e... -- src/parser.c
//
//	note: the fix is a merge; it is compared with its first parent
//	rank: 41 commits considered, offline engine
type Human struct {
	w       io.Writer
	color   ui.Palette
	all     bool
	width   int
	noFlags bool                     // the reader cannot give -v
	at      func(path string) string // writes a tracked path for the reader
	written bool
}

// NewHuman returns a renderer for people. With all, it shows all evidence and all signals. at
// writes a tracked path for the reader; nil writes it unchanged.
func NewHuman(w io.Writer, color ui.Palette, width int, all bool, at func(path string) string) *Human {
	if at == nil {
		at = func(path string) string { return path }
	}
	return &Human{w: w, color: color, all: all, width: width, at: at}
}

// WithoutFlags makes the renderer name no option, for a reader who cannot give one.
func (r *Human) WithoutFlags() *Human {
	r.noFlags = true
	return r
}

// Answer prints the answer for one fix in a single write, so that a pager or a
// reader never sees half of it.
func (r *Human) Answer(ans Answer) error {
	var b bytes.Buffer
	if r.written {
		b.WriteString("\n")
	}
	r.written = true
	r.heading(&b, ans)
	if len(ans.Answer.Suspects) == 0 && ans.hidden == 0 {
		fmt.Fprintf(&b, "\n%s\n", noSuspect(ans.Answer.Incomplete))
	}
	for i, s := range ans.Answer.Suspects {
		r.suspect(&b, fmt.Sprintf("%2d.", i+1), s)
		if request, ok := ans.Requests[s.Commit.OID]; ok && r.all {
			line(&b, 4, "came with "+RequestText(request))
		}
		if i > 0 {
			r.lessLikely(&b, ans.Answer.Suspects[0], s)
		}
	}
	owner := ans.Answer.Owner
	if owner != nil && (r.all || owner.Probability >= listedOwner) {
		r.suspect(&b, "  -", *owner)
		owner = nil
	}
	r.footer(&b, ans, owner)
	_, err := r.w.Write(b.Bytes())
	return err
}

// noSuspect returns the text for an answer without suspects. For an incomplete clone, the text
// names the gap.
func noSuspect(incomplete []string) string {
	switch {
	case slices.Contains(incomplete, agent.LacksObjects):
		return "no answer: objects that were needed are not in this clone"
	case slices.Contains(incomplete, szz.LacksHistory):
		return "no suspect in the history that this shallow clone has"
	}
	return "no suspect"
}

func (r *Human) heading(b *bytes.Buffer, ans Answer) {
	if ans.Source == szz.SourcePatch && ans.Fix.Message != "" {
		fmt.Fprintf(b, "%s  ", r.color.Paint("fix", "fix"))
		r.title(b, ans.Fix.Subject(), len("fix  "))
		return
	}
	if ans.Answer.Fix == "" {
		fmt.Fprintf(b, "%s  %s\n", r.color.Paint("fix", "fix"), "the "+sourceTitle(ans.Source))
		return
	}
	lead := "fix " + ans.Answer.Fix.Short()
	fmt.Fprintf(b, "%s  ", r.color.Paint("fix", lead))
	r.title(b, ans.Fix.Subject(), len(lead)+2)
}

// title prints a commit's subject, wrapped into a column that begins at indent, the cursor's
// column.
func (r *Human) title(b *bytes.Buffer, subject string, indent int) {
	for i, l := range ui.Wrap(ui.OneLine(subject), measure(r.width)-indent) {
		line(b, indent*min(i, 1), r.color.Paint("heading", l))
	}
}

func sourceTitle(s szz.Source) string {
	switch s {
	case szz.SourceStaged:
		return "staged changes"
	case szz.SourcePatch:
		return "changes of the patch"
	}
	return "changes of the work tree"
}

// suspect prints one suspect. lead is its rank, or a dash for an owner of lines that is no
// suspect.
func (r *Human) suspect(b *bytes.Buffer, lead string, s szz.Suspect) {
	if s.Probability > 0 {
		slot := "probability"
		if s.Probability < 0.5 {
			slot = "doubt"
		}
		lead += "  " + r.color.Paint(slot, percent(s.Probability))
	}
	fmt.Fprintf(b, "\n%s  %s  %s  %s\n", lead, r.color.Paint("suspect", s.Commit.OID.Short()),
		s.Commit.Author.Time.Format("2006-01-02"), ui.OneLine(s.Commit.Author.Name))
	b.WriteString("    ")
	r.title(b, s.Commit.Subject(), 4)
	if s.Type != "" {
		line(b, 4, typeTitle(s.Type))
	}
	if s.Reason != "" {
		for _, l := range ui.Wrap(ui.OneLine(s.Reason), measure(r.width)-4) {
			line(b, 4, l)
		}
	}
	if c := s.Confirmation; c != nil {
		line(b, 4, r.color.Paint(confirmationSlot(c.Status), c.Status)+": "+ui.OneLine(c.Detail)+before(s))
	}
	r.evidence(b, s.Evidence)
	if r.all {
		r.signals(b, s.Signals, s.Type != "")
	}
}

// lessLikely says why a suspect is less likely than the first. With -v, all signals are shown
// instead. Where a run of the test decided between them, its result is said already.
func (r *Human) lessLikely(b *bytes.Buffer, first, s szz.Suspect) {
	const most = 2
	lead, names := against(first, s)
	if r.all || len(names) == 0 || len(s.Signals) == 0 || isStatus(first, suspect.Confirmed) || isStatus(s, suspect.Refuted) {
		return
	}
	for i, l := range ui.Wrap(lead+strings.Join(names[:min(len(names), most)], "; "), measure(r.width)-6) {
		line(b, 4+2*min(i, 1), r.color.Paint("doubt", l))
	}
}

// isStatus reports whether the test ran for a suspect and had this result.
func isStatus(s szz.Suspect, status string) bool {
	return s.Confirmation != nil && s.Confirmation.Status == status
}

// against returns the names of the signals that lower the probability of a suspect, and that of
// the first one less; else of those that certainly speak more for the first one. They follow lead.
func against(first, s szz.Suspect) (lead string, names []string) {
	for _, g := range s.Signals {
		if g.Weight < min(0, weightOf(first, g.Name)) {
			names = append(names, g.Name)
		}
	}
	if len(names) > 0 {
		return "less likely, because: ", names
	}
	for _, g := range first.Signals {
		own := weightOf(s, g.Name)
		if own == 0 {
			own = least(s.Signals) // only the strongest are known: this one may be as strong as the weakest of them
		}
		if g.Weight > own && !hasAsMuch(s, g) {
			names = append(names, g.Name)
		}
	}
	return "what speaks more for the first one: ", names
}

// hasAsMuch reports whether a suspect has as much of a signal of the first one, which then weighs
// less only beside its other signals.
func hasAsMuch(s szz.Suspect, g suspect.Signal) bool {
	i := slices.IndexFunc(s.Signals, func(own suspect.Signal) bool { return own.Name == g.Name })
	return i >= 0 && g.Value > 0 && s.Signals[i].Value >= g.Value
}

// least returns the smallest effect of a list of signals.
func least(list []suspect.Signal) float64 {
	smallest := 0.0
	for i, g := range list {
		if w := math.Abs(g.Weight); i == 0 || w < smallest {
			smallest = w
		}
	}
	return smallest
}

// weightOf returns the weight of a signal of a suspect, 0 if it has none.
func weightOf(s szz.Suspect, name string) float64 {
	if i := slices.IndexFunc(s.Signals, func(g suspect.Signal) bool { return g.Name == name }); i >= 0 {
		return s.Signals[i].Weight
	}
	return 0
}

// before describes the probability of a suspect before a command changed it.
func before(s szz.Suspect) string {
	if s.Prior == 0 {
		return ""
	}
	return " (" + strings.TrimSpace(percent(s.Prior)) + " before)"
}

// percent returns a probability in percent. It rounds a probability below 1 to
// 99 % at most.
func percent(p float64) string {
	if p < 1 {
		p = min(p, 0.99)
	}
	return fmt.Sprintf("%3.0f%%", 100*p)
}

func confirmationSlot(status string) string {
	switch status {
	case "confirmed":
		return "ok"
	case "refuted":
		return "error"
	}
	return "warning"
}

// evidence prints each piece of evidence, and its command on a separate line for copying.
func (r *Human) evidence(b *bytes.Buffer, list []suspect.Evidence) {
	shown := list
	if !r.all && len(shown) > shownEvidence {
		shown = shown[:shownEvidence]
	}
	shown = byCommand(shown)
	for i, e := range shown {
		if e.Path != "" || e.Text != "" { // else only the command is printed
			text := strings.TrimSpace(ui.OneLine(e.Text))
			if e.Removed {
				text = "- " + text // as in a patch
			}
			line(b, 6, strings.TrimSpace(r.place(e)+"  "+ui.Clip(text, max(20, r.width-6-len(e.Path)-8))))
		}
		last := i == len(shown)-1 || shown[i+1].Command != e.Command
		if last && e.Command != "" { // a shared command is printed once after its pieces
			line(b, 8, r.color.Paint("command", ui.OneLine(e.Command)))
		}
	}
	if n := len(list) - len(shown); n > 0 {
		line(b, 6, fmt.Sprintf("and %d more", n)+flagHint(r.noFlags, ", with -v"))
	}
}

// byCommand sorts evidence so that pieces with the same command are together, in
// the order of their lines.
func byCommand(list []suspect.Evidence) []suspect.Evidence {
	first := map[string]int{}
	for i, e := range list {
		if _, seen := first[e.Command]; !seen {
			first[e.Command] = i
		}
	}
	return slices.SortedStableFunc(slices.Values(list), func(a, b suspect.Evidence) int {
		return cmp.Or(cmp.Compare(first[a.Command], first[b.Command]), cmp.Compare(a.Line, b.Line))
	})
}

func (r *Human) place(e suspect.Evidence) string {
	at := ui.Path(r.at(e.Path))
	if e.Line > 0 {
		at += fmt.Sprintf(":%d", e.Line)
	}
	return r.color.Paint("path", at)
}

func (r *Human) signals(b *bytes.Buffer, list []suspect.Signal, byModel bool) {
	if len(list) == 0 {
		return
	}
	lead := "decided by: "
	if byModel {
		lead = "the ranking had gone by: " // the model decided, and may not agree with the ranking
	}
	words := make([]string, len(list))
	for i, s := range list {
		words[i] = fmt.Sprintf("%s %+.2f", s.Name, s.Weight)
	}
	for i, l := range ui.Wrap(lead+strings.Join(words, ", "), measure(r.width)-6) {
		line(b, 4+2*min(i, 1), r.color.Paint("doubt", l))
	}
}

// typeTitle describes how a commit introduced the bug.
func typeTitle(t string) string {
	switch t {
	case "introduction":
		return "wrote the faulty code"
	case "omission":
		return "left out what its change needed"
	case "cross_file":
		return "introduced it in another file than the fix"
	case "refactor_penetration":
		return "introduced it behind a refactoring"
	}
	return ui.OneLine(t)
}

func (r *Human) footer(b *bytes.Buffer, ans Answer, owner *szz.Suspect) {
	v := ans.Answer
	why, engine := "", v.Engine
	if v.Agent != nil && v.Agent.Fallback != "" {
		why, engine = v.Agent.Fallback, "offline"
	}
	fmt.Fprintln(b)
	notes := v.Notes
	if owner != nil {
		how := "hardly"
		if owner.Probability >= hardly {
			how = "probably not"
		}
		notes = append(slices.Clone(notes), fmt.Sprintf("%s wrote most of the code that the fix removes, and is %s the origin (%s)",
			owner.Commit.OID.Short(), how, strings.TrimSpace(percent(owner.Probability)))+flagHint(r.noFlags, "; -v shows it"))
	}
	for _, n := range notes {
		for i, l := range ui.Wrap("note: "+ui.OneLine(n), measure(r.width)-6) {
			if why != "" && strings.HasSuffix(n, why) { // the note that the answer is not the model's
				l = r.color.Paint("warning", l)
			}
			line(b, 6*min(i, 1), l)
		}
	}
	with := ""
	if v.Index {
		with = " with the index"
	}
	fmt.Fprintf(b, "%s: %s considered%s, %s engine\n", v.Algorithm, agent.Plural(len(v.Candidates), "commit"), with, engine)
	r.agent(b, ans)
}

// agent prints the amount of a model's work, and the commands that show its runs.
func (r *Human) agent(b *bytes.Buffer, ans Answer) {
	report := ans.Answer.Agent
	if report == nil {
		return
	}
	work := modelWorkOf(report.RunReports())
	runs := ""
	if n := len(report.Runs); n > 1 {
		runs = fmt.Sprintf(" in %d runs", n)
	}
	fmt.Fprintf(
		b,
		"%s: %s, %s%s, %s\n",
		ui.OneLine(report.Model),
		agent.Plural(work.Turns, "turn"),
		agent.Plural(work.Calls, "tool call"),
		runs,
		UsageText(work.Usage),
	)
	for _, id := range ans.Runs {
		if id == "" {
			continue // the run could not be recorded
		}
		line(b, 2, r.color.Paint("command", "git agent trace show "+string(id)))
	}
}
