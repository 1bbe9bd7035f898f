package mutate

import (
	"slices"
	"strings"
)

// kinOf lists, by language, methods and functions of standard libraries that are mistaken for each
// other. Each line is a family: they take the same arguments, or nearly.
var kinOf = map[*language][]string{
	java: {
		"matches find lookingAt", "indexOf lastIndexOf", "equals equalsIgnoreCase startsWith endsWith contains", "min max", "floor ceil round",
		"add addAll", "put putIfAbsent", "get getOrDefault", "isEmpty isBlank", "toLowerCase toUpperCase", "isDigit isLetterOrDigit isLetter",
		"isWhitespace isSpaceChar", "isBefore isAfter", "getFirst getLast", "peek poll pop", "next peek", "anyMatch allMatch noneMatch",
		"trim strip", "replace replaceAll replaceFirst", "and or", "forEach forEachOrdered", "getDeclaredMethods getMethods", "getName getSimpleName",
		"getMessage toString",
		"computeIfAbsent putIfAbsent",
	},
	script: {
		"indexOf lastIndexOf", "includes startsWith endsWith", "slice substring", "some every", "find findLast", "findIndex findLastIndex",
		"push unshift", "pop shift", "trim trimStart trimEnd", "replace replaceAll", "keys values entries", "parseInt parseFloat Number",
		"min max", "floor ceil round trunc", "match matchAll exec", "map flatMap", "charCodeAt codePointAt", "isNaN isFinite isInteger isSafeInteger",
		"all allSettled race any", "getOwnPropertyNames keys", "toLowerCase toUpperCase", "encodeURI encodeURIComponent", "decodeURI decodeURIComponent",
		"has get", "concat push", "then finally catch", "reduce reduceRight",
	},
	rust: {
		"min max", "starts_with ends_with contains", "find rfind", "position rposition", "trim trim_start trim_end", "is_some is_none", "is_ok is_err",
		"any all", "skip take", "skip_while take_while", "chars bytes", "first last", "iter into_iter iter_mut", "unwrap unwrap_or_default",
		"saturating_sub wrapping_sub", "saturating_add wrapping_add", "saturating_mul wrapping_mul", "split split_inclusive", "splitn rsplitn",
		"split_once rsplit_once", "is_alphabetic is_alphanumeric", "is_ascii_digit is_ascii_hexdigit", "is_whitespace is_ascii_whitespace", "and_then map",
		"or or_else", "push_str insert_str", "push push_front push_back", "pop pop_front pop_back", "floor ceil round trunc", "insert entry",
		"to_lowercase to_ascii_lowercase", "peek next", "rev iter", "le_bytes be_bytes",
		"abs wrapping_abs unsigned_abs saturating_abs", "checked_add saturating_add wrapping_add", "checked_sub saturating_sub wrapping_sub",
		"checked_mul saturating_mul wrapping_mul",
		"map filter_map flat_map", "to_str to_string_lossy", "drain clear truncate", "extend append", "is_file exists is_dir",
		"from_le_bytes from_be_bytes", "to_le_bytes to_be_bytes",
	},
	python: {
		"startswith endswith", "find rfind", "index rindex", "strip lstrip rstrip", "split rsplit", "partition rpartition", "min max", "any all",
		"append extend", "match search fullmatch", "keys values items", "upper lower", "isdigit isnumeric isdecimal", "isinstance issubclass",
		"floor ceil", "sort sorted", "removeprefix lstrip", "removesuffix rstrip", "splitlines split", "remove discard", "pop popleft", "union intersection",
	},
}

// kin replaces a method or function of a standard library by another one of its family.
func (fn *Function) kin() []Edit {
	families := kinOf[fn.lang]
	if len(families) == 0 {
		return nil
	}
	var list []Edit
	for i := fn.body; i+1 < len(fn.toks); i++ {
		t := fn.toks[i]
		if t.kind != ident || !fn.is(fn.toks[i+1], "(") && !fn.is(fn.toks[i+1], "::") {
			continue
		}
		name := fn.str(t)
		for _, family := range families {
			names := strings.Fields(family)
			if !slices.Contains(names, name) {
				continue
			}
			for _, other := range names {
				if other != name {
					list = append(list, fn.edit(OpKin, t.off, t.end, other, "calls "+other+" instead of "+name))
				}
			}
		}
	}
	return list
}

// optional makes the changes for missing values that JavaScript and TypeScript have signs for: a
// member is read only if there is a value, and a default replaces only a missing value.
func (fn *Function) optional() []Edit {
	if fn.lang != script {
		return nil
	}
	var list []Edit
	for i := fn.body; i < len(fn.toks); i++ {
		t := fn.toks[i]
		switch {
		case fn.is(t, "||"):
			list = append(list, fn.edit(OpOptional, t.off, t.end, "??", "replaces the operator || by ??"))
		case fn.is(t, "??"):
			list = append(list, fn.edit(OpOptional, t.off, t.end, "||", "replaces the operator ?? by ||"))
		case i == 0 || fn.toks[i-1].kind != ident && !fn.isAny(fn.toks[i-1], ")", "]"):
		case fn.is(t, ".") && !fn.isAny(fn.toks[i-1], "this", "super", "Object", "Array", "Math", "JSON", "Number", "String"):
			list = append(list, fn.edit(OpOptional, t.off, t.end, "?.", "reads a member of "+fn.str(fn.toks[i-1])+" only if it has a value"))
		case fn.is(t, "?."):
			list = append(list, fn.edit(OpOptional, t.off, t.end, ".", "reads a member of "+fn.str(fn.toks[i-1])+" always"))
		}
	}
	return list
}

// patterns changes regular expressions of JavaScript and TypeScript: their flags, and whether they
// match at the beginning, or a number with a sign.
func (fn *Function) patterns() []Edit {
	if fn.lang != script {
		return nil
	}
	var list []Edit
	for i := fn.body; i < len(fn.toks); i++ {
		t := fn.toks[i]
		s := fn.str(t)
		end := strings.LastIndexByte(s, '/')
		if t.kind != text || s[0] != '/' || end < 2 {
			continue
		}
		flags := ""
		at := t.end
		if i+1 < len(fn.toks) && fn.toks[i+1].off == t.end && fn.toks[i+1].kind == ident {
			flags, at = fn.str(fn.toks[i+1]), fn.toks[i+1].end
		}
		for _, flag := range []string{"g", "i", "u", "s", "m"} {
			other := strings.ReplaceAll(flags, flag, "")
			if other == flags {
				other += flag
			}
			list = append(list, fn.edit(OpPattern, t.end, at, other, "gives the pattern "+short(s)+" the flags "+short(other)))
		}
		inner := s[1:end]
		for _, other := range otherPatterns(inner) {
			list = append(list, fn.edit(OpPattern, t.off, t.end, "/"+other+s[end:], "matches "+short("/"+other+"/")+" instead of "+short(s)))
		}
	}
	return list
}

// otherPatterns returns patterns near one.
func otherPatterns(p string) []string {
	var list []string
	if rest, ok := strings.CutPrefix(p, "^"); ok {
		list = append(list, rest, "^-?"+rest, "^[-+]?"+rest)
	} else {
		list = append(list, "^"+p)
	}
	if rest, ok := strings.CutSuffix(p, "$"); ok && !strings.HasSuffix(rest, `\`) {
		list = append(list, rest)
	} else {
		list = append(list, p+"$")
	}
	for i := 1; i < len(p); i++ {
		switch {
		case p[i-1] == '\\':
		case p[i] == '+':
			list = append(list, p[:i]+"*"+p[i+1:])
		case p[i] == '*':
			list = append(list, p[:i]+"+"+p[i+1:])
		}
	}
	return list
}

// ranges changes whether a range of Rust has its end.
func (fn *Function) ranges() []Edit {
	if fn.lang != rust {
		return nil
	}
	var list []Edit
	for i := fn.body; i+2 < len(fn.toks); i++ {
		a, b, c := fn.toks[i], fn.toks[i+1], fn.toks[i+2]
		if !fn.is(a, ".") || !fn.is(b, ".") || a.end != b.off {
			continue
		}
		if fn.is(c, "=") && c.off == b.end {
			list = append(list, fn.edit(OpOffByOne, a.off, c.end, "..", "leaves out the end of a range"))
		} else if !fn.isAny(c, "]", ")", "}", ".", ",") {
			list = append(list, fn.edit(OpOffByOne, a.off, b.end, "..=", "includes the end of a range"))
		}
	}
	return list
}
