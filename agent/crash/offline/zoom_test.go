package offline

import (
	"fmt"
	"strings"
	"testing"

	"git-agent/agent/crash"
	"git-agent/agent/crash/format"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// imapStack is the stack of neomutt/neomutt#1495, which was pasted without the end of its last line.
const imapStack = `Program received signal SIGSEGV, Segmentation fault.
#0  0x00005 in mutt_str_strcasecmp (a=0x0, b=0x208) at string.c:%d
#1  0x00006 in imap_ac_find (a=0x5, path=0x6) at string.c:%d
#2  0x00007 in mx_ac_find (m=0x5) at string.c:%d
#3  0x00008 in mutt_parse_mailboxes (buf=0x7) at string.c:%d
#4  0x00009 in main (argc=1) at main.c:1
`

const imapCode = `int mutt_str_strcasecmp(const char *a, const char *b)
{
  return strcasecmp(a, b);
}

int imap_ac_find(struct Account *a, const char *path)
{
  return mutt_str_strcasecmp(path, a->user);
}

int mx_ac_find(struct Mailbox *m)
{
  return imap_ac_find(m->account, m->path);
}

int mutt_parse_mailboxes(struct Buffer *buf)
{
  return mx_ac_find(buf->mailbox);
}
`

// The time of a report that states no version is that at which its lines are nearest to their places, however long the history
// is; where no change has all of them, the one with most of them is read.
func TestChangeInALongHistory(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	const changes, crashed = 60, 17
	var all []gitext.OID
	for i := range changes {
		h.Commit(fmt.Sprintf("another %d", i), gittest.Files{"other.c": fmt.Sprintf("int x%d;\n", i)})
		files := gittest.Files{"string.c": strings.Repeat("int unused;\n", 5*i) + imapCode}
		if i == 0 {
			files["main.c"] = "#include \"string.h\"\n\nint main(int argc)\n{\n  return mutt_parse_mailboxes(0);\n}\n"
		}
		all = append(all, h.Commit(fmt.Sprintf("change %d", i), files))
	}
	down := 5 * crashed
	report, err := format.Read(strings.NewReader(fmt.Sprintf(imapStack, down+3, down+8, down+13, down+18)))
	if err != nil {
		t.Fatal(err)
	}
	repo := h.Open()
	tip, err := zoomed(t.Context(), repo, all[changes-1], report)
	if err != nil || tip == "" {
		t.Fatalf("%q, %v", tip, err)
	}
	for _, want := range []struct {
		ancestor, descendant gitext.OID
	}{{all[crashed], tip}, {tip, all[crashed+15]}} {
		if is, err := repo.IsAncestor(t.Context(), want.ancestor, want.descendant); err != nil || !is {
			t.Errorf("%s is no ancestor of %s, %v", want.ancestor.Short(), want.descendant.Short(), err)
		}
	}
	got, err := Rank(t.Context(), repo, crash.Question{Report: report})
	if err != nil {
		t.Fatal(err)
	}
	if got.Commit != all[crashed] || !strings.Contains(strings.Join(got.Notes, "\n"), "3 lines fit the code of "+all[crashed].Short()+", and 1 line not") {
		t.Errorf("at %s (%s), want %s; fit %+v, notes %q", got.Commit.Short(), got.CommitFrom, all[crashed].Short(), got.Fit, got.Notes)
	}
}
