package szz

import (
	"strings"

	"git-agent/agent/source"
)

// This file joins split subjects. Forges and mailers split a long subject anywhere, also
// within a hash, and begin the body with its rest:
//
//	net: mend the queue, which broke in 0123abc…
//
//	…d4567 and later

// seam matches the place of a split. Some programs leave out the first ellipsis.
var seam = source.Lazy(`[ \t]*(?:…|\.\.\.)?[ \t]*\r?\n(?:[ \t]*\r?\n)*[ \t]*(?:…|\.\.\.)[ \t]*`)

// seams are the parts of a text that closeSeams removed, in order.
type seams []struct{ at, size int } // the position of the part in the joined text, and its length

// closeSeams joins the halves of each split subject in a text.
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

// place returns the position in the original text of a byte of the joined text.
func (cuts seams) place(i int) int {
	out := i
	for _, c := range cuts {
		if c.at <= i {
			out += c.size
		}
	}
	return out
}
