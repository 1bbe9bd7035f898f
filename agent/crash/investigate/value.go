package investigate

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strings"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/crash/rank"
	"git-agent/agent/source"
)

// Limits on the lines that set the value that failed.
const (
	maxValues      = 2 // names
	maxAssignments = 3 // lines of each
	maxAssignment  = 160
)

// Messages about a value that is missing, and how the failing line names it.
var (
	// Java: because "this.store" is null
	javaNull = source.Lazy(`because "([\w.]+)" is null`)
	// Python: 'NoneType' object has no attribute 'close'
	pythonNone = source.Lazy(`'NoneType' object has no attribute '(\w+)'`)
	// JavaScript: Cannot read properties of undefined (reading 'close'), or property 'close' of undefined
	scriptNull = source.Lazy(`Cannot read propert(?:ies of (?:undefined|null) \(reading '(\w+)'\)|y '(\w+)' of (?:undefined|null))`)
	// Python: 'NoneType' object is not subscriptable
	pythonIndex = source.Lazy(`'NoneType' object is not subscriptable`)
	indexed     = source.Lazy(`([A-Za-z_][\w.]*)\[`)
)

// failedValues returns the variables and fields that are missing at the failing line, as the line or
// the message writes them.
func failedValues(report *crash.Report, f crash.Frame, line string) []string {
	var names []string
	if f.NullArgument != "" {
		names = append(names, f.NullArgument)
	}
	for _, p := range report.Problems {
		if m := javaNull().FindStringSubmatch(p.Message); m != nil {
			names = append(names, m[1])
		}
		attribute := ""
		if m := pythonNone().FindStringSubmatch(p.Message); m != nil {
			attribute = m[1]
		} else if m := scriptNull().FindStringSubmatch(p.Message); m != nil {
			attribute = m[1] + m[2]
		}
		pattern := indexed()
		if attribute != "" {
			pattern = regexp.MustCompile(`([A-Za-z_][\w.]*)\??\.` + attribute + `\b`)
		} else if !pythonIndex().MatchString(p.Message) {
			continue
		}
		if all := pattern.FindAllStringSubmatch(line, 2); len(all) == 1 { // two would be a guess
			names = append(names, all[0][1])
		}
	}
	return names[:min(len(names), maxValues)]
}

// valueText lists the lines that set the value that failed and that code does not show: the last ones
// of the function before the failing line, or for a field those of its file.
func (d *investigation) valueText(ctx context.Context, code string) (string, error) {
	ref, ok := d.failingFrame()
	if !ok {
		return "", nil
	}
	f := d.q.Report.At(ref)
	lines, err := d.linesOf(ctx, f.Path)
	if err != nil {
		return "", err
	}
	site, ok := d.siteOf(ref, lines)
	if !ok || site.At < 1 || site.At > len(lines) {
		return "", nil
	}
	var b strings.Builder
	for _, name := range failedValues(d.q.Report, f, string(lines[site.At-1])) {
		field := strings.Contains(name, ".")
		set := assignments(lines, name, max(1, site.Function.Start), site.At-1)
		if field && len(set) == 0 {
			set = assignments(lines, name, 1, len(lines))
		}
		for _, n := range set[max(0, len(set)-maxAssignments):] {
			shown := d.tools.Numbered(lines, n, n, 0)
			if strings.Contains(code, shown[1:]) {
				continue // an excerpt has it, perhaps with a mark
			}
			text := d.tools.Shorten(string(bytes.TrimSpace(lines[n-1])), maxAssignment)
			fmt.Fprintf(&b, "%s: %s:%d %s\n", agent.CleanLine(name), agent.CleanLine(f.Path), n, text)
		}
	}
	return b.String(), nil
}

// assignments returns the lines from first to last that set a variable or a field.
func assignments(lines [][]byte, name string, first, last int) []int {
	short := name[strings.LastIndexByte(name, '.')+1:]
	if short == "" {
		return nil
	}
	pattern := regexp.MustCompile(`(?:^|[^\w])` + regexp.QuoteMeta(short) + `\s*(?::\s*[\w\[\], .|]+)?(?::=|=(?:[^=>]|$))`)
	var out []int
	for n := first; n <= last; n++ {
		if pattern.Match(lines[n-1]) && !bytes.HasPrefix(bytes.TrimSpace(lines[n-1]), []byte("//")) {
			out = append(out, n)
		}
	}
	return out
}

// failingFrame returns the innermost frame in the repository whose function does more than report an
// error or allocate memory.
func (d *investigation) failingFrame() (crash.FrameRef, bool) {
	if d.offline.Main < 0 || d.offline.Main >= len(d.q.Report.Stacks) {
		return crash.FrameRef{}, false
	}
	for i, f := range d.q.Report.Stacks[d.offline.Main].Frames {
		if f.Path != "" && !f.Handler && !rank.Helper(f.Function) {
			return crash.FrameRef{Stack: d.offline.Main, Frame: i}, true
		}
	}
	return crash.FrameRef{}, false
}
