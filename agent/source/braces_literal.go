package source

import (
	"bytes"
	"slices"
	"strings"
)

// skipLiteral skips a string, a character or a regular expression. It reports whether there was one.
func (s *braceScanner) skipLiteral() bool {
	switch c := s.text[s.at]; {
	case c == '"' && s.triple && s.has(`"""`):
		s.at += 3
		s.skipTo(`"""`)
	case c == '"' && s.skipRaw():
	case c == '"':
		s.skipQuoted(c)
	case c == '\'' && s.strings:
		s.skipQuoted(c)
	case c == '\'' && s.chars:
		s.skipChar()
	case c == '`' && s.raw:
		s.at++
		s.skipTo("`")
	case c == '`' && s.template:
		s.readTemplate()
	case c == '/' && s.regex && s.beginsRegex():
		return s.skipRegex()
	default:
		return false
	}
	s.last, s.wordEnd = '"', 0
	return true
}

// skipQuoted skips a string with escapes. It ends with its line, except in Rust.
func (s *braceScanner) skipQuoted(quote byte) {
	for s.at++; s.at < len(s.text); s.at++ {
		switch s.text[s.at] {
		case quote:
			s.at++
			return
		case '\\':
			s.at++
			if s.at < len(s.text) && s.text[s.at] == '\n' {
				s.line++
			}
		case '\n':
			if !s.rust {
				return
			}
			s.line++
		}
	}
}

// skipRaw skips a raw string of C++ or Rust, whose prefix is the word before its quote.
func (s *braceScanner) skipRaw() bool {
	word := ""
	if s.wordEnd > 0 && s.wordEnd <= s.at {
		word = string(s.text[s.word:s.wordEnd])
	}
	between := s.text[min(s.wordEnd, s.at):s.at]
	switch {
	case s.rust && (word == "r" || word == "br"):
		if strings.Trim(string(between), "#") != "" {
			return false
		}
		s.at++
		s.skipTo(`"` + string(between))
		return true
	case s.branches && len(between) == 0 && (word == "R" || word == "LR" || word == "uR" || word == "UR" || word == "u8R"):
		open := bytes.IndexByte(s.text[s.at:min(len(s.text), s.at+20)], '(')
		if open < 0 {
			return false
		}
		end := ")" + string(s.text[s.at+1:s.at+open]) + `"`
		s.skipTo(end)
		return true
	}
	return false
}

// skipChar skips a character in quotes. A quote that begins none is the mark of a lifetime in Rust
// or of thousands in a number.
func (s *braceScanner) skipChar() {
	rest := s.text[s.at+1 : min(len(s.text), s.at+14)]
	if s.wordEnd == s.at && s.at > 0 && s.text[s.word] >= '0' && s.text[s.word] <= '9' {
		s.at++
		return
	}
	if len(rest) > 1 && rest[0] == '\\' {
		if n := bytes.IndexByte(rest[2:], '\''); n >= 0 {
			s.at += n + 4
			return
		}
	} else if n := bytes.IndexByte(rest, '\''); n > 0 && !bytes.Contains(rest[:n], []byte("\n")) && (!s.rust || len([]rune(string(rest[:n]))) == 1) {
		s.at += n + 2
		return
	}
	s.at++
}

// readTemplate reads a template's text, from its first quote or the brace behind code in it, to its
// last quote or the next code.
func (s *braceScanner) readTemplate() {
	for s.at++; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; {
		case c == '`':
			s.at++
			return
		case c == '\\':
			s.at++
			if s.at < len(s.text) && s.text[s.at] == '\n' {
				s.line++
			}
		case c == '\n':
			s.line++
		case s.has("${"):
			s.open = append(s.open, openBrace{line: s.line, template: true})
			s.at += 2
			return
		}
	}
}

// beforeRegex are words before an expression.
var beforeRegex = strings.Fields("return typeof case in of delete void throw else do instanceof new yield await")

// beginsRegex reports whether a slash begins a regular expression: a division has a value before it.
func (s *braceScanner) beginsRegex() bool {
	if s.wordEnd > 0 {
		return slices.Contains(beforeRegex, string(s.text[s.word:s.wordEnd]))
	}
	return s.last != ')' && s.last != ']' && s.last != '"'
}

// skipRegex skips a regular expression, which is on one line. A slash in a class does not end it.
func (s *braceScanner) skipRegex() bool {
	class := false
	for i := s.at + 1; i < len(s.text) && s.text[i] != '\n'; i++ {
		switch s.text[i] {
		case '\\':
			i++
		case '[':
			class = true
		case ']':
			class = false
		case '/':
			if !class {
				s.at, s.last, s.wordEnd = i+1, ')', 0
				return true
			}
		}
	}
	return false
}
