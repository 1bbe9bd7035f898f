package source

import (
	"path"
	"strings"
	"sync"
)

// An Extent is the range of lines of a function, from 1, both ends included. Start is the first
// line of its heading, including the return type and annotations. Body is the line that opens the
// body.
type Extent struct{ Start, Body, End int }

// Limits on the search for a function.
const (
	maxHeading   = 40               // lines of a heading; one of qs has 20
	maxFunction  = 5000             // lines of a function
	maxFollowed  = 10 * maxFunction // lines that are read to find the ends of nested functions
	maxRead      = 1000             // bytes of a line
	wideFunction = 400              // least lines of a function in a script that may only wrap the file
)

// FunctionAround returns the lines of the function around a line, which counts from 1. It looks
// at indentation and at the words of headings, so it needs no grammar and reads code that does
// not compile. Where the braces of a file are in pairs, a function ends with its brace, because
// indentation of tabs and spaces has no certain width. Among nested functions it returns the outermost, except a JavaScript function that
// wraps a whole file. It returns false for a line outside of functions.
func FunctionAround(filePath string, lines [][]byte, line int) (Extent, bool) {
	if line < 1 || line > len(lines) {
		return Extent{}, false
	}
	if e, found, known := withoutBraces(filePath, lines, line); known {
		return e, found
	}
	l := newLayout(filePath, lines)
	var best Extent
	found := false
	take := func(e Extent) {
		if e.End >= line && (!found || !l.rules.wraps || e.End-e.Start < wideFunction) {
			best, found = e, true
		}
	}
	if e, ok := l.headingAt(line - 1); ok {
		take(e)
	}
	l.enclosing(line-1, take)
	return best, found
}

// rules describe the headings of a language.
type rules struct {
	indented bool   // blocks are marked by indentation alone
	wraps    bool   // functions may wrap whole files
	java     bool   // blocks without parameters may be code of a class, see javaBlock
	word     string // the keyword of each function, "" if the language has none
}

func rulesFor(filePath string) rules {
	switch strings.ToLower(path.Ext(filePath)) {
	case ".py", ".pyx", ".in": // Python programs that a build completes end in .in
		return rules{indented: true, word: "def"}
	case ".java":
		return rules{java: true}
	case ".rs":
		return rules{word: "fn"}
	case ".go":
		return rules{word: "func"}
	case ".kt", ".kts":
		return rules{word: "fun"}
	case ".swift":
		return rules{word: "func"}
	case ".php":
		return rules{word: "function"}
	case ".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx", ".mts", ".cts":
		return rules{wraps: true}
	}
	return rules{}
}

// A layout reads a file by its indentation. Its lines count from 0.
type layout struct {
	lines    [][]byte
	rules    rules
	followed *int // lines that were read to find the ends of functions
	braces   func() *braces
}

func newLayout(filePath string, lines [][]byte) layout {
	pairs := sync.OnceValue(func() *braces { return matched.of(filePath, lines) })
	return layout{lines: lines, rules: rulesFor(filePath), followed: new(int), braces: pairs}
}

// text returns the first part of a line without surrounding space.
func (l layout) text(i int) string {
	return strings.TrimSpace(string(l.lines[i][:min(len(l.lines[i]), maxRead)]))
}

// indent returns the width of a line's leading space. A tab reaches to the next multiple of
// eight.
func (l layout) indent(i int) int {
	n := 0
	for _, c := range l.lines[i][:min(len(l.lines[i]), maxRead)] {
		switch c {
		case ' ':
			n++
		case '\t':
			n += 8 - n%8
		default:
			return n
		}
	}
	return n
}

// enclosing calls take with the functions around a line, the innermost first. It stops at the
// heading of a class, because its methods are not part of another function, and at functions
// nested so deeply that their lines would be read too often.
func (l layout) enclosing(at int, take func(Extent)) {
	margin, pairs := l.margin(at), l.braces()
	for i := at - 1; i >= 0 && at-i < maxFunction && margin > 0 && *l.followed < maxFollowed; i-- {
		if l.transparent(i) || l.indent(i) >= margin {
			continue
		}
		start, body, ok := l.headingEnding(i)
		if !ok && pairs == nil {
			margin = l.indent(i)
		}
		if !ok || pairs != nil && int(pairs.closes[body]) < at {
			continue // it opens no block, or one that ends before the line
		}
		margin = min(l.indent(i), l.indent(start))
		switch heading := l.join(start, body); {
		case isTypeHeading(heading):
			return
		case l.isFunction(heading):
			take(l.extent(start, body))
		}
	}
}

// margin returns the indentation of a line, or of the next line with text.
func (l layout) margin(at int) int {
	for i := at; i < len(l.lines) && i < at+maxHeading; i++ {
		if !l.transparent(i) {
			n := l.indent(i)
			if closesBlock(l.text(i)) {
				n++ // a closing brace belongs to the block
			}
			return n
		}
	}
	return 1
}

// transparent reports whether a line says nothing about the block around it: blank lines,
// preprocessor directives, labels, and comments at the margin.
func (l layout) transparent(i int) bool {
	t := l.text(i)
	if t == "" || strings.HasPrefix(t, "//") || strings.HasPrefix(t, "/*") || strings.HasPrefix(t, "*") {
		return true
	}
	if t[0] == '#' && (!l.rules.wraps || t[1:] == "" || t[1] == '!') { // in a script, it begins a private name
		return true
	}
	return !l.rules.indented && isLabel(t)
}

// isLabel reports whether a text is the target of a goto, a case of a switch, or an access
// specifier.
func isLabel(t string) bool {
	t = withoutComment(t)
	if strings.HasPrefix(t, "case ") || strings.HasPrefix(t, "default:") {
		return true
	}
	word := strings.TrimRight(t, ":; ")
	return strings.Contains(t, ":") && word != "" && !strings.ContainsFunc(word, func(r rune) bool {
		return r >= 0x80 || !IsIdentByte(byte(r))
	})
}

// headingEnding returns the heading of the block that opens at line i: the first line of the
// heading, and the line that opens the body. It returns false if the line opens no block.
func (l layout) headingEnding(i int) (start, body int, ok bool) {
	i = l.opening(i)
	comment := false // a comment that began since line i goes on
	for body = i; body < len(l.lines) && body < i+maxHeading; body++ {
		t := l.code(body)
		begins, ends := strings.LastIndex(t, "/*"), strings.LastIndex(t, "*/")
		if ends > begins && !comment && !l.rules.indented && strings.HasSuffix(t, "*/") && !strings.Contains(t[:ends], "/*") {
			break // line i is inside of a comment
		}
		comment = begins > ends || comment && ends < 0
		if body > i && l.rules.wraps && (t == "*" || strings.HasPrefix(t, "* ") || strings.HasPrefix(t, "/**")) {
			break // documentation of the next declaration, which may show code
		}
		if l.opens(t) {
			if first, last, ok := l.parameters(body); ok {
				return l.headingStart(first, first), last, true
			}
			start = i
			if t == "{" && body == i && i > 0 {
				start--
			}
			return l.headingStart(start, body), body, true
		}
		if t == "" || strings.HasSuffix(t, ";") || closesBlock(t) && !l.inBrackets(i, body) {
			break
		}
	}
	return 0, 0, false
}

// parameters returns the first and the last line of a parameter list of a script with a line for
// each parameter, or for each name that is taken from an object, as in "f({". The line at is one of
// the two.
func (l layout) parameters(at int) (first, last int, ok bool) {
	if !l.rules.wraps {
		return 0, 0, false
	}
	first, last = at, at
	if strings.HasSuffix(withoutComment(l.text(at)), "({") {
		for last++; last < len(l.lines) && last < at+maxHeading && (l.text(last) == "" || l.indent(last) > l.indent(at)); last++ {
		}
	} else if closesBlock(l.text(at)) {
		for first--; first >= 0 && first > at-maxHeading && (l.text(first) == "" || l.indent(first) > l.indent(at)); first-- {
		}
	}
	if first < 0 || last >= len(l.lines) || first == last || l.indent(first) != l.indent(last) {
		return 0, 0, false
	}
	begins, ends := withoutComment(l.text(first)), withoutComment(l.text(last))
	object := strings.HasSuffix(begins, "({") && strings.HasPrefix(ends, "}")
	return first, last, (object || strings.HasSuffix(begins, "(") && strings.HasPrefix(ends, ")")) && strings.Contains(ends, ")") && l.opens(ends)
}

// opens reports whether the text of a line ends with the opening of a block.
func (l layout) opens(t string) bool {
	if l.rules.indented {
		return strings.HasSuffix(t, ":")
	}
	return strings.HasSuffix(t, "{") || strings.HasPrefix(t, "{")
}

// headingStart returns the first line of the heading that contains the line at. A heading starts
// after the end of a statement.
func (l layout) headingStart(at, body int) int {
	if l.endsStatement(at) && at < body {
		return body // a block of its own
	}
	for at > 0 && body-at < maxHeading && !l.endsStatement(at-1) && l.indent(at-1) <= l.indent(body)+8 {
		if l.rules.indented && !strings.HasPrefix(l.text(at-1), "@") {
			break
		}
		at--
	}
	return at
}

// endsStatement reports whether a line ends a statement, so that a heading cannot extend over it.
func (l layout) endsStatement(i int) bool {
	t := l.code(i)
	if t == "" || strings.HasSuffix(l.text(i), "*/") || t[0] == '#' && !strings.HasPrefix(t, "#[") || t[0] == '*' || isLabel(t) {
		return true
	}
	last := t[len(t)-1]
	return last == ';' || last == '}' || last == '{' || strings.HasSuffix(t, "},") || l.rules.indented && last == ':'
}

// withoutComment returns a line's text without a trailing comment.
func withoutComment(t string) string {
	if i := strings.Index(t, " //"); i >= 0 {
		t = t[:i]
	}
	if i := strings.LastIndex(t, "/*"); i >= 0 && strings.HasSuffix(t, "*/") {
		t = t[:i]
	}
	if strings.HasPrefix(t, "//") {
		return ""
	}
	return strings.TrimSpace(t)
}

// headingAt returns the function whose heading contains the line.
func (l layout) headingAt(at int) (Extent, bool) {
	if l.transparent(at) {
		return Extent{}, false
	}
	start, body, ok := l.headingEnding(at)
	if t := withoutComment(l.text(at)); !ok && !l.rules.indented && l.closesItself(t) && strings.Contains(t, "{") {
		start, body, ok = l.headingStart(at, at), at, true // the whole function is on the line
	}
	if !ok {
		return Extent{}, false
	}
	if h := l.join(start, body); !l.isFunction(h) || declaresType(h) {
		return Extent{}, false
	}
	return l.extent(start, body), true
}

// closesItself reports whether the text of a line ends with the end of a block. In a script, the
// statement that assigns a function ends with a semicolon: "exports.f = function () { return 1; };".
func (l layout) closesItself(t string) bool {
	return strings.HasSuffix(t, "}") || l.rules.wraps && strings.HasSuffix(t, "};")
}

func (l layout) join(start, body int) string {
	var b strings.Builder
	for i := start; i <= body && i < start+2*maxHeading; i++ {
		b.WriteString(withoutComment(l.text(i)))
		b.WriteByte(' ')
	}
	return strings.TrimSpace(b.String())
}

// control are the words at the beginning of a block within a function.
var control = WordSet(`if else for while switch do try catch finally return match loop select unless until with
	elif except case when synchronized using lock foreach new defer go throw yield await unsafe`)

// modifiers are the words that may precede the keyword of a heading.
var modifiers = WordSet(`public private protected internal static final abstract sealed pub export default
	extern inline const data open override virtual typedef template async unsafe partial`)

// withoutAnnotations removes the annotations and their arguments from the beginning of a heading.
func withoutAnnotations(heading string) string {
	for strings.HasPrefix(heading, "@") {
		i := 1
		for i < len(heading) && (IsIdentByte(heading[i]) || heading[i] == '.') {
			i++
		}
		if i < len(heading) && heading[i] == '(' {
			end := closing(heading, i)
			if end == 0 {
				return heading
			}
			i = end
		}
		heading = strings.TrimLeft(heading[i:], " \t")
	}
	return heading
}

// typeWord matches the beginning of a type declaration, which may have parentheses.
var typeWord = Lazy(
	`^(?:(?:public|private|protected|internal|static|final|abstract|sealed|pub|export|default|data|open|partial)\s+)*(?:class|interface|enum|record|trait|impl|namespace)\b`,
)

// declaresType reports whether a heading declares a type. The heading may have parentheses, such
// as those of an annotation or of a record.
func declaresType(heading string) bool { return typeWord().MatchString(withoutAnnotations(heading)) }

// isTypeHeading reports whether a heading belongs to a class or to another container of methods.
func isTypeHeading(heading string) bool {
	heading = withoutAnnotations(heading)
	for _, w := range strings.Fields(heading) {
		if i := strings.IndexAny(w, "<({:"); i > 0 {
			w = w[:i]
		}
		switch w {
		case "class", "interface", "trait", "impl", "mod", "namespace", "record", "object", "protocol", "extension":
			return true
		case "struct", "union", "enum":
			return !strings.Contains(heading, ")")
		case `"C"`:
			return true
		}
		if !modifiers[w] && !strings.HasPrefix(w, "@") {
			return false
		}
	}
	return false
}

// isFunction reports whether a heading belongs to a function.
func (l layout) isFunction(heading string) bool {
	heading = strings.TrimLeft(heading, "} ")
	first, _, _ := strings.Cut(heading, " ")
	if i := strings.IndexAny(first, "({:"); i >= 0 {
		first = first[:i]
	}
	if control[first] || first == "else" {
		return false
	}
	if l.rules.word != "" {
		return hasWord(heading, l.rules.word)
	}
	if l.rules.java && annotatesType(heading) {
		return false
	}
	if l.rules.java && javaBlock(heading) != "" {
		return true
	}
	open := strings.IndexByte(heading, '(')
	if open < 0 {
		return false
	}
	if hasWord(heading, "function") || strings.Contains(heading, "=>") {
		return true
	}
	return !strings.Contains(heading[:open], "=") || strings.Contains(heading[:open], "operator")
}

// hasWord reports whether a text contains a word.
func hasWord(text, word string) bool {
	for i := 0; ; {
		n := strings.Index(text[i:], word)
		if n < 0 {
			return false
		}
		n += i
		end := n + len(word)
		if (n == 0 || !IsIdentByte(text[n-1])) && (end == len(text) || !IsIdentByte(text[end])) {
			return true
		}
		i = end
	}
}

// extent returns the lines of the block that a heading opens.
func (l layout) extent(start, body int) Extent {
	if t := withoutComment(l.text(body)); !l.rules.indented && l.closesItself(t) {
		return Extent{Start: start + 1, Body: body + 1, End: body + 1} // the whole body is on the line
	}
	if pairs := l.braces(); pairs != nil && pairs.closes[body] >= 0 {
		end := int(pairs.closes[body])
		for end+1 < len(l.lines) && strings.HasPrefix(l.text(end+1), ")") {
			end++ // the end of the call that the function is passed to
		}
		*l.followed += end - body
		return Extent{Start: start + 1, Body: body + 1, End: end + 1}
	}
	return l.extentByColumns(start, body)
}

// extentByColumns returns the lines of a block by its indentation.
func (l layout) extentByColumns(start, body int) Extent {
	e := Extent{Start: start + 1, Body: body + 1, End: body + 1}
	base := min(l.indent(start), l.indent(body))
	for i := body + 1; i < len(l.lines) && i-start < maxFunction; i++ {
		*l.followed++
		t := l.text(i)
		if t == "" || l.indent(i) > base {
			if t != "" {
				e.End = i + 1
			}
			continue
		}
		switch {
		case closesBlock(t) && (!l.rules.indented || t[0] != '}'):
			e.End = i + 1
			if !l.rules.indented && l.indent(i) <= base {
				return e
			}
		case l.transparent(i) && !(l.rules.indented && t[0] == '@'):
		case !l.rules.indented && l.indent(i) == base && base == 0 && t[0] == '{':
		case l.rules.indented:
			return e
		}
	}
	return e
}

// closesBlock reports whether a text begins with the end of a block or a list.
func closesBlock(t string) bool {
	return t != "" && (t[0] == '}' || t[0] == ')' || t[0] == ']')
}
