package main

import (
	"fmt"
	"io"

	"git-agent/gitext"
)

// szzTrailer prints the trailer that the fix could carry, in the form of the
// Linux kernel.
type szzTrailer struct {
	w   io.Writer
	end string
}

func (r *szzTrailer) answer(ans szzAnswer) error {
	if len(ans.Verdict.Suspects) == 0 {
		return nil
	}
	_, err := io.WriteString(r.w, fixesTrailer(ans.Verdict.Suspects[0].Commit)+r.end)
	return err
}

// fixesTrailer stays on one line however long the subject is.
func fixesTrailer(c gitext.Commit) string {
	return fmt.Sprintf("Fixes: %s (\"%s\")", c.OID.Short(), oneLine(c.Subject()))
}
