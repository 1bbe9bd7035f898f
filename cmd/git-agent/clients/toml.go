package clients

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// tomlStatement is a header of a table, or a key with its value.
type tomlStatement struct {
	header     bool
	array      bool     // [[header]]
	path       []string // with the keys of its table
	start, end int      // from the beginning of its line up to the line's end
	value      string   // the text of the value
	valueAt    int      // its place
}

// below reports whether the statement is about something below a path, or about the path itself.
func (s tomlStatement) below(path ...string) bool {
	return len(s.path) >= len(path) && slices.Equal(s.path[:len(path)], path)
}

// tomlReader splits TOML into statements. It reads values only so far that it finds their end.
type tomlReader struct {
	text string
	at   int
}

var errToml = errors.New("it is not TOML")

func parseTOML(text string) (list []tomlStatement, err error) {
	r := &tomlReader{text: text, at: len(text) - len(strings.TrimPrefix(text, "\ufeff"))}
	var table []string
	for {
		r.space("\n")
		if r.at == len(text) {
			return list, nil
		}
		s := tomlStatement{start: strings.LastIndexByte(text[:r.at], '\n') + 1}
		if r.text[r.at] == '[' {
			err = r.header(&s)
			table = s.path
		} else {
			err = r.pair(&s, table)
		}
		if err == nil {
			err = r.lineEnd()
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", 1+strings.Count(text[:min(r.at, len(text))], "\n"), err)
		}
		s.end = r.at
		list = append(list, s)
	}
}

// space skips blanks and comments, and the line ends in also.
func (r *tomlReader) space(also string) {
	for r.at < len(r.text) {
		c := r.text[r.at]
		switch {
		case c == ' ' || c == '\t' || strings.IndexByte(also, c) >= 0 || also != "" && c == '\r':
			r.at++
		case c == '#' && also != "":
			for r.at < len(r.text) && r.text[r.at] != '\n' {
				r.at++
			}
		default:
			return
		}
	}
}

// lineEnd skips the rest of a line, which may have only a comment, but not its end.
func (r *tomlReader) lineEnd() error {
	rest, _, _ := strings.Cut(r.text[r.at:], "\n")
	words := strings.TrimSpace(rest)
	if words != "" && words[0] != '#' {
		return errToml
	}
	r.at += len(rest)
	return nil
}

func (r *tomlReader) header(s *tomlStatement) error {
	s.header, s.array = true, strings.HasPrefix(r.text[r.at:], "[[")
	end := "]"
	if s.array {
		end = "]]"
	}
	r.at += len(end)
	var err error
	if s.path, err = r.key(); err != nil {
		return err
	}
	if !strings.HasPrefix(r.text[r.at:], end) {
		return errToml
	}
	r.at += len(end)
	return nil
}

func (r *tomlReader) pair(s *tomlStatement, table []string) error {
	key, err := r.key()
	if err != nil {
		return err
	}
	if r.at == len(r.text) || r.text[r.at] != '=' {
		return errToml
	}
	r.at++
	r.space("")
	s.path, s.valueAt = append(slices.Clone(table), key...), r.at
	if err := r.value(); err != nil {
		return err
	}
	s.value = r.text[s.valueAt:r.at]
	return nil
}

// key reads a dotted key, and the blanks behind it.
func (r *tomlReader) key() (path []string, err error) {
	for {
		r.space("")
		start := r.at
		switch {
		case r.at < len(r.text) && (r.text[r.at] == '"' || r.text[r.at] == '\''):
			if err := r.quoted(); err != nil {
				return nil, err
			}
			name, ok := tomlString(r.text[start:r.at])
			if !ok {
				return nil, errToml
			}
			path = append(path, name)
		default:
			for r.at < len(r.text) && bareKey(r.text[r.at]) {
				r.at++
			}
			if r.at == start {
				return nil, errToml
			}
			path = append(path, r.text[start:r.at])
		}
		r.space("")
		if r.at == len(r.text) || r.text[r.at] != '.' {
			return path, nil
		}
		r.at++
	}
}

func bareKey(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}

// value skips a value, which may have several lines.
func (r *tomlReader) value() error {
	var open []byte
	start := r.at
	for r.at < len(r.text) {
		switch c := r.text[r.at]; c {
		case '"', '\'':
			if err := r.quoted(); err != nil {
				return err
			}
		case '[', '{':
			open = append(open, c+2) // the closing bracket
			r.at++
		case ']', '}':
			if len(open) == 0 || open[len(open)-1] != c {
				return errToml
			}
			open = open[:len(open)-1]
			r.at++
		case '#', '\r', '\n', ' ', '\t':
			if len(open) == 0 {
				return r.someValue(start)
			}
			r.space("\n")
		default:
			r.at++
		}
	}
	if len(open) > 0 {
		return errToml
	}
	return r.someValue(start)
}

// someValue refuses an empty value. A date may have a time behind a blank.
func (r *tomlReader) someValue(start int) error {
	if r.at == start {
		return errToml
	}
	rest := r.text[r.at:]
	if len(rest) > 3 && rest[0] == ' ' && rest[1] >= '0' && rest[1] <= '9' && rest[3] == ':' {
		r.at++
		for r.at < len(r.text) && strings.IndexByte(" \t\r\n#", r.text[r.at]) < 0 {
			r.at++
		}
	}
	return nil
}

// quoted skips a text in quotes, which may have several lines if there are three.
func (r *tomlReader) quoted() error {
	quote := r.text[r.at : r.at+1]
	long := strings.Repeat(quote, 3)
	if strings.HasPrefix(r.text[r.at:], long) {
		quote = long
	}
	r.at += len(quote)
	for r.at < len(r.text) {
		switch c := r.text[r.at]; {
		case strings.HasPrefix(r.text[r.at:], quote):
			r.at += len(quote)
			for n := 0; len(quote) == 3 && n < 2 && strings.HasPrefix(r.text[r.at:], quote[:1]); n++ {
				r.at++ // up to two quotes may stand before the last three
			}
			return nil
		case c == '\\' && quote[0] == '"':
			r.at += 2
		case c == '\n' && len(quote) == 1:
			return errToml
		default:
			r.at++
		}
	}
	return errToml
}

// tomlString returns the text of a string on one line. ok is false for other values, and for
// escapes that Go does not have.
func tomlString(text string) (s string, ok bool) {
	if len(text) >= 2 && text[0] == '\'' && !strings.HasPrefix(text, "'''") {
		return text[1 : len(text)-1], true
	}
	if !strings.HasPrefix(text, `"`) {
		return "", false
	}
	s, err := strconv.Unquote(text)
	return s, err == nil
}

// tomlStrings returns the texts of an array of strings on one line.
func tomlStrings(text string) (list []string, ok bool) {
	if !strings.HasPrefix(text, "[") || !strings.HasSuffix(text, "]") {
		return nil, false
	}
	r := &tomlReader{text: text, at: 1}
	for {
		r.space("\n")
		if r.at == len(text)-1 {
			return list, true
		}
		start := r.at
		if text[start] != '"' && text[start] != '\'' || r.quoted() != nil {
			return nil, false
		}
		s, ok := tomlString(text[start:r.at])
		if !ok {
			return nil, false
		}
		list = append(list, s)
		r.space("\n")
		if r.at < len(text) && text[r.at] == ',' {
			r.at++
		}
	}
}
