package fixtrain

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// calls returns the names that the code of a message calls, once for each call. AutoFL reads calls
// only in code that the language's parser accepts as it stands.
func (m publishedMessage) calls(python bool) []string {
	if python {
		return pythonCalls(m.code("python"))
	}
	return javaCalls(m.code("java"))
}

var lineNumber = regexp.MustCompile(`(?m)^\s*\d+\s:\s`)

// code returns the code that a message shows; "" if it shows none.
func (m publishedMessage) code(language string) string {
	text := m.text()
	switch {
	case m.Role == "user" && strings.Contains(text, "```"+language):
	case m.Role == "function" && m.Name == "get_code_snippet":
		shown := ""
		if json.Unmarshal([]byte(text), &shown) != nil {
			return "" // an object that tells why there is none
		}
		text = shown
	default:
		return ""
	}
	text = lineNumber.ReplaceAllString(text, "")
	if _, fenced, ok := strings.Cut(text, "```"); ok {
		text, _, _ = strings.Cut(strings.TrimPrefix(fenced, language), "```")
	}
	return text
}

const pythonString = `(?:"""(?:\\.|[^\\])*?"""|'''(?:\\.|[^\\])*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')`

var (
	// pythonCall matches strings, comments, names that are no calls of a function by its bare name,
	// and such calls. The groups are a string whose fields are code, the name of a call, and a
	// backslash that ends no line, as before one of AutoFL's marks: with it, code is not Python.
	pythonCall = regexp.MustCompile(`(?s)\b(?:[fF][rR]?|[rR][fF])(` + pythonString + `)|` + pythonString +
		`|#[^\n]*|\b(?:def|class)\s+\w+|\.\s*\w+|\b(\w+)\s*\(|(\\[^\r\n])`)
	stringField = regexp.MustCompile(`\{\{|\}\}|\{([^{}]*)\}`)
)

// pythonCalls returns the bare names that code calls, once for each call. Indented code has none.
func pythonCalls(code string) []string {
	code = strings.TrimLeft(code, "\r\n")
	if code == "" || code[0] == ' ' || code[0] == '\t' {
		return nil
	}
	var list []string
	for _, m := range pythonCall.FindAllStringSubmatch(code, -1) {
		if m[3] != "" {
			return nil
		}
		for _, field := range stringField.FindAllStringSubmatch(m[1], -1) {
			list = append(list, pythonCalls(strings.TrimSpace(field[1]))...)
		}
		if m[2] != "" {
			list = append(list, m[2])
		}
	}
	return list
}

// javaToken matches comments, strings, and the tokens of Java that matter to calls.
var javaToken = regexp.MustCompile(`(?s)//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|([\w$]+|[^\w\s])`)

// javaCalls returns the names that a declaration calls, once for each call. Constructors and methods
// of a superclass are no calls for AutoFL. A declaration without its end has none.
func javaCalls(code string) []string {
	var tokens []string
	for _, m := range javaToken.FindAllStringSubmatch(code, -1) {
		if m[1] != "" {
			tokens = append(tokens, m[1])
		}
	}
	var list []string
	depth := 0
	for i, t := range tokens {
		switch t {
		case "{":
			depth++
		case "}":
			if depth--; depth <= 0 {
				return list
			}
		case "(":
			if name, ok := javaCall(tokens, i); ok {
				list = append(list, name)
			}
		case ";":
			if depth == 0 {
				return list
			}
		}
	}
	return nil
}

// javaCall returns the name of the call whose parenthesis is at an index.
func javaCall(tokens []string, open int) (string, bool) {
	at := open - 1
	if at < 0 || !isJavaName(tokens[at]) {
		return "", false
	}
	before := at - 1
	for before > 0 && tokens[before] == "." && isJavaName(tokens[before-1]) {
		before -= 2
	}
	if before >= 0 && (tokens[before] == "new" || tokens[before] == "@") {
		return "", false
	}
	if at > 1 && tokens[at-1] == "." && tokens[at-2] == "super" {
		return "", false
	}
	end := closingParen(tokens, open)
	if end+1 < len(tokens) && slices.Contains([]string{"{", "throws"}, tokens[end+1]) {
		return "", false // a declaration, or a statement with a block
	}
	return tokens[at], true
}

func isJavaName(token string) bool {
	return token[0] == '_' || token[0] == '$' || 'a' <= token[0]|0x20 && token[0]|0x20 <= 'z'
}

// closingParen returns the index of the parenthesis that closes one; the number of tokens if none does.
func closingParen(tokens []string, open int) int {
	depth := 0
	for i := open; i < len(tokens); i++ {
		switch tokens[i] {
		case "(":
			depth++
		case ")":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(tokens)
}
