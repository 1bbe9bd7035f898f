package localize

import (
	"bytes"

	"git-agent/agent/source"
)

// A token is an identifier of a line.
type token struct {
	text   []byte
	called bool // a parenthesis follows
	quoted bool // it stands in a string
}

// tokens passes on the identifiers of a line of code. A comment's are passed on as
// if they were quoted.
func tokens(line []byte, use func(token)) {
	line = line[:min(len(line), maxLine)]
	comment := isComment(line)
	var quote byte
	for i := 0; i < len(line); {
		c := line[i]
		switch {
		case quote == 0 && (c == '"' || c == '\'' || c == '`'):
			quote = c
		case c == quote:
			quote = 0
		case c == '\\':
			i++
		case source.IsIdentByte(c):
			end := i + 1
			for end < len(line) && source.IsIdentByte(line[end]) {
				end++
			}
			use(token{text: line[i:end], called: end < len(line) && line[end] == '(', quoted: comment || quote != 0})
			i = end
			continue
		case quote == 0 && c == '/' && i+1 < len(line) && line[i+1] == '/':
			comment = true
		}
		i++
	}
}

// isComment reports whether a line begins like a comment.
func isComment(line []byte) bool {
	t := bytes.TrimLeft(line, " \t")
	return bytes.HasPrefix(t, []byte("//")) || bytes.HasPrefix(t, []byte("/*")) || bytes.HasPrefix(t, []byte("* ")) || bytes.HasPrefix(t, []byte("# "))
}
