package localize

import (
	"bytes"
	"path"
	"regexp"
	"slices"

	"git-agent/agent/fix"
	"git-agent/agent/source"
)

// Code calls some functions without their names: in Rust, == and assert_ne! call eq, and in Java,
// assertEquals and the collections call equals. An implicit names the functions that an operator, a
// statement or a call of a library runs.
type implicit struct {
	form  func() *regexp.Regexp
	names []string
}

// implicits has the implicit calls of languages by the endings of their files. Operators that are
// part of other tokens have white space around them, as formatters write them.
var implicits = map[string][]implicit{
	".rs": {
		{source.Lazy(`==|!=|\b(?:debug_)?assert_(?:eq|ne)!`), []string{"eq", "ne"}},
		{source.Lazy(` [<>]=? |\.sort\w*\(|\.(?:min|max|binary_search)\(`), []string{"partial_cmp", "cmp", "lt", "le", "gt", "ge"}},
		{source.Lazy(` \+=? `), []string{"add", "add_assign"}},
		{source.Lazy(` -=? |[(,=] ?-\w`), []string{"sub", "sub_assign", "neg"}},
		{source.Lazy(` \*=? `), []string{"mul", "mul_assign"}},
		{source.Lazy(` [/%]=? `), []string{"div", "div_assign", "rem", "rem_assign"}},
		{source.Lazy(` (?:<<|>>)=? `), []string{"shl", "shr", "shl_assign", "shr_assign"}},
		{source.Lazy(`[\w)\]]\[`), []string{"index", "index_mut"}},
		{source.Lazy(`(?:^|[\s(=!&])\*[a-z(]`), []string{"deref", "deref_mut"}},
		{source.Lazy(`\bfor\b.*\bin\b|\.(?:collect|count|map|zip|fold)\(`), []string{"into_iter", "next", "from_iter"}},
		{source.Lazy(`\b(?:format|print|println|write|writeln)!|\.to_string\(`), []string{"fmt"}},
		{source.Lazy(`\.into\(|\?`), []string{"from", "into"}},
		{source.Lazy(`\.parse\b`), []string{"from_str"}},
	},
	".py": {
		{source.Lazy(`==|!=|\bassert(?:Not)?Equals?\(|\bassertIn\(`), []string{"__eq__", "__ne__"}},
		{source.Lazy(`[^-<>][<>]=?[^<>]|\b(?:sorted|min|max)\(|\.sort\(|\bassert(?:Less|Greater)`), []string{"__lt__", "__le__", "__gt__", "__ge__"}},
		{source.Lazy(`\bin\b|\bassert(?:Not)?In\(`), []string{"__contains__", "__iter__"}},
		{source.Lazy(`\bfor\b|\b(?:list|tuple|sorted|set|iter|next|sum|zip|map)\(`), []string{"__iter__", "__next__"}},
		{source.Lazy(`[\w)\]]\[`), []string{"__getitem__", "__setitem__", "__delitem__"}},
		{source.Lazy(`\b(?:len|bool|not|if)\b`), []string{"__len__", "__bool__"}},
		{source.Lazy(`\b(?:str|print|format)\(|\.format\(|\bf["']`), []string{"__str__", "__format__"}},
		{source.Lazy(`\brepr\(|!r\}`), []string{"__repr__"}},
		{source.Lazy(`\bhash\(|\b(?:set|dict|frozenset)\(`), []string{"__hash__"}},
		{source.Lazy(`\bwith\b`), []string{"__enter__", "__exit__", "__aenter__", "__aexit__"}},
		{source.Lazy(` \+=? `), []string{"__add__", "__radd__", "__iadd__"}},
		{source.Lazy(` -=? |[(,=] ?-\w`), []string{"__sub__", "__rsub__", "__isub__", "__neg__"}},
		{source.Lazy(` \*=? `), []string{"__mul__", "__rmul__", "__imul__"}},
		{source.Lazy(` (?://?|%)=? `), []string{"__truediv__", "__rtruediv__", "__floordiv__", "__mod__"}},
		{source.Lazy(` [|&^]=? `), []string{"__or__", "__ror__", "__and__", "__rand__", "__xor__"}},
	},
	".java": javaImplicits,
	".kt":   javaImplicits,
}

var javaImplicits = []implicit{
	{source.Lazy(`\bassert(?:Not)?Equals\b|\.(?:equals|contains|containsKey|containsAll|indexOf|remove|isEqualTo|isNotEqualTo)\(|\bequalTo\(`), []string{"equals", "hashCode"}},
	{source.Lazy(`\bHash(?:Set|Map)\b|\b(?:Set|Map)\.of\(`), []string{"hashCode", "equals"}},
	{source.Lazy(`\bTree(?:Set|Map)\b|\.?\bsort(?:ed)?\(|\b(?:isLessThan|isGreaterThan)\w*\(`), []string{"compareTo", "compare"}},
	{source.Lazy(`" \+|\+ "|\bvalueOf\(|\bformat\(|\bhasToString\(`), []string{"toString"}},
	{source.Lazy(`\bfor\b.*:`), []string{"iterator", "hasNext", "next"}},
	{source.Lazy(`\btry\s*\(`), []string{"close"}},
}

// implied returns the names of the functions that a line of code calls without naming them.
func implied(file string, line []byte) []string {
	forms := implicits[path.Ext(file)]
	if len(forms) == 0 || isComment(line) {
		return nil
	}
	comment := "//"
	if path.Ext(file) == ".py" {
		comment = "#"
	}
	line = withoutTexts(line[:min(len(line), maxLine)], comment)
	var out []string
	for _, f := range forms {
		if f.form().Match(line) {
			out = append(out, f.names...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// withoutTexts returns a line of code whose strings are empty, without the comment at its end.
func withoutTexts(line []byte, comment string) []byte {
	var out []byte
	var quote byte
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && quote != 0:
			i++
		case c == quote:
			quote = 0
			out = append(out, c)
		case quote != 0:
		case c == '"' || c == '`' || c == '\'' && bytes.IndexByte(line[i+1:], c) >= 0: // a lifetime has one
			quote = c
			out = append(out, c)
		case bytes.HasPrefix(line[i:], []byte(comment)):
			return out
		default:
			out = append(out, c)
		}
	}
	return out
}

// addImplied adds the functions that a line of a test calls without naming them. If it is known what
// the failing tests execute, only such functions count (see meanings), like those that are named.
// Otherwise they weigh as little as names without a call, because the operands may be of other types.
func (g *graph) addImplied(line []byte, weight float64, u *uses) {
	if g.executed == nil {
		weight *= mentioned
	}
	for _, name := range implied(u.file.path, line) {
		if len(g.byName[name]) > 0 {
			of := use{name: name, implied: true}
			u.weight[of] = max(u.weight[of], weight)
		}
	}
}

// executed returns the functions that failing tests execute; nil if nothing was measured.
func (s *search) executed() map[key]bool {
	var out map[key]bool
	for k, c := range s.at {
		if len(c.executed) > 0 {
			if out == nil {
				out = map[key]bool{}
			}
			out[k] = true
		}
	}
	return out
}

// operatorGrounds says that a failing test executes a function that its code calls without the
// name. Only this tells, for example, a comparison from all else that is executed.
func (s *search) operatorGrounds(c *candidate) []fix.Ground {
	if len(c.executed) == 0 || c.calls > 0 || !s.implies(c.name) {
		return nil
	}
	return []fix.Ground{{Source: fix.SourceReport, Text: "the failing test calls it by an operator or through the library"}}
}

// implies reports whether the failing tests call functions of a name without the name.
func (s *search) implies(name string) bool {
	if s.implied == nil {
		s.implied = map[string]bool{}
		for _, r := range s.regions {
			for l := r.lines.Start; l <= r.lines.End; l++ {
				for _, name := range implied(r.file.path, r.file.lines[l-1]) {
					s.implied[name] = true
				}
			}
		}
	}
	return s.implied[name]
}
