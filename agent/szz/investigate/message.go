package investigate

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"git-agent/agent"
	"git-agent/agent/source"
	"git-agent/gitext/commitmsg"
)

// saysCause matches words of sentences about the cause or the start of a misbehavior.
var saysCause = source.Lazy(
	`(?i)\b(?:introduc(?:ed|es|ing|tion)|since|regress(?:ed|es|ion|ions)|start(?:ed|s|ing) (?:with|from|in|to)|broke|caused by|used to|no longer)\b`,
)

// maxSentence bounds a piece of a message, in runes, because tables and logs have no full
// stops.
const maxSentence = 300

// messageText bounds the message of a fix to max runes, and a few more that mark the
// gaps. From a long message it keeps the beginning, the sentences about the cause, and
// the last paragraph, and drops trailers.
func messageText(message string, max int) string {
	message = agent.Clean(strings.TrimSpace(strings.ReplaceAll(message, "\r\n", "\n")))
	if utf8.RuneCountInString(message) <= max {
		return message
	}
	message, _ = commitmsg.Trailers(message)
	pieces := sentences(strings.TrimSpace(message))
	kept, room := make([]bool, len(pieces)), max
	keep := func(i, reserve int) bool {
		n := utf8.RuneCountInString(pieces[i])
		if !kept[i] && n <= room-reserve {
			kept[i], room = true, room-n
		}
		return kept[i]
	}
	for i := 0; i < len(pieces) && keep(i, max*2/5); i++ {
	}
	for i, s := range pieces {
		if saysCause().MatchString(s) {
			keep(i, 0)
		}
	}
	for i := lastParagraph(pieces); i < len(pieces) && keep(i, 0); i++ {
	}
	for i := 0; i < len(pieces) && keep(i, 0); i++ { // more of the beginning, if there is room
	}
	return joinKept(pieces, kept)
}

// sentences cuts a message into pieces that together are the whole message.
func sentences(message string) []string {
	var out []string
	from, n := 0, 0
	for i, r := range message {
		next := i + utf8.RuneLen(r)
		rest := message[next:]
		stop := strings.ContainsRune(".!?", r) && (rest == "" || rest[0] == ' ' || rest[0] == '\n')
		paragraph := r == '\n' && strings.HasSuffix(message[from:i], "\n") && !strings.HasPrefix(rest, "\n")
		if n++; stop || paragraph || n == maxSentence {
			out = append(out, message[from:next])
			from, n = next, 0
		}
	}
	if from < len(message) {
		out = append(out, message[from:])
	}
	return out
}

// lastParagraph returns the index of the first piece after the last empty line.
func lastParagraph(pieces []string) int {
	for i := len(pieces) - 1; i > 0; i-- {
		if strings.HasSuffix(pieces[i-1], "\n\n") {
			return i
		}
	}
	return 0
}

// joinKept joins the kept pieces, and writes into each gap the number of missing runes.
func joinKept(pieces []string, kept []bool) string {
	var b strings.Builder
	missing := 0
	gap := func() {
		if missing > 0 {
			fmt.Fprintf(&b, " … (+%d) ", missing)
		}
		missing = 0
	}
	for i, s := range pieces {
		if !kept[i] {
			missing += utf8.RuneCountInString(s)
			continue
		}
		gap()
		b.WriteString(s)
	}
	gap()
	return strings.TrimSpace(b.String())
}
