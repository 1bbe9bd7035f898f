package crashtool

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"strings"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/crash/hana"
	"git-agent/agent/crash/locate"
	"git-agent/gitext/disk"
)

// Forms of the answers about the report.
const (
	raw       = "raw"       // as in the report
	sanitized = "sanitized" // facts only, as in AutoCrashFL, section 3.1
)

// Limits on an answer about the report. The rest is on further pages.
const (
	pageChars = 8000
	maxText   = 1 << 20 // bytes of the stacks, and of the sections of one name, that are read
	maxLine   = 400     // characters of a line
)

type reportParams struct {
	Form string `json:"form" arg:"enum=raw|sanitized"`
	Page int    `json:"page" arg:"min=0"`
}

// pageParams are the parameters of a tool that shows only one form of the report.
type pageParams struct {
	Page int `json:"page" arg:"min=0"`
}

func newExtinfo(c *Case) (agent.Tool, error) {
	return newReportTool(c, "get_crash_extinfo", func(form string) string {
		if text, ok := c.section("CRASH_EXTINFO"); ok && form == raw {
			return text
		}
		if form == sanitized {
			return c.problems(c.Report)
		}
		return c.furtherFacts()
	})
}

// saysMore reports whether the report says more of the failure or of the program than the first message.
func (c *Case) saysMore() bool {
	return len(hana.Find(c.Report.Sections, "CRASH_EXTINFO")) > 0 || c.beyond() != ""
}

// furtherFacts returns what the report says beyond the first message, for a model.
func (c *Case) furtherFacts() string {
	facts := c.beyond()
	switch {
	case facts == "":
		return "the report says no more of the failure than the first message\n"
	case len(c.Report.Problems) == 0:
		return "the report names no signal and no exception: it is a bare stack\n" + facts
	}
	return "the first message has what the report says of the failure; beyond it:\n" + facts
}

// beyond returns what the report says of the failure beyond the first message: whole messages
// that are abridged there, further failures, and what else the report says of the program.
func (c *Case) beyond() string {
	r := c.Report
	var b strings.Builder
	for i, p := range r.Problems {
		switch one := (&crash.Report{Problems: []crash.Problem{p}}); {
		case i >= shownProblems:
			b.WriteString(c.problems(one))
		case len(p.Message) > maxMessage:
			fmt.Fprintf(&b, "the whole message of %s:\n%s\n", noHeading(c.Shorten(p.Kind, maxKind)), agent.Clean(p.Message))
		}
	}
	var versions []string
	for _, m := range r.Mentions[:min(len(r.Mentions), maxMentions)] {
		versions = append(versions, strings.TrimSpace(m.Name+" "+m.Version))
	}
	severity := ""
	if s := r.Severity; s != nil {
		severity = strings.TrimSuffix(s.Class+", "+s.Kind, ", ")
	}
	for _, fact := range [][2]string{
		{"program", r.Program}, {"last time in the report", r.Written},
		{"versions in the text", strings.Join(versions, "; ")}, {"severity in the classes of CASR", severity}, {"notes of the reader", strings.Join(r.Notes, "; ")},
	} {
		if fact[1] != "" {
			fmt.Fprintf(&b, "%s: %s\n", fact[0], c.Shorten(agent.CleanLine(fact[1]), maxMessage))
		}
	}
	return b.String()
}

// maxMentions limits the versions that an answer lists.
const maxMentions = 20

func newStack(c *Case) (agent.Tool, error) {
	return newReportTool(c, "get_crash_stack", func(form string) string {
		if form == sanitized {
			return c.places()
		}
		if text, ok := c.section("CRASH_STACK"); ok {
			return text
		}
		return c.lines()
	})
}

// newReportTool makes a tool that shows a part of the report in the requested form, or only in
// the sanitized form.
func newReportTool(c *Case, name string, show func(form string) string) (agent.Tool, error) {
	if c.NoRaw {
		return newTool(name, agent.DeedRead, pageParams{}, func(_ context.Context, p pageParams) (agent.Result, error) {
			return c.page(name, show(sanitized), p.Page)
		})
	}
	return newTool(name, agent.DeedRead, reportParams{Form: raw}, func(_ context.Context, p reportParams) (agent.Result, error) {
		return c.page(name, show(p.Form), p.Page)
	})
}

type sectionParams struct {
	Name string `json:"name"`
	Page int    `json:"page" arg:"min=0"`
}

func newSection(c *Case) (agent.Tool, error) {
	const name = "get_crash_section"
	return newTool(name, agent.DeedRead, sectionParams{}, func(_ context.Context, p sectionParams) (agent.Result, error) {
		if len(hana.Find(c.Report.Sections, p.Name)) == 0 {
			return agent.Result{Text: c.sectionNames(p.Name), Nothing: p.Name != ""}, nil
		}
		text, ok := c.section(p.Name)
		if !ok {
			return agent.Result{}, refuse(name, "the file of the dump cannot be read any more, or has changed")
		}
		return c.page(name, text, p.Page)
	})
}

// section returns the text of the sections with a name. The dump may have been replaced since the
// report was read.
func (c *Case) section(name string) (string, bool) {
	found := hana.Find(c.Report.Sections, name)
	if len(found) == 0 || c.Dump == "" {
		return "", false
	}
	f, err := disk.Regular(c.Dump)
	if err != nil {
		return "", false
	}
	defer f.Close() // only read
	var b strings.Builder
	for _, s := range found {
		text, more, err := hana.ReadSection(f, s, maxText-b.Len())
		if err != nil {
			return "", false
		}
		b.WriteString(text)
		if more || b.Len() >= maxText {
			fmt.Fprintf(&b, "\n(only the first %d KB were read)\n", maxText>>10)
			break
		}
	}
	return b.String(), true
}

// sectionNames lists the sections of the dump.
func (c *Case) sectionNames(missing string) string {
	var b strings.Builder
	if missing != "" {
		fmt.Fprintf(&b, "there is no section %q\n", agent.Shorten(agent.CleanLine(missing), 80))
	}
	b.WriteString("the sections, with their size in bytes:\n")
	for i, s := range c.Report.Sections {
		if b.Len() > pageChars {
			fmt.Fprintf(&b, "(%s)\n", agent.Plural(len(c.Report.Sections)-i, "more section"))
			break
		}
		fmt.Fprintf(&b, "%s %d\n", agent.CleanLine(s.Name), s.End-s.Start)
	}
	return b.String()
}

// problems describes the failures in the report and the build that failed.
func (c *Case) problems(r *crash.Report) string {
	var b strings.Builder
	for _, p := range r.Problems {
		b.WriteString(noHeading(c.Shorten(p.Kind, maxKind)))
		if p.Signal > 0 {
			fmt.Fprintf(&b, " (signal %d)", p.Signal)
		}
		size, region, _ := strings.Cut(agent.Shorten(agent.CleanLine(p.Detail), 200), "; ")
		if p.Access != "" {
			fmt.Fprintf(&b, ", %s", strings.TrimSpace(p.Access+" "+size))
		}
		if p.Address != "" {
			fmt.Fprintf(&b, " at address %s", agent.Shorten(agent.CleanLine(p.Address), maxAddress))
		}
		if region != "" {
			fmt.Fprintf(&b, ", %s", region)
		}
		if p.Null {
			b.WriteString(", a null pointer dereference")
		}
		if p.Message != "" && p.Message != p.Kind {
			fmt.Fprintf(&b, ": %s", c.Mask.Abridge(p.Message, maxMessage))
		}
		b.WriteByte('\n')
	}
	if len(r.Problems) == 0 {
		b.WriteString("the report names no signal and no exception: it is a bare stack\n")
	}
	for _, part := range [][2]string{{"commit", r.Build.Commit}, {"version", r.Build.Version}, {"branch", r.Build.Branch}} {
		if part[1] != "" {
			fmt.Fprintf(&b, "build %s: %s\n", part[0], c.Shorten(part[1], 100))
		}
	}
	return b.String()
}

// noHeading removes characters that would turn a line into a heading of the first message,
// because only our own text has headings there.
func noHeading(line string) string { return cmp.Or(strings.TrimLeft(line, "#= "), "failure") }

// Limits on the description of a problem, in characters.
const (
	maxKind    = 200
	maxAddress = 40
	maxMessage = 600
)

// StackTitle names a stack by its kind, thread and heading.
func (c *Case) StackTitle(s crash.Stack) string {
	title := s.Role()
	if s.Title != "" {
		title += ": " + s.Title
	}
	return c.Shorten(title, 200)
}

// eachStack returns the titles of the stacks, each with what text says of it below.
func (c *Case) eachStack(text func(b *strings.Builder, s crash.Stack)) string {
	if len(c.Report.Stacks) == 0 {
		return "the report has no stack\n"
	}
	var b strings.Builder
	for i, s := range c.Report.Stacks {
		if b.Len() > maxText {
			fmt.Fprintf(&b, "(%s left out)\n", agent.Plural(len(c.Report.Stacks)-i, "more stack"))
			break
		}
		fmt.Fprintf(&b, "## %s\n", c.StackTitle(s))
		text(&b, s)
	}
	return b.String()
}

// lines returns the stacks in the report's own text.
func (c *Case) lines() string {
	return c.eachStack(func(b *strings.Builder, s crash.Stack) {
		for _, f := range s.Frames {
			fmt.Fprintln(b, c.Shorten(f.Raw, maxLine))
		}
		if s.Omitted > 0 {
			fmt.Fprintf(b, "(%s not in the report)\n", agent.Plural(s.Omitted, "more frame"))
		}
	})
}

// places returns the places of the stacks in the repository, in order.
func (c *Case) places() string {
	return c.eachStack(func(b *strings.Builder, s crash.Stack) {
		shown := 0
		for i, f := range s.Frames {
			if f.Path != "" {
				fmt.Fprintf(b, "#%d %s\n", s.Number(i), Place(f))
				shown++
			}
		}
		if shown == 0 {
			b.WriteString("(no frame in the repository)\n")
		}
	})
}

// Place returns a frame's function and its place in the repository: "f() a.c:12".
func Place(f crash.Frame) string {
	s := ""
	if f.Function != "" {
		s = functionName(f) + "() "
	}
	switch {
	case f.Path == "":
		return strings.TrimSpace(s)
	case f.Moved && f.At > 0:
		return s + fmt.Sprintf("%s:%d (line %d in the report%s)", agent.CleanLine(f.Path), f.At, f.Line, heir(f))
	case f.Moved && f.DefinedAt > 0:
		return s + fmt.Sprintf("%s, defined at line %d (line %d in the report%s)", agent.CleanLine(f.Path), f.DefinedAt, f.Line, heir(f))
	case f.Moved && f.Line > 0:
		return s + fmt.Sprintf("%s (line %d in the report, not at this commit)", agent.CleanLine(f.Path), f.Line)
	case f.Line > 0 && f.Column > 0:
		return s + fmt.Sprintf("%s:%d:%d", agent.CleanLine(f.Path), f.Line, f.Column)
	case f.Line > 0:
		return s + fmt.Sprintf("%s:%d", agent.CleanLine(f.Path), f.Line)
	case f.DefinedAt > 0:
		return s + fmt.Sprintf("%s, defined at line %d", agent.CleanLine(f.Path), f.DefinedAt)
	}
	return s + agent.CleanLine(f.Path)
}

// functionName returns the name of a frame's function. The path of a class of Java has its package
// already, and the end of a long name says more than its beginning.
func functionName(f crash.Frame) string {
	const most = 100
	name := agent.CleanLine(f.Function)
	if path.Ext(f.Path) == ".java" {
		dir := "/" + path.Dir(f.Path) + "/"
		for i := len(name); i > 0; i = strings.LastIndexByte(name[:i], '.') {
			if i < len(name) && strings.HasSuffix(dir, "/"+strings.ReplaceAll(name[:i], ".", "/")+"/") {
				name = name[i+1:]
				break
			}
		}
	}
	return agent.LastParts(name, most)
}

// heir says why a frame is in another file than that of the report.
func heir(f crash.Frame) string {
	file := agent.CleanLine(path.Base(f.File))
	switch f.Rule {
	case string(locate.RuleInherited):
		return fmt.Sprintf(" of %s; at this commit, the class inherits the method", file)
	case string(locate.RuleMoved):
		return fmt.Sprintf(" of %s, which has no such function at this commit", file)
	}
	return ""
}

// page returns one page of a text. Pages count from 1; 0 means page 1. A page ends with a whole
// line.
func (c *Case) page(tool, text string, number int) (agent.Result, error) {
	pages := pagesOf(c.Mask.Text(agent.Clean(strings.ReplaceAll(text, "\r\n", "\n"))))
	n := max(number, 1)
	if n > len(pages) {
		return agent.Result{}, refuse(tool, "there is no page %d; the last one is %d", n, len(pages))
	}
	out := pages[n-1]
	if len(pages) > n {
		out += fmt.Sprintf("(page %d of %d; page=%d goes on)\n", n, len(pages), n+1)
	}
	return agent.Result{Text: out, Truncated: len(pages) > n}, nil
}

func pagesOf(text string) []string {
	var pages []string
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = agent.Shorten(strings.TrimSuffix(line, "\n"), maxLine) + "\n"
		if b.Len()+len(line) > pageChars && b.Len() > 0 {
			pages = append(pages, b.String())
			b.Reset()
		}
		b.WriteString(line)
	}
	return append(pages, b.String())
}
