package format

import "strings"

// scalaSigns are the characters of operators, as the compiler of Scala writes them into the names of methods.
var scalaSigns = strings.NewReplacer(
	"$less", "<", "$greater", ">", "$eq", "=", "$plus", "+", "$minus", "-", "$times", "*", "$div", "/", "$percent", "%", "$colon", ":",
	"$bar", "|", "$amp", "&", "$bang", "!", "$qmark", "?", "$tilde", "~", "$at", "@", "$hash", "#", "$up", "^", "$bslash", "\\",
)

// scalaMethod returns the name of a function of Scala as the source has it, with the characters of operators: Policy.$bar$bar$extension, a
// method of a class of values, is Policy.||.
func scalaMethod(name string) string {
	i := strings.LastIndexByte(name, '.')
	return name[:i+1] + scalaSigns.Replace(strings.TrimSuffix(name[i+1:], "$extension"))
}
