package source

import (
	"bytes"
	"path"
	"strings"
)

// maxBraced limits the files whose braces are matched. Larger ones are generated or data.
const maxBraced = MaxLexed // bytes

// braces are the pairs of braces of a file.
type braces struct {
	closes []int32 // for each line, the line that closes the first block that it leaves open; -1 if it leaves none open
}

// A dialect describes what hides braces in a language, apart from strings and block comments.
type dialect struct {
	chars    bool // a character is quoted by single quotes: '{'
	strings  bool // a string is quoted by single quotes
	raw      bool // a string in backquotes has no escapes
	template bool // a string in backquotes has escapes, and code in ${}
	triple   bool // a string in three quotes may have several lines
	regex    bool // a regular expression is quoted by slashes
	rust     bool // strings may have several lines, r#""# has no escapes, and comments are nested
	branches bool // of the branches of a conditional of the preprocessor, only the first is read
}

// dialectFor returns the dialect of a file, and false for a language whose braces are not matched.
func dialectFor(filePath string) (dialect, bool) {
	switch strings.ToLower(path.Ext(filePath)) {
	case ".java":
		return dialect{chars: true, triple: true}, true
	case ".c", ".h", ".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".inl", ".m", ".mm", ".cu":
		return dialect{chars: true, branches: true}, true
	case ".go":
		return dialect{chars: true, raw: true}, true
	case ".rs":
		return dialect{chars: true, rust: true}, true
	case ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts":
		return dialect{strings: true, template: true, regex: true}, true // the text of .jsx and .tsx may have a lone quote
	}
	return dialect{}, false
}

// matchBraces pairs the braces of a file outside of strings and comments. It returns nil if they do
// not balance, as in a file that macros or a broken edit leave uneven, or if it does not know the
// language.
func matchBraces(filePath string, lines [][]byte) *braces {
	d, ok := dialectFor(filePath)
	if !ok || len(lines) > maxBraced {
		return nil
	}
	text := bytes.Join(lines, []byte("\n"))
	if len(text) > maxBraced {
		return nil
	}
	s := braceScanner{dialect: d, text: text, found: braces{closes: make([]int32, len(lines))}}
	for i := range s.found.closes {
		s.found.closes[i] = -1
	}
	if !s.scan() {
		return nil
	}
	return &s.found
}

// braceScanner reads a file once and keeps the braces that are open.
type braceScanner struct {
	dialect
	text    []byte
	at      int
	line    int
	open    []openBrace
	hidden  int  // depth of the conditionals within a branch that is not read; 0 outside of one
	last    byte // the last byte of code that is not white space
	word    int  // the offset of the last word of code
	wordEnd int
	found   braces
}

// An openBrace is a brace that is not closed yet. One that a template begins goes back to its text.
type openBrace struct {
	line     int
	template bool
}

// scan reports whether all braces are in pairs.
func (s *braceScanner) scan() bool {
	for s.at < len(s.text) {
		c := s.text[s.at]
		switch {
		case c == '\n':
			s.line++
			s.at++
			s.directive()
			continue
		case s.at == 0 && c == '#':
			s.directive()
			continue
		case c == ' ' || c == '\t' || c == '\r' || s.hidden > 0:
			s.at++
			continue
		case s.skipComment(), s.skipLiteral():
			continue
		case c == '{':
			s.open = append(s.open, openBrace{line: s.line})
		case c == '}':
			if !s.closeBrace() {
				return false
			}
		case IsIdentByte(c) || c == '$':
			s.readWord()
			continue
		}
		if s.last = c; !s.rust || c != '#' { // r#" begins a raw string
			s.wordEnd = 0
		}
		s.at++
	}
	return len(s.open) == 0 && s.hidden == 0
}

// closeBrace closes the innermost open brace, and goes on with the text of a template around it.
func (s *braceScanner) closeBrace() bool {
	if len(s.open) == 0 {
		return false
	}
	b := s.open[len(s.open)-1]
	s.open = s.open[:len(s.open)-1]
	if b.line != s.line {
		s.found.closes[b.line] = int32(s.line) // an outer block of the same line closes later
	}
	if b.template {
		s.readTemplate()
		s.at-- // the caller goes on behind one byte
	}
	return true
}

func (s *braceScanner) readWord() {
	s.word = s.at
	for s.at < len(s.text) && (IsIdentByte(s.text[s.at]) || s.text[s.at] == '$') {
		s.at++
	}
	s.wordEnd, s.last = s.at, s.text[s.at-1]
}

// directive reads a line of the preprocessor. It leaves all branches but the first unread.
func (s *braceScanner) directive() {
	if !s.branches {
		if s.at == 0 {
			s.skipLine() // #! begins a script
		}
		return
	}
	t := bytes.TrimLeft(s.text[s.at:min(len(s.text), s.at+maxRead)], " \t")
	if len(t) == 0 || t[0] != '#' {
		return
	}
	t = bytes.TrimLeft(t[1:], " \t")
	switch {
	case bytes.HasPrefix(t, []byte("if")):
		if s.hidden > 0 || bytes.HasPrefix(t, []byte("if 0")) {
			s.hidden++
		}
	case bytes.HasPrefix(t, []byte("el")):
		s.hidden = max(s.hidden, 1)
	case bytes.HasPrefix(t, []byte("endif")):
		s.hidden = max(s.hidden-1, 0)
	}
	for s.skipLine(); s.at < len(s.text) && s.at > 0 && s.text[s.at-1] == '\\'; s.skipLine() {
		s.at++
		s.line++
	}
}

func (s *braceScanner) skipLine() {
	if n := bytes.IndexByte(s.text[s.at:], '\n'); n >= 0 {
		s.at += n
	} else {
		s.at = len(s.text)
	}
}

// skipTo moves behind the next end, or to the end of the file.
func (s *braceScanner) skipTo(end string) {
	from := s.at
	if n := bytes.Index(s.text[s.at:], []byte(end)); n >= 0 {
		s.at += n + len(end)
	} else {
		s.at = len(s.text)
	}
	s.line += bytes.Count(s.text[from:s.at], []byte("\n"))
}

func (s *braceScanner) has(prefix string) bool {
	return bytes.HasPrefix(s.text[s.at:], []byte(prefix))
}

func (s *braceScanner) skipComment() bool {
	switch {
	case s.has("//"):
		s.skipLine()
	case s.has("/*") && s.rust:
		s.skipNested()
	case s.has("/*"):
		s.at += 2
		s.skipTo("*/")
	default:
		return false
	}
	return true
}

// skipNested skips a comment of Rust, which may have comments in it.
func (s *braceScanner) skipNested() {
	for depth := 0; s.at < len(s.text); {
		switch {
		case s.has("/*"):
			depth++
			s.at += 2
		case s.has("*/"):
			s.at += 2
			if depth--; depth == 0 {
				return
			}
		default:
			if s.text[s.at] == '\n' {
				s.line++
			}
			s.at++
		}
	}
}
