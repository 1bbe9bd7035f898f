package investigate

import (
	"fmt"
	"strings"
	"testing"

	"git-agent/agent/szz"
	"git-agent/agent/szz/szztest"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// investigate returns the investigation of a fix, whose message names no culprit.
func (h *history) investigate(fix gitext.OID) *investigation {
	h.T.Helper()
	d, err := newInvestigation(h.T.Context(), h.Open(), h.Context(fix, szz.ContextOptions{NoAnnotations: true}), Options{})
	if err != nil {
		h.T.Fatal(err)
	}
	return d
}

// firstMessage returns the first message about a fix.
func (h *history) firstMessage(fix gitext.OID) string {
	h.T.Helper()
	text, err := h.investigate(fix).prompt(h.T.Context(), map[gitext.OID]string{})
	if err != nil {
		h.T.Fatal(err)
	}
	return text
}

func TestExcerptNamesMovedBlocks(t *testing.T) {
	// The former place of a block that a candidate moved is named, and its lines are
	// omitted. The lines that the fix changes are still shown.
	t.Parallel()
	h := newHistory(t)
	var block strings.Builder
	for i := range 12 {
		fmt.Fprintf(&block, "\tset_register(%d, default_value_of(%d));\n", i, i)
	}
	h.Commit("start", gittest.Files{"old.c": "void reset(void)\n{\n" + block.String() + "}\n", "new.c": "int ready(void);\n"})
	moved := "int ready(void);\n\nvoid reset(void)\n{\n" + block.String() + "\tfinish_reset(0);\n}\n"
	mover := h.Commit("move reset", gittest.Files{"old.c": gittest.Gone, "new.c": moved})
	fix := h.Commit("finish with one", gittest.Files{"new.c": strings.Replace(moved, "finish_reset(0)", "finish_reset(1)", 1)})
	text := h.firstMessage(fix)
	_, excerpt, _ := strings.Cut(text, "## c1, 2 files changed")
	excerpt, _, _ = strings.Cut(excerpt, "## c2")
	if !strings.Contains(excerpt, "moved from old.c:1)") || !strings.Contains(excerpt, "+\tfinish_reset(0);") || strings.Contains(excerpt, "+\tset_register(3,") {
		t.Errorf("the excerpt of %s is\n%s", mover.Short(), excerpt)
	}
}

func TestMovesIn(t *testing.T) {
	// Short blocks and reordered lines are not moved.
	t.Parallel()
	lines := func(op byte, texts ...string) (out []gitext.PatchLine) {
		for i, s := range texts {
			out = append(out, gitext.PatchLine{Op: op, Old: i + 1, New: i + 1, Text: []byte(s)})
		}
		return out
	}
	long := []string{"first_call(argument_one);", "second_call(argument_two);", "third_call(argument_three);", "fourth_call(argument_four);"}
	for name, test := range map[string]struct {
		removed, added []string
		want           int
	}{
		"moved":       {long, long, 8},
		"indented":    {long, []string{"\t" + long[0], "\t" + long[1], "\t" + long[2], "\t" + long[3]}, 8},
		"too short":   {long[:3], long[:3], 0},
		"other order": {long, []string{long[1], long[0], long[3], long[2]}, 0},
	} {
		p := &gitext.Patch{Files: []gitext.FileChange{
			{OldPath: "a.c", NewPath: "a.c", Hunks: []gitext.Hunk{{Lines: lines('-', test.removed...)}}},
			{OldPath: "b.c", NewPath: "b.c", Hunks: []gitext.Hunk{{Lines: lines('+', test.added...)}}},
		}}
		if got := movesIn(p); len(got) != test.want {
			t.Errorf("%s: %d lines, want %d", name, len(got), test.want)
		}
	}
}

func TestExcerptLeavesOutHeadsOfFiles(t *testing.T) {
	// The licence at the head of a new file takes no room.
	t.Parallel()
	h := newHistory(t)
	h.Commit("empty", gittest.Files{"README": "x\n"})
	text := "/*\n * Copyright (C) 2019 Somebody\n *\n * This is free software.\n */\n" + szztest.Program
	h.Commit("start the program", gittest.Files{"p.c": text})
	fix := h.Commit("more", gittest.Files{"p.c": strings.Replace(text, "max = 10", "max = 11", 1)})
	if got := h.firstMessage(fix); strings.Contains(got, "Copyright") || !strings.Contains(got, "+\tint max = 10;") {
		t.Errorf("%s", got)
	}
}

func TestLeadingCandidateElsewhereIsShown(t *testing.T) {
	// The message names the changes of a commit in other files: the prompt shows its
	// patch, without its tests, and says that the message describes it.
	t.Parallel()
	h := newHistory(t)
	h.Commit("start", gittest.Files{"p.c": szztest.Program, "conn/manager.c": "int open_manager(int v)\n{\n\treturn v;\n}\n"})
	for i := range 6 {
		h.Commit(fmt.Sprintf("print number %d", i), gittest.Files{"p.c": strings.Replace(szztest.Program, "limit(3)", fmt.Sprintf("limit(%d)", 4+i), 1)})
	}
	culprit := h.Commit("manager: reopen controllers with new versions", gittest.Files{
		"conn/manager.c":       "int open_manager(int v)\n{\n\treturn compare_versions(v);\n}\n",
		"tests/test_manager.c": "int check_everything(void) { return open_manager(1); }\n",
	})
	now := strings.Replace(szztest.Program, "limit(3)", "limit(9)", 1)
	fix := h.Commit("limit: keep the number\n\nThe manager reopens controllers with other versions, because open_manager()\ncompares them.", gittest.Files{"p.c": strings.Replace(now, "max = 10", "max = 0", 1)})
	d := h.investigate(fix)
	if d.described < 0 || d.ranking[d.described].Candidate.OID != culprit {
		t.Fatalf("described is %d of %d", d.described, len(d.ranking))
	}
	text := h.firstMessage(fix)
	_, excerpt, _ := strings.Cut(text, "# What these changed")
	if !strings.Contains(text, "the message's words and names fit it best") || !strings.Contains(excerpt, "+\treturn compare_versions(v);") || strings.Contains(excerpt, "check_everything") {
		t.Errorf("%s", text)
	}
}

func TestNameShowsItsDefinition(t *testing.T) {
	// A name that only the message has is traced to its definition in another file, with
	// the later changes of the definition, and not to a declaration.
	t.Parallel()
	h := newHistory(t)
	body := "int set_controllers(int n)\n{\n\tint known = find_known(n);\n\tif (known)\n\t\treturn known;\n\treturn make_new(n);\n}\n"
	h.Commit("start", gittest.Files{"p.c": szztest.Program, "conn.h": "int set_controllers(int n);\n"})
	origin := h.Commit("set controllers", gittest.Files{"conn.c": body})
	later := h.Commit("compare versions", gittest.Files{"conn.c": strings.Replace(body, "if (known)", "if (known && same_version(known))", 1)})
	fix := h.Commit("do not substitute\n\nset_controllers() saw another number.", gittest.Files{"p.c": strings.Replace(szztest.Program, "max = 10", "max = 0", 1)})
	d := h.investigate(fix)
	text, err := d.originText(t.Context())
	name := func(oid gitext.OID) string {
		s, _ := d.mention(t.Context(), oid)
		return s
	}
	want := "set_controllers at conn.c:1, defined by " + name(origin) + "\n   later 1 line by " + name(later) + ": if (known && same_version(known))\n"
	if err != nil || text != want {
		t.Errorf("got %q, want %q; %v", text, want, err)
	}
}

func TestNameThatIsGone(t *testing.T) {
	// A name that no other file has any more leads to the commit that removed it.
	t.Parallel()
	h := newHistory(t)
	uses := "#include \"api.h\"\n\nstruct ops table = {\n\tNO_OFFLOAD_API,\n};\n"
	h.Commit("start", gittest.Files{"bsd.c": uses, "api.h": "#define NO_OFFLOAD_API 0\n#define OTHER_API 1\n"})
	h.Commit("drop the API", gittest.Files{"api.h": "#define OTHER_API 1\n"})
	fix := h.Commit("bsd: build again without the dropped API", gittest.Files{"bsd.c": strings.Replace(uses, "\tNO_OFFLOAD_API,\n", "", 1)})
	d := h.investigate(fix)
	text, err := d.originText(t.Context())
	var gone string
	for _, j := range d.ranking {
		if j.Candidate.Commit.Subject() == "drop the API" {
			gone = d.names.of[j.Candidate.OID]
		}
	}
	if want := "NO_OFFLOAD_API: in no other file; taken out by " + gone + "\n"; err != nil || gone == "" || text != want {
		t.Errorf("got %q, want %q; %v", text, want, err)
	}
}

func TestNameThatTheFixedFileKeeps(t *testing.T) {
	// A name that another commit removed from other files is not called gone if the fixed
	// file still has it after the fix.
	t.Parallel()
	h := newHistory(t)
	uses := "#include \"api.h\"\n\nint start(void)\n{\n\treturn old_api(1);\n}\n\nint stop(void)\n{\n\treturn old_api(2);\n}\n"
	h.Commit("start", gittest.Files{"bsd.c": uses, "linux.c": "int go(void)\n{\n\treturn old_api(3);\n}\n"})
	h.Commit("linux: use the new API", gittest.Files{"linux.c": "int go(void)\n{\n\treturn new_api(3);\n}\n"})
	fix := h.Commit("bsd: use the new API where it stops, too", gittest.Files{"bsd.c": strings.Replace(uses, "old_api(2)", "new_api(2)", 1)})
	if text, err := h.investigate(fix).originText(t.Context()); err != nil || strings.Contains(text, "in no other file") {
		t.Errorf("got %q, %v", text, err)
	}
}

func TestMessageOfAnotherSystem(t *testing.T) {
	// The carriage returns from the web pages of some hosts are not shown.
	t.Parallel()
	if got := messageText("Fix it\r\n\r\nMotivation:\r\n", 100); got != "Fix it\n\nMotivation:" {
		t.Errorf("got %q", got)
	}
}

func TestWrapTextNamesWhoIndented(t *testing.T) {
	// Without white space, blame credits a line that was put into a block to the older
	// commit. The prompt names the later one.
	t.Parallel()
	h := newHistory(t)
	h.Commit("empty", gittest.Files{"README": "x\n"})
	origin := h.Commit("start the program", gittest.Files{"p.c": szztest.Program})
	wrapped := strings.Replace(szztest.Program, "\tif (n > max)\n\t\treturn max;\n", "\tif (n) {\n\t\tif (n > max)\n\t\t\treturn max;\n\t}\n", 1)
	wrapper := h.Commit("only positive numbers", gittest.Files{"p.c": wrapped})
	fix := h.Commit("all numbers", gittest.Files{"p.c": strings.Replace(wrapped, "\t\tif (n > max)\n\t\t\treturn max;\n", "\t\tn = max;\n", 1)})
	d := h.investigate(fix)
	text, err := d.wrapText(t.Context())
	if want := fmt.Sprintf("2 lines of %s: reindented or wrapped by %s\n", d.names.of[origin], d.names.of[wrapper]); err != nil || text != want {
		t.Errorf("got %q, want %q; %v", text, want, err)
	}
	if !strings.Contains(h.firstMessage(fix), text) {
		t.Error("the first message lacks it")
	}
}

func TestRestoredLinesAreCounted(t *testing.T) {
	// All lines that a commit removed and that the fix adds are counted, even if it
	// removed them from other files, and each text is quoted once.
	t.Parallel()
	h := newHistory(t)
	with := "int run(int n)\n{\n\tlock_state(n);\n\tclear_state(n);\n\tlock_state(n);\n\treturn n;\n}\n"
	other := "int other(int n)\n{\n\tnotify_all_readers(n, 1);\n\treturn n;\n}\n"
	without := "int run(int n)\n{\n\treturn n;\n}\n"
	h.Commit("start", gittest.Files{"p.c": with, "q.c": other})
	h.Commit("speed things up", gittest.Files{"p.c": without, "q.c": strings.Replace(other, "\tnotify_all_readers(n, 1);\n", "", 1)})
	fix := h.Commit("as before", gittest.Files{"p.c": strings.Replace(with, "\treturn n;", "\tnotify_all_readers(n, 1);\n\treturn n;", 1)})
	want := "   took out 3 of the 3 lines that the fix adds: notify_all_readers(n, 1); (in q.c) | clear_state(n);\n"
	if text := h.firstMessage(fix); !strings.Contains(text, want) {
		t.Errorf("no %q in\n%s", want, text)
	}
}

func TestPrecedentCountsAllOrigins(t *testing.T) {
	// An objection counts all authors of the older lines, quotes no line twice, and the
	// excerpts show the origin's own lines.
	t.Parallel()
	h := newHistory(t)
	h.Commit("empty", gittest.Files{"README": "x\n"})
	text := strings.Replace(szztest.Program, "\tint max = 10;\n", "\tint max = min_of(n, FLAG_A);\n\tint max = min_of(n, FLAG_A);\n", 1)
	h.Commit("start the program", gittest.Files{"p.c": text})
	text = strings.Replace(text, "\treturn n;\n", "\treturn round_up(n, FLAG_A);\n", 1)
	h.Commit("round up", gittest.Files{"p.c": text})
	mover := h.Commit("join files", gittest.Files{"p.c": gittest.Gone, "lib/all.c": strings.Repeat("/* moved */\n", 40) + text})
	fixed := strings.NewReplacer("min_of(n, FLAG_A)", "min_of(n, FLAG_B)", "round_up(n, FLAG_A)", "round_up(n, FLAG_B)").Replace(text)
	fix := h.Commit("mend it", gittest.Files{"lib/all.c": strings.Repeat("/* moved */\n", 40) + fixed})
	p, err := h.investigate(fix).findPrecedent(t.Context(), mover)
	if err != nil || p == nil {
		t.Fatalf("%+v, %v", p, err)
	}
	got := p.describe("c1", func(s string) string { return s })
	if !strings.Contains(got, "start the program (2 lines)") || !strings.Contains(got, "round up (1 line)") || strings.Count(got, "min_of(n, FLAG_A)") != 1 {
		t.Errorf("%s", got)
	}
}

func TestWrapTextTellsWhiteSpace(t *testing.T) {
	// A commit that changed only the end of a line, or nothing but white space in the
	// file, did not reindent or wrap it.
	t.Parallel()
	for name, change := range map[string]func(string) string{
		"end": func(s string) string {
			return strings.NewReplacer("max = 10;", "max = 10; \t", "printf", "print").Replace(s)
		},
		"tabs": func(s string) string {
			return strings.NewReplacer("\tint max", "  int max", "\n\n", "\n  \n").Replace(s)
		},
	} {
		h := newHistory(t)
		h.Commit("empty", gittest.Files{"README": "x\n"})
		origin := h.Commit("start the program", gittest.Files{"p.c": szztest.Program})
		changed := change(szztest.Program)
		spacer := h.Commit("tidy", gittest.Files{"p.c": changed})
		d := h.investigate(h.Commit("all numbers", gittest.Files{"p.c": strings.Replace(changed, "max = 10;", "max = 11;", 1)}))
		text, err := d.wrapText(t.Context())
		by, _ := d.mention(t.Context(), spacer)
		if want := fmt.Sprintf("1 line of %s: %s changed white space only\n", d.names.of[origin], by); err != nil || text != want {
			t.Errorf("%s: got %q, want %q; %v", name, text, want, err)
		}
	}
}
