package source

import "strings"

var calledName = Lazy(`([A-Za-z_~$][\w:~$.]*)\s*[(<\[]`)

// FunctionName is the name in a hunk's heading, or the heading itself where
// no name stands before a parenthesis.
func FunctionName(section string) string {
	if m := calledName().FindStringSubmatch(section); m != nil {
		return m[1]
	}
	return strings.Join(strings.Fields(section), " ")
}

// LastName is the part of a qualified name that a definition spells out.
func LastName(name string) string {
	if i := strings.LastIndexAny(name, ":.~"); i >= 0 {
		name = name[i+1:]
	}
	return name
}
