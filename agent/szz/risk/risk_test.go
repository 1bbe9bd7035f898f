package risk

import (
	"strings"
	"testing"

	"git-agent/agent/szz"
	"git-agent/agent/szz/szztest"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// begun is a file of C as its first commit has it.
const begun = `#include "buf.h"

int buf_append(struct buf *buf, const char *text, size_t length)
{
	char *target = buf->data + buf->used;
	memcpy(target, text, length);
	buf->used += length;
	return 0;
}

void buf_reset(struct buf *buf)
{
	buf->used = 0;
}
`

const (
	bounded  = "\tif (length > buf->size - buf->used)\n\t\treturn -ENOSPC;\n"
	copying  = "\tmemcpy(target, text, length);\n"
	clearing = "\tmemset(buf->data, 0, buf->size);\n\tbuf->generation = next_generation(buf);\n"
	emptied  = "\tbuf->used = 0;\n"
)

func checked() string      { return strings.Replace(begun, copying, bounded+copying, 1) }
func withClearing() string { return strings.Replace(checked(), emptied, emptied+clearing, 1) }

// write makes a history: a buffer, a fix that adds a check, and a commit that was reverted.
func write(t *testing.T) (h *szztest.History, first, fix gitext.OID) {
	h = szztest.New(t)
	first = h.Commit("buf: add a growing buffer", gittest.Files{"buf.c": begun, "doc.md": "buffers\n"})
	fix = h.Commit("buf: fix an overflow of the buffer\n\nThe length is not checked.\n\nFixes: "+string(first[:12])+" (\"buf: add a growing buffer\")\n", gittest.Files{"buf.c": checked()})
	h.Commit("buf: clear the buffer when it is reset", gittest.Files{"buf.c": withClearing()})
	h.Git("revert", "--no-edit", "HEAD")
	return h, first, fix
}

func assess(t *testing.T, h *szztest.History, commit gitext.OID) *Answer {
	t.Helper()
	v, err := Assess(t.Context(), h.Open(), szz.Question{Fix: commit})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range v.Findings {
		if !strings.HasPrefix(f.Command, "git ") || len(f.Commits) == 0 || f.Path == "" {
			t.Errorf("a finding lacks a part: %+v", f)
		}
	}
	return v
}

// kindsOf returns the kinds of the findings.
func kindsOf(v *Answer) string {
	var list []string
	for _, f := range v.Findings {
		list = append(list, string(f.Kind))
	}
	return strings.Join(list, " ")
}

func TestRemovedCheck(t *testing.T) {
	// A check that a fix added and the change removes is found, with the fix and what it repaired;
	// one that is only rewritten, or whose removal the message explains, is not.
	t.Parallel()
	h, first, fix := write(t)
	v := assess(t, h, h.Commit("buf: simplify", gittest.Files{"buf.c": begun}))
	if kindsOf(v) != "removes-check" {
		t.Fatalf("%s: %+v", kindsOf(v), v.Findings)
	}
	f := v.Findings[0]
	for _, want := range []string{"`if (length > buf->size - buf->used)`", fix.Short(), "buf: fix an overflow", first.Short()} {
		if !strings.Contains(f.Text, want) {
			t.Errorf("%q lacks %q", f.Text, want)
		}
	}
	if f.Line != 6 || f.Path != "buf.c" || f.Commits[0].OID != fix {
		t.Errorf("wrong place: %+v", f)
	}
	h.Git("reset", "-q", "--hard", "HEAD~1")
	h.Commit("buf: tell how much is left", gittest.Files{"buf.c": strings.Replace(checked(), "length > buf->size - buf->used", "length > buf_left(buf->size, buf->used)", 1)})
	if v := assess(t, h, h.Head()); kindsOf(v) != "" {
		t.Errorf("a rewritten check: %+v", v.Findings)
	}
	h.Git("reset", "-q", "--hard", "HEAD~1")
	h.Commit("buf: callers check the length\n\nThis takes back \"buf: fix an overflow of the buffer\".", gittest.Files{"buf.c": begun})
	if v := assess(t, h, h.Head()); kindsOf(v) != "" {
		t.Errorf("the message names the fix: %+v", v.Findings)
	}
}

func TestChecksOfOneFix(t *testing.T) {
	// Several checks of one fix are one finding; the loop of a macro and an expectation of a test are
	// no checks.
	t.Parallel()
	h := szztest.New(t)
	plain := "#define SWAP(a, b) swap_all(a, b)\n\nint first(struct list *list)\n{\n\treturn list->first;\n}\n"
	safe := "#define SWAP(a, b) do { \\\n\tswap_all(a, b); \\\n} while (0)\n\nint first(struct list *list)\n{\n\tif (list == NULL)\n\t\treturn -1;\n\tif (list->broken)\n\t\treturn -2;\n\treturn list->first;\n}\n"
	h.Commit("list: begin", gittest.Files{"list.c": plain, "tests/list_test.c": "int main(void)\n{\n}\n"})
	h.Commit("list: fix a crash with broken lists", gittest.Files{"list.c": safe, "tests/list_test.c": "int main(void)\n{\n\tassert(first(none) == -1);\n}\n"})
	v := assess(t, h, h.Commit("list: simplify", gittest.Files{"list.c": plain, "tests/list_test.c": "int main(void)\n{\n}\n"}))
	var texts []string
	for _, f := range v.Findings {
		if f.Kind == RemovesCheck {
			texts = append(texts, f.Text)
		}
	}
	if len(texts) != 1 || !strings.HasPrefix(texts[0], "removes 2 checks, such as `if (list == NULL)`, which the fix") {
		t.Errorf("%q", texts)
	}
}

func TestResemblesReverted(t *testing.T) {
	// A change like one that was reverted is found, and undoes the revert; the revert itself says what
	// it undoes, and is not found.
	t.Parallel()
	h, _, _ := write(t)
	if v := assess(t, h, h.Head()); kindsOf(v) != "" {
		t.Errorf("the revert: %+v", v.Findings)
	}
	v := assess(t, h, h.Commit("buf: start a generation", gittest.Files{"buf.c": withClearing()}))
	if kindsOf(v) != "undoes reverted" || !strings.Contains(v.Findings[1].Text, "clear the buffer when it is reset") {
		t.Errorf("%s: %+v", kindsOf(v), v.Findings)
	}
}

func TestOftenFixed(t *testing.T) {
	// Lines that three fixes changed are found, with a command that lists them.
	t.Parallel()
	h := szztest.New(t)
	body := func(limit string) gittest.Files {
		return gittest.Files{"buf.c": strings.Replace(checked(), "buf->size - buf->used", limit, 1)}
	}
	h.Commit("buf: add a growing buffer", body("buf->size"))
	for i, limit := range []string{"buf->size - 1", "buf->size - buf->used - 1", "room_left(buf) - 1"} {
		v := assess(t, h, h.Commit("buf: fix a crash with a full buffer", body(limit)))
		if kindsOf(v) != "" {
			t.Errorf("after %d fixes: %+v", i, v.Findings)
		}
	}
	v := assess(t, h, h.Commit("buf: tell the room that is left", body("room_of(buf)")))
	if kindsOf(v) != "often-fixed" || len(v.Findings[0].Commits) != 3 || !strings.Contains(v.Findings[0].Command, "-L 6,6:buf.c") {
		t.Errorf("%s: %+v", kindsOf(v), v.Findings)
	}
}

func TestSibling(t *testing.T) {
	// A file that changed along each time and is left out is found; once it is gone, it is not.
	t.Parallel()
	h := szztest.New(t)
	files := func(n int) gittest.Files {
		text := strings.Repeat("int one;\n", n)
		return gittest.Files{"table.c": text, "table.h": text}
	}
	for n := range 8 {
		h.Commit("table: one more", files(n+1))
	}
	alone := gittest.Files{"table.c": "int other;\n"}
	v := assess(t, h, h.Commit("table: another", alone))
	if kindsOf(v) != "sibling" || !strings.Contains(v.Findings[0].Text, "leaves out table.h: 7 of the last 7 commits") {
		t.Errorf("%s: %+v", kindsOf(v), v.Findings)
	}
	h.Git("reset", "-q", "--hard", "HEAD~1")
	h.Commit("table: no header", gittest.Files{"table.h": gittest.Gone})
	if v := assess(t, h, h.Commit("table: another", alone)); kindsOf(v) != "" {
		t.Errorf("a file that is gone: %+v", v.Findings)
	}
}

func TestStagedLikeCommit(t *testing.T) {
	// A staged change has the findings and the score of the commit of it, and a root commit has none.
	t.Parallel()
	h, first, _ := write(t)
	h.Write(gittest.Files{"buf.c": begun})
	h.Git("add", "buf.c")
	staged, err := Assess(t.Context(), h.Open(), szz.Question{Fix: h.Head(), Source: szz.SourceStaged})
	if err != nil {
		t.Fatal(err)
	}
	committed := assess(t, h, h.Commit("x", gittest.Files{"buf.c": begun}))
	if kindsOf(staged) != kindsOf(committed) || kindsOf(staged) == "" || staged.Fix != "" {
		t.Errorf("staged %+v, committed %+v", staged.Findings, committed.Findings)
	}
	for i, x := range staged.Features() {
		if name := Names()[i]; x != committed.Features()[i] && !strings.HasPrefix(name, "days_since") {
			t.Errorf("%s: staged %v, committed %v", name, x, committed.Features()[i])
		}
	}
	if v := assess(t, h, first); len(v.Findings) > 0 || len(v.Notes) == 0 {
		t.Errorf("a root commit: %+v", v)
	}
}

// Whoever writes news and signs a release breaks no program, however many lines that takes.
func TestDocumentsAlone(t *testing.T) {
	h, _, _ := write(t)
	if v := assess(t, h, h.Commit("news", gittest.Files{"NEWS.md": strings.Repeat("new\n", 300), "sig/a.tar.gz.asc": "x\n"})); v.Score != 0 {
		t.Errorf("documents alone: score %v", v.Score)
	}
	if v := assess(t, h, h.Commit("news of code", gittest.Files{"NEWS.md": strings.Repeat("newer\n", 300), "a.py": "x = 1\n"})); v.Score == 0 {
		t.Error("documents and code have no score")
	}
}

func TestModel(t *testing.T) {
	// The shipped model weighs each feature, and only those.
	for _, w := range []Weights{Shipped().Plain, Shipped().Indexed} {
		if len(w.Ordinary) == 0 || w.Rank(w.Ordinary[0]-1) != 0 || w.Rank(w.Ordinary[len(w.Ordinary)-1]+1) != 1 {
			t.Errorf("the ordinary scores are no scale: %v", w.Ordinary)
		}
	}
	if len(Shipped().Plain.Features) != len(PlainNames()) || len(Shipped().Indexed.Features) != len(Names()) {
		t.Error("the model has other features than the program")
	}
	for _, name := range Names() {
		if _, ok := Shipped().Indexed.Features[name]; !ok {
			t.Errorf("the model lacks %s", name)
		}
	}
}
