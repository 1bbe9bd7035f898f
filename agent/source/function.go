package source

import "strings"

// calledName matches a name before a parenthesis or bracket.
var calledName = Lazy(`([A-Za-z_~$][\w:~$.]*)\s*[(<\[]`)

// FunctionName returns the name in a hunk's heading, or the whole heading if no name precedes a
// parenthesis.
func FunctionName(section string) string {
	if m := calledName().FindStringSubmatch(section); m != nil {
		return m[1]
	}
	return strings.Join(strings.Fields(section), " ")
}

// LastName returns the last part of a qualified name, as written in a definition.
func LastName(name string) string {
	if i := strings.LastIndexAny(name, ":.~"); i >= 0 {
		name = name[i+1:]
	}
	return name
}
