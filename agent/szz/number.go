package szz

import (
	"strings"

	"git-agent/agent/source"
)

// reportCue matches what stands before the number of a report in a bug tracker: a word
// for it, its sign, or the end of an address.
var reportCue = source.Lazy(`(?i)(?:#|\b(?:bugs?|issues?|tickets?|pr|mr|case|report|rhbz|bz|lp|gh|crbug|b)[\s:#(=/-]*|[?&][\w.]+=|/)$`)

// isReportNumber reports whether text[from:to] is the decimal number of a report, such as
// that of "bug 1234567" or of an address, and no abbreviated hash. Fewer than one in 26
// abbreviated hashes of seven digits have decimal digits alone, and people rarely write
// "bug" before one.
func isReportNumber(text string, from, to int) bool {
	const near = 24 // bytes that are searched
	return isDecimal(text[from:to]) && reportCue().MatchString(text[max(0, from-near):from])
}

// isDecimal reports whether a word has decimal digits alone.
func isDecimal(word string) bool { return strings.Trim(word, "0123456789") == "" }
