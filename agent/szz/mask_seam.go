package szz

import (
	"strings"

	"git-agent/agent/source"
)

// This file joins what was split. Forges and mailers split a long subject anywhere,
// also within a hash, and begin the body with its rest:
//
//	net: mend the queue, which broke in 0123abc…
//
//	…d4567 and later

// seam matches where a subject was split. Some leave out the first ellipsis.
var seam = source.Lazy(`[ \t]*(?:…|\.\.\.)?[ \t]*\r?\n(?:[ \t]*\r?\n)*[ \t]*(?:…|\.\.\.)[ \t]*`)

// seams are the parts of a text that closeSeams took out, in order.
type seams []struct{ at, size int } // where the part stood in what remains, and its length

// closeSeams joins the halves of each subject in a text that was split.
func closeSeams(text string) (string, seams) {
	if !strings.Contains(text, "\n") {
		return text, nil
	}
	var cuts seams
	var b strings.Builder
	from := 0
	for _, at := range seam().FindAllStringIndex(text, -1) {
		b.WriteString(text[from:at[0]])
		cuts = append(cuts, struct{ at, size int }{b.Len(), at[1] - at[0]})
		from = at[1]
	}
	return b.String() + text[from:], cuts
}

// place returns where a byte of the joined text stands in the original one.
func (cuts seams) place(i int) int {
	out := i
	for _, c := range cuts {
		if c.at <= i {
			out += c.size
		}
	}
	return out
}
