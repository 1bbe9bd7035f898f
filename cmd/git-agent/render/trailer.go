package render

import (
	"fmt"
	"io"

	"git-agent/cmd/git-agent/layout"
	"git-agent/gitext"
)

// Trailer prints the trailer that the fix could carry, in the form of the
// Linux kernel.
type Trailer struct {
	W   io.Writer
	End string
}

func (r *Trailer) Answer(ans Answer) error {
	if len(ans.Verdict.Suspects) == 0 {
		return nil
	}
	_, err := io.WriteString(r.W, fixesTrailer(ans.Verdict.Suspects[0].Commit)+r.End)
	return err
}

// fixesTrailer stays on one line however long the subject is.
func fixesTrailer(c gitext.Commit) string {
	return fmt.Sprintf("Fixes: %s (\"%s\")", c.OID.Short(), layout.OneLine(c.Subject()))
}
