package source

import "strings"

var (
	// A field that holds a lambda with a body.
	javaLambda = Lazy(`^(?:@\w+ )*[\w<>\[\],.?@ ]+\s(\w+)\s*=\s[^;{]*->\s*\{$`)
	// A constructor of a record without parameters. Constants of an enum, which have bodies too, are
	// in capitals.
	javaCompact = Lazy(`^(?:@\w+ )*(?:public |protected |private )?([A-Z]\w*[a-z]\w*) \{$`)
)

// javaBlock returns the name of a block of a Java class that is code without being a method, as the
// heading shows; "" if it is none. Initialisers have the names that stacks give them. A bare block
// and a lambda may also be within a method, which is then the outer function around them.
func javaBlock(heading string) string {
	switch heading {
	case "static {":
		return "<clinit>"
	case "{":
		return "<init>"
	}
	for _, p := range []Pattern{javaLambda, javaCompact} {
		if m := p().FindStringSubmatch(heading); m != nil {
			return m[1]
		}
	}
	return ""
}

// annotatesType reports whether a heading is that of a Java type behind the end of an annotation, or
// a list of values within an annotation, so that its parentheses are not those of a method.
func annotatesType(heading string) bool {
	rest := heading[strings.LastIndexByte(heading, ')')+1:]
	return strings.HasPrefix(withoutAnnotations(heading), "@") || len(rest) < len(heading) && declaresType(strings.TrimSpace(rest))
}
