package symbol

import (
	"bytes"
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"git-agent/agent/source"
	"git-agent/gitext"
)

// A Kind says in one word what a name denotes.
type Kind string

// The kinds that the form of a line distinguishes. A lookup by ctags has more kinds, in ctags'
// words: struct, class, enum, enumerator, member, typedef and others.
const (
	Function Kind = "function"
	Type     Kind = "type"
	Macro    Kind = "macro"
	Value    Kind = "value"

	Local     Kind = "local variable"
	Parameter Kind = "parameter"
)

// A Definition is a line that defines a name, or looks like it.
type Definition struct {
	Path  string
	Line  int
	Text  string // the line
	Kind  Kind
	Score int // confidence from the form of the line, higher is surer; set by Find only

	// A lookup sets these fields.
	End       int    // the last line, 0 if unknown
	Scope     string // the class, structure or package around it, "" if none or unknown
	Signature string // the parameters of a function or a macro, "" if unknown
	Declared  bool   // a declaration only: the definition is elsewhere
}

const (
	maxMatches  = 4000
	namesAtOnce = 40
)

// Find finds the definitions of names in the files of a commit. The list of each name has the
// surest definition first. Names that are no identifiers have an empty list. If files cannot be
// read, Find returns the definitions in the other files together with an error for which
// gitext.Unreadable is true.
func Find(ctx context.Context, repo *gitext.Repo, commit gitext.OID, names []string) (map[string][]Definition, error) {
	found := map[string][]Definition{}
	var unread error
	names = slices.DeleteFunc(slices.Clone(names), func(n string) bool {
		return !IsIdentifier(strings.ReplaceAll(n, ".", "")) && !isLispName(n) // R's have dots
	})
	for part := range slices.Chunk(names, namesAtOnce) {
		matches, err := repo.Grep(ctx, commit, gitext.GrepOptions{Pattern: pattern(part), Word: true, Max: maxMatches})
		if err != nil && !gitext.Unreadable(err) {
			return nil, err
		}
		unread = cmp.Or(unread, err)
		for _, m := range matches {
			text := string(m.Text)
			for _, name := range part {
				if d, ok := definition(m.Path, text, name); ok {
					d.Line = m.Line
					found[name] = append(found[name], d)
				}
			}
		}
	}
	for name, list := range found {
		slices.SortStableFunc(list, func(a, b Definition) int { return b.Score - a.Score })
		found[name] = withoutPrototypes(list, func(path string) [][]byte {
			text, err := repo.BlobAt(ctx, commit, path, maxFile)
			if err != nil {
				return nil // Grep has said what cannot be read
			}
			return bytes.Split(text, []byte("\n"))
		})
	}
	return found, unread
}

// IsIdentifier reports whether a text is a name as most languages have them.
func IsIdentifier(s string) bool {
	for i := range len(s) {
		if !source.IsIdentByte(s[i]) {
			return false
		}
	}
	return s != "" && (s[0] < '0' || s[0] > '9')
}

// Last returns the last part of a qualified name: "f" of "ns::C::f", of
// "pkg.(*T).f" and of "C->f". Destructors lose their tilde.
func Last(name string) string {
	if i := strings.LastIndex(name, "::"); i >= 0 {
		name = name[i+2:]
	}
	if i := strings.LastIndex(name, "->"); i > 0 && !strings.HasSuffix(name[:i], "operator") {
		name = name[i+2:] // a method of PHP
	}
	if i := strings.LastIndexAny(name, ".)/$`#"); i >= 0 {
		name = name[i+1:]
	}
	return strings.TrimLeft(strings.TrimPrefix(name, "s:"), "~*&") // s: is the scope of a script of Vim
}

// Scope returns the class or the namespace directly before the last part of a qualified name. It
// returns "" if there is none, or none that a definition would write.
func Scope(name string) string {
	i := strings.LastIndex(name, "::")
	if i < 0 {
		return ""
	}
	scope := Last(name[:i])
	if strings.Contains(scope, "anonymous") || !IsIdentifier(scope) {
		return ""
	}
	return scope
}

var (
	controlWord = source.Lazy(`^\s*(?:if|else|while|for|switch|return|case|do|goto|sizeof|delete|throw|assert|new|await|yield|print|echo|extern)\b`)
	keywordDef  = source.Lazy(
		`^\s*(?:(?:@\w+(?:\([^()]*\))?|pub(?:\([\w ]+\))?|export|default|async|static|public|private|fileprivate|protected|internal|abstract|final|override|open|inline|unsafe|extern|const|virtual|synchronized|suspend|mutating|dynamic|nonisolated|operator|tailrec|local|my) +)*(func|fn|defp|defmacrop?|def|function|sub|proc|fun|class|struct|interface|trait|enum|type|module|union|typedef|macro_rules!|#define|# *define)\b`,
	)
	typeWords = map[string]bool{
		"class":     true,
		"struct":    true,
		"interface": true,
		"trait":     true,
		"enum":      true,
		"type":      true,
		"union":     true,
		"typedef":   true,
		"module":    true,
	}
)

// definition reports whether a line looks like a definition of a name.
func definition(p, text, name string) (Definition, bool) {
	if source.IsLisp(p) {
		return ofLisp(p, text, name)
	}
	at := nameIndex(text, name)
	if at < 0 {
		return Definition{}, false
	}
	d := Definition{Path: p, Text: strings.TrimRight(text, " \t\r"), Kind: Function}
	before, after := text[:at], strings.TrimLeft(text[at+len(name):], " \t")
	trimmed := strings.TrimSpace(text)
	if strings.HasPrefix(trimmed, "//") || strings.HasPrefix(trimmed, "*") || strings.HasPrefix(trimmed, "/*") ||
		source.FileKindOf(p) == source.OtherFile {
		return d, false
	}
	if m := keywordDef().FindStringSubmatch(text); m != nil && !returnsTag(m[1], before, after) {
		return keywordDefinition(d, m[1], before, after)
	}
	if strings.EqualFold(path.Ext(p), ".r") {
		return ofR(d, before, after)
	}
	if !strings.HasPrefix(after, "(") || controlWord().MatchString(text) {
		return d, false
	}
	indented := text[0] == ' ' || text[0] == '\t'
	ends := strings.HasSuffix(d.Text, ";")
	header := isHeader(p)
	switch ext := strings.ToLower(path.Ext(p)); {
	case ext == ".erl" && at == 0:
		d.Score = 10 // a clause
	case !cLike[ext]:
		return d, false
	case ends && !strings.Contains(d.Text, "{"):
		return d, false // a call or a declaration
	case strings.ContainsAny(before, "=\"'.!&|(,?+/%[") || strings.HasSuffix(strings.TrimSpace(before), "->"):
		return d, false
	case !indented:
		d.Score = 10
	case classLike[ext]:
		// A method within a class needs a type or keyword before its name.
		if strings.TrimSpace(before) == "" && !strings.HasSuffix(d.Text, "{") {
			return d, false
		}
		d.Score = 6
	default:
		return d, false
	}
	if header {
		d.Score -= 3
	}
	if strings.HasSuffix(strings.TrimRight(before, " \t~"), "::") {
		d.Score += 2
	}
	if source.IsTestPath(p) {
		d.Score -= 4
	}
	return d, true
}

// assignsFunction matches the text behind the name of a function that R defines.
var assignsFunction = source.Lazy(`^(?:<<?-|=)\s*(?:function\b|\\\(|$)`)

// ofR judges a line of R, where functions are values of names.
func ofR(d Definition, before, after string) (Definition, bool) {
	if strings.TrimSpace(before) != "" || !assignsFunction().MatchString(after) {
		return d, false
	}
	if d.Score = 10; before != "" {
		d.Score = 6 // in another function
	}
	if source.IsTestPath(d.Path) {
		d.Score -= 4
	}
	return d, true
}

var (
	cLike = map[string]bool{
		".c": true, ".h": true, ".cc": true, ".cpp": true, ".cxx": true, ".c++": true, ".hh": true, ".hpp": true, ".hxx": true, ".inl": true, ".inc": true,
		".ipp": true, ".m": true, ".mm": true, ".cu": true, ".y": true, ".l": true, ".java": true, ".kt": true, ".cs": true, ".d": true, ".js": true, ".ts": true,
		".mjs": true, ".jsx": true, ".tsx": true, ".php": true, ".vala": true, ".scala": true, ".groovy": true, ".dart": true, ".s": true,
	}
	classLike = map[string]bool{
		".cc": true, ".cpp": true, ".cxx": true, ".hh": true, ".hpp": true, ".hxx": true, ".h": true, ".java": true, ".cs": true, ".js": true, ".ts": true,
		".mjs": true, ".jsx": true, ".tsx": true, ".kt": true, ".scala": true, ".groovy": true, ".dart": true, ".vala": true, ".php": true, ".mm": true, ".inl": true,
	}
)

// returnsTag reports whether a line is the heading of a function that returns a structure, rather
// than the definition of the structure: "static struct list *find(int n)".
func returnsTag(keyword, before, after string) bool {
	switch keyword {
	case "struct", "enum", "union":
		return strings.HasPrefix(after, "(") && !strings.HasSuffix(strings.TrimSpace(before), keyword)
	}
	return false
}

// keywordDefinition judges a line that begins with a word such as "func" or "#define".
func keywordDefinition(d Definition, keyword, before, after string) (Definition, bool) {
	last := strings.TrimSpace(before)
	if i := strings.LastIndexAny(last, " \t"); i >= 0 {
		if keyword == "proc" && strings.HasSuffix(last, "::") && !strings.HasPrefix(after, "::") {
			last = last[:i] // of Tcl, where the namespace is before the name
		} else {
			last = last[i+1:]
		}
	}
	isName := strings.HasSuffix(last, keyword) || strings.HasPrefix(keyword, "#") && strings.HasSuffix(last, "define") ||
		keyword == "func" && strings.HasSuffix(last, ")") || keyword == "function" || keyword == "def" && strings.HasSuffix(last, ".")
	if !isName {
		if keyword == "typedef" && strings.HasPrefix(after, ";") {
			d.Kind, d.Score = Type, 8
			return d, true
		}
		return d, false
	}
	switch {
	case typeWords[keyword]:
		if strings.HasPrefix(after, ";") || strings.HasPrefix(after, "*") {
			return d, false // a declaration or a variable
		}
		d.Kind, d.Score = Type, 9
	case strings.Contains(keyword, "define") || strings.HasPrefix(keyword, "macro"):
		d.Kind, d.Score = Macro, 9
	default:
		d.Score = 10
	}
	if source.IsTestPath(d.Path) {
		d.Score -= 4
	}
	return d, true
}

func isHeader(p string) bool {
	switch strings.ToLower(path.Ext(p)) {
	case ".h", ".hh", ".hpp", ".hxx":
		return true
	}
	return false
}

// nameIndex returns the index of name in a line that may define it, or -1. In "C::C(int n)" and
// "C::~C()", it is the second C.
func nameIndex(text, name string) int {
	first := source.WordIndex(text, name)
	for at := first; at >= 0; {
		end := at + len(name)
		if !strings.HasPrefix(text[end:], "::") {
			return at
		}
		next := source.WordIndex(text[end:], name)
		if next < 0 {
			break
		}
		at = end + next
	}
	return first
}
