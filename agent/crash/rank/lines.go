package rank

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
	"git-agent/agent/symbol"
	"git-agent/gitext"
)

// Limits on the lines that are read for one report.
const (
	readFrames = 8       // innermost frames of the project
	readBytes  = 4 << 20 // of a file
)

// thrower matches a line that ends its function with an error on purpose.
var thrower = source.Lazy(
	`\b(?:throw|raise|panic!?|assert\w*|abort|die|fatal|BUG|unreachable|Preconditions|checkState|checkArgument|requireNonNull|unwrap|expect|fail)\b|errors?\.(?:New|Errorf)\(`,
)

// failing returns the frames of the project in the stack where the failure began, innermost first:
// in the stack of the last cause, else in the main stack.
func failing(report *crash.Report) []crash.FrameRef {
	at := MainStack(report)
	if found := causes(report); len(found) > 0 {
		at = found[0]
	}
	if at < 0 {
		return nil
	}
	var out []crash.FrameRef
	for j, f := range report.Stacks[at].Frames {
		if f.Path != "" && !f.Handler {
			out = append(out, crash.FrameRef{Stack: at, Frame: j})
		}
	}
	return out
}

// forwarder matches a line that calls a function with whatever its own function was called with.
var forwarder = source.Lazy(`\(\s*(?:\w+\s*,\s*)*(?:\*|\.\.\.)\w+(?:\s*,\s*\*\*\w+)?\s*\)|\*\*k\w*\)`)

// readLines reads the lines of the innermost frames, and records on the evidence where the value
// that failed comes from: a function whose line uses one of its parameters was given the value, so
// the fault may be its caller's. It also records which files have one of the quoted names in such a
// line. Lines that cannot be read count as unknown.
func readLines(ctx context.Context, repo *gitext.Repo, commit gitext.OID, report *crash.Report, files []*evidence, quoted []string) {
	frames := failing(report)
	if len(frames) == 0 || len(files) < 2 {
		return
	}
	texts := map[string][][]byte{}
	lineOf := func(ref crash.FrameRef) (string, use) {
		f := report.At(ref)
		lines, known := texts[f.Path]
		if !known {
			if blob, err := repo.BlobAt(ctx, commit, f.Path, readBytes); err == nil {
				lines = source.SplitLines(blob)
			}
			texts[f.Path] = lines
		}
		n := f.LineAt()
		if n < 1 || n > len(lines) {
			return f.Quote, useUnknown
		}
		return string(lines[n-1]), useOf(f, lines, n)
	}
	e := evidenceOf(files)
	first := report.At(frames[0]).Path
	passed, inFirst := true, true // so far all frames, or all of the first file, used a parameter
	for i, ref := range frames[:min(len(frames), readFrames)] {
		path := report.At(ref).Path
		text, used := lineOf(ref)
		if i == 0 {
			e[path].use = used
		}
		if !e[path].read {
			e[path].read, e[path].throws, e[path].forwards = true, thrower().MatchString(text), forwarder().MatchString(text)
			e[path].quotes = slices.ContainsFunc(quoted, func(name string) bool { return source.WordIndex(text, name) >= 0 })
		}
		if inFirst = inFirst && path == first; inFirst {
			e[first].passes = used == useParameter && (i == 0 || e[first].passes)
		}
		if passed && used != useParameter {
			passed, e[path].origin, e[path].own = false, true, used == useOwn
		}
	}
}

func evidenceOf(files []*evidence) map[string]*evidence {
	out := map[string]*evidence{}
	for _, e := range files {
		out[e.path] = e
	}
	return out
}

// A use says whether the line of a frame uses a parameter of its function.
type use int

const (
	useUnknown use = iota
	useOwn         // no parameter
	useParameter
)

// useOf tells whether line n, at which a frame is, uses a parameter of its function.
func useOf(f crash.Frame, lines [][]byte, n int) use {
	around, ok := source.FunctionAround(f.Path, lines, n)
	if !ok || n < around.Start {
		return useUnknown
	}
	heading := string(bytes.Join(lines[around.Start-1:min(max(around.Body, around.Start), len(lines))], []byte(" ")))
	parameters := parametersOf(heading, symbol.Last(f.Function))
	if parameters == nil {
		return useUnknown
	}
	if slices.ContainsFunc(identifiers(string(lines[n-1])), func(w string) bool { return slices.Contains(parameters, w) }) {
		return useParameter
	}
	return useOwn
}

// notParameters are words that stand beside the names of parameters.
var notParameters = strings.Fields("self cls final int long boolean string error bool byte func interface chan const char void struct unsigned size_t mut str float double this function static")

// parametersOf returns the names of the parameters in the heading of a function, with the names of
// types that begin with a small letter. It returns nil if the heading has no parameters in
// parentheses, or is that of another function.
func parametersOf(heading, function string) []string {
	open := strings.IndexByte(heading, '(')
	if function != "" && function != "<init>" {
		i := source.WordIndex(heading, function)
		if i < 0 {
			return nil
		}
		open = i + strings.IndexByte(heading[i:], '(')
		if open < i {
			return nil
		}
	}
	if open < 0 {
		return nil
	}
	depth, end := 0, len(heading)
	for i := open; i < len(heading); i++ {
		switch heading[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			end = i
			break
		}
	}
	out := []string{}
	for _, w := range identifiers(heading[open:end]) {
		if !slices.Contains(notParameters, w) {
			out = append(out, w)
		}
	}
	return out
}

// identifiers returns the identifiers of a text that begin with a small letter or an underscore, as
// the names of variables do.
func identifiers(text string) []string {
	words := strings.FieldsFunc(text, source.NotIdent)
	return slices.DeleteFunc(words, func(w string) bool { return w[0] != '_' && (w[0] < 'a' || w[0] > 'z') })
}
