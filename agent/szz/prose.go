package szz

import (
	"strings"
	"unicode/utf8"

	"git-agent/agent/source"
	"git-agent/gitext"
)

// These patterns find names of commits, tickets and pages in a message, which are not
// prose. Some messages have as few as five digits of a hash.
var (
	anyHash    = source.Lazy(`(?i)\b[0-9a-f]{5,64}\b`)
	hashAside  = source.Lazy(`\(<(hash|ref)>[^)\n]*(?:\n[^)\n]*)?\)`)
	hashTitle  = source.Lazy(`<(hash|ref)>[\s,:]*[("'\[“‘]+[^"\n)\]”]+(?:\n[^"\n)\]”]+)?["”)\]]+`)
	quotedText = source.Lazy(`^["“]([^\s"“”][^"“”\n]{0,119}(?:\n[^"“”\n]{0,80})?)["”]`)
	bugNumber  = source.Lazy(`(?i)\b((?:bug|bugzilla|bz|rhbz|issue|ticket|defect)s?(?: (?:id|no\.?|number))?[ :=]*)(?:#\d+|\d{3,})\b`)
	review     = source.Lazy(`\bD\d{4,}\b`)
	reference  = source.Lazy(`(?:\b[\w.-]+/[\w.-]+)?#\d+\b|\br\d{3,}\b|\bGH-\d+\b`)
	webAddress = source.Lazy(`https?://\S+`)
	svnOrigin  = source.Lazy(`(?m)^\s*git-svn-id:.*$`)
	hintLine   = source.Lazy(`(?im)^\s*(?:fixes|fixed|regressed-by|introduced-by|broken-by|caused-by|culprit|revert(?:s|ed)?)\s*:.*$`)
)

// These patterns find the words before or after a number that counts or measures
// something. Such a number is no hash, although a hash may have only decimal digits.
var (
	beforeNumber = source.Lazy(
		`(?i)(?:[<>]=?|\b(?:lines?|size|length|offset|port|pid|uid|limit|than|least|most|exceed(?:s|ed|ing)?):?|\w\.[a-z]{1,4}:|\d\.)\s*$`,
	)
	behindNumber = source.Lazy(
		`(?i)^(?:\.\d|%|\s?(?:bytes?|[kmgt]i?b|bits?|lines?|char(?:acter)?s?|entries|elements|items|times|seconds|msecs?|[mun]s|blocks|pages|rows|packets|iterations|requests|connections|records|hz)\b)`,
	)
)

// Prose returns a message in the form whose words the ranking counts: it replaces with
// marks hashes of five digits or more with the titles after them (<hash>), quoted texts
// (<quoted>), numbers of bugs (<bug>), of pull requests and reviews (<ref>) and links
// (<link>), and drops lines that look like trailers. Words in spared that only look like
// short hashes are kept. The ranking was trained on such messages, for which dropping
// more than the names of commits costs little. [Mask] decides which texts are hidden from
// a model.
func Prose(message string, spared map[string]bool) string {
	message = strings.ReplaceAll(message, "\r\n", "\n")
	message = svnOrigin().ReplaceAllString(message, "")
	message = hintLine().ReplaceAllString(message, "")
	message = webAddress().ReplaceAllString(message, "<link>")
	message = bugNumber().ReplaceAllString(message, "$1<bug>")
	message = review().ReplaceAllString(message, "<ref>")
	message = maskHashes(message, spared)
	message = hashAside().ReplaceAllString(message, "<$1>") // "(0123abc the title of the culprit)"
	message = hashTitle().ReplaceAllString(message, "<$1>")
	message = reference().ReplaceAllString(message, "<ref>")
	return maskQuoted(message)
}

// shortestTitle is the least length of a quoted text that may be the title of a commit.
const shortestTitle = 8 // bytes

// maskQuoted masks quoted texts that may be titles. Short ones, such as "old", are kept.
// The text between two quoted ones is not mistaken for a quoted one, because it begins
// with a space or its first quotation mark has closed a pair.
func maskQuoted(message string) string {
	var b strings.Builder
	for {
		at := strings.IndexAny(message, "\"“")
		if at < 0 {
			return b.String() + message
		}
		b.WriteString(message[:at])
		message = message[at:]
		m := quotedText().FindStringSubmatch(message)
		switch {
		case m == nil: // the mark opens nothing
			_, width := utf8.DecodeRuneInString(message)
			b.WriteString(message[:width])
			message = message[width:]
			continue
		case len(m[1]) < shortestTitle:
			b.WriteString(m[0])
		default:
			b.WriteString("<quoted>")
		}
		message = message[len(m[0]):]
	}
}

// maskHashes masks the words that look like hashes, except the words in spared.
func maskHashes(message string, spared map[string]bool) string {
	var b strings.Builder
	from := 0
	for _, at := range anyHash().FindAllStringIndex(message, -1) {
		word := message[at[0]:at[1]]
		hashLike := strings.ContainsAny(word, "0123456789") || len(word) >= 12 // else English: "added", "decade"
		if !hashLike || spared[word] || isQuantity(message, at[0], at[1]) {
			continue
		}
		b.WriteString(message[from:at[0]] + "<hash>")
		from = at[1]
	}
	return b.String() + message[from:]
}

// isQuantity reports whether message[from:to] is a number of lines, bytes and the like.
func isQuantity(message string, from, to int) bool {
	const near = 24 // searched bytes on each side
	return strings.Trim(message[from:to], "0123456789") == "" &&
		(beforeNumber().MatchString(message[max(0, from-near):from]) || behindNumber().MatchString(message[to:min(len(message), to+near)]))
}

// hashLikeWords returns the words in a patch's paths and lines that look like short
// hashes, such as 65535 and acc100. They may stay in the prose, because often the bug is
// about them. Longer words could be real hashes.
func hashLikeWords(p *gitext.Patch) map[string]bool {
	const longest = 6
	words := map[string]bool{}
	take := func(text string) {
		for _, w := range anyHash().FindAllString(text, -1) {
			if len(w) <= longest {
				words[w] = true
			}
		}
	}
	for _, f := range p.Files {
		take(f.OldPath)
		take(f.NewPath)
		for _, h := range f.Hunks {
			for _, l := range h.Lines {
				take(string(l.Text))
			}
		}
	}
	return words
}
