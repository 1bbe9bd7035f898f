package mutate

import (
	"bytes"
	"path"
	"strings"
	"unicode/utf8"

	"git-agent/agent/source"
)

// A kind is the kind of a token.
type kind uint8

const (
	ident kind = iota // a name or a keyword
	number
	text // a string or a character, with its quotes
	sign // an operator, a parenthesis or a comma
	comment
)

// A token is a piece of source code.
type token struct {
	kind     kind
	off, end int // bytes of the file
	line     int // from 1, where it begins
}

// A language describes the spelling of tokens and statements.
type language struct {
	name      string
	hash      bool // # begins a comment
	slashes   bool // // and /* */ are comments
	backquote bool // ` quotes a string
	apostrope bool // ' quotes a string of any length
	regexps   bool // /x/ is a value
	triple    bool // """ quotes a string over several lines
	semicolon bool // a statement ends with ;
	parens    bool // a condition is in parentheses
	indented  bool // blocks are marked by indentation
	and, or   string
	not       string
	null      string // "" if the language has no null
	no, yes   string // false and true
}

var (
	golang = &language{name: "go", slashes: true, backquote: true, and: "&&", or: "||", not: "!", null: "nil", no: "false", yes: "true"}
	clike  = &language{name: "c", slashes: true, semicolon: true, parens: true, and: "&&", or: "||", not: "!", null: "NULL", no: "0", yes: "1"}
	java   = &language{
		name:      "java",
		slashes:   true,
		semicolon: true,
		parens:    true,
		and:       "&&",
		or:        "||",
		not:       "!",
		null:      "null",
		no:        "false",
		yes:       "true",
	}
	script = &language{
		name:      "js",
		slashes:   true,
		backquote: true,
		apostrope: true,
		regexps:   true,
		semicolon: true,
		parens:    true,
		and:       "&&",
		or:        "||",
		not:       "!",
		null:      "null",
		no:        "false",
		yes:       "true",
	}
	python = &language{
		name:      "python",
		hash:      true,
		apostrope: true,
		triple:    true,
		indented:  true,
		and:       "and",
		or:        "or",
		not:       "not ",
		null:      "None",
		no:        "False",
		yes:       "True",
	}
	rust = &language{name: "rust", slashes: true, semicolon: true, and: "&&", or: "||", not: "!", no: "false", yes: "true"}
)

// languages maps the ends of file names to languages.
var languages = map[string]*language{
	".go": golang, ".c": clike, ".h": clike, ".cc": clike, ".cpp": clike, ".cxx": clike, ".hpp": clike, ".hh": clike,
	".java": java, ".cs": java, ".kt": java, ".scala": java,
	".js": script, ".mjs": script, ".cjs": script, ".jsx": script, ".ts": script, ".mts": script, ".cts": script, ".tsx": script,
	".py": python, ".rs": rust,
}

// languageOf returns the language of a file, nil if unknown.
func languageOf(filePath string) *language { return languages[strings.ToLower(path.Ext(filePath))] }

// inJava reports whether a file is one of Java itself, and not of a language with similar tokens.
func (f *File) inJava() bool { return f.lang == java && strings.EqualFold(path.Ext(f.Path), ".java") }

// signs are the operators of more than one byte, the longest first.
var signs = strings.Fields(
	`>>>= <<= >>= **= &&= ||= ??= === !== >>> ... &^= := == != <= >= && || ++ -- += -= *= /= %= &= |= ^= << >> -> => :: ?. ?? ** <- &^ //`,
)

// A lexer reads the tokens of a file.
type lexer struct {
	lang *language
	src  []byte
	at   int
	line int
	toks []token
}

// lex returns the tokens of a file, comments included. Unknown text becomes signs of one byte.
func lex(lang *language, src []byte) []token {
	l := &lexer{lang: lang, src: src, line: 1}
	for l.at < len(src) {
		switch c := src[l.at]; {
		case c == '\n':
			l.line++
			l.at++
		case c <= ' ' || c == 0x7f:
			l.at++
		default:
			l.next(c)
		}
	}
	return l.toks
}

// next reads one token with the first byte c.
func (l *lexer) next(c byte) {
	rest := l.src[l.at:]
	switch {
	case l.lang.hash && c == '#', l.lang.slashes && bytes.HasPrefix(rest, []byte("//")):
		l.take(comment, lineLength(rest))
	case l.lang.slashes && bytes.HasPrefix(rest, []byte("/*")):
		l.take(comment, upTo(rest, 2, "*/"))
	case l.lang == rust && rawLength(rest) > 0:
		l.take(text, rawLength(rest))
	case isWord(c) && !source.IsDigit(c):
		l.take(ident, wordLength(rest))
	case source.IsDigit(c), c == '.' && len(rest) > 1 && source.IsDigit(rest[1]):
		l.take(number, numberLength(rest))
	case c == '"' || c == '\'' || c == '`' && l.lang.backquote:
		l.quoted(rest, c)
	case c == '/' && l.lang.regexps && l.valueFollows():
		l.take(text, stringLength(rest, '/'))
	default:
		l.take(sign, signLength(rest))
	}
}

// take adds the token of the next n bytes.
func (l *lexer) take(k kind, n int) {
	n = max(n, 1)
	t := token{kind: k, off: l.at, end: min(l.at+n, len(l.src)), line: l.line}
	l.toks = append(l.toks, t)
	l.line += bytes.Count(l.src[t.off:t.end], []byte("\n"))
	l.at = t.end
}

// quoted reads a string.
func (l *lexer) quoted(rest []byte, quote byte) {
	triple := strings.Repeat(string(quote), 3)
	switch {
	case l.lang.triple && bytes.HasPrefix(rest, []byte(triple)):
		l.take(text, upTo(rest, 3, triple))
	case quote == '`':
		l.take(text, upTo(rest, 1, "`"))
	case l.lang == rust && quote == '\'' && !runeQuoted(rest):
		l.take(sign, 1) // a lifetime
	case l.lang == rust && quote == '"':
		l.take(text, linesLength(rest, quote))
	default:
		l.take(text, stringLength(rest, quote))
	}
}

// valueFollows reports whether a value can follow the last token, so that a slash begins a
// regular expression.
func (l *lexer) valueFollows() bool {
	if len(l.toks) == 0 {
		return true
	}
	t := l.toks[len(l.toks)-1]
	s := string(l.src[t.off:t.end])
	switch t.kind {
	case sign:
		return s != ")" && s != "]" && s != "}"
	case ident:
		return s == "return" || s == "typeof" || s == "case" || s == "in"
	}
	return false
}

func isWord(c byte) bool { return c == '$' || source.IsIdentByte(c) }

func wordLength(s []byte) int {
	n := 0
	for n < len(s) && isWord(s[n]) {
		n++
	}
	return n
}

func numberLength(s []byte) int {
	n := 0
	for n < len(s) && (isWord(s[n]) || s[n] == '.') && !bytes.HasPrefix(s[n:], []byte("..")) { // a range follows
		n++
	}
	return max(n, 1)
}

func lineLength(s []byte) int {
	if i := bytes.IndexByte(s, '\n'); i >= 0 {
		return i
	}
	return len(s)
}

// upTo returns the length up to and including the first end at or after a position.
func upTo(s []byte, from int, end string) int {
	if i := bytes.Index(s[min(from, len(s)):], []byte(end)); i >= 0 {
		return from + i + len(end)
	}
	return len(s)
}

// stringLength returns the length of a string that ends on its line.
func stringLength(s []byte, quote byte) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case quote:
			return i + 1
		case '\n':
			return i
		}
	}
	return len(s)
}

// linesLength returns the length of a string that may have line breaks.
func linesLength(s []byte, quote byte) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case quote:
			return i + 1
		}
	}
	return len(s)
}

// rawLength returns the length of a string of Rust that begins with r, br or cr, in which a
// backslash is plain; 0 if there is none.
func rawLength(s []byte) int {
	n := 0
	if n < len(s) && (s[n] == 'b' || s[n] == 'c') {
		n++
	}
	if n >= len(s) || s[n] != 'r' {
		return 0
	}
	marks := n + 1
	for marks < len(s) && s[marks] == '#' {
		marks++
	}
	if marks >= len(s) || s[marks] != '"' {
		return 0
	}
	return upTo(s, marks+1, `"`+strings.Repeat("#", marks-n-1))
}

// runeQuoted reports whether a quote of Rust begins a character: the next quote follows one, or a
// backslash.
func runeQuoted(s []byte) bool {
	if len(s) < 3 {
		return false
	}
	_, n := utf8.DecodeRune(s[1:])
	return s[1] == '\\' || 1+n < len(s) && s[1+n] == '\''
}

func signLength(s []byte) int {
	for _, op := range signs {
		if bytes.HasPrefix(s, []byte(op)) {
			return len(op)
		}
	}
	return 1
}

// Normal returns the tokens of a file, separated by spaces and without comments. Files with
// equal tokens are equivalent, except in languages with meaningful line breaks or indentation.
func Normal(filePath string, content []byte) string {
	lang := languageOf(filePath)
	if lang == nil || len(content) > maxFile {
		return strings.Join(strings.Fields(string(content)), " ")
	}
	var b strings.Builder
	b.Grow(len(content))
	for _, t := range lex(lang, content) {
		if t.kind != comment {
			b.Write(content[t.off:t.end])
			b.WriteByte(' ')
		}
	}
	return b.String()
}
