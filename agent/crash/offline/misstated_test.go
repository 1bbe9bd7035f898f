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

// A report none of whose lines is at its place in the version that it states is read where all are, as sqlc's issue 2321, which
// states a release and is of what came after it. With fewer lines, or where nothing fits, the version is believed.
func TestMisstatedVersion(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	const file = "src/main/java/com/univocity/parsers/common/AbstractCharInputReader.java"
	lower := func(n int) string {
		return strings.Replace(charReader, "public class", strings.Repeat("\n", n)+"public class", 1)
	}
	at := map[string]gitext.OID{}
	for i, name := range []string{"v1.0.0", "v2.0.0", "work", "v3.0.0", "tip"} {
		at[name] = h.Commit(name, gittest.Files{file: lower(10 * i), "version": name})
		if name[0] == 'v' {
			h.Git("tag", name)
		}
	}
	repo := h.Open()
	all := fmt.Sprintf(univocity, 25, 32, 36)
	for name, test := range map[string]struct{ text, want, note string }{
		"between releases": {"version: 1.0.0\n" + all, "work", "the report says version 1.0.0, where none of its 3 lines is at its place; the report's lines fit"},
		"another release":  {"version: 1.0.0\n" + fmt.Sprintf(univocity, 15, 22, 26), "v2.0.0", "at its place; its lines fit the code of v2.0.0"},
		"HEAD":             {"version: 1.0.0\n" + fmt.Sprintf(univocity, 45, 52, 56), "tip", "at its place; its lines fit the code of HEAD"},
		"two lines":        {"version: 1.0.0\n" + strings.Join(strings.SplitAfter(all, "\n")[:3], ""), "v1.0.0", ""},
		"no commit":        {"version: 1.0.0\n" + fmt.Sprintf(univocity, 105, 112, 116), "v1.0.0", ""},
		"its commit":       {"commit: " + string(at["v1.0.0"]) + "\n" + all, "v1.0.0", ""},
	} {
		report, err := format.Read(strings.NewReader(test.text))
		if err != nil {
			t.Fatal(err)
		}
		got, err := Rank(t.Context(), repo, crash.Question{Report: report})
		if err != nil {
			t.Fatal(err)
		}
		if notes := strings.Join(got.Notes, "\n"); got.Commit != at[test.want] || !strings.Contains(notes, test.note) || test.note == "" && strings.Contains(notes, "the report says") {
			t.Errorf("%s: at %s from %q, want %s; notes %q", name, got.Commit.Short(), got.CommitFrom, test.want, got.Notes)
		}
	}
}

// A report with one frame of the project is read at the newest release where that line calls the library's function, as
// kotlinpoet's issue 2021.
func TestReleaseOfOneLine(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	const file = "src/poet/CodeWriter.kt"
	text := "package poet\n\nclass CodeWriter {\n  fun imports(names: List<String>): String {\n    val sorted = names.sorted()\n    return sorted.single()\n  }\n}\n"
	h.Commit("one", gittest.Files{file: "// The first one.\n" + text})
	h.Git("tag", "1.0.0")
	want := h.Commit("two", gittest.Files{file: text})
	h.Git("tag", "2.0.0")
	head := h.Commit("three", gittest.Files{file: strings.Replace(text, "class", "// Writes.\n//\n//\nclass", 1)})
	repo := h.Open()
	for line, want := range map[int]gitext.OID{6: want, 5: head} {
		report, err := format.Read(strings.NewReader(fmt.Sprintf("java.lang.IllegalArgumentException: Collection has more than one element.\n"+
			"\tat kotlin.collections.CollectionsKt.single(_Collections.kt:605)\n\tat poet.CodeWriter.imports(CodeWriter.kt:%d)\n", line)))
		if err != nil {
			t.Fatal(err)
		}
		got, err := Rank(t.Context(), repo, crash.Question{Report: report})
		if err != nil {
			t.Fatal(err)
		}
		if got.Commit != want {
			t.Errorf("line %d: at %s (%s), want %s; notes %q", line, got.Commit.Short(), got.CommitFrom, want.Short(), got.Notes)
		}
	}
}
