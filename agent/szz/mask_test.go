package szz

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// maskCase has a history of two commits, and a fix whose message and patch may name
// them: A and B in a message stand for their hashes.
type maskCase struct {
	h    *history
	a, b gitext.OID
}

const (
	titleA = "net: rework the queue of packets"
	titleB = "Speed up (again) the \"fast\" path (#77)"
)

func newMaskCase(t *testing.T) *maskCase {
	h := newHistory(t)
	m := &maskCase{h: h}
	h.Commit("start", gittest.Files{"a.c": "int a;\n"})
	m.a = h.Commit(titleA, gittest.Files{"a.c": "int a;\nint q;\n"})
	m.b = h.Commit(titleB, gittest.Files{"a.c": "int a;\nint q;\nint f;\n"})
	return m
}

// fill puts hashes into a text: {A}, {a} and {A12} for the whole hash in either case
// and for its beginning.
func (m *maskCase) fill(text string) string {
	return regexp.MustCompile(`\{([AaBb])(\d*)\}`).ReplaceAllStringFunc(text, func(s string) string {
		hash := string(m.a)
		if strings.ContainsAny(s, "Bb") {
			hash = string(m.b)
		}
		n := len(hash)
		fmt.Sscanf(s[2:], "%d", &n)
		if s[1] == 'a' || s[1] == 'b' {
			return strings.ToUpper(hash[:n])
		}
		return hash[:n]
	})
}

// message returns the message of a fix in a blind reading.
func (m *maskCase) message(text string) string {
	old := m.h.Head()
	fix := m.h.Commit("fix\n\n"+m.fill(text), gittest.Files{"a.c": "int a = 0;\n"})
	fc := m.h.context(fix, ContextOptions{NoAnnotations: true})
	m.h.Git("reset", "-q", "--hard", string(old))
	return strings.TrimPrefix(strings.TrimSpace(fc.Message), "fix\n\n")
}

// Exactly the names of commits are hidden in the message of a fix, each commit by its own
// label, and the sentence around them stays.
func TestMaskMessage(t *testing.T) {
	m := newMaskCase(t)
	for text, want := range map[string]string{
		"Broken by {A12}, not by {B8}.":                              "Broken by <commit A>, not by <commit B>.",
		"Since commit {A} it hangs; {A7} did it":                     "Since <commit A> it hangs; <commit A> did it",
		"In {a10} as in commit: {B5} and {A6}":                       "In <commit A> as in <commit B> and <commit A>",
		"See https://example.org/c/{A}?x=1 (v1.0-2-g{B9}) and {A9}^": "See https://example.org/c/<commit A>?x=1 (<commit B>) and <commit A>^",
		"Wrong since {A12}0123 and\n{B20}":                           "Wrong since <commit A> and\n<commit B>",
		"{A12} (\"" + titleA + "\") broke it":                        "<commit A> broke it",
		"{A12} (\"net: rework the queue...\") broke it":              "<commit A> broke it",
		"{A12} ('Rework the\nQueue of packets') broke it":            "<commit A> broke it",
		"{B12} (\"" + titleB + "\") broke it":                        "<commit A> broke it",
		"({A12} " + titleA + ") broke it":                            "(<commit A>) broke it",
		"see " + titleA + ",\n{A12}":                                 "see <commit A>,\n<commit A>",
		"The patch \"" + titleA + "\" broke it":                      "The patch <commit A> broke it",
		"Complete “rework the queue of packets”":                     "Complete <commit A>",
		"Regression of #77, see o/n#77 and PR 77":                    "Regression of <commit A>, see <commit A> and <commit A>",
		"Take up https://example.org/o/n/pull/77#issue-1":            "Take up <commit A>",
		"#77 in main\n#3 in f, see #3":                               "#77 in main\n#3 in f, see #3",
		"Rework the queue of packets once more, {A8}":                "Rework the queue of packets once more, <commit A>",
		"Complete the \"net: rework\" series, r1234, D1234":          "Complete the \"net: rework\" series, r1234, D1234",
		"Fixes #12, bug 12345, rhbz#1234567":                         "Fixes #12, bug 12345, rhbz#1234567",
		"The {A4} of 12345 in commit 12345, 0x{A8}, #ff8800":         "The " + string(m.a[:4]) + " of 12345 in commit 12345, 0x" + string(m.a[:8]) + ", #ff8800",
		"550e8400-e29b-41d4-a716-446655440000, deadbeef, 0123456789": "550e8400-e29b-41d4-a716-446655440000, deadbeef, 0123456789",
		"sha256 " + strings.Repeat("0123abcd", 8) + " x{A12}":        "sha256 " + strings.Repeat("0123abcd", 8) + " x" + string(m.a[:12]),
	} {
		if got := m.message(text); got != want {
			t.Errorf("%q\ngot  %q\nwant %q", m.fill(text), got, want)
		}
	}
}

// A hash broken over two lines is one name.
func TestMaskBrokenHash(t *testing.T) {
	m := newMaskCase(t)
	text := "since " + string(m.a[:5]) + "\n" + string(m.a[5:]) + " it hangs, and " + string(m.b[:25]) + "\n * " + string(m.b[25:])
	if got, want := m.message(text), "since <commit A> it hangs, and <commit B>"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A name split with the subject of the message is one name, with any mark at the place,
// and so are the names in messages of the history.
func TestMaskSplitSubject(t *testing.T) {
	m := newMaskCase(t)
	at := func(n int, mark string) string { return string(m.a[:n]) + mark + string(m.a[n:12]) }
	for text, want := range map[string]string{
		"Regression of " + at(7, "…\n\n…") + " in the queue":                     "Regression of <commit A> in the queue",
		"Regression of " + at(7, "...\r\n\r\n...") + " in the queue":             "Regression of <commit A> in the queue",
		"Regression of " + at(4, " …\n\n… ") + " in the queue":                   "Regression of <commit A> in the queue",
		"Regression of " + at(9, "\n\n…") + " in the queue":                      "Regression of <commit A> in the queue",
		"Since " + string(m.a[:8]) + "...\n\n...and {B8}":                        "Since <commit A>...\n\n...and <commit B>",
		"Broken by {A12} (\"net: rework …\n\n…the queue of packets\"), and {B8}": "Broken by <commit A>, and <commit B>",
		"Regression of #7…\n\n…7 in the queue":                                   "Regression of <commit A> in the queue",
		"Wait…\n\n…for {A8}":                                                     "Wait…\n\n…for <commit A>",
	} {
		old := m.h.Head()
		fix := m.h.Commit(m.fill(text), gittest.Files{"a.c": "int a = 0;\n"})
		fc := m.h.context(fix, ContextOptions{NoAnnotations: true})
		m.h.Git("reset", "-q", "--hard", string(old))
		if got := strings.TrimSpace(fc.Message); got != want {
			t.Errorf("%q\ngot  %q\nwant %q", m.fill(text), got, want)
		}
		if got := fc.Mask.Text(m.fill(text)); strings.Contains(got, string(m.a[9:12])) {
			t.Errorf("in the history: %q", got)
		}
	}
}

// Numbers of commits are names if the repository numbers its commits.
func TestMaskSerials(t *testing.T) {
	m := newMaskCase(t)
	got := m.message("Broken in r1234, see D5678.\n\nMore.\n\ngit-svn-id: http://example.org/trunk@1300 13f79535")
	if want := "Broken in <commit A>, see <commit B>.\n\nMore."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The lines of the patch are masked too, with the labels of the message. The patch
// itself, the source of the traced lines, keeps its text.
func TestMaskPatch(t *testing.T) {
	m := newMaskCase(t)
	fix := m.h.Commit(m.fill("fix\n\nAs {B12} shows."), gittest.Files{"a.c": m.fill("int a;\nint q; /* since {A12}, {B9} */\nint f; // 0123abc\n")})
	fc := m.h.context(fix, ContextOptions{NoAnnotations: true})
	text := strings.Join(patchTexts(fc.Mask.Patch(fc.Patch)), "\n")
	if !strings.Contains(text, "/* since <commit B>, <commit A> */") || !strings.Contains(text, "// 0123abc") {
		t.Errorf("masked: %s", text)
	}
	if raw := strings.Join(patchTexts(fc.Patch), "\n"); !strings.Contains(raw, string(m.a[:12])) {
		t.Errorf("the patch lost its text: %s", raw)
	}
}

// In texts of the history, hashes have labels of their own and the quoted titles of the
// fix are hidden. A title without quotation marks is a commit's own title, and titles
// that the fix does not name stay.
func TestMaskText(t *testing.T) {
	m := newMaskCase(t)
	fix := m.h.Commit(m.fill("fix\n\nBroken by {A12}."), gittest.Files{"a.c": "int a = 0;\n"})
	open := func() *Mask { return m.h.context(fix, ContextOptions{NoAnnotations: true}).Mask }
	mask := open()
	other := mask.Text(string(m.b))
	if !regexp.MustCompile(`^<commit [A-Z]{4}>$`).MatchString(other) {
		t.Fatalf("another commit is %q", other)
	}
	for text, want := range map[string]string{
		titleA:                                "net: rework the queue of packets",
		"Revert \"" + titleA + "\"":           "Revert <commit A>",
		"Revert \"" + titleB + "\"":           "Revert \"" + titleB + "\"",
		"This reverts commit {A}.":            "This reverts <commit A>.",
		"Fixes: {B12} (\"" + titleB + "\")":   "Fixes: " + other,
		"after {B12}, {A12} and {B7} (#77)":   "after " + other + ", <commit A> and " + other + " (#77)",
		"x\r\nThis is {B12}\r\n":              "x\r\nThis is " + other + "\r\n",
		"see \"net: rework the queue of pack": "see \"net: rework the queue of pack",
	} {
		if got := mask.Text(m.fill(text)); got != want {
			t.Errorf("%q\ngot  %q\nwant %q", text, got, want)
		}
		if again := open(); again.Text(m.fill(text)) != want || again.Key() != mask.Key() {
			t.Errorf("%q has other labels the second time", text)
		}
	}
	fix2 := m.h.Commit(m.fill("again\n\nBroken by {B12}."), gittest.Files{"a.c": "int a = 1;\n"})
	if second := m.h.context(fix2, ContextOptions{NoAnnotations: true}).Mask; second.Text(string(m.b)) != "<commit A>" || second.Key() == mask.Key() {
		t.Error("the labels do not depend on the fix")
	}
}

// The mask hides only names that the tools can resolve, so a branch or a tree with the
// name of a hash is no commit.
func TestMaskOnlyCommits(t *testing.T) {
	m := newMaskCase(t)
	tree := strings.TrimSpace(m.h.Git("rev-parse", "HEAD^{tree}"))
	m.h.Git("branch", "abcdef1")
	text := "tree " + tree + ", branch abcdef1"
	if got := m.message(text); got != text {
		t.Errorf("got %q", got)
	}
}

// The title of a culprit that only a trailer names is hidden in the message.
func TestMaskAnnotated(t *testing.T) {
	m := newMaskCase(t)
	got := m.message("After \"rework the queue of packets\" it hangs.\n\nFixes: {A12} (\"" + titleA + "\")")
	if want := "After <commit A> it hangs."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Lines that name culprits like trailers are left out even before other text of the
// message, because their number is a hint.
func TestMaskLeavesOutCulpritLines(t *testing.T) {
	m := newMaskCase(t)
	got := m.message("It hangs.\n\nFixes: {A12} (\"" + titleA + "\")\nFixes: {B12}\n\nCloses: #12\n\nThe rest.")
	if want := "It hangs.\n\n\nCloses: #12\n\nThe rest."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Hostile texts end soon and without a panic.
func TestMaskHostile(t *testing.T) {
	m := newMaskCase(t)
	fix := m.h.Commit(m.fill("fix\n\n{A12}"), gittest.Files{"a.c": "int a = 0;\n"})
	mask := m.h.context(fix, ContextOptions{NoAnnotations: true}).Mask
	for _, text := range []string{
		strings.Repeat("\"'`([", 20000), strings.Repeat("net: ", 20000), strings.Repeat("a", 100000),
		strings.Repeat("abcdef\n", 10000), "\n" + titleA + "\n", "\xff\xfe" + string(m.a) + "\xff", "<commit A> commit", "commit ", string(m.a) + "(\"",
	} {
		mask.ofFix(text)
		if got := mask.Text(text); strings.Contains(got, string(m.a)) {
			t.Errorf("%.40q shows the hash", got)
		}
	}
}
