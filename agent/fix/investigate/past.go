package investigate

import (
	"context"
	"slices"
	"strings"

	"git-agent/agent/fix"
	"git-agent/agent/fix/history"
	"git-agent/agent/fix/testrun/testlog"
	"git-agent/agent/source"
)

// These bound the shown history besides the commits of blame.
const (
	maxPast      = 3  // suspected functions with shown history
	maxWritten   = 3  // suspected functions with a list of all commits
	maxTexts     = 60 // texts of the failing tests for a search
	leastName    = 5  // characters of a searched name
	leastString  = 4  // characters of a searched string
	mostSearched = 80 // characters of either
)

// past returns the history of suspected lines for the prompt. It contains only the first
// suspected functions, without those whose only ground is similar words, because changes of
// other functions distract.
func (w *work) past() *fix.History {
	h := w.in.History
	if h == nil || w.in.Localization == nil {
		return h
	}
	kept := *h
	kept.Blamed = slices.DeleteFunc(slices.Clone(h.Blamed), func(b fix.Blamed) bool {
		list := w.in.Localization.Locations
		return b.Location >= maxPast || b.Location < len(list) && b.Location > 0 && !w.worthCode(list[b.Location])
	})
	if len(kept.Blamed) == 0 {
		return h
	}
	return &kept
}

// makePastText describes the commits that wrote the first suspected functions, and the commit
// that removed a text of the failing test from the suspected functions.
func (w *work) makePastText(ctx context.Context) error {
	if w.in.Localization == nil || len(w.in.Localization.Locations) == 0 {
		return nil
	}
	var list []fix.Location
	for i, l := range w.in.Localization.Locations[:min(len(w.in.Localization.Locations), maxListed)] {
		if i == 0 || w.worthCode(l) {
			list = append(list, l)
		}
	}
	var err error
	if w.writersText, err = history.Writers(ctx, w.repo, w.in.Problem.Tree, list[:min(len(list), maxWritten)]); err != nil {
		return err
	}
	texts, err := w.textsOfTests(ctx)
	if err != nil || len(texts) == 0 {
		return err
	}
	found, err := history.Search(ctx, w.repo, w.in.Problem.Tree, list, texts)
	w.foundText = history.RenderFound(found)
	return err
}

// textsOfTests returns the names and the strings in the failing tests, those near the failures
// first.
func (w *work) textsOfTests(ctx context.Context) ([]string, error) {
	tests, err := w.findTests(ctx)
	if err != nil {
		return nil, err
	}
	places := testlog.Read(w.in.Reproduction.Output).Places
	own := map[string]bool{} // variables of the tests, which say nothing about other code
	var first, rest []string
	for _, t := range tests {
		lines, err := w.lines(ctx, t.path)
		if err != nil {
			return nil, err
		}
		at := map[int]bool{}
		for _, sub := range t.subs {
			if r, ok := rowOf(lines, t.start, t.end, sub); ok {
				for n := r.first; n <= r.last; n++ {
					at[n] = true
				}
			}
		}
		for _, p := range places {
			for n := p.Line - 3; n <= p.Line+3 && sameFile(p.File, t.path); n++ {
				at[n] = true
			}
		}
		for n := t.start + 1; n <= min(t.end, len(lines), t.start+maxTestLines); n++ {
			if m := assigned().FindSubmatch(lines[n-1]); m != nil {
				own[string(m[1])] = true
			}
			if at[n] {
				first = append(first, textsOf(string(lines[n-1]))...)
			} else {
				rest = append(rest, textsOf(string(lines[n-1]))...)
			}
		}
	}
	var out []string
	for _, t := range slices.Concat(first, rest) {
		if !own[t] && !slices.Contains(out, t) && len(out) < maxTexts {
			out = append(out, t)
		}
	}
	return out, nil
}

var (
	quotedText = source.Lazy("\"((?:[^\"\\\\]|\\\\.)*)\"|'((?:[^'\\\\]|\\\\.)*)'|`([^`]*)`")
	nameInCode = source.Lazy(`[A-Za-z_]\w+`)
	// assigned matches a line that assigns to a variable, with its keyword or type.
	assigned = source.Lazy(`^\s*(?:[A-Za-z_][\w.<>*&\[\]]*\s+)*([A-Za-z_]\w*)(?:: [^=]+)?\s*:?=[^=>]`)
)

// textsOf returns the strings and the names of a line of code.
func textsOf(line string) []string {
	var out []string
	for _, m := range quotedText().FindAllStringSubmatch(line, 20) {
		if t := strings.TrimSpace(m[1] + m[2] + m[3]); len(t) >= leastString && len(t) <= mostSearched && !strings.Contains(t, "\\") {
			out = append(out, t)
		}
	}
	for _, name := range nameInCode().FindAllString(quotedText().ReplaceAllString(line, " "), 40) {
		if len(name) >= leastName && len(name) <= mostSearched && !source.IsKeyword(name) {
			out = append(out, name)
		}
	}
	return out
}
