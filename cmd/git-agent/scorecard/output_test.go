//go:build linux

package scorecard

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"git-agent/agent/model/modeltest"
)

// evil is text that a terminal would act on or a reader would not see. It contains
// control characters of every kind, characters that reorder text or have no width,
// and bytes that are not UTF-8. It has no NUL and no slash, so that it may be part of a
// file name.
const evil = "\x1b]0;t\x07\x1b[2J\u009b31m\u202eab\u2066\u2069\u200b\u200c\u200d\u200e\u200f\ufeff\u00ad\u180e\u061c\u2060" +
	"\U000e0041\U000e0100\u2028\u2029\ufff9\u3164\x08\x7f\x0b\x0c" + "x\x9b\xffy"

// evilName is the part of evil that a ref name may contain.
const evilName = "r\u009b31m\u202eab\u2066\u200b\u200d\ufeff\u00ad\u180e\u061c\u2060\U000e0041\U000e0100\u2028\ufff9\u3164\x9b\xffy"

// harmful describes the first character in a text that must not be printed. It does
// not use the program's list, so that it cannot share a mistake with it.
func harmful(text string, colors bool) string {
	for i, r := range text {
		_, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			return fmt.Sprintf("the byte %#02x at %d", text[i], i)
		case r == '\n', r == '\t', r == '\x1b' && colors && isColor(text[i:]):
		case r < 0x20, r >= 0x7f && r < 0xa0, strings.ContainsRune("\u00ad\u061c\u115f\u1160\u180e\u3164\ufeff\uffa0", r),
			r >= 0x200b && r <= 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x206f, r >= 0xfff9 && r <= 0xfffb, r >= 0xe0000 && r <= 0xe01ef:
			return fmt.Sprintf("%U at %d", r, i)
		}
	}
	return ""
}

// isColor reports whether s is an escape sequence that sets colours.
func isColor(s string) bool {
	code, found := strings.CutPrefix(s, "\x1b[")
	return found && strings.HasPrefix(strings.TrimLeft(code, "0123456789;"), "m")
}

// An outputVector runs the program on evil text and checks everything that it prints.
type outputVector struct {
	name  string
	args  []string
	dir   string // relative to the scene; "" means its repository
	stdin string
	env   []string
	files []string // files that it writes, relative to the scene

	colors   bool                             // colours are requested
	progress bool                             // progress is requested, which may move the cursor
	null     bool                             // lines end with NUL
	values   func(decoded map[string]any) any // picks a value from the first line of JSON, which must be evilText
}

// A scene is a home with a repository full of evil text and further files.
type scene struct {
	home home
	root string
	repo string
	fix  string
}

func (s *scene) write(t *testing.T, name, text string) {
	t.Helper()
	name = filepath.Join(s.root, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// newScene creates a repository of three commits with evil text in every possible
// place. The last commit fixes what the second one broke.
func newScene(t *testing.T) *scene {
	t.Helper()
	s := &scene{home: newHome(t), root: t.TempDir()}
	s.repo = filepath.Join(s.root, "repo")
	s.home.git(t, s.root, "init", "-q", s.repo)
	name := "f" + evil + ".c"
	for i, line := range []string{"a < b", "a <= b", "a < b"} {
		s.write(t, filepath.Join("repo", name), fmt.Sprintf("int f(int a, int b)\n{\n\treturn %s; /* %s */\n}\n", line, evil))
		s.home.git(t, s.repo, "add", "-A")
		s.home.git(t, s.repo, "commit", "-q", "--cleanup=verbatim", "--author=A"+evil+"Z <a"+evil+"@z>", "-m",
			fmt.Sprintf("%d: %s\n\nbody %s\n\nReviewed-by: %s", i, evil, evil, evil))
	}
	s.fix = strings.TrimSpace(s.home.git(t, s.repo, "rev-parse", "HEAD"))
	s.home.git(t, s.repo, "branch", evilName)
	s.home.git(t, s.repo, "tag", "t"+evilName)
	s.home.git(t, s.repo, "config", "agent.x"+strings.NewReplacer("\x9b", "", "\xff", "").Replace(evil)+".key", evil)
	s.home.git(t, s.repo, "config", "agent.model", evil)
	s.home.git(t, s.repo, "config", "color.agent.fix", "bold")
	s.home.git(t, s.root, "clone", "-q", s.repo, filepath.Join(s.root, "clones", "o", "r"))
	s.write(t, "case.jsonl", strings.NewReplacer("FIX", s.fix, "EVIL", quoted(evil)).Replace(
		`{"id":EVIL,"repo":"o/r","fix":"FIX","bics":["FIX"],"langs":[EVIL]}`+"\n"+`{"id":"two","repo":EVIL,"fix":"FIX","bics":["FIX"],"langs":[EVIL]}`+"\n"))
	s.write(t, "bad.jsonl", `{"id":"bad","repo":"o/r","fix":`+quoted(evil)+`,"bics":[]}`+"\n")
	s.write(t, "run.jsonl", strings.ReplaceAll(evilRun, "EVIL", quoted(evil)))
	if err := os.Mkdir(filepath.Join(s.root, "d"+evil), 0o755); err != nil {
		t.Fatal(err)
	}
	s.home.git(t, s.root, "clone", "-q", s.repo, filepath.Join(s.root, "c"+evil))
	return s
}

// quoted returns s as a JSON string with as few escapes as possible.
func quoted(s string) string {
	b, _ := json.Marshal(s)
	return strings.NewReplacer(`\u2028`, "\u2028", `\u2029`, "\u2029").Replace(string(b))
}

// evilRun is an exported run with evil text, to be imported.
const evilRun = `{"schema":"git-agent/steps/1","id":"r","kind":EVIL,"spec":{"fix":EVIL,"model":EVIL,"settings":EVIL,"repo":EVIL,"case":EVIL},"state":EVIL,"started":"2026-11-21T09:30:00Z","version":EVIL}
{"seq":1,"kind":"result","key":"opening","at":"2026-11-21T09:30:00Z","payload":{"model":EVIL,"system":EVIL,"prompt":EVIL}}
{"seq":2,"kind":"result","key":"model/1","at":"2026-11-21T09:30:00Z","payload":{"reply":{"message":{"text":EVIL,"thought":EVIL,"calls":[{"id":EVIL,"name":EVIL,"args":EVIL}]},"finish":EVIL}}}
{"seq":3,"kind":"result","key":"tool/1/1","at":"2026-11-21T09:30:00Z","payload":{"name":EVIL,"text":EVIL,"full":EVIL,"final":true,"detail":[{"commit":EVIL,"type":EVIL,"reasoning":EVIL}]}}
{"seq":4,"kind":"note","key":EVIL,"at":"2026-11-21T09:30:00Z","payload":EVIL}
{"seq":5,"kind":"note","key":"closing","at":"2026-11-21T09:30:00Z","payload":{"status":EVIL,"reason":EVIL}}
`

// evilReplies is a model that puts evil text into every field of its replies.
func evilReplies(s *scene) func(modeltest.Request) modeltest.Reply {
	return func(r modeltest.Request) modeltest.Reply {
		if r.Turn() == 0 {
			reply := modeltest.Call("git_show", `{"commit":"HEAD"}`).And("git_"+evil, `{"a":`+quoted(evil)+`}`).And("git_grep", evil).Saying("text " + evil)
			reply.Thought = "thought " + evil
			return reply
		}
		culprit := strings.TrimSpace(s.fix)
		return modeltest.Call("report", fmt.Sprintf(`{"commits":[{"commit":%q,"confidence":0.9,"type":%s,"reasoning":%s}]}`, culprit, quoted(evil), quoted(evil)))
	}
}

// outputVectors returns all output vectors for a scene.
func outputVectors(s *scene, talks, fails string) []outputVector {
	text := strings.ToValidUTF8(evil, "\ufffd")
	field := func(names ...string) func(map[string]any) any {
		return func(m map[string]any) any {
			var v any = m
			for _, name := range names {
				inner, _ := v.(map[string]any)
				v = inner[name]
			}
			if got, ok := v.(string); ok && strings.Contains(got, strings.SplitN(text, "\x0b", 2)[0]) {
				return nil
			}
			return v
		}
	}
	model := []string{"GIT_AGENT_MODEL=m" + strings.ReplaceAll(evil, "\x00", ""), "GIT_AGENT_BASE_URL=" + talks, "GIT_AGENT_API_KEY=k"}
	broken := []string{"GIT_AGENT_MODEL=m", "GIT_AGENT_BASE_URL=" + fails, "GIT_AGENT_API_KEY=k"}
	list := []outputVector{
		{name: "szz", args: []string{"szz", "HEAD"}},
		{name: "szz -v", args: []string{"szz", "-v", "HEAD"}},
		{name: "szz in colour", args: []string{"szz", "--color=always", "HEAD"}, colors: true},
		{name: "szz with progress", args: []string{"szz", "--progress", "HEAD"}, env: []string{"GIT_PROGRESS_DELAY=0"}, progress: true},
		{name: "szz JSON", args: []string{"szz", "--json", "HEAD"}, values: field("subject")},
		{name: "szz JSON -z", args: []string{"szz", "--json", "-z", "HEAD"}, null: true},
		{name: "szz trailer", args: []string{"szz", "--trailer", "HEAD"}},
		{name: "szz check command", args: []string{"szz", "--format=%(check)", "HEAD"}},
		{name: "szz in git's pager", args: []string{"szz", "--format=%an %ae %s %b %(path) %(fix:subject)", "HEAD"}, env: []string{"GIT_PAGER_IN_USE=true"}},
		{name: "szz narrow", args: []string{"szz", "HEAD"}, env: []string{"COLUMNS=40"}},
		{name: "szz of a ref", args: []string{"szz", evilName}},
		{name: "szz of no ref", args: []string{"szz", "no" + evil}},
		{name: "szz of no ref, -v", args: []string{"szz", "-v", "no" + evil}},
		{name: "szz of a path", args: []string{"szz", "HEAD", "--", "f" + evil + ".c"}},
		{name: "szz on stdin", args: []string{"szz", "--stdin", "--json"}, stdin: "HEAD\nno" + evil + "\n"},
		{name: "szz of an unknown format", args: []string{"szz", "--format=%(" + evil + ")", "HEAD"}},
		{name: "szz with events", args: []string{"szz", "--events=" + filepath.Join(s.root, "events"), "HEAD"}, files: []string{"events"}},
		{name: "szz of the work tree", args: []string{"szz", "--algorithm=b", "--json", "HEAD~1"}},
		{name: "szz with an evil setting", args: []string{"szz", "HEAD"}, env: []string{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=agent.engine", "GIT_CONFIG_VALUE_0=" + evil}},
		{name: "szz with an evil limit", args: []string{"szz", "HEAD"}, env: []string{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=agent.cacheLimit", "GIT_CONFIG_VALUE_0=" + evil}},
		{name: "szz in a directory", args: []string{"szz", "HEAD"}, dir: "c" + evil},
		{name: "szz outside", args: []string{"szz", "HEAD"}, dir: "d" + evil},
		{name: "a usage error", args: []string{"szz", "--" + evil}},
		{name: "an unknown command", args: []string{evil}},
		{name: "an unknown page", args: []string{"man", evil}},
		{name: "an unknown shell", args: []string{"completion", evil}},
		{name: "a completion of runs", args: []string{"completion", "--runs"}},

		{name: "tool git_show", args: []string{"tool", "git_show", `{"commit":"HEAD"}`}},
		{name: "tool git_show JSON", args: []string{"tool", "--json", "git_show", `{"commit":"HEAD"}`}},
		{name: "tool git_show whole", args: []string{"tool", "--no-compression", "git_show", `{"commit":"HEAD"}`}},
		{name: "tool git_grep", args: []string{"tool", "git_grep", `{"pattern":"return"}`}},
		{name: "tool git_grep JSON", args: []string{"tool", "--json", "git_grep", `{"pattern":"return"}`}},
		{name: "tool git_log_search", args: []string{"tool", "git_log_search", `{"pattern":"<="}`}},
		{name: "tool git_log_search JSON", args: []string{"tool", "--json", "git_log_search", `{"pattern":"<="}`}},
		{name: "tool git_blame", args: []string{"tool", "git_blame", `{"path":` + quoted("f"+evil+".c") + `}`}},
		{name: "tool with an evil argument", args: []string{"tool", "git_show", `{"commit":` + quoted(evil) + `}`}},
		{name: "tool with an evil argument JSON", args: []string{"tool", "--json", "git_grep", `{"pattern":"[` + quoted(evil)[1:] + `}`}},
		{name: "an unknown tool", args: []string{"tool", evil, "{}"}},
		{name: "tool with evil for arguments", args: []string{"tool", "git_show", evil}},

		{name: "mcp", args: []string{"mcp"}, stdin: evilFrames},
		{name: "mcp elsewhere", args: []string{"mcp", "--repo=" + filepath.Join(s.root, "c"+evil)}, stdin: evilFrames},
		{name: "mcp of no tip", args: []string{"mcp", "--tip=" + evil}},

		{name: "doctor", args: []string{"doctor"}},
		{name: "doctor JSON", args: []string{"doctor", "--json"}},
		{name: "doctor of an evil home", args: []string{"doctor"}, env: []string{"SHELL=/bin/" + evil, "XDG_DATA_HOME=/nowhere/" + evil, "PATH=" + os.Getenv("PATH") + ":/x" + evil}},
		{name: "doctor of an evil model", args: []string{"doctor", "--json"}, env: append([]string{"OPENAI_BASE_URL=" + evil}, model[0])},
		{name: "doctor online", args: []string{"doctor", "--online"}, env: broken},
		{name: "doctor in a directory", args: []string{"doctor", "--json"}, dir: "c" + evil},
		{name: "cache stat", args: []string{"cache", "stat"}, dir: "c" + evil},
		{name: "cache stat JSON", args: []string{"cache", "stat", "--json"}, dir: "c" + evil},
		{name: "cache verify", args: []string{"cache", "verify"}, dir: "c" + evil},
		{name: "cache verify JSON", args: []string{"cache", "verify", "--json"}, dir: "c" + evil},

		{name: "eval", args: []string{"eval", "szz", "../case.jsonl", "--repos=../clones", "--algorithm=b,rank", "--run=e1", "--html=../e.html", "--rows=../e.rows"}, files: []string{"e.html", "e.rows"}},
		{name: "eval JSON", args: []string{"eval", "szz", "../case.jsonl", "--repos=../clones", "--algorithm=b", "--run=e2" + strings.ToValidUTF8(evil, ""), "--json"}},
		{name: "eval with progress", args: []string{"eval", "szz", "../case.jsonl", "--repos=../clones", "--algorithm=b", "--run=e3", "--progress"}, env: []string{"GIT_PROGRESS_DELAY=0"}, progress: true},
		{name: "eval of bad cases", args: []string{"eval", "szz", "../bad.jsonl", "--repos=../clones"}},
		{name: "eval of no file", args: []string{"eval", "szz", evil, "--repos=" + evil}},

		{name: "a model", args: []string{"szz", "--engine=agent", "--allow-unpriced", "--progress", "HEAD"}, env: append(model, "GIT_PROGRESS_DELAY=0"), progress: true},
		{name: "a model JSON", args: []string{"szz", "--engine=agent", "--allow-unpriced", "--json", "--events=" + filepath.Join(s.root, "events2"), "HEAD"}, env: model, files: []string{"events2"}},
		{name: "a model's request", args: []string{"szz", "--show-request", "HEAD"}, env: model},
		{name: "a model's error", args: []string{"szz", "--engine=agent", "--allow-unpriced", "HEAD"}, env: broken},
		{name: "a model's error, -v", args: []string{"szz", "-v", "--engine=agent", "--allow-unpriced", "--json", "HEAD"}, env: broken},
		{name: "runs", args: []string{"trace", "list"}},
		{name: "runs JSON", args: []string{"trace", "list", "--json"}},
		{name: "runs -z", args: []string{"trace", "list", "-z"}, null: true},
		{name: "the last run", args: []string{"trace", "show"}},
		{name: "no run", args: []string{"trace", "show", "x" + evil}},
		{name: "no file of a run", args: []string{"trace", "show", "./x" + evil}},
	}
	for _, form := range []string{"", "--full", "--output=full", "--json", "--json -z", "--color=always", "--html=../page.html"} {
		v := outputVector{name: "a sent run " + form, args: append(append([]string{"trace", "show"}, strings.Fields(form)...), "../run.jsonl"),
			null: strings.Contains(form, "-z"), colors: strings.Contains(form, "color")}
		if strings.Contains(form, "html") {
			v.files = []string{"page.html"}
		}
		list = append(list, v)
	}
	for _, format := range []string{"steps", "atif", "otel", "otel --content"} {
		list = append(list, outputVector{name: "an export as " + format, args: append(append([]string{"trace", "export"}, strings.Fields("--format="+format)...), "../run.jsonl")})
	}
	for _, verb := range []string{"smells", "smells --json", "replay", "resume"} {
		list = append(list, outputVector{name: "a sent run: " + verb, args: append(append([]string{"trace"}, strings.Fields(verb)...), "../run.jsonl")})
	}
	return list
}

// evilFrames is the input of an MCP session whose client sends evil text everywhere.
var evilFrames = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":` + quoted(evil) + `,"version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"szz","arguments":{}}}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"git_show","arguments":{"commit":"HEAD"}}}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"git_grep","arguments":{"pattern":"return"},"_meta":{"progressToken":` + quoted(evil) + `}}}
{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":` + quoted(evil) + `,"arguments":{}}}
{"jsonrpc":"2.0","id":5,"method":` + quoted(evil) + `}
{"jsonrpc":"2.0","id":6,"method":"prompts/get","params":{"name":"trace-bug","arguments":{"fix":` + quoted(evil) + `}}}
{"jsonrpc":"2.0","id":` + quoted(evil) + `,"method":"ping"}
` + evil + "\n"

// The program never prints characters that a terminal acts on or that a reader cannot
// see, whether they come from a repository, a server, a case file, a setting or the
// environment.
func TestOutput(t *testing.T) {
	s := newScene(t)
	talks := modeltest.Serve(t, evilReplies(s))
	fails := modeltest.Serve(t, func(modeltest.Request) modeltest.Reply {
		return modeltest.Status(400, `{"error":{"message":`+quoted("no "+evil)+`,"type":`+quoted(evil)+`,"code":`+quoted(evil)+`,"param":`+quoted(evil)+`}}`, "X-Request-Id", "a\u202e")
	})
	for _, v := range sample(outputVectors(s, talks.URL, fails.URL), 24) {
		if problem := s.try(t, v); problem != "" {
			broke(t, outputs, v.name, "%s", problem)
		} else {
			held(outputs)
		}
	}
	onTerminal(t, s)
}

// try runs one vector and returns what is wrong with its output, or "".
func (s *scene) try(t *testing.T, v outputVector) string {
	dir := s.repo
	if v.dir != "" {
		dir = filepath.Join(s.root, v.dir)
	}
	got := s.home.run(t, command{dir: dir, stdin: v.stdin, env: v.env}, v.args...)
	if got.late || got.code < 0 {
		return fmt.Sprintf("it did not end by itself: %d", got.code)
	}
	if got.stdout == "" && got.stderr == "" && len(v.files) == 0 && got.code == 0 {
		return "it printed nothing"
	}
	if v.null {
		got.stdout = strings.ReplaceAll(got.stdout, "\x00", "\n")
	}
	if v.progress {
		got.stderr = strings.NewReplacer("\r", "\n", "\x1b[K", "").Replace(got.stderr)
	}
	texts := map[string]string{"stdout": got.stdout, "stderr": got.stderr}
	for _, name := range v.files {
		data, err := os.ReadFile(filepath.Join(s.root, name))
		if err != nil {
			return err.Error() + "; " + got.stderr
		}
		texts[name] = string(data)
	}
	for name, text := range texts {
		if what := harmful(text, v.colors && name == "stdout"); what != "" {
			return fmt.Sprintf("%s holds %s", name, what)
		}
	}
	if v.values != nil {
		line, _, _ := strings.Cut(got.stdout, "\n")
		var decoded map[string]any
		if err := json.Unmarshal([]byte(line), &decoded); err != nil {
			return err.Error()
		}
		if wrong := v.values(decoded); wrong != nil {
			return fmt.Sprintf("the decoded value is %+q", wrong)
		}
	}
	return ""
}
