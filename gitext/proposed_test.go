package gitext

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// mailed is a history whose last two commits are also a mailed series.
func mailed(t *testing.T) (f *fixture, r *Repo, base OID, mbox []byte) {
	t.Helper()
	f = newFixture(t)
	f.write("a.c", "one\ntwo\nthree\n")
	base = f.commit("begin")
	f.write("a.c", "one\nTWO\nthree\n")
	f.commit("a: shout two\n\nGrüße.")
	f.write("b.c", "new\n")
	f.write("a.c", "one\nTWO\nTHREE\n")
	f.commit("b: new")
	f.git("format-patch", "-q", "-2", "--cover-letter", "-o", filepath.Join(f.dir, ".git", "out"))
	names, err := filepath.Glob(filepath.Join(f.dir, ".git", "out", "*.patch"))
	if err != nil || len(names) != 3 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		mbox = append(mbox, text...)
	}
	return f, f.open(), base, mbox
}

// A series is read as git am reads it, and changes what its commits changed.
func TestMailsAreTheirCommits(t *testing.T) {
	f, r, base, mbox := mailed(t)
	mails, err := r.ReadMails(t.Context(), mbox)
	if err != nil || len(mails) != 2 {
		t.Fatalf("%d mails, %v", len(mails), err)
	}
	if m := mails[0]; m.Message != "a: shout two\n\nGrüße." || m.Author.Email != "ann@example.org" || m.Author.Time.Before(time.Unix(1_600_000_000, 0)) {
		t.Errorf("%+v", m)
	}
	got, err := r.PatchOfMails(t.Context(), base, mails, PatchOptions{Context: 3})
	if err != nil {
		t.Fatal(err)
	}
	want, err := r.Patch(t.Context(), base, f.oid("HEAD"), PatchOptions{Context: 3})
	if err != nil || patchText(got) != patchText(want) {
		t.Errorf("%v\n%s\nis not\n%s", err, patchText(got), patchText(want))
	}
	if s := f.git("status", "--porcelain"); s != "" {
		t.Errorf("the work tree changed: %s", s)
	}
}

// Output of git show and git diff is a patch too; a text without one is none.
func TestPlainDiffsAreMails(t *testing.T) {
	f, r, base, _ := mailed(t)
	for text, message := range map[string]string{
		f.git("show", "HEAD~1"):                                                                     "a: shout two\n\nGrüße.",
		f.git("diff", string(base), "HEAD"):                                                         "",
		f.git("diff", "-U0", "--abbrev=5", string(base), "HEAD"):                                    "",
		f.git("diff", "--no-prefix", string(base), "HEAD"):                                          "",
		"--- a.c\t(revision 1)\n+++ a.c\t(working copy)\n@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three": "",
	} {
		mails, err := r.ReadMails(t.Context(), []byte(text+"\n"))
		if err != nil || len(mails) != 1 || mails[0].Message != message {
			t.Fatalf("%v, %+v", err, mails)
		}
		if _, err := r.PatchOfMails(t.Context(), base, mails, PatchOptions{}); err != nil {
			t.Error(err)
		}
	}
	for _, text := range []string{"", "no patch\n", "From: a@example.org\nSubject: hello\n\nno patch\n", "--- is no file\n"} {
		if mails, err := r.ReadMails(t.Context(), []byte(text)); len(mails) != 0 || err != nil {
			t.Errorf("%q has %d patches, %v", text, len(mails), err)
		}
	}
}

// The base of patches is the commit that they name, or one whose files they begin with.
func TestBaseOfMails(t *testing.T) {
	f, r, base, mbox := mailed(t)
	mails, err := r.ReadMails(t.Context(), mbox)
	if err != nil {
		t.Fatal(err)
	}
	f.write("c.c", "later\n")
	f.commit("c: later")
	tip := f.oid("HEAD")
	if got, err := r.BaseOfMails(t.Context(), tip, mails); got != base || err != nil {
		t.Errorf("%s, %v, not %s", got, err, base)
	}
	if got, err := r.BaseOfMails(t.Context(), base, mails); got != base || err != nil {
		t.Errorf("where it applies: %s, %v", got, err)
	}
	mails[0].Diff = append(mails[0].Diff, "\nbase-commit: "+string(tip)+"\n"...)
	if got, err := r.BaseOfMails(t.Context(), base, mails); got != tip || err != nil {
		t.Errorf("where it is named: %s, %v", got, err)
	}

	text := strings.ReplaceAll(f.git("show", "HEAD~2"), "three", "four")
	other, err := r.ReadMails(t.Context(), []byte(text+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.BaseOfMails(t.Context(), tip, other)
	var refused *ApplyError
	if !errors.As(err, &refused) || refused.Nth != 1 || !strings.Contains(refused.Why, "a.c") {
		t.Errorf("%v", err)
	}
}
