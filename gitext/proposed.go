package gitext

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"git-agent/gitext/disk"
	"git-agent/gitext/gitcmd"
)

// A Mail is one patch as people send it: by mail, or as the output of git diff or git show.
type Mail struct {
	Author  Person
	Message string // the subject without its prefix, and the body; "" for a plain diff
	Diff    []byte // the diff, and the text behind it, such as a signature
}

// maxMails bounds the patches of an mbox.
const maxMails = 500

// ReadMails reads patches from an mbox, a mail, or the output of git diff, format-patch or show,
// in their order. git splits and decodes the mails, as git am does. Mails without a patch, such
// as a cover letter, are left out.
func (r *Repo) ReadMails(ctx context.Context, text []byte) ([]Mail, error) {
	if !isMail(text) {
		return plainDiff(text), nil
	}
	temporary, err := disk.MakeTemp()
	if err != nil {
		return nil, fmt.Errorf("cannot make a directory to split mails: %w", err)
	}
	defer temporary.Remove()
	git := *r.shadow
	git.Dir = temporary.Path
	split := gitcmd.Call{Args: []string{"mailsplit", "-b", "-o" + temporary.Path}, Stdin: bytes.NewReader(text)}
	if _, err := git.Output(ctx, split); err != nil {
		return nil, fmt.Errorf("split the mails: %w", err)
	}
	var mails []Mail
	for i := 1; i <= maxMails; i++ {
		one, err := os.ReadFile(filepath.Join(temporary.Path, fmt.Sprintf("%04d", i)))
		if err != nil {
			break
		}
		m, err := readMail(ctx, &git, one)
		if err != nil {
			return nil, fmt.Errorf("read mail %d: %w", i, err)
		}
		if hasDiff(m.Diff) {
			mails = append(mails, m)
		}
	}
	return mails, nil
}

// isMail reports whether a text begins with the header of a mail.
func isMail(text []byte) bool {
	first, _, _ := strings.Cut(string(bytes.TrimLeft(text[:min(len(text), 1000)], "\r\n")), "\n")
	name, _, found := strings.Cut(first, ":")
	return strings.HasPrefix(first, "From ") || found && name != "Index" && name != "" && !strings.ContainsAny(name, " \t+@")
}

// hasDiff reports whether a text has a diff.
func hasDiff(text []byte) bool { return diffStart(text) >= 0 }

// diffStart returns the offset of the first line of a diff, or -1.
func diffStart(text []byte) int {
	at := 0
	for line := range bytes.Lines(text) {
		rest := text[at+len(line):]
		if bytes.HasPrefix(line, []byte("diff --git ")) || bytes.HasPrefix(line, []byte("Index: ")) ||
			bytes.HasPrefix(line, []byte("--- ")) && bytes.HasPrefix(rest, []byte("+++ ")) {
			return at
		}
		at += len(line)
	}
	return -1
}

// plainDiff reads the output of git diff or git show, whose message is indented.
func plainDiff(text []byte) []Mail {
	at := diffStart(text)
	if at < 0 {
		return nil
	}
	var message strings.Builder
	for line := range strings.Lines(string(text[:at])) {
		if said, ok := strings.CutPrefix(line, "    "); ok || strings.TrimSpace(line) == "" && message.Len() > 0 {
			message.WriteString(strings.TrimRight(said, " \t\n") + "\n")
		}
	}
	return []Mail{{Message: strings.TrimSpace(message.String()), Diff: text[at:]}}
}

// readMail decodes one mail.
func readMail(ctx context.Context, git *gitcmd.Runner, text []byte) (Mail, error) {
	body, diff := filepath.Join(git.Dir, "message"), filepath.Join(git.Dir, "diff")
	out, err := git.Output(ctx, gitcmd.Call{Args: []string{"mailinfo", "--encoding=UTF-8", body, diff}, Stdin: bytes.NewReader(text)})
	if err != nil {
		return Mail{}, err
	}
	var m Mail
	subject := ""
	for line := range strings.Lines(string(out)) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch key {
		case "Author":
			m.Author.Name = value
		case "Email":
			m.Author.Email = value
		case "Subject":
			subject = value
		case "Date":
			m.Author.Time = mailTime(value)
		}
	}
	said, err := os.ReadFile(body)
	if err != nil {
		return Mail{}, err
	}
	m.Message = strings.TrimSpace(subject + "\n\n" + strings.TrimSpace(string(said)))
	m.Diff, err = os.ReadFile(diff)
	return m, err
}

// mailTime reads the date of a mail. It is zero if it cannot be read.
func mailTime(text string) time.Time {
	for _, form := range []string{time.RFC1123Z, "Mon, 2 Jan 2006 15:04:05 -0700", "2 Jan 2006 15:04:05 -0700", time.RFC3339, "2006-01-02 15:04:05 -0700"} {
		if t, err := time.Parse(form, strings.TrimSpace(text)); err == nil {
			return t
		}
	}
	return time.Time{}
}

// prefixParts returns how many leading parts of the paths in a diff are no part of the path: 1 as in
// a/file and b/file, or 0 where both sides have the same name, as with diff.noPrefix and in
// Subversion.
func prefixParts(diff []byte) int {
	before := ""
	for line := range bytes.Lines(diff) {
		text := strings.TrimRight(string(line), "\r\n")
		if both, ok := strings.CutPrefix(text, "diff --git "); ok {
			if half := len(both) / 2; len(both)%2 == 1 && both[half] == ' ' && both[:half] == both[half+1:] {
				return 0
			}
			return 1
		}
		if name, ok := strings.CutPrefix(text, "+++ "); ok && before != "" {
			name, _, _ = strings.Cut(name, "\t")
			if name == before {
				return 0
			}
			return 1
		}
		before, _ = strings.CutPrefix(text, "--- ")
		if before == text {
			before = ""
		}
		before, _, _ = strings.Cut(before, "\t")
	}
	return 1
}

// An ApplyError says that a patch does not apply to a commit.
type ApplyError struct {
	Base OID
	Nth  int    // the patch, from 1
	Why  string // git's first line about it
}

func (e *ApplyError) Error() string {
	return fmt.Sprintf("patch %d does not apply to %s: %s", e.Nth, e.Base.Short(), e.Why)
}

// PatchOfMails applies patches to a commit, one after the other, and returns what they change
// together. Nothing is written to the repository: the files are made in a temporary directory.
// The error is an *ApplyError if a patch does not apply.
func (r *Repo) PatchOfMails(ctx context.Context, base OID, mails []Mail, opt PatchOptions) (*Patch, error) {
	if err := base.valid(); err != nil {
		return nil, err
	}
	u, err := r.newUncommittedDir(ctx)
	if err != nil {
		return nil, err
	}
	defer u.close()
	u.git.Env = append(u.git.Env, "GIT_INDEX_FILE="+filepath.Join(u.dir, "applied.index"))
	if _, err := u.git.Output(ctx, gitcmd.Call{Args: []string{"read-tree", string(base)}}); err != nil {
		return nil, r.explain(ctx, err)
	}
	for i, m := range mails {
		call := writing(m.Diff, "apply", "--cached", "--whitespace=nowarn", "-p"+strconv.Itoa(prefixParts(m.Diff)))
		if !bytes.Contains(m.Diff[max(0, diffStart(m.Diff)):], []byte("\n ")) { // diff.context is 0, so git must not look for more lines
			call.Args = append(call.Args, "--unidiff-zero")
		}
		if _, err := u.git.Output(ctx, call); err != nil {
			if why, ok := refusal(err); ok {
				return nil, &ApplyError{Base: base, Nth: i + 1, Why: why}
			}
			return nil, r.explain(ctx, err)
		}
	}
	return u.compare(ctx, base, opt, "--cached")
}
