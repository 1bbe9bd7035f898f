// Package source classifies the files, lines, words and functions of source code. It determines
// the language from the file's name.
//
// It works on paths and bytes alone: it reads no repository and starts no program. For an
// incomplete or broken file it returns a good guess, and never an error.
package source

import (
	"bytes"
	"path"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/alecthomas/chroma/v2"
)

// A LineKind classifies the content of a line of a source file.
type LineKind uint8

// The kinds of lines. A line with any code is code, even with a comment beside it. Blank lines
// inside a comment are blank.
const (
	LineCode    LineKind = iota
	LineBlank            // white space only
	LineComment          // only a comment or docstring
	LineBrace            // only closes or opens a block
	LineImport           // names definitions from other files
)

const (
	// MaxLexed limits the blob that is given to a lexer. Larger files are generated or data, and
	// regular expressions over them take seconds.
	MaxLexed = 1 << 20 // bytes
	// lexTime limits the time of a lexer for one file. Ordinary text stays below the limit: the
	// slowest lexers seen take about one second a megabyte.
	lexTime = 20 * time.Second
)

// LineKinds returns the kinds of the lines of a blob up to last, with line 1 at index 0. The
// file's name determines the lexer. A file without a lexer, larger than MaxLexed, not UTF-8 or
// binary has no comment lines, because a wrong guess would drop a line that may be the culprit's.
//
// Docstrings count as comments, as in the reference implementation, because a change of a
// docstring changes no behaviour. In Python, any string that is a statement is a docstring. A
// string passed to a function is code even when it begins a line. Text hidden by #if 0 counts as
// comment too. #include, #define and a first line with #! do not.
//
// Lines after last are not read: lexers read forward at about one megabyte a second, and would
// spend half of their time on these lines.
func LineKinds(path string, blob []byte, last int) []LineKind {
	lines := SplitLines(blob)
	lines = lines[:min(last, len(lines))]
	kinds := make([]LineKind, len(lines))
	seen := make([]lineParts, len(lines))
	if toks, ok := lex(path, blob, last); ok {
		markParts(toks, seen)
	} else {
		for i, l := range lines {
			seen[i].code = l
		}
	}
	for i := range kinds {
		kinds[i] = seen[i].kind()
	}
	return kinds
}

// lineParts describes the tokens on one line.
type lineParts struct {
	comment bool
	literal bool // part of a string or heredoc
	begun   bool // code has more than white space
	code    []byte
}

func (p *lineParts) kind() LineKind {
	code := string(bytes.TrimSpace(p.code))
	switch {
	case code == "" && p.comment:
		return LineComment
	case code == "":
		return LineBlank
	case p.literal:
		return LineCode
	case isBrace(code):
		return LineBrace
	case IsImport(code):
		return LineImport
	}
	return LineCode
}

// markParts adds each token to its lines.
func markParts(toks []chroma.Token, seen []lineParts) {
	line := 0
	for _, t := range toks {
		for i, piece := range strings.Split(t.Value, "\n") {
			if i > 0 {
				line++
			}
			if line >= len(seen) {
				return
			}
			markPiece(&seen[line], t.Type, piece)
		}
	}
}

// markPiece adds a token to its line. A line of a megabyte may have as many tokens, so this looks only at the token.
func markPiece(p *lineParts, typ chroma.TokenType, piece string) {
	blank := strings.TrimSpace(piece) == ""
	if isComment(typ) {
		p.comment = p.comment || !blank
		p.code = append(p.code, ' ') // a comment separates two words
		return
	}
	p.code = append(p.code, piece...)
	if typ.InSubCategory(chroma.LiteralString) && !blank && !p.begun {
		p.literal = true // the line begins inside a string
	}
	p.begun = p.begun || !blank
}

func isComment(t chroma.TokenType) bool {
	return t == chroma.LiteralStringDoc ||
		t.InCategory(chroma.Comment) && !t.InSubCategory(chroma.CommentPreproc) && t != chroma.CommentHashbang
}

// closers are the words that only close or open a block.
var closers = map[string]bool{
	"end": true, "fi": true, "done": true, "esac": true, "endif": true, "begin": true, "then": true, "do": true,
	"else": true, "try": true, "finally": true, "endfunction": true, "#endif": true, "#else": true,
}

func isBrace(code string) bool {
	word := strings.Trim(code, "{}()[];,: \t")
	return word == "" || closers[strings.ToLower(word)]
}

// IsImport reports whether a line of code names definitions from other files. It examines only
// the first word: lexers disagree on the type of these words, but agree that they are neither
// comment nor string.
func IsImport(code string) bool {
	code = strings.TrimSpace(code)
	if strings.HasPrefix(code, "#") {
		code = "#" + strings.TrimLeft(code[1:], " \t") // # include
	}
	first, rest, _ := strings.Cut(strings.ReplaceAll(code, "\t", " "), " ")
	first = strings.TrimSuffix(strings.ToLower(first), ";")
	call := false
	if i := strings.IndexAny(first, "(<\"'"); i > 0 {
		call, first = first[i] == '(', first[:i]
	}
	switch first {
	case "#include", "#import", "import", "include", "include_once", "require", "require_once", "require_relative", "extern":
		return first != "extern" || strings.HasPrefix(rest, "crate ")
	case "from":
		return strings.Contains(rest, "import")
	case "use", "using", "package", "namespace":
		// using (x) {...} and use(n + 1) call something.
		return rest != "" && !call && !strings.HasPrefix(strings.TrimSpace(rest), "(")
	}
	return false
}

// known maps base names to lexers, because matching a name against the patterns of
// all lexers takes 2 ms.
var known sync.Map // string -> chroma.Lexer

// maxBase is the longest name that file systems allow. A tree may have a longer one,
// and matching a megabyte against the patterns of all lexers takes minutes.
const maxBase = 255

// lexerFor returns the lexer for the name of a file, or nil.
func lexerFor(name string) chroma.Lexer {
	base := path.Base(name)
	if len(base) > maxBase {
		return nil
	}
	if l, ok := known.Load(base); ok {
		return l.(chroma.Lexer)
	}
	l := registry().Match(base)
	if l != nil {
		known.Store(base, l)
	}
	return l
}

// lex returns the tokens of a blob, at least to the end of line last. It returns false if no
// lexer knows the file's name, or if the lexer's output cannot be trusted.
func lex(path string, blob []byte, last int) (toks []chroma.Token, ok bool) {
	if len(blob) > MaxLexed || !utf8.Valid(blob) || bytes.IndexByte(blob, 0) >= 0 {
		return nil, false
	}
	lexer := lexerFor(path)
	if lexer == nil {
		return nil, false
	}
	// A lexer that meets a rule error panics inside the iterator.
	defer func() {
		if recover() != nil {
			toks, ok = nil, false
		}
	}()
	// EnsureLF would turn a lone CR into a line of its own, which git does not.
	text := strings.ReplaceAll(string(blob), "\r", " ")
	next, err := lexer.Tokenise(&chroma.TokeniseOptions{State: "root"}, text)
	if err != nil {
		return nil, false
	}
	toks, ok = drain(next, len(text), last)
	switch name := lexer.Config().Name; {
	case !ok:
	case strings.HasPrefix(name, "Python"):
		markDocstrings(toks)
	case name == "YAML" || name == "Nix":
		noDocstrings(toks)
	}
	return toks, ok
}

// noDocstrings turns docstrings into strings in languages without docstrings: there the lexers
// confuse them with a block of text, which in YAML is often a script, and with an address.
func noDocstrings(toks []chroma.Token) {
	for i := range toks {
		if toks[i].Type == chroma.LiteralStringDoc {
			toks[i].Type = chroma.LiteralString
		}
	}
}

// drain reads the tokens. It checks that they cover the whole text or reach beyond line last.
func drain(next chroma.Iterator, size, last int) ([]chroma.Token, bool) {
	var toks []chroma.Token
	limit := time.Now().Add(lexTime)
	read, line := 0, 1
	for t := next(); t != chroma.EOF; t = next() {
		toks = append(toks, t)
		read += len(t.Value)
		if line += strings.Count(t.Value, "\n"); line-1 > last {
			return toks, true
		}
		if len(toks)%4096 == 0 && time.Now().After(limit) {
			return nil, false
		}
	}
	return toks, read >= size
}

// markDocstrings gives Python's docstrings the type that other lexers use for docstrings.
// Chroma's Python lexer types them as ordinary strings. A docstring stands at the start of a
// logical line, outside brackets, with nothing after it.
func markDocstrings(toks []chroma.Token) {
	depth, fresh := 0, true
	for i := 0; i < len(toks); i++ {
		t := toks[i]
		switch {
		case t.Type.InSubCategory(chroma.LiteralString):
			end := i
			for end < len(toks) && toks[end].Type.InSubCategory(chroma.LiteralString) {
				end++
			}
			if fresh && depth == 0 && endsLine(toks[end:]) {
				for j := i; j < end; j++ {
					toks[j].Type = chroma.LiteralStringDoc
				}
			}
			fresh, i = false, end-1
		case isComment(t.Type):
		case strings.TrimSpace(t.Value) == "":
			fresh = fresh || strings.Contains(t.Value, "\n")
		default:
			fresh = strings.HasSuffix(t.Value, "\n") && !strings.HasSuffix(t.Value, "\\\n")
			depth += strings.Count(t.Value, "(") + strings.Count(t.Value, "[") + strings.Count(t.Value, "{")
			depth -= strings.Count(t.Value, ")") + strings.Count(t.Value, "]") + strings.Count(t.Value, "}")
		}
	}
}

// endsLine reports whether only a comment comes before the next LF.
func endsLine(toks []chroma.Token) bool {
	for _, t := range toks {
		if isComment(t.Type) {
			continue
		}
		head, _, found := strings.Cut(t.Value, "\n")
		if strings.TrimSpace(head) != "" {
			return false
		}
		if found {
			return true
		}
	}
	return true
}

// SplitLines cuts a blob into lines as git does: at LF, with no line after the last
// LF.
func SplitLines(blob []byte) [][]byte {
	if len(blob) == 0 {
		return nil
	}
	return bytes.Split(bytes.TrimSuffix(blob, []byte("\n")), []byte("\n"))
}
