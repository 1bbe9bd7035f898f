package history

import (
	"path"
	"regexp"
	"strings"

	"git-agent/agent/source"
)

// A function is a function of a file.
type function struct {
	name   string
	extent source.Extent
}

// functions returns the functions of a file, in its order. Nested functions count as a
// part of the outermost one.
func functions(file string, lines [][]byte) []function {
	var out []function
	for at := 1; at <= len(lines) && len(out) < maxFunctions; {
		e, ok := source.FunctionAround(file, lines, at)
		if !ok || e.End < at {
			at++
			continue
		}
		if name := functionName(file, heading(lines, e)); name != "" {
			out = append(out, function{name, e})
		}
		at = e.End + 1
	}
	return out
}

const maxFunctions = 2000 // of one file

// heading returns the heading of a function on one line.
func heading(lines [][]byte, e source.Extent) string {
	var b strings.Builder
	for i := max(e.Start, 1); i <= min(e.Body, len(lines)) && b.Len() < maxHeadingBytes; i++ {
		text := string(lines[i-1][:min(len(lines[i-1]), maxHeadingBytes)])
		if c := strings.Index(text, "//"); c >= 0 && !strings.ContainsAny(text[:c], `"'`) {
			text = text[:c]
		}
		b.WriteString(strings.TrimSpace(text) + " ")
	}
	return strings.TrimSpace(b.String())
}

const maxHeadingBytes = 2000

// These find the name in a heading where a keyword tells it.
var (
	goName     = source.Lazy(`\bfunc\s+(?:\(\s*(?:\w+\s+)?\*?\s*(\w+)[^)]*\)\s*)?([\pL_][\pL\pN_]*)`)
	wordedName = map[string]source.Pattern{
		".py": pythonName, ".pyx": pythonName, ".in": pythonName,
		".rs":    source.Lazy(`\bfn\s+([\w]+)`),
		".kt":    source.Lazy(`\bfun\s+(?:<[^>]*>\s*)?([\w.]+)`),
		".swift": source.Lazy(`\bfunc\s+([\w]+)`),
		".php":   source.Lazy(`\bfunction\s+&?\s*(\w+)`),
	}
	pythonName = source.Lazy(`\bdef\s+(\w+)`)
	scriptName = source.Lazy(`\bfunction\b\s*\*?\s*([\w$]+)\s*\(|([\w$.]+)\s*[:=]\s*(?:async\s+)?(?:function\b|\(|[\w$]+\s*=>)`)
	scripts    = map[string]bool{".js": true, ".mjs": true, ".cjs": true, ".jsx": true, ".ts": true, ".tsx": true}
)

// functionName returns the name in the heading of a function, with the receiver of a Go
// method, or "".
func functionName(file, heading string) string {
	ext := strings.ToLower(path.Ext(file))
	switch pattern := wordedName[ext]; {
	case ext == ".go":
		m := goName().FindStringSubmatch(heading)
		if m == nil {
			return ""
		}
		if m[1] != "" {
			return m[1] + "." + m[2]
		}
		return m[2]
	case pattern != nil:
		return firstGroup(pattern(), heading)
	case scripts[ext]:
		if name := firstGroup(scriptName(), heading); name != "" {
			return name
		}
	}
	return declaredName(heading)
}

func firstGroup(pattern *regexp.Regexp, text string) string {
	m := pattern.FindStringSubmatch(text)
	for i := 1; i < len(m); i++ {
		if m[i] != "" {
			return m[i]
		}
	}
	return ""
}

// beforeParameters matches a name and the parenthesis that follows it.
var beforeParameters = source.Lazy(`((?:\w+::)*operator\s*[^\s\w(]+|[~\pL_$][\pL\pN_:~$.]*)\s*(?:<[^<>()]*>\s*)?\(`)

// attributes are names before a parenthesis that are no function's.
var attributes = map[string]bool{"__attribute__": true, "noexcept": true, "throw": true, "__asm__": true, "decltype": true, "alignas": true, "requires": true, "__declspec": true}

// declaredName returns the name before the parameters in a heading of C, C++, Java and
// languages like them. Macros and attributes stand before or after the name, each with
// parentheses of its own: taken is the last name outside of parentheses that is none.
func declaredName(heading string) string {
	best, macro := "", ""
	for _, m := range beforeParameters().FindAllStringSubmatchIndex(heading, -1) {
		name := strings.TrimRight(heading[m[2]:m[3]], ":.")
		before := heading[:m[2]]
		switch {
		case name == "" || attributes[name] || strings.Count(before, "(") > strings.Count(before, ")"):
		case best != "" && beginsInitializers(before):
			return best
		case name == strings.ToUpper(name) && len(name) > 1 && !strings.HasPrefix(name, "operator"):
			if macro == "" {
				macro = name
			}
		default:
			best = name
		}
	}
	if best == "" {
		return macro
	}
	return best
}

// beginsInitializers reports whether a heading's beginning has a colon after its
// parameters, as before the initializers of a C++ constructor.
func beginsInitializers(before string) bool {
	i := strings.LastIndexByte(before, ')')
	return i >= 0 && strings.Contains(strings.ReplaceAll(before, "::", ""), ") :") || i >= 0 && strings.HasPrefix(strings.TrimSpace(before[i+1:]), ":")
}
