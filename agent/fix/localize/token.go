package localize

import (
	"bytes"

	"git-agent/agent/source"
)

// maxLine bounds the read part of a line, in bytes.
const maxLine = 4000

// A token is an identifier in a line of code.
type token struct {
	text   []byte
	called bool // a parenthesis follows
	holder bool // a dot, an arrow or a double colon and a member follow
	quoted bool // the token is in a string or a comment
}

// tokens calls use for each identifier of a line of code. It knows strings that end on the
// line, and comments that begin with a double slash or fill the line.
func tokens(line []byte, use func(token)) {
	line = line[:min(len(line), maxLine)]
	comment := isComment(line)
	var quote byte
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case source.IsIdentByte(c):
			end := i + 1
			for end < len(line) && source.IsIdentByte(line[end]) {
				end++
			}
			after := line[end:]
			use(token{
				text: line[i:end], called: bytes.HasPrefix(after, []byte("(")), quoted: comment || quote != 0,
				holder: bytes.HasPrefix(after, []byte(".")) || bytes.HasPrefix(after, []byte("::")) || bytes.HasPrefix(after, []byte("->")),
			})
			i = end - 1
		case c == '\\':
			i++
		case c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '`' || c == '\''):
			quote = c
		case quote == 0 && bytes.HasPrefix(line[i:], []byte("//")):
			comment = true
		}
	}
}

// isComment reports whether a line begins like a comment.
func isComment(line []byte) bool {
	t := bytes.TrimLeft(line[:min(len(line), maxLine)], " \t")
	for _, mark := range []string{"//", "/*", "* ", "*/", "# "} {
		if bytes.HasPrefix(t, []byte(mark)) {
			return true
		}
	}
	return string(t) == "*"
}
