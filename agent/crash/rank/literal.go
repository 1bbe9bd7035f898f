package rank

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// Limits on the texts of a failed test that are looked up.
const (
	leastLiteral     = 12 // characters between two verbs of a format
	maxLiteralBytes  = 400
	maxLiterals      = 8 // texts of one report
	maxLiteralWords  = 24
	leastLiteralWord = 5
	maxLiteralLines  = 20_000 // with one of the words: of more, none is known to be the only one
)

var (
	// A text that the message of a failed test quotes: 'x', "x", and JUnit's <x>.
	testQuotation = source.Lazy(`'((?:[^'\\\n]|\\.)+)'|"((?:[^"\\\n]|\\.)+)"|\b(?:expected|was):? ?<([^\n]+?)>(?: but |$|\n)`)
	// What cuts a quoted text: a break of the line, and what was left out.
	literalCut = source.Lazy(`\.{3,}|…|\\[nrt]`)
)

// literalFiles returns the files outside of tests that alone have a text which the messages of failed
// tests quote, except the listed files. It returns none if a frame is in code that is not of tests.
func literalFiles(ctx context.Context, repo *gitext.Repo, commit gitext.OID, report *crash.Report, listed map[string]bool) ([]crash.File, error) {
	if !onlyTests(report) {
		return nil, nil
	}
	texts := quotedTexts(report)
	words := wordsIn(texts)
	if len(words) == 0 {
		return nil, nil
	}
	matches, err := repo.Grep(ctx, commit, gitext.GrepOptions{
		Pattern: "(" + strings.Join(words, "|") + ")", Word: true, Max: maxLiteralLines, Width: maxWidth,
	})
	if err != nil && !gitext.Unreadable(err) || len(matches) == maxLiteralLines {
		return nil, err
	}
	var out []crash.File
	for _, text := range texts {
		p, literal := onlyWith(text, matches)
		if p != "" && !listed[p] {
			listed[p] = true
			why := fmt.Sprintf("the only file with %q, which the failed test quotes", agent.Abridge(agent.CleanLine(literal), 60))
			out = append(out, crash.File{Path: p, Related: true, Reasons: []string{why}})
		}
	}
	return out, err
}

// onlyTests reports whether a report has frames in files of the project, and all of these files are of
// tests.
func onlyTests(report *crash.Report) bool {
	found := false
	for _, s := range report.Stacks {
		for _, f := range s.Frames {
			if f.Path != "" && !isHarness(f.Path) {
				return false
			}
			found = found || f.Path != ""
		}
	}
	return found
}

// quotedTexts returns the texts that the messages of a report quote, without those that are too short
// to tell a file.
func quotedTexts(report *crash.Report) []string {
	var texts []string
	for _, p := range report.Problems {
		for _, m := range testQuotation().FindAllStringSubmatch(source.FirstBytes(p.Message, maxMessageBytes), -1) {
			text := m[1] + m[2]
			if m[3] != "" {
				text = strings.NewReplacer("[", "", "]", "").Replace(m[3]) // JUnit's marks of what differs
			}
			for _, part := range literalCut().Split(source.Unquoted(text), -1) {
				part = source.FirstBytes(strings.TrimSpace(part), maxLiteralBytes)
				if len(part) >= leastLiteral && len(texts) < maxLiterals && !slices.Contains(texts, part) {
					texts = append(texts, part)
				}
			}
		}
	}
	return texts
}

// wordsIn returns the words of texts by which their lines in the source are found.
func wordsIn(texts []string) []string {
	words := map[string]bool{}
	for _, text := range texts {
		for _, w := range strings.FieldsFunc(text, source.NotIdent) {
			if len(w) >= leastLiteralWord && plainName().MatchString(w) {
				words[w] = true
			}
		}
	}
	list := slices.Sorted(maps.Keys(words))
	return list[:min(len(list), maxLiteralWords)]
}

// onlyWith returns the only file outside of tests whose literal has most of a text in common, and the
// literal. It returns "" if there is none or more than one.
func onlyWith(text string, matches []gitext.GrepMatch) (path, literal string) {
	most, several := 0, false
	for _, m := range matches {
		if isHarness(m.Path) || source.IsVendored(m.Path) || source.FileKindOf(m.Path) != source.SourceFile {
			continue
		}
		for _, said := range source.LiteralsIn(string(m.Text)) {
			n := source.LiteralInText(said, text)
			switch {
			case n == 0 || n < most:
			case n > most:
				most, several, path, literal = n, false, m.Path, said
			case m.Path != path:
				several = true
			}
		}
	}
	if several {
		return "", ""
	}
	return path, literal
}
