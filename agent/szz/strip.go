package szz

import (
	"strings"
)

// What a message can give the answer away by. Evaluation sets were made from
// such messages, so an engine under test must see none of it (szz.md, 5): some
// carry as few as five digits of a hash.
var (
	anyHash    = lazy(`(?i)\b[0-9a-f]{5,64}\b`)
	hashAside  = lazy(`\(<commit>[^)\n]*(?:\n[^)\n]*)?\)`)
	hashTitle  = lazy(`<commit>[\s,:]*[("'\[“‘]+[^"\n)\]”]+(?:\n[^"\n)\]”]+)?["”)\]]+`)
	quotedText = lazy(`["“][^"”\n]{8,120}(?:\n[^"”\n]{0,80})?["”]`)
	reference  = lazy(`(?:\b[\w.-]+/[\w.-]+)?#\d+\b|\bD\d{4,}\b|\br\d{3,}\b|\bGH-\d+\b`)
	webAddress = lazy(`https?://\S+`)
	svnOrigin  = lazy(`(?m)^\s*git-svn-id:.*$`)
	hintLine   = lazy(`(?im)^\s*(?:fixes|fixed|regressed-by|introduced-by|broken-by|caused-by|culprit|revert(?:s|ed)?)\s*:.*$`)
)

// stripHints takes out of a message all that may name the culprit: hashes of
// five digits or more with the titles behind them, quoted titles, numbers of
// pull requests and reviews, links, and lines that look like trailers. It takes
// more than it must: a lost word costs an engine little, a leaked hash makes
// its score a lie.
func stripHints(message string) string {
	message = strings.ReplaceAll(message, "\r\n", "\n")
	message = svnOrigin().ReplaceAllString(message, "")
	message = hintLine().ReplaceAllString(message, "")
	message = webAddress().ReplaceAllString(message, "<link>")
	message = anyHash().ReplaceAllStringFunc(message, func(word string) string {
		if strings.ContainsAny(word, "0123456789") || len(word) >= 12 {
			return "<commit>"
		}
		return word // "added", "decade": English, not a hash
	})
	message = hashAside().ReplaceAllString(message, "<commit>") // "(0123abc the title of the culprit)"
	message = hashTitle().ReplaceAllString(message, "<commit>")
	message = reference().ReplaceAllString(message, "<change>")
	return quotedText().ReplaceAllString(message, "<quoted>")
}
