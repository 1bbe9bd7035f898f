package render

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/crash/locate"
	"git-agent/agent/suspect"
	"git-agent/agent/szz"
	"git-agent/cmd/git-agent/ui"
)

// CrashHuman prints answers about crashes for people.
type CrashHuman struct {
	W       io.Writer
	Color   ui.Palette
	Width   int
	All     bool                     // all files, and whole stacks
	Max     int                      // most files
	NoFlags bool                     // the reader cannot give -v
	Place   func(path string) string // writes a tracked path for the reader

	written bool
}

const (
	shownFrames  = 3  // of a file
	stackFrames  = 14 // of a stack
	symbolColumn = 44 // width of the functions of a stack

	unlikely = 0.1 // probability below which the first suspect is called unlikely
)

// Crash prints the answer about one report.
func (r *CrashHuman) Crash(name string, report *crash.Report, ranking *crash.Answer) error {
	var b bytes.Buffer
	if r.written {
		b.WriteString("\n")
	}
	r.written = true
	r.heading(&b, name, report, ranking)
	r.stacks(&b, report, ranking)
	r.declarations(&b, ranking)
	r.explanation(&b, ranking)
	r.files(&b, report, ranking)
	r.suspects(&b, ranking)
	r.footer(&b, report, ranking)
	_, err := r.W.Write(b.Bytes())
	return err
}

// heading prints the problem and the searched commit.
func (r *CrashHuman) heading(b *bytes.Buffer, name string, report *crash.Report, ranking *crash.Answer) {
	title := "crash"
	if name != "-" {
		title += " " + ui.OneLine(name)
	}
	fmt.Fprintf(b, "%s  %s\n", r.Color.Paint("fix", title), ui.OneLine(strings.Join(report.Formats, ", ")))
	problems := problemTexts(report)
	for i, p := range problems {
		if i == 3 && !r.All {
			line(b, 4, fmt.Sprintf("and %s more%s", agent.Plural(len(problems)-i, "problem"), flagHint(r.NoFlags, ", with -v")))
			break
		}
		for _, l := range ui.Wrap(p, measure(r.Width)-4) {
			line(b, 4, r.Color.Paint("heading", l))
		}
	}
	if s := report.Severity; s != nil {
		for _, l := range ui.Wrap(severityText(*s, r.All), measure(r.Width)-4) {
			line(b, 4, l)
		}
	}
	line(b, 4, fmt.Sprintf("at commit %s (%s)", ranking.Commit.Short(), ui.OneLine(ranking.CommitFrom))+otherVersion(ranking))
}

// severityText describes a severity in one line. Its kind tells most; why adds a sentence.
func severityText(s crash.Severity, why bool) string {
	text := s.Class
	if s.Kind != "" {
		text += ", " + s.Kind
	}
	if s.Description != "" && why {
		text += ": " + s.Description
	}
	return ui.Clip(ui.OneLine("severity "+text), 300)
}

// otherVersion says that the report does not fit the commit.
func otherVersion(ranking *crash.Answer) string {
	if ranking.Fit.Other() {
		return ", and the report is of another version"
	}
	return ""
}

// problemTexts describes the problems of a report, each in one line. Those that a log repeats are described once.
func problemTexts(report *crash.Report) []string {
	var texts []string
	for _, p := range report.Problems {
		if t := problemText(p); !slices.Contains(texts, t) {
			texts = append(texts, t)
		}
	}
	return texts
}

// problemText describes a problem in one line.
func problemText(p crash.Problem) string {
	s := p.Kind
	if p.Access != "" && !strings.Contains(p.Kind, p.Access) {
		s += " on " + p.Access
	}
	switch {
	case p.Null:
		s += " of a null pointer"
	case p.Address != "":
		s += " at " + p.Address
	}
	if _, region, ok := strings.Cut(p.Detail, "; "); ok {
		s += ", " + region
	}
	if p.Message != "" && p.Message != p.Kind && !repeats(p) {
		s += ": " + p.Message
	}
	return ui.Clip(ui.OneLine(s), 300)
}

// repeats reports whether a problem's message is the heading of a sanitizer, which repeats the
// problem's fields and otherwise has only the values of registers.
func repeats(p crash.Problem) bool {
	_, said, found := strings.Cut(p.Message, "Sanitizer: ")
	return found && p.Address != "" && (strings.HasPrefix(said, p.Kind+" on address ") || strings.HasPrefix(said, p.Kind+" on unknown address "))
}

// stacks draws the main stack, and with All each stack of the report.
func (r *CrashHuman) stacks(b *bytes.Buffer, report *crash.Report, ranking *crash.Answer) {
	main := ranking.Main
	if main < 0 {
		main = report.Main()
	}
	for i, s := range report.Stacks {
		if i != main && !r.All {
			continue
		}
		title := s.Role()
		if s.Title != "" && s.Kind != crash.StackCrash {
			title += ": " + s.Title
		}
		fmt.Fprintf(b, "\n%s\n", r.Color.Paint("heading", ui.Clip(ui.OneLine(title), measure(r.Width))))
		r.frames(b, s)
	}
	if n := len(report.Stacks) - 1; n > 0 && !r.All {
		line(b, 2, r.Color.Paint("doubt", fmt.Sprintf("and %s%s", agent.Plural(n, "more stack"), flagHint(r.NoFlags, ", with -v"))))
	}
}

// unplaced says what folded frames are, of which some are in a bundle of the project's scripts, but in no file that is known.
func unplaced(folded, bundled int) string {
	switch bundled {
	case 0:
		return " outside the project"
	case folded:
		return " in a bundle, whose files are not known"
	}
	return " outside the project, or in a bundle"
}

// frames draws the frames of a stack. It highlights the project's frames and folds sequences of
// others.
func (r *CrashHuman) frames(b *bytes.Buffer, s crash.Stack) {
	shown, folded, bundled := 0, 0, 0
	unfold := func() {
		if folded > 0 {
			line(b, 4, r.Color.Paint("doubt", "… "+agent.Plural(folded, "frame")+unplaced(folded, bundled)))
			folded, bundled = 0, 0
		}
	}
	width := r.symbolWidth(s)
	for i, f := range s.Frames {
		if f.Path == "" && !r.All && i > 0 {
			if folded++; f.Rule == string(locate.RuleBundled) {
				bundled++
			}
			continue
		}
		if shown == stackFrames && !r.All {
			line(b, 4, r.Color.Paint("doubt", fmt.Sprintf("… %s%s", agent.Plural(len(s.Frames)-i, "more frame"), flagHint(r.NoFlags, ", with -v"))))
			folded = 0
			break
		}
		unfold()
		r.frame(b, f, width)
		shown++
	}
	unfold()
	if s.Omitted > 0 {
		line(b, 4, fmt.Sprintf("… %s not read", agent.Plural(s.Omitted, "frame")))
	}
}

// frameName returns the shown name of a frame's function.
func frameName(f crash.Frame) string {
	switch {
	case f.Assertion:
		return "(the failure is reported here)"
	case f.Function == "":
		return "?"
	}
	return clipLeft(ui.OneLine(f.Function), symbolColumn)
}

// symbolWidth returns the width of a stack's shown functions, in columns.
func (r *CrashHuman) symbolWidth(s crash.Stack) int {
	width := 0
	for i, f := range s.Frames {
		if f.Path != "" || r.All || i == 0 {
			width = max(width, ui.Columns(frameName(f)))
		}
	}
	return min(width, symbolColumn)
}

// frame draws a frame with its function in a column of the given width.
func (r *CrashHuman) frame(b *bytes.Buffer, f crash.Frame, width int) {
	mark, slot := " ", "doubt"
	if f.Path != "" {
		mark, slot = "▸", "suspect"
	}
	name := frameName(f)
	place := r.framePlace(f)
	if f.Inline {
		place += "  inline"
	}
	pad := strings.Repeat(" ", max(width-ui.Columns(name), 0))
	line(b, 2, strings.TrimRight(mark+" "+r.Color.Paint(slot, name)+pad+"  "+place, " "))
}

// framePlace returns the place of a frame: its path in the project, if the frame is there.
func (r *CrashHuman) framePlace(f crash.Frame) string {
	switch {
	case f.Path != "" && f.Uncommitted:
		return r.Color.Paint("path", fmt.Sprintf("%s:%d", ui.Path(r.Place(f.Path)), f.Line)) + uncommitted(f)
	case f.Path != "" && f.Rule == string(locate.RuleInherited):
		return r.Color.Paint("path", fmt.Sprintf("%s:%d", ui.Path(r.Place(f.Path)), cmp.Or(f.At, f.DefinedAt))) + " (inherited)"
	case f.Path != "" && f.Rule == string(locate.RuleMoved):
		return r.Color.Paint("path", fmt.Sprintf("%s:%d", ui.Path(r.Place(f.Path)), cmp.Or(f.At, f.DefinedAt))) + " (now here)"
	case f.Path != "" && f.Moved && f.At > 0:
		return r.Color.Paint("path", fmt.Sprintf("%s:%d", ui.Path(r.Place(f.Path)), f.At)) + fmt.Sprintf(" (line %d in the report)", f.Line)
	case f.Path != "" && f.Line > 0 && f.File != "" && !f.Moved:
		return r.Color.Paint("path", fmt.Sprintf("%s:%d", ui.Path(r.Place(f.Path)), f.Line))
	case f.Path != "" && f.Moved && f.DefinedAt == 0:
		return r.Color.Paint("path", ui.Path(r.Place(f.Path))) + fmt.Sprintf(" (line %d in the report)", f.Line)
	case f.Path != "" && f.DefinedAt > 0:
		return r.Color.Paint("path", fmt.Sprintf("%s:%d", ui.Path(r.Place(f.Path)), f.DefinedAt)) + " (defined)"
	case f.Path != "":
		return r.Color.Paint("path", ui.Path(r.Place(f.Path)))
	case f.File != "" && f.Line > 0:
		return clipLeft(fmt.Sprintf("%s:%d", ui.OneLine(f.File), f.Line), 60)
	case f.File != "":
		return clipLeft(ui.OneLine(f.File), 60)
	}
	return ui.Clip(ui.OneLine(f.Module), 60)
}

// uncommitted marks a line of the work tree that HEAD does not have.
func uncommitted(f crash.Frame) string {
	if f.Moved && f.At == 0 {
		return " (not committed)"
	}
	return ""
}

// explanation prints the model's account of the events that led to the crash.
func (r *CrashHuman) explanation(b *bytes.Buffer, ranking *crash.Answer) {
	if ranking.Agent == nil || ranking.Agent.Explanation == "" {
		return
	}
	fmt.Fprintf(b, "\n%s\n", r.Color.Paint("heading", "chain of events, as the model tells it"))
	wrapped(b, r.Width, 4, ranking.Agent.Explanation)
}

// files prints the ranked files with their reasons and frames.
func (r *CrashHuman) files(b *bytes.Buffer, report *crash.Report, ranking *crash.Answer) {
	if len(ranking.Files) == 0 {
		fmt.Fprintf(b, "\nno frame is in a file of this repository\n")
		return
	}
	switch {
	case ranking.Files[0].Related && slices.ContainsFunc(ranking.Files, func(f crash.File) bool { return !f.Related }):
		fmt.Fprintf(b, "\n%s\n", r.Color.Paint("warning", "the likeliest file of the stacks is a test; the first file is the one that a test is named after"))
	case ranking.Files[0].Related:
		fmt.Fprintf(b, "\n%s\n", r.Color.Paint("warning", "no frame is in a file of this repository; these files have words of the report"))
	case !ranking.Answered:
		fmt.Fprintf(b, "\n%s\n", r.Color.Paint("warning", "no file is likely enough to be named; these are the ones that the report mentions"))
	}
	shown := ranking.Files
	if !r.All && len(shown) > r.Max {
		shown = shown[:r.Max]
	}
	for i, f := range shown {
		if i == 0 || f.Related != shown[i-1].Related {
			title := "files"
			if f.Related {
				title = "related files, which no stack names"
			}
			fmt.Fprintf(b, "\n%s\n", r.Color.Paint("heading", title))
		}
		r.file(b, i+1, report, f)
	}
	if n := len(ranking.Files) - len(shown); n > 0 {
		line(b, 4, r.Color.Paint("doubt", fmt.Sprintf("and %s%s", agent.Plural(n, "more file"), flagHint(r.NoFlags, ", with -v"))))
	}
}

func (r *CrashHuman) file(b *bytes.Buffer, rank int, report *crash.Report, f crash.File) {
	lead := fmt.Sprintf("%2d.", rank)
	if f.Probability > 0 {
		slot := "probability"
		if f.Probability < 0.5 {
			slot = "doubt"
		}
		lead += "  " + r.Color.Paint(slot, percent(f.Probability))
	}
	fmt.Fprintf(b, "%s  %s\n", lead, r.Color.Paint("path", ui.Path(r.Place(f.Path))))
	if len(f.Reasons) > 0 {
		for _, l := range ui.Wrap(strings.Join(f.Reasons, "; "), measure(r.Width)-4) {
			line(b, 4, ui.OneLine(l))
		}
	}
	r.vote(b, f.Vote)
	places := r.places(report, f)
	for i, place := range places {
		if i == shownFrames && !r.All {
			line(b, 6, fmt.Sprintf("and %s", agent.Plural(len(places)-i, "more place")))
			break
		}
		line(b, 6, place)
	}
}

// vote prints the statements of the model's runs about a file; without All, only the first one.
func (r *CrashHuman) vote(b *bytes.Buffer, v *crash.Vote) {
	if v == nil {
		return
	}
	for i, text := range v.Explanations {
		if i > 0 && !r.All {
			line(b, 4, r.Color.Paint("doubt", fmt.Sprintf("and %s%s", agent.Plural(len(v.Explanations)-i, "more explanation"), flagHint(r.NoFlags, ", with -v"))))
			break
		}
		wrapped(b, r.Width, 4, text)
	}
}

// places returns the places of a file's frames with their functions, each once.
func (r *CrashHuman) places(report *crash.Report, f crash.File) []string {
	var out []string
	for _, ref := range f.Frames {
		frame := report.At(ref)
		place := strings.TrimRight(r.framePlace(frame)+"  "+clipLeft(ui.OneLine(frame.Function), 60), " ")
		if !slices.Contains(out, place) {
			out = append(out, place)
		}
	}
	return out
}

// clipLeft cuts a qualified name at its left to a width, because its end is most important.
func clipLeft(s string, width int) string {
	if ui.Columns(s) <= width {
		return s
	}
	return agent.LastParts(s, width)
}

// suspects prints the commits that may have introduced the crash.
func (r *CrashHuman) suspects(b *bytes.Buffer, ranking *crash.Answer) {
	if len(ranking.Suspects) == 0 {
		return
	}
	title := "suspect commits"
	if ranking.Fit.Other() {
		title += " by the code of another version"
	}
	if !slices.ContainsFunc(ranking.Suspects, func(s suspect.Suspect) bool { return s.Probability >= unlikely }) {
		title += ", none of them likely"
	}
	fmt.Fprintf(b, "\n%s\n", r.Color.Paint("heading", title))
	h := NewHuman(r.W, r.Color, r.Width, r.All, r.Place)
	for i, s := range ranking.Suspects {
		h.suspect(b, fmt.Sprintf("%2d.", i+1), szz.Suspect{Suspect: s})
		if i > 0 {
			h.lessLikely(b, szz.Suspect{Suspect: ranking.Suspects[0]}, szz.Suspect{Suspect: s})
		}
	}
}

func (r *CrashHuman) footer(b *bytes.Buffer, report *crash.Report, ranking *crash.Answer) {
	fmt.Fprintln(b)
	for _, n := range append(append([]string{}, report.Notes...), ranking.Notes...) {
		for i, l := range ui.Wrap("note: "+ui.OneLine(n), measure(r.Width)-6) {
			line(b, 6*min(i, 1), l)
		}
	}
	if ranking.Since != "" {
		fmt.Fprintln(b, "to search with a command that fails where the program crashes:")
		line(b, 2, r.Color.Paint("command", fmt.Sprintf("git bisect start %s %s", ranking.Commit.Short(), ranking.Since.Short())))
		line(b, 2, r.Color.Paint("command", "git bisect run <command>"))
	}
	frames, mapped := 0, 0
	for _, s := range report.Stacks {
		for _, f := range s.Frames {
			frames++
			if f.Path != "" {
				mapped++
			}
		}
	}
	fmt.Fprintf(b, "%s: %d of %s in this repository, %s engine\n", ranking.Algorithm, mapped, agent.Plural(frames, "frame"), crashEngine(ranking))
	r.work(b, ranking.Agent)
}

// work prints the amount of a model's work, and the commands that show its runs.
func (r *CrashHuman) work(b *bytes.Buffer, report *crash.AgentReport) {
	if report == nil {
		return
	}
	done := modelWorkOf(report.RunReports())
	fmt.Fprintf(b, "%s: %s, %s in %s, %s\n", ui.OneLine(report.Model), agent.Plural(done.Turns, "turn"), agent.Plural(done.Calls, "tool call"),
		agent.Plural(len(report.Runs), "run"), UsageText(done.Usage))
	for _, run := range report.Runs {
		if run.Trace != "" {
			line(b, 2, r.Color.Paint("command", "git agent trace show "+ui.OneLine(run.Trace)))
		}
	}
}
