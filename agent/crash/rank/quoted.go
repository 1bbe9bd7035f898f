package rank

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// Limits on the search for the texts of a message.
const (
	maxPhrases       = 24   // of a report
	maxPhraseFiles   = 8    // a phrase in more files tells nothing
	maxPhraseMatches = 4000 // matching lines
	maxQuoted        = 10   // files that are listed
	windowWords      = 4    // of a part of a long text
)

// A phrase is a part of a message that the source may have in this form.
type phrase struct {
	text   string
	weight float64
}

// variable matches words of a message that a format put in: numbers, paths, addresses, values.
var variable = source.Lazy(`\d|[/\\@=]|^.{26,}$|^['"\x60<(\[{].*['"\x60>)\]}]?$`)

// identifier matches names of code in a message.
var identifier = source.Lazy(`^[A-Za-z]\w*(?:_\w+|[a-z][A-Z]\w+)\w*$`)

// phrasesOf returns the parts of a report's messages to look for in the source: the words between
// those that vary, the parts of long texts, and names of code.
func phrasesOf(report *crash.Report) []phrase {
	var out []phrase
	add := func(text string, weight float64) {
		text = strings.Trim(text, " \t.,:;!?-'\"`()[]{}<>")
		if len(text) >= 8 && len(out) < maxPhrases && !slices.ContainsFunc(out, func(p phrase) bool { return p.text == text }) {
			out = append(out, phrase{text, weight})
		}
	}
	for _, p := range report.Problems {
		kind := p.Kind[strings.LastIndexAny(p.Kind, ".:$")+1:]
		if identifier().MatchString(kind) {
			add(kind, 1)
		}
		text := source.FirstBytes(p.Message, maxMessageBytes)
		for line := range strings.Lines(text) {
			for _, run := range fixedRuns(line) {
				if len(run) > 1 {
					add(strings.Join(run, " "), float64(len(run)))
				}
				for i := 0; len(run) > windowWords && i+windowWords <= len(run); i += windowWords / 2 {
					add(strings.Join(run[i:i+windowWords], " "), windowWords/2)
				}
			}
			for _, w := range strings.Fields(line) {
				if w = strings.Trim(w, ".,:;'\"`()[]{}<>"); identifier().MatchString(w) {
					add(w, 1)
				}
			}
		}
	}
	return out
}

// fixedRuns returns the words of a line between those that vary.
func fixedRuns(line string) [][]string {
	var runs [][]string
	var run []string
	for _, w := range append(strings.Fields(line), "0") {
		if variable().MatchString(w) {
			if len(run) > 0 {
				runs = append(runs, run)
			}
			run = nil
			continue
		}
		run = append(run, w)
		if strings.ContainsAny(w[len(w)-1:], ":;") { // what follows is often put in
			runs = append(runs, run)
			run = nil
		}
	}
	return runs
}

// firstLines returns the first line with a text in each source file.
func firstLines(matches []gitext.GrepMatch, text string) map[string]int {
	first := map[string]int{}
	for _, m := range matches {
		if first[m.Path] == 0 && bytes.Contains(m.Text, []byte(text)) && source.FileKindOf(m.Path) == source.SourceFile && !isHarness(m.Path) {
			first[m.Path] = m.Line
		}
	}
	return first
}

// quotedFiles returns the source files with the texts of a report's messages, likeliest first. It
// is for reports without a frame in the repository.
func quotedFiles(ctx context.Context, repo *gitext.Repo, commit gitext.OID, report *crash.Report) ([]crash.File, error) {
	phrases := phrasesOf(report)
	if len(phrases) == 0 {
		return nil, nil
	}
	var patterns []string
	for _, p := range phrases {
		patterns = append(patterns, regexp.QuoteMeta(p.text))
	}
	matches, err := repo.Grep(ctx, commit, gitext.GrepOptions{Pattern: strings.Join(patterns, "|"), Max: maxPhraseMatches, Width: 2000})
	if err != nil && !gitext.Unreadable(err) {
		return nil, err
	}
	found := map[string]*crash.File{}
	for _, p := range phrases {
		first := firstLines(matches, p.text)
		if len(first) == 0 || len(first) > maxPhraseFiles {
			continue
		}
		for path, line := range first {
			f := found[path]
			if f == nil {
				f = &crash.File{Path: path}
				found[path] = f
			}
			f.Score += p.weight / float64(len(first))
			if len(f.Reasons) < 2 {
				f.Reasons = append(f.Reasons, fmt.Sprintf("has %q of the message in line %d", p.text, line))
			}
		}
	}
	var out []crash.File
	for _, f := range found {
		out = append(out, *f)
	}
	slices.SortFunc(out, func(a, b crash.File) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.Path, b.Path))
	})
	return out[:min(len(out), maxQuoted)], err
}
