package localize

import (
	"bytes"
	"context"
	"math"
	"slices"
	"strings"
	"unicode"

	"git-agent/agent/fix"
	"git-agent/agent/source"
)

// These bound the lines that are read around a failed assertion.
const (
	assertedBefore = 4   // lines before the assertion, which may compute the checked value
	assertedAfter  = 8   // lines of the assertion
	perLineBefore  = 0.7 // weight of a line, relative to the next line
	inMessage      = 0.8 // weight of a name in the message of an assertion
)

// addAsserted weighs the functions that a failed assertion calls or names: in its statement, in
// the lines just before it, and in its output.
func (s *search) addAsserted(ctx context.Context) error {
	for _, p := range s.testPlaces() {
		f, err := s.files.get(ctx, s.find(p.File))
		if err != nil {
			return err
		}
		if f == nil || p.Line < 1 || p.Line > len(f.lines) || !f.tests(p.Line) || len(s.regions) > 0 && !s.known(f, p.Line) {
			continue
		}
		end := statementEnd(f.lines, p.Line)
		for l := max(1, p.Line-assertedBefore); l <= end; l++ {
			s.asserted(f, f.lines[l-1], math.Pow(perLineBefore, float64(max(0, p.Line-l))))
		}
	}
	for _, l := range s.messages() {
		for _, m := range codeName().FindAll(l, maxReported) {
			s.asserted(&file{test: true}, bytes.TrimRight(m, "( "), inMessage)
		}
	}
	for i, x := range s.graph.asserted {
		if n := s.graph.nodes[i]; x > 0 && !n.file.test && !n.file.aside {
			if c := s.suspect(n.file, n.index); c != nil {
				c.asserted = x
			}
		}
	}
	return nil
}

// asserted weighs the functions that a line of a test names.
func (s *search) asserted(f *file, line []byte, weight float64) {
	u := newUses(f, -1)
	s.graph.addNames(line, weight, u)
	s.graph.addImplied(line, weight, u)
	for of, w := range u.weight {
		if w < weight && weight != inMessage {
			continue // a name without a call
		}
		meant := s.graph.meanings(of, u)
		for _, m := range meant {
			s.graph.asserted[m] = max(s.graph.asserted[m], weight/float64(len(meant)))
		}
	}
}

// statementEnd finds the last line of the statement that begins on a line. It counts
// parentheses.
func statementEnd(lines [][]byte, line int) int {
	open := 0
	for l := line; l <= min(len(lines), line+assertedAfter); l++ {
		open += bytes.Count(lines[l-1], []byte("(")) - bytes.Count(lines[l-1], []byte(")"))
		if open <= 0 {
			return l
		}
	}
	return line
}

// messages returns the lines of the output that assertions print, and the names of failing
// cases within test functions.
func (s *search) messages() [][]byte {
	var out [][]byte
	for _, l := range tellingLines(s.in.Reproduction.Output) {
		if assertion().Match(l) {
			out = append(out, l)
		}
	}
	for _, name := range s.in.Reproduction.Failing[:min(len(s.in.Reproduction.Failing), maxNames)] {
		if _, sub, ok := strings.Cut(name, "/"); ok && !strings.Contains(name, "::") {
			out = append(out, []byte(sub))
		}
	}
	return out
}

// assertion matches a line with a place and a message, or a line of pytest about a failed
// assertion.
var assertion = source.Lazy(`^\s*[^\s:]+:\d+: \S|^E\s+\S|^\s*(?:not ok|AssertionError)\b`)

// assertedGrounds says that a failed assertion names a function.
func (s *search) assertedGrounds(c *candidate) []fix.Ground {
	const surely = 0.5
	if c.asserted < surely {
		return nil
	}
	text := "the failed assertion names it"
	if s.implies(c.name) {
		text = "the failed assertion calls it"
	}
	return []fix.Ground{{Source: fix.SourceReport, Text: text}}
}

// These are the least lengths, in bytes, of texts of the code that are searched in the output:
// for several words, and for one word, such as --help, which may occur by chance.
const (
	minLiteral = 6
	minWord    = 10
)

// maxHolders bounds the functions with a text; a text in more functions says nothing.
const maxHolders = 4

// addLiterals weighs the functions with a text of the failing command's output. The texts are
// the constant parts of the strings in their lines.
func (s *search) addLiterals(context.Context) error {
	output := bytes.Join(s.printed(), []byte("\n"))
	if len(output) == 0 {
		return nil
	}
	type place struct {
		f *file
		i int
	}
	holders := map[string][]place{}
	for _, f := range s.files.withLines() {
		if !s.editable(f) || f.aside {
			continue
		}
		for i := range f.functions {
			for _, l := range f.body(i) {
				for _, text := range literals(l) {
					if at := (place{f, i}); bytes.Contains(output, []byte(text)) && !slices.Contains(holders[text], at) {
						holders[text] = append(holders[text], at)
					}
				}
			}
		}
	}
	for text, list := range holders {
		if len(list) > maxHolders || s.namesTest(text) {
			continue
		}
		for _, at := range list {
			if c := s.suspect(at.f, at.i); c != nil {
				c.prints(text, 1/float64(len(list)))
			}
		}
	}
	return nil
}

// namesTest reports whether a text is a part of a failing test's name, such as its package, which the
// output has however the test fails.
func (s *search) namesTest(text string) bool {
	return slices.ContainsFunc(s.in.Reproduction.Failing, func(name string) bool { return strings.Contains(name, text) })
}

// prints notes that a function contains a text of the output.
func (c *candidate) prints(text string, share float64) {
	if share > c.literal || share == c.literal && (len(text) > len(c.printed) || len(text) == len(c.printed) && text < c.printed) {
		c.literal, c.printed = share, text
	}
}

// printed returns the lines of the output except quoted test source and lines that tools print
// in every run.
func (s *search) printed() [][]byte {
	source := map[string]bool{}
	for _, r := range s.regions {
		for l := r.lines.Start; l <= r.lines.End; l++ {
			source[string(bytes.TrimSpace(r.file.lines[l-1]))] = true
		}
	}
	return slices.DeleteFunc(tellingLines(s.in.Reproduction.Output), func(l []byte) bool {
		return source[string(bytes.TrimLeft(l, "> \t"))]
	})
}

// literals returns the constant parts of the strings in a line of code.
func literals(line []byte) []string {
	line = line[:min(len(line), maxLine)]
	if isComment(line) {
		return nil
	}
	var out []string
	for i := 0; i < len(line); i++ {
		q := line[i]
		if q != '"' && q != '`' && q != '\'' {
			continue
		}
		end := i + 1
		for end < len(line) && line[end] != q {
			if line[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(line) {
			return out
		}
		for _, part := range verbs().Split(string(line[i+1:end]), -1) {
			if part = strings.Trim(part, " \t:;,.()"); len(part) >= minLiteral && strings.IndexFunc(part, unicode.IsLetter) >= 0 &&
				(strings.Contains(part, " ") || len(part) >= minWord && strings.ContainsAny(part, "-_:./=")) {
				out = append(out, part)
			}
		}
		i = end
	}
	return out
}

// verbs matches placeholders and escapes in strings.
var verbs = source.Lazy("%[-+# 0]*[\\d.*]*[a-zA-Z]|%\\([^)]*\\)[a-z]|\\$?\\{[^}]*\\}|\\\\.|[\"'`]")

// literalGrounds names the text of the output that a function contains.
func (s *search) literalGrounds(c *candidate) []fix.Ground {
	const longest = 60
	if c.printed == "" {
		return nil
	}
	return []fix.Ground{{Source: fix.SourceReport, Text: "the output has its text \"" + c.printed[:min(len(c.printed), longest)] + "\""}}
}
