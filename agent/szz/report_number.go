package szz

import (
	"strings"

	"git-agent/agent/source"
)

// reportCue matches the words before the number of a report in a bug tracker: a word for
// a report, a sign such as #, or the end of an address.
var reportCue = source.Lazy(`(?i)(?:#|\b(?:bugs?|issues?|tickets?|pr|mr|case|report|rhbz|bz|lp|gh|crbug|b)[\s:#(=/-]*|[?&][\w.]+=|/)$`)

// isReportNumber reports whether text[from:to] is the decimal number of a report, as in
// "bug 1234567" or in an address, and no abbreviated hash. Fewer than one in 26
// abbreviated hashes of seven digits have only decimal digits, and people rarely write
// "bug" before one.
func isReportNumber(text string, from, to int) bool {
	const near = 24 // bytes that are searched
	return isDecimal(text[from:to]) && reportCue().MatchString(text[max(0, from-near):from])
}

// isDecimal reports whether a word has only decimal digits.
func isDecimal(word string) bool { return strings.Trim(word, "0123456789") == "" }
