package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext"
	"git-agent/gitext/commitmsg"
)

// Trailer prints a Fixes: trailer for the message of the fix, in the form of the
// Linux kernel.
type Trailer struct {
	W   io.Writer
	End string // end of a line
	Cc  bool   // also print Cc: trailers for the author and the reviewers of the suspect
}

// Answer prints the trailer that names the first suspect, or nothing if there is
// no suspect.
func (r *Trailer) Answer(ans Answer) error {
	if len(ans.Answer.Suspects) == 0 {
		return nil
	}
	commit := ans.Answer.Suspects[0].Commit
	text := fixesTrailer(commit) + r.End
	if r.Cc {
		for _, who := range toTell(commit, ans.Fix) {
			text += "Cc: " + who + r.End
		}
	}
	_, err := io.WriteString(r.W, text)
	return err
}

// toTell returns the addresses of the people who know a commit: its author, its committer, and
// those whom its trailers name. It leaves out the author of the fix, who knows, and mail that nobody reads.
func toTell(commit, fix gitext.Commit) []string {
	var addresses, seen []string
	add := func(name, email string) {
		key := strings.ToLower(email)
		if commitmsg.Unread(name, email) || strings.EqualFold(email, fix.Author.Email) || slices.Contains(seen, key) {
			return
		}
		seen = append(seen, key)
		addresses = append(addresses, ui.OneLine(fmt.Sprintf("%s <%s>", strings.Map(plainName, name), email)))
	}
	add(commit.Author.Name, commit.Author.Email)
	for _, c := range commitmsg.Contacts(commit.Message) {
		add(c.Name, c.Email)
	}
	add(commit.Committer.Name, commit.Committer.Email)
	return addresses
}

// plainName drops the characters that end a name in a header of a mail.
func plainName(r rune) rune {
	if strings.ContainsRune("<>,;\"\\", r) {
		return -1
	}
	return r
}

// fixesTrailer returns the trailer on one line, even for a long subject.
func fixesTrailer(c gitext.Commit) string {
	return commitmsg.Fixes(c.OID.Short(), ui.OneLine(c.Subject()))
}
