package format

import (
	"strings"

	"git-agent/agent/source"
)

var (
	// What Swift's demangler writes before the function that was written: "closure #1 in ", "specialized ".
	swiftBefore = source.Lazy(
		`^(?:(?:specialized|merged|outlined|@objc|@nonobjc|static|class|implicit|protocol witness for|partial apply for|dispatch thunk of|` +
			`(?:implicit )?closure #\d+(?: \([^()]*\))*(?: -> .*?)? in) )+`,
	)
	// What it writes behind: the type that conforms to a protocol, a closure of older versions, and type parameters.
	swiftBehind  = source.Lazy(` in conformance .*$|\.\(closure #\d+\)(?:\.\(closure #\d+\))*$`)
	swiftGeneric = source.Lazy(`<[\w, .:]*>$`)
	swiftSigns   = source.Lazy(`^(?:specialized|merged|@objc|closure #\d|protocol witness for|partial apply for) |\) (?:throws |async )*-> |\(closure #\d`)
)

// swiftName returns the name of a function of Swift as written in the source, "" if the name of a frame is not
// surely of Swift: a closure has the name of the function around it.
func swiftName(name string) string {
	if strings.Contains(name, "::") || !swiftSigns().MatchString(name) {
		return ""
	}
	name = swiftBehind().ReplaceAllString(name, "")
	name = swiftBefore().ReplaceAllString(name, "")
	name = strings.ReplaceAll(name, ".(", ".")
	name, _, _ = strings.Cut(name, "(")
	return swiftGeneric().ReplaceAllString(strings.TrimSpace(name), "")
}
