package deliver

import (
	"context"
	"path"
	"strings"
	"unicode"

	"git-agent/agent/fix"
	"git-agent/gitext"
	"git-agent/gitext/commitmsg"
)

const (
	maxSubject = 72 // columns of a subject
	wrapAt     = 72 // columns of the text below it
)

// Message returns a commit message: a subject, an explanation in paragraphs of at most
// 72 columns, and, if the commit that introduced the bug is known, a Fixes trailer as
// the Linux kernel writes it (Documentation/process/submitting-patches.rst). The texts
// may come from a model: control characters are dropped, and the subject is one line.
func Message(subject, explanation string, bug *gitext.Commit) string {
	parts := []string{oneLine(subject, maxSubject)}
	if parts[0] == "" {
		parts[0] = "Fix a bug"
	}
	for paragraph := range strings.SplitSeq(strings.ReplaceAll(explanation, "\r\n", "\n"), "\n\n") {
		if text := wrap(paragraph); text != "" {
			parts = append(parts, text)
		}
	}
	if bug != nil && bug.OID != "" {
		parts = append(parts, commitmsg.Fixes(bug.OID.Short(), oneLine(bug.Subject(), 0)))
	}
	return strings.Join(parts, "\n\n") + "\n"
}

// oneLine returns a text with one space for each stretch of white space and without control
// characters. It cuts the text after most characters; 0 is no bound.
func oneLine(text string, most int) string {
	text = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, "\uFFFD"), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
	if runes := []rune(text); most > 0 && len(runes) > most {
		return strings.TrimSpace(string(runes[:most-3])) + "..."
	}
	return text
}

// wrap breaks the lines of a paragraph between words. A line that begins with white space or a
// sign, such as an item of a list, starts a new line.
func wrap(paragraph string) string {
	var b strings.Builder
	column := 0
	for line := range strings.Lines(paragraph) {
		fresh := line != "" && strings.ContainsRune(" \t-*>#", rune(line[0]))
		for i, word := range strings.Fields(oneLine(line, 0)) {
			width := len([]rune(word))
			switch {
			case column == 0:
			case i == 0 && fresh, column+1+width > wrapAt:
				b.WriteByte('\n')
				column = 0
			default:
				b.WriteByte(' ')
				column++
			}
			b.WriteString(word)
			column += width
		}
	}
	return b.String()
}

// messageOf returns the message for the patch of a trial: the first sentence of a model's explanation
// as the subject, the other sentences, and the commit that it undoes or repairs. What the offline engine
// explains is why it tried the patch, which is no subject.
func messageOf(ctx context.Context, repo *gitext.Repo, t fix.Trial) string {
	var bug *gitext.Commit
	if t.Commit != "" {
		if c, err := repo.Commit(ctx, t.Commit); err == nil { // without it, the message has no trailer
			bug = &c
		}
	}
	subject, rest := "", t.Why
	offline := t.Origin != "" && !strings.HasPrefix(t.Origin, "trajectory")
	if offline && bug != nil && t.Origin == "reverts "+t.Commit.Short() {
		subject = "Revert \"" + oneLine(bug.Subject(), 0) + "\""
	}
	first, more, _ := strings.Cut(strings.TrimSpace(t.Why)+" ", ". ")
	if line := oneLine(strings.TrimSuffix(strings.TrimSpace(first), "."), 0); !offline && !strings.Contains(strings.TrimSpace(first), "\n") &&
		len([]rune(line)) <= maxSubject {
		subject, rest = line, more
	}
	if subject == "" && len(t.Patch.Files) > 0 {
		subject = "Fix a bug in " + path.Base(t.Patch.Files[0].Path)
	}
	if offline {
		rest = strings.TrimSpace(rest + "\n\nThe change " + t.Origin + ".")
	}
	if t.Verdict == fix.OwnTested {
		rest = strings.TrimSpace(rest + "\n\nThe bug was reproduced by a test that the model wrote itself.")
	}
	return Message(subject, rest, bug)
}
