package verify

import (
	"fmt"
	"strings"

	"git-agent/agent"
	"git-agent/agent/fix/testrun"
	"git-agent/agent/sandbox"
	"git-agent/agent/trial"
)

// summary says in a sentence how often the command was run, with which overlaid files and
// in which sandbox.
func (c *Check) summary() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the command was run %d %s", c.space.Runs(), agent.PluralOf(c.space.Runs(), "time", "times"))
	switch n, named := c.over.testFiles(), len(c.over.named); {
	case n > 0 && named > 0:
		fmt.Fprintf(&b, ", with %d test %s of the fix and %d named %s laid over",
			n, agent.PluralOf(n, "file", "files"), named, agent.PluralOf(named, "file", "files"))
	case n > 0:
		fmt.Fprintf(&b, ", with %d test %s of the fix laid over", n, agent.PluralOf(n, "file", "files"))
	case named > 0:
		fmt.Fprintf(&b, ", with %d named %s laid over", named, agent.PluralOf(named, "file", "files"))
	default:
		b.WriteString("; the fix changes no test file, so each commit ran its own")
	}
	if c.emptied > 0 {
		fmt.Fprintf(&b, "; at %d %s without the tests that cannot be built there", c.emptied, agent.PluralOf(c.emptied, "commit", "commits"))
	}
	switch c.space.Level() {
	case sandbox.Bwrap:
		b.WriteString("; sandbox: bubblewrap")
	case sandbox.Landlock:
		b.WriteString("; sandbox: landlock")
	default:
		b.WriteString("; no sandbox")
	}
	return b.String()
}

// sandboxHint names the reasons for a failure in a sandbox of a command that passes
// elsewhere, unless the end of its run names a reason that no sandbox makes.
func (c *Check) sandboxHint(ran trial.Result) string {
	switch {
	case ran.Output == nil, c.space.Level() == sandbox.None || testrun.InTree(ran.How) || !c.opt.Network && testrun.Downloads(ran.How):
		return "" // a hint names --network for the latter
	case c.opt.Network:
		return "; it saw of the home directory only toolchains: agent.sandboxRead shows it more, '--sandbox=none' all"
	}
	return "; it ran without network, and saw of the home directory only toolchains: agent.sandboxRead shows it more, '--sandbox=none' all"
}

// hintOnce is sandboxHint for the first command with one.
func (c *Check) hintOnce(ran trial.Result) string {
	hint := ""
	if !c.hinted {
		hint = c.sandboxHint(ran)
	}
	c.hinted = c.hinted || hint != ""
	return hint
}

// refusals are what is wrong with commands that do not show the bug.
type refusals struct {
	texts []string
	lines map[string]bool // about what the commands lack at the fix
	more  int             // commands that lack what others lack
	cure  string          // how to get what the first of them lacks; "" if that is not known
}

// add adds what is wrong with a command that ended so at the fix. Other commands mostly lack the same package.
func (r *refusals) add(text string, atFix testrun.Ending) {
	if _, line := atFix.Report.Lack(); line != "" && atFix.Outcome() == trial.Unknown {
		if r.lines[line] {
			r.more++
			return
		}
		if r.lines == nil {
			r.lines = map[string]bool{}
		}
		r.lines[line] = true
	}
	r.texts = append(r.texts, text)
}

func (r *refusals) notes() []string {
	notes := r.texts
	if r.more > 0 {
		notes = append(notes, fmt.Sprintf("%d other %s of the tests %s the same", r.more,
			agent.PluralOf(r.more, "command", "commands"), agent.PluralOf(r.more, "lacks", "lack")))
	}
	if r.cure != "" {
		notes = append(notes, r.cure)
	}
	return notes
}

// failingTests names the first tests that fail.
func failingTests(tests []string) string {
	const most = 3
	if len(tests) == 0 {
		return ""
	}
	text := ": " + agent.Shorten(strings.Join(tests[:min(most, len(tests))], ", "), maxNamed)
	if more := len(tests) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// maxNamed bounds the names of tests in a note, in characters.
const maxNamed = 200

// overlayHint says that no test file of the fix could show the bug.
func (c *Check) overlayHint() string {
	if c.over.testFiles()+len(c.over.named) > 0 {
		return ""
	}
	return "; the fix brings no test file that could be laid over"
}
