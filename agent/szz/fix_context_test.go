package szz

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"git-agent/agent/suspect"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

func (h *history) context(fix gitext.OID, opt ContextOptions) *FixContext {
	h.T.Helper()
	fc, err := NewContext(context.Background(), h.Open(), fix, opt)
	if err != nil {
		h.T.Fatal(err)
	}
	return fc
}

// A trailer or a sentence that names an ancestor is the answer, marked as such.
// Without annotations the same fix is traced, and its message names no culprit.
func TestAnnotations(t *testing.T) {
	h := newHistory(t)
	h.Commit("start", gittest.Files{"a.c": "int a;\nint b;\n"})
	bad := h.Commit("widen the counter", gittest.Files{"a.c": "long a;\nint b;\n"})
	other := h.Commit("unrelated", gittest.Files{"b.c": "int c;\n"})
	for message, kind := range map[string]string{
		"fix a\n\nFixes: " + string(bad[:12]) + " (\"widen the counter\")":                                AnnotationTrailer,
		"fix a\n\nThis was introduced in commit " + string(bad[:10]) + " and went unseen.":                AnnotationProse,
		"fix a\n\nRegression since " + string(bad[:9]) + ".":                                              AnnotationProse,
		"Revert \"widen the counter\"\n\nThis reverts commit " + string(bad) + ".":                        AnnotationRevert,
		"fix a\n\nCommit " + string(bad[:12]) + " (\"widen the counter\") broke it, see " + string(other): AnnotationProse,
	} {
		fix := h.Commit(message, gittest.Files{"a.c": "int a;\nint b;\n"})
		fc := h.context(fix, ContextOptions{})
		v, err := Settle(context.Background(), h.Open(), fc, "rank")
		if err != nil {
			t.Fatalf("%q: %v; annotations %+v", message, err, fc.Annotations)
		}
		if v.Algorithm != "annotation" || len(v.Suspects) == 0 || v.Suspects[0].Commit.OID != bad {
			t.Errorf("%q: got %s by %q, annotations %+v", message, subjects(v), v.Algorithm, fc.Annotations)
			continue
		}
		if got := fc.Annotations[0].Kind; got != kind {
			t.Errorf("%q: kind %q, want %q", message, got, kind)
		}
		blind := h.context(fix, ContextOptions{NoAnnotations: true})
		if blind.Annotations != nil || strings.Contains(blind.Message, string(bad[:5])) || strings.Contains(blind.Message, "widen") {
			t.Errorf("%q leaks: %q", message, blind.Message)
		}
		h.Commit("again", gittest.Files{"a.c": "long a;\nint b;\n"})
		h.Git("reset", "-q", "--hard", string(other))
	}
}

// A hash of another history, as in a mirror of a part of a repository or after a rewrite, is replaced
// by the only commit before the fix with the quoted subject. (libbpf's messages have hashes of the
// kernel, from which it is mirrored.)
func TestAnnotationsOfAnotherHistory(t *testing.T) {
	h := newHistory(t)
	h.Commit("start", gittest.Files{"a.c": "int a;\n"})
	bad := h.Commit("widen the counter", gittest.Files{"a.c": "long a;\n"})
	h.Git("checkout", "-q", "-b", "side")
	picked := h.Commit("count in the side room", gittest.Files{"b.c": "int b;\n"})
	h.Git("checkout", "-q", "-")
	again := h.Commit("count in the side room", gittest.Files{"b.c": "int b;\n"})
	twice := h.Commit("clean up and wash", gittest.Files{"c.c": "int c;\n"})
	top := h.Commit("clean up and wash", gittest.Files{"c.c": "int d;\n"})
	for message, want := range map[string]gitext.OID{
		"fix a\n\nFixes: 74cc6311cec9 (\"widen the counter\")":                                          bad,
		"fix a\n\nThis was introduced in commit 74cc6311cec9 (\"Widen the  counter\").":                 bad,
		"fix b\n\nFixes: " + string(picked[:12]) + " (\"count in the side room\")":                      again,
		"Revert \"widen the counter\"\n\nThis reverts commit 74cc6311cec9d00f74cc6311cec9d00f74cc6311.": bad,
		"fix a\n\nFixes: 74cc6311cec9 (\"clean up and wash\")":                                          "", // two commits have it
		"fix a\n\nFixes: 74cc6311cec9 (\"counter\")":                                                    "", // too short
		"fix a\n\nFixes: " + string(twice[:12]) + " (\"widen the counter\")":                            "", // a commit with another subject
	} {
		fc := h.context(h.Commit(message, gittest.Files{"a.c": "short a;\n"}), ContextOptions{})
		v, err := Settle(t.Context(), h.Open(), fc, "rank")
		switch {
		case err != nil:
			t.Fatalf("%q: %v", message, err)
		case want == "" && v != nil:
			t.Errorf("%q: believed %s", message, subjects(v))
		case want != "" && (v == nil || v.Suspects[0].Commit.OID != want || !strings.Contains(v.Suspects[0].Reason, "is of another history")):
			t.Errorf("%q: %+v; annotations %+v", message, v, fc.Annotations)
		}
		h.Git("reset", "-q", "--hard", string(top))
	}
}

// The annotations of the few commits in a merge count for the merge. Those of many
// commits do not, nor does one that names another of these commits, and none does without
// annotations.
func TestAnnotationsOfAMerge(t *testing.T) {
	h := newHistory(t)
	h.Commit("start", gittest.Files{"a.c": "int a;\nint b;\n"})
	bad := h.Commit("widen the counter", gittest.Files{"a.c": "long a;\nint b;\n"})
	base := h.Commit("unrelated", gittest.Files{"b.c": "int c;\n"})
	revert := "Revert \"widen the counter\"\n\nThis reverts commit " + string(bad) + "."
	for name, test := range map[string]struct {
		own   string   // message of the merge
		also  []string // subjects of the earlier commits of the branch
		tells string   // message of the last commit, % stands for the one before
		named bool
	}{
		"one commit":            {"Merge pull request #1", nil, revert, true},
		"three commits":         {"Merge pull request #2", []string{"more", "tests"}, revert, true},
		"a branch":              {"Merge branch 'next'", []string{"one", "two", "three"}, revert, false},
		"one that fixes itself": {"Merge pull request #3", []string{"more"}, "fix up\n\nFixes: %", false},
		"nothing":               {"Merge pull request #4", nil, "narrow the counter", false},
	} {
		h.Git("checkout", "-q", "-B", "side", string(base))
		last := base
		for i, subject := range test.also {
			last = h.Commit(subject, gittest.Files{"c.c": fmt.Sprintf("int c%d;\n", i)})
		}
		side := h.Commit(strings.ReplaceAll(test.tells, "%", string(last)), gittest.Files{"a.c": "int a;\nint b;\n"})
		h.Git("checkout", "-q", "-B", "main", string(base))
		h.Git("merge", "-q", "--no-ff", "-m", test.own, "side")
		merge := h.Head()
		fc := h.context(merge, ContextOptions{})
		if notes := strings.Join(fc.AllNotes(), "\n"); strings.Contains(notes, "not believed") {
			t.Errorf("%s: notes %q", name, notes)
		}
		v, err := Settle(t.Context(), h.Open(), fc, "rank")
		if err != nil || (v != nil) != test.named {
			t.Fatalf("%s: %+v, %v", name, v, err)
		}
		if v != nil {
			if s := v.Suspects[0]; s.Commit.OID != bad || !strings.Contains(s.Reason, side.Short()+", which the fix merges") || s.Evidence[0].Command != "git show -s "+string(side) {
				t.Errorf("%s: %+v", name, s)
			}
		}
		if blind := h.context(merge, ContextOptions{NoAnnotations: true}); blind.Annotations != nil || strings.Contains(blind.Message, "widen") {
			t.Errorf("%s leaks: %+v", name, blind)
		}
	}
}

// A commit that is only mentioned is not blamed. An impossible annotation is not trusted,
// and a note says so.
func TestAnnotationsThatAreNot(t *testing.T) {
	h := newHistory(t)
	old := h.Commit("start", gittest.Files{"a.c": "int a;\n"})
	for message, note := range map[string]string{
		"fix\n\n(cherry picked from commit " + string(old) + ")": "",
		"fix\n\nSee also " + string(old) + " for the design.":    "",
		"fix\n\nFixes: #12": "",
		"fix\n\nFixes: 0123456789ab (\"no such commit\")":                   "is not a commit of this repository",
		"fix\n\nFixes: " + string(old[:12]) + " (\"another subject here\")": "has another subject",
	} {
		fix := h.Commit(message, gittest.Files{"a.c": "int b;\n"})
		fc := h.context(fix, ContextOptions{})
		for _, a := range fc.Annotations {
			if a.Verified {
				t.Errorf("%q: believed %+v", message, a)
			}
		}
		notes := strings.Join(annotationNotes(fc.Annotations, nil), "\n")
		if note != "" && !strings.Contains(notes, note) || note == "" && notes != "" {
			t.Errorf("%q: notes %q, want %q", message, notes, note)
		}
		h.Git("reset", "-q", "--hard", string(old))
	}
}

// A commit that is named with another subject, and that the ranking puts first for other reasons, is not called
// unbelieved: libuv wrote 'Fixes commit f3889085 ("win,tty: convert line-read UTF-16 to WTF-8")' of the right commit.
func TestNamedWithAnotherSubject(t *testing.T) {
	h := newHistory(t)
	old := h.Commit("misc: export WTF8 conversion utilities", gittest.Files{"tty.c": "read_bytes = bytes;\n"})
	fix := h.Commit("win: fix off-by-one\n\nFixes commit "+string(old[:8])+" (\"win,tty: convert line-read UTF-16\").", gittest.Files{"tty.c": "read_bytes = bytes - 1;\n"})
	c, err := h.Open().Commit(t.Context(), old)
	if err != nil {
		t.Fatal(err)
	}
	const why = `: "misc: export WTF8 conversion utilities"`
	for want, suspects := range map[string][]Suspect{
		"the message names the first suspect, too, but " + old.Short() + " has another subject" + why:      {{Suspect: suspect.Suspect{Commit: c}}},
		"the message names a culprit that was not believed: " + old.Short() + " has another subject" + why: nil,
	} {
		v := (&Answer{Suspects: suspects}).Offline(h.context(fix, ContextOptions{}), 1)
		if got := strings.Join(v.Notes, "\n"); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// A message may have thousands of trailers. Each that is another is tried, up to a bound, and the same one once.
func TestAnnotationsWithoutEnd(t *testing.T) {
	h := newHistory(t)
	h.Commit("start", gittest.Files{"a.c": "int a;\n"})
	var many strings.Builder
	for i := range mostAnnotations + 50 {
		fmt.Fprintf(&many, "Fixes: abcdef0%05d (\"no such commit\")\n", i)
	}
	for message, want := range map[string]int{
		"fix\n\n" + strings.Repeat("Fixes: 0123456789ab (\"no such commit\")\n", 50): 1,
		"fix\n\n" + many.String(): mostAnnotations,
	} {
		fc := h.context(h.Commit(message, gittest.Files{"a.c": message}), ContextOptions{})
		if notes := annotationNotes(fc.Annotations, nil); len(notes) != want {
			t.Errorf("%d notes, want %d", len(notes), want)
		}
	}
}

// A redacted message has no trace of the answer: no hash of five digits, no title, no
// number of a pull request or a review.
func TestStripHints(t *testing.T) {
	for message, want := range map[string]string{
		"broken by a1b2c": "broken by <hash>",
		"since 0123abc (\"net: rework\nthe queue\") it hangs":           "since <hash> it hangs",
		"Broken by D12345678, see #99 and foo/bar#7":                    "Broken by <ref>, see <ref> and <ref>",
		"Revert \"net: rework the queue\"":                              "Revert <quoted>",
		"broken in (0123abc net: rework\nthe queue), sadly":             "broken in <hash>, sadly",
		"see bug 12345, issue #7 and (D12345 its title)":                "see bug <bug>, issue <bug> and <ref>",
		"rhbz:1234567 at a.c:12345, line 10234":                         "rhbz:<bug> at a.c:12345, line 10234",
		"16384 bytes, more than 12345, >= 99999 and 10000ms":            "16384 bytes, more than 12345, >= 99999 and 10000ms",
		"[12345.678901] commit 1234567 of 100000 1a2b3 bytes":           "[12345.678901] commit <hash> of <hash> <hash> bytes",
		"when \"old\" goes and \"new\" comes, \"net: add\nfoo\" breaks": "when \"old\" goes and \"new\" comes, <quoted> breaks",
		"5\" wide since “net: rework the queue”, and \"it is long\"":    "5\" wide since <quoted>, and <quoted>",
		"was added decades ago":                                         "was added decades ago",
		"see https://example.org/commit/0123456":                        "see <link>",
		"x\nFixes: 0123456789ab (\"y\")\nz":                             "x\n\nz",
		"git-svn-id: http://example.org/trunk@1234 13f79535\n":          "\n",
	} {
		if got := Prose(message, nil); got != want {
			t.Errorf("stripHints(%q) = %q, want %q", message, got, want)
		}
	}
}

// Numbers and names that the patch shows are kept, because the bug may be about them. A
// word long enough for a real hash is still removed.
func TestStripHintsSparesThePatch(t *testing.T) {
	patch := &gitext.Patch{Files: []gitext.FileChange{{
		OldPath: "acc100/a.c", NewPath: "acc100/a.c",
		Hunks: []gitext.Hunk{{Lines: []gitext.PatchLine{{Op: '-', Text: []byte("if (n > 65535) // 0123abc")}}}},
	}}}
	got := Prose("acc100: past 65535, since 0123abc and 12345", hashLikeWords(patch))
	if want := "acc100: past 65535, since <hash> and <hash>"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Odd fixes are read, and a note describes the oddity.
func TestContextNotes(t *testing.T) {
	h := newHistory(t)
	root := h.Commit("root", gittest.Files{"a.c": "int a;\r\nint b;\r\n", "x.bin": "a\x00b", "s.sh": "exit 0\n"})
	if fc := h.context(root, ContextOptions{}); fc.Parent != "" || len(fc.Patch.Files) != 3 {
		t.Errorf("root: parent %q, %d files", fc.Parent, len(fc.Patch.Files))
	}
	expect := func(fix gitext.OID, note string) {
		t.Helper()
		fc := h.context(fix, ContextOptions{})
		if got := strings.Join(fc.Notes, "\n"); !strings.Contains(got, note) {
			t.Errorf("notes %q lack %q", got, note)
		}
	}
	expect(h.Commit("line ends", gittest.Files{"a.c": "int a;\nint b;\n"}), "line ends only")
	expect(h.Commit("binary", gittest.Files{"x.bin": "a\x00c"}), "1 file was not traced, because it is binary")
	h.Git("update-index", "--chmod=+x", "s.sh")
	h.Git("commit", "-q", "-m", "mode")
	expect(h.Head(), "changes its mode only")
	h.Git("checkout", "-q", "--", ".")
	expect(h.Commit("nothing", nil), "changes no file")
	module := func(to string) gitext.OID {
		h.Git("update-index", "--add", "--cacheinfo", "160000,"+strings.Repeat(to, len(h.Head()))+",lib")
		h.Git("commit", "-q", "-m", "lib at "+to)
		return h.Head()
	}
	expect(module("a"), `submodule "lib" was added at aaaaaaaaaaaa; its own history is not searched`)
	expect(module("b"), `submodule "lib" was changed from aaaaaaaaaaaa to bbbbbbbbbbbb; its own history is not searched`)
	h.Git("update-index", "--force-remove", "lib")
	h.Git("commit", "-q", "-m", "no lib")
	expect(h.Head(), `submodule "lib", which was at bbbbbbbbbbbb, was removed; its own history is not searched`)
	h.Git("checkout", "-q", "-b", "side", "HEAD~1")
	h.Commit("side", gittest.Files{"side.c": "int s;\n"})
	h.Git("checkout", "-q", "main")
	h.Git("merge", "-q", "--no-ff", "-m", "merge", "side")
	expect(h.Head(), "the fix is a merge; it is compared with its first parent")
}

// A line that moves within a hunk leaves the same lines, but it is no change of line
// ends.
func TestMovedLineIsNoLineEnd(t *testing.T) {
	h := newHistory(t)
	h.Commit("start", gittest.Files{"a.c": "lock();\nsave();\nwork();\n", "b.c": "a();\r\nb();\r\nc();\r\nd();\r\n"})
	fix := h.Commit("save before locking", gittest.Files{"a.c": "save();\nlock();\nwork();\n", "b.c": "a();\nb();\r\nc();\r\nd();\n"})
	notes := strings.Join(h.context(fix, ContextOptions{}).Notes, "\n")
	if notes != `"b.c" changes line ends only` {
		t.Errorf("notes: %s", notes)
	}
}

// A hint is read behind the subject of the message, and never as an annotation. It is not the
// message: what judges whether a commit is a fix does not see it.
func TestHint(t *testing.T) {
	h := newHistory(t)
	bad := h.Commit("start", gittest.Files{"a.c": "int a;\n"})
	fix := h.Commit("widen\n\nIt is too small.", gittest.Files{"a.c": "long a;\n"})
	hint := Hint{Text: "introduced in commit " + string(bad[:12]) + " by the overflow of parse_chunk"}
	fc := h.context(fix, ContextOptions{Hint: hint})
	if len(fc.Annotations) > 0 || fc.Message != "widen\n\nIt is too small.\n" {
		t.Errorf("annotations %+v, message %q", fc.Annotations, fc.Message)
	}
	before, after := strings.Index(fc.Prose, "parse_chunk"), strings.Index(fc.Prose, "It is too small.")
	if !strings.HasPrefix(fc.Prose, "widen\n") || before < 0 || after < before || strings.Contains(fc.Prose, string(bad[:12])) {
		t.Errorf("prose %q", fc.Prose)
	}
	if long := (Hint{Text: strings.Repeat("x ", 5000)}).And(Hint{}); len(long.Text) > maxHint {
		t.Errorf("a hint of %d bytes", len(long.Text))
	}
}
