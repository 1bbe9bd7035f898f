package investigate

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"git-agent/agent"
	"git-agent/agent/source"
)

// These bound the files that failing tests name.
const (
	maxNamed      = 2    // files
	maxNamedChars = 1200 // of one file
	maxTestLines  = 400  // lines of one test that are searched for file names
)

var (
	// fileName matches a possible file name in the text of a test.
	fileName = source.Lazy(`[\w./-]*\w\.[A-Za-z][A-Za-z0-9]{0,7}\b`)
	// settingLine matches a line of pytest's heading about the project's settings, one of
	// Maven about the build, and one of Cargo about a manifest.
	settingLine = source.Lazy(`(?m)^(?:(?:rootdir|configfile|inifile|testpaths|cachedir|plugins): .*|\[(?:INFO|WARNING)\] .*|warning: \S*\bCargo\.toml: .*)$`)
	// numberedCase matches the number of a case of a data file in a test's output.
	caseHeading  = source.Lazy(`^\W*(?:(?i:case|example|test)\W*)?(\d+)\b`)
	numberedCase = source.Lazy(`(?i)\b(?:case|example|test|entry|no\.?|number)\s*#?:?\s*(\d+)\b`)
)

// dataFiles are the endings of files that tests read.
var dataFiles = strings.Fields(
	".txt .json .jsonl .yaml .yml .toml .xml .csv .tsv .html .md .in .out .input .golden .expected .snap .ini .conf .cfg .sql .tmpl",
)

// namedFiles shows the data files of the tree that the failing tests or their output name. Of
// each file it shows the case with a number in the output, or the beginning.
func (w *work) namedFiles(ctx context.Context, tests []*shownTest) (string, error) {
	entries, err := w.repo.Tree(ctx, w.in.Problem.Tree.Commit)
	if entries == nil {
		return "", err
	}
	var paths []string
	for _, o := range w.in.Problem.Tree.Over {
		paths = append(paths, o.Path)
	}
	for _, e := range entries {
		paths = append(paths, e.Path)
	}
	output := string(w.in.Reproduction.Output)
	texts := []string{settingLine().ReplaceAllString(output, "")}
	for _, t := range tests {
		lines, err := w.lines(ctx, t.path)
		if err != nil {
			return "", err
		}
		texts = append(texts, string(bytes.Join(lines[t.start-1:min(t.end, len(lines), t.start+maxTestLines)], []byte("\n"))))
	}
	var b strings.Builder
	var shown []string
	for _, text := range texts {
		for _, name := range fileName().FindAllString(text, 200) {
			p := meantFile(name, paths)
			if p == "" || slices.Contains(shown, p) || len(shown) == maxNamed {
				continue
			}
			lines, err := w.lines(ctx, p)
			if err != nil {
				return "", err
			}
			if lines == nil {
				continue
			}
			shown = append(shown, p)
			b.WriteString(namedText(p, path.Base(name), lines, output))
		}
	}
	return b.String(), nil
}

// meantFile returns the data file for a name, "" if there are none or several.
func meantFile(name string, paths []string) string {
	name = strings.TrimPrefix(path.Clean(name), "./")
	if !slices.Contains(dataFiles, path.Ext(name)) || strings.HasPrefix(name, "../") {
		return ""
	}
	found := ""
	for _, p := range paths {
		if p == name || strings.HasSuffix(p, "/"+name) {
			if found != "" && found != p {
				return ""
			}
			found = p
		}
	}
	return found
}

// namedText shows a part of a data file of a test.
func namedText(p, base string, lines [][]byte, output string) string {
	f := newFocus(lines, 1, len(lines), maxNamedChars)
	for _, l := range strings.Split(output, "\n") {
		if m := regexp.MustCompile(regexp.QuoteMeta(base) + `[:(](\d+)`).FindStringSubmatch(l); m != nil {
			n, _ := strconv.Atoi(m[1])
			f.take(n-6, n+10)
		}
	}
	for _, m := range numberedCase().FindAllStringSubmatch(output, 3) {
		first, last := blockNumbered(lines, m[1])
		f.take(first, last)
	}
	if len(f.keep) == 0 {
		f.take(1, len(lines))
	}
	return fmt.Sprintf("## %s, which the test names\n", agent.CleanLine(p)) + f.text()
}

// blockNumbered returns the lines of a numbered case in a data file: from the line with its
// number up to the line before the next number; 1, 0 if there is no such line.
func blockNumbered(lines [][]byte, number string) (first, last int) {
	const most = 30
	for i, l := range lines {
		if m := caseHeading().FindSubmatch(l); m == nil || string(m[1]) != number {
			continue
		}
		last = i + 1
		for last < len(lines) && last < i+most && !caseHeading().Match(lines[last]) {
			last++
		}
		return i + 1, last
	}
	return 1, 0
}
