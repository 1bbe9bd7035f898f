package investigate

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"git-agent/agent/crash"
	"git-agent/agent/model"
	"git-agent/gitext/gittest"
)

// loud is a program with its own words for everything that an arm leaves out: the arguments of
// frames, a frame of other code, messages of commits, a file that is only related to the others,
// and a removed file.
func loud(t *testing.T) *bench {
	t.Helper()
	h := gittest.New(t)
	log := "#include \"log.h\"\n\nvoid die(const char *why)\n{\n\t*(char *)why = 0;\n}\n"
	h.Commit("subject of the start", gittest.Files{"lib/log.c": log, "lib/reader.c": reader, "lib/sibling.c": "int sibling;\n", "main.c": program, "gone.c": "int gone;\n"})
	for _, n := range []string{"1", "2", "3", "4"} {
		h.Commit("subject of pair "+n, gittest.Files{"lib/reader.c": reader + "\nint r" + n + ";\n", "lib/sibling.c": "int sibling" + n + ";\n"})
	}
	h.Git("rm", "-q", "gone.c")
	h.Commit("subject of the removal", gittest.Files{"lib/log.c": strings.Replace(log, "= 0", "= 1", 1)})
	crashed := h.Commit("subject of the last", gittest.Files{"README": "x\n"})
	return askedAt(h, crashed, `Program received signal SIGSEGV, Segmentation fault.
#0  0x0101 in die (why=0xdeadbeef) at lib/log.c:5
#1  0x0102 in read_packet (in=0xdeadbee0, out=0x77) at lib/reader.c:12
#2  0x0103 in foreign_start (argc=99) from /lib/libforeign.so.6
#3  0x0104 in main () at main.c:6
`)
}

// allText returns all texts of a request: the messages, and the tools.
func allText(req model.Request) string {
	var b strings.Builder
	for _, m := range req.Messages {
		b.WriteString(m.Text + "\n")
	}
	for _, t := range req.Tools {
		b.WriteString(t.Name + " " + t.Description + " " + string(t.Parameters) + "\n")
	}
	return b.String()
}

func toolsOf(req model.Request) string {
	var names []string
	for _, t := range req.Tools {
		names = append(names, t.Name)
	}
	return strings.Join(names, " ")
}

// Patterns of parts of the first request.
const (
	rankedLine = `(?m)^0\.\d\d |Files by a ranking|innermost frame|often changed with`
	codeLine   = `(?m)^[> ]\d+ |# Code around`
	commitLine = `(?m)subject of|^c\d |# Latest changes|    @@ |c1, c2`
	rawText    = `0xdeadbee|argc=99|foreign_start|"form"`

	toolName = `(?m)git_|get_|search_`

	allTools = "get_crash_extinfo get_crash_stack get_nearby_code get_term_definition search_commits git_blame git_show git_log_search git_grep report"
)

// An arm is a switch, with the parts that must be absent from its first request and its tools.
type arm struct {
	not   []string // patterns that match the first request of the whole method, but not this one
	tools string   // names of all tools
	named bool     // the answer has only files that the model named
}

var arms = map[string]arm{
	"no-tools":   {not: []string{rankedLine, codeLine, commitLine, toolName, `a definition|a change`, `in\[i\]`}, tools: "report", named: true},
	"no-calls":   {not: []string{toolName, `a definition|a change`}, tools: "report"},
	"no-ranking": {not: []string{rankedLine}, tools: allTools, named: true},
	"no-code":    {not: []string{codeLine}, tools: allTools},
	"no-changes": {not: []string{commitLine}, tools: allTools},
	"no-definitions": {not: []string{`get_term_definition|a definition`},
		tools: strings.Replace(allTools, "get_term_definition ", "", 1)},
	"no-raw": {not: []string{rawText}, tools: allTools},
	"no-commit-search": {not: []string{`search_commits|git_log_search`},
		tools: "get_crash_extinfo get_crash_stack get_nearby_code get_term_definition git_blame git_show git_grep report"},
	"no-history": {not: []string{commitLine, `lib/sibling.c`, `search_commits|git_log_search|git_blame|git_show`, `a change`},
		tools: "get_crash_extinfo get_crash_stack get_nearby_code get_term_definition git_grep report"},
	"no-augmentation": {tools: allTools, named: true},
}

// An arm hides from the model exactly the parts in its name, and shows the rest.
func TestArms(t *testing.T) {
	t.Parallel()
	b := loud(t)
	whole := allText(b.first(Options{}))
	if got := toolsOf(b.first(Options{})); got != allTools {
		t.Fatalf("tools %s", got)
	}
	for _, name := range crash.SwitchNames() {
		arm, ok := arms[name]
		if !ok {
			t.Errorf("%s: no test says what it leaves out", name)
			continue
		}
		b.question.Switches = crash.SwitchesNamed(name)
		r, s := b.trace(Options{}, accuse("main.c"))
		got := allText(s.asked[0])
		for _, pattern := range arm.not {
			re := regexp.MustCompile(pattern)
			if !re.MatchString(whole) {
				t.Errorf("%s: the whole method shows nothing like %s:\n%s", name, pattern, whole)
			}
			if found := re.FindString(got); found != "" {
				t.Errorf("%s: the model sees %q in\n%s", name, found, got)
			}
		}
		for _, pattern := range []string{rankedLine, codeLine, commitLine, rawText} {
			if !slices.Contains(arm.not, pattern) && name != "no-tools" && !regexp.MustCompile(pattern).MatchString(got) {
				t.Errorf("%s: nothing like %s in\n%s", name, pattern, got)
			}
		}
		if tools := toolsOf(s.asked[0]); tools != arm.tools {
			t.Errorf("%s: tools %s", name, tools)
		}
		if only := pathsOf(r.Files) == "main.c" && len(r.Suspects) == 0; only != arm.named {
			t.Errorf("%s: the answer is %s, with %d suspects", name, pathsOf(r.Files), len(r.Suspects))
		}
	}
}

// Without the ranking, neither the first request nor the answer depends on it, not even in the
// order. With the report alone, they do not depend on the repository's text either.
func TestRankingDoesNotShow(t *testing.T) {
	t.Parallel()
	b := loud(t)
	for _, name := range []string{"no-ranking", "no-tools"} {
		b.question.Switches = crash.SwitchesNamed(name)
		b.rank()
		one, s := b.trace(Options{}, accuse("main.c", "lib/reader.c"))
		slices.Reverse(b.offline.Files)
		for i := range b.offline.Files {
			b.offline.Files[i].Probability, b.offline.Files[i].Score = 0.5, float64(9-i)
		}
		slices.Reverse(b.offline.Suspects)
		two, again := b.trace(Options{}, accuse("main.c", "lib/reader.c"))
		if allText(s.asked[0]) != allText(again.asked[0]) {
			t.Errorf("%s: the request depends on the ranking:\n%s\n\n%s", name, allText(s.asked[0]), allText(again.asked[0]))
		}
		for i, f := range one.Files {
			if f.Probability != two.Files[i].Probability || strings.Join(f.Reasons, ";") != strings.Join(two.Files[i].Reasons, ";") || len(f.Reasons) != 1 {
				t.Errorf("%s: the answer depends on the ranking: %+v, %+v", name, f, two.Files[i])
			}
		}
	}
	b.question.Switches = crash.SwitchesNamed("no-ranking")
	b.rank()
	text := b.first(Options{}).Messages[1].Text
	if at := strings.Index(text, "## #0, lib/log.c"); at < 0 || at > strings.Index(text, "## #1, lib/reader.c") {
		t.Errorf("the innermost frame is not the first:\n%s", text)
	}
}

// answers returns the answers to calls in an arm.
func (b *bench) answers(name string, calls ...model.Message) string {
	b.T.Helper()
	b.question.Switches = crash.SwitchesNamed(name)
	_, s := b.trace(Options{}, append(calls, accuse("main.c"))...)
	text := ""
	for n := 2; n <= len(s.asked); n++ {
		text += s.last(n)
	}
	return text
}

// The answers of the remaining tools do not contain the parts that an arm leaves out either.
func TestArmsAnswers(t *testing.T) {
	t.Parallel()
	b := loud(t)
	first := string(b.oid("subject of the start"))
	calls := []model.Message{
		called("git_grep", map[string]any{"pattern": "sibling1", "commit": first}),
		called("git_grep", map[string]any{"pattern": "r1", "commit": "HEAD~2"}),
		called("git_grep", map[string]any{"pattern": "no such text"}),
		called("git_grep", map[string]any{"pattern": "two\nlines"}),
		called("get_nearby_code", map[string]any{"path": "gone.c"}),
		called("report", map[string]any{"explanation": "", "files": []any{map[string]any{"path": "gone.c", "reason": ""}}, "commits": []any{map[string]any{"commit": first, "why": ""}}}),
	}
	whole := b.answers("", calls...)
	for name, not := range map[string][]string{
		"no-history":       {"removed or renamed", "git_log_search", "git_show", "git_blame"},
		"no-commit-search": {"git_log_search"},
	} {
		got := b.answers(name, calls...)
		for _, word := range not {
			if strings.Contains(got, word) {
				t.Errorf("%s: the tools answer %q in\n%s", name, word, got)
			}
		}
		if !strings.Contains(got, "no lines found") {
			t.Errorf("%s:\n%s", name, got)
		}
	}
	if !strings.Contains(whole, "removed or renamed it") || !strings.Contains(whole, "git_log_search finds texts") || !strings.Contains(whole, "git_log_search finds what") {
		t.Errorf("the whole method answers\n%s", whole)
	}
	if got := b.answers("no-history", calls[0]); !strings.Contains(got, "no other commit can be seen here") {
		t.Errorf("an older commit: %s", got)
	}
	missing := accuse("elsewhere/xyz.c")
	if got := b.answers("no-tools", missing); !strings.Contains(got, `"elsewhere/xyz.c" is not in`) || regexp.MustCompile(`git_|get_`).MatchString(got) {
		t.Errorf("no-tools: %s", got)
	}
}

// Sanitized sections contain no raw text in any form, and no other section of a dump can be read.
func TestSanitizedAnswers(t *testing.T) {
	t.Parallel()
	b := loud(t)
	dump := filepath.Join(t.TempDir(), "dump.trc")
	text := "[CRASH_EXTINFO]\nraw words\n[CRASH_STACK]\nraw words\n"
	if err := os.WriteFile(dump, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	b.question.Dump = dump
	b.question.Report.Sections = []crash.Section{{Name: "CRASH_EXTINFO", Start: 0, End: 26, Line: 1}, {Name: "CRASH_STACK", Start: 26, End: 50, Line: 3}}
	calls := []model.Message{called("get_crash_stack", map[string]any{}), called("get_crash_extinfo", map[string]any{})}
	if got := b.answers("", calls...); strings.Count(got, "raw words") != 2 {
		t.Errorf("the whole method answers\n%s", got)
	}
	calls = append(calls, called("get_crash_stack", map[string]any{"form": "raw"}), called("get_crash_section", map[string]any{"name": "CRASH_STACK"}))
	got := b.answers("no-raw", calls...)
	if strings.Contains(got, "raw words") || regexp.MustCompile(`0xdeadbee|foreign_start`).MatchString(got) || !strings.Contains(got, "#1 read_packet() lib/reader.c:12") || !strings.Contains(got, "SIGSEGV") {
		t.Errorf("no-raw answers\n%s", got)
	}
}
