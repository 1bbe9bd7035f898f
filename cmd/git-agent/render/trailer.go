package render

import (
	"io"

	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext"
	"git-agent/gitext/commitmsg"
)

// Trailer prints a Fixes: trailer for the message of the fix, in the form of the
// Linux kernel.
type Trailer struct {
	W   io.Writer
	End string // end of a line
}

// Answer prints the trailer that names the first suspect, or nothing if there is
// no suspect.
func (r *Trailer) Answer(ans Answer) error {
	if len(ans.Answer.Suspects) == 0 {
		return nil
	}
	_, err := io.WriteString(r.W, fixesTrailer(ans.Answer.Suspects[0].Commit)+r.End)
	return err
}

// fixesTrailer returns the trailer on one line, even for a long subject.
func fixesTrailer(c gitext.Commit) string {
	return commitmsg.Fixes(c.OID.Short(), ui.OneLine(c.Subject()))
}
