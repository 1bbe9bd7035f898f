package rank

import (
	"slices"
	"strings"
	"testing"

	"git-agent/agent/crash"
	"git-agent/gitext/gittest"
)

// gathered returns the evidence of a report by file.
func gathered(t *testing.T, h *gittest.History, report *crash.Report) map[string]*evidence {
	t.Helper()
	g, err := gather(t.Context(), h.Open(), h.Head(), report)
	if err != nil {
		t.Fatal(err)
	}
	return evidenceOf(g.files)
}

func frame(path string, line int, function string) crash.Frame {
	return crash.Frame{Function: function, Path: path, File: path, Line: line}
}

func TestWhereTheValueComesFrom(t *testing.T) {
	// A check that throws was given what it refuses: the report is like one of netty/netty, whose
	// fix is in the caller of SocketUtils. The value comes from the innermost function that was
	// not given it.
	t.Parallel()
	h := gittest.New(t)
	h.Commit("import", gittest.Files{
		"src/Checks.java":   "class Checks {\n  static String notNull(\n      String name) {\n    throw new IllegalArgumentException(name);\n  }\n}\n",
		"src/Sockets.java":  "class Sockets {\n  Address of(String host) {\n    return new Address(Checks.notNull(host));\n  }\n}\n",
		"src/Provider.java": "class Provider {\n  void init(Config config) {\n    Address a = Sockets.of(System.name());\n  }\n}\n",
		"src/Main.java":     "class Main {\n  static void main(String[] args) {\n    provider.init(args);\n  }\n}\n",
	})
	report := &crash.Report{Stacks: []crash.Stack{{Kind: crash.StackCrash, Format: "java", Frames: []crash.Frame{
		frame("src/Checks.java", 4, "Checks.notNull"), frame("src/Sockets.java", 3, "Sockets.of"),
		frame("src/Provider.java", 3, "Provider.init"), frame("src/Main.java", 3, "Main.main"),
	}}}}
	e := gathered(t, h, report)
	for path, want := range map[string]evidence{
		"src/Checks.java":   {throws: true, use: useParameter, passes: true},
		"src/Sockets.java":  {},
		"src/Provider.java": {origin: true, own: true},
		"src/Main.java":     {},
	} {
		got := e[path]
		if got.throws != want.throws || got.use != want.use || got.passes != want.passes || got.origin != want.origin || got.own != want.own {
			t.Errorf("%s: throws %v, use %v, passes %v, origin %v", path, got.throws, got.use, got.passes, got.origin)
		}
	}
}

func TestFailureBeginsAtTheLastCause(t *testing.T) {
	t.Parallel()
	report := &crash.Report{Stacks: []crash.Stack{
		stackOf(crash.StackCrash, "wrap a.c", "run b.c"),
		stackOf(crash.StackCause, "step b.c", "go c.c"),
		stackOf(crash.StackCause, "read d.c", "step b.c"),
		stackOf(crash.StackCause, "read"),
	}}
	if got := failing(report); !slices.Equal(got, []crash.FrameRef{{Stack: 2, Frame: 0}, {Stack: 2, Frame: 1}}) {
		t.Errorf("%v", got)
	}
	var order []string
	files := collect(report)
	slices.SortFunc(files, func(a, b *evidence) int { return a.byCause - b.byCause })
	for _, e := range files {
		order = append(order, e.path)
	}
	if got := strings.Join(order, " "); got != "d.c b.c c.c a.c" {
		t.Error(got)
	}
}

func TestParameters(t *testing.T) {
	t.Parallel()
	for heading, want := range map[string]string{
		"def load(self, path, *, strict=False):":            "path strict",
		"func (c *conn) load(ctx Context, name string) {":   "ctx name",
		"static int load(const char *path, size_t n)\n{":    "path n",
		"  public <T> void load(final Foo<T> foo, int x) {": "foo x",
		"load() {":         "",
		"def other(path):": "none",
		"load = 3":         "none",
	} {
		got := "none"
		if names := parametersOf(heading, "load"); names != nil {
			got = strings.Join(names, " ")
		}
		if got != want {
			t.Errorf("%s: %q, want %q", heading, got, want)
		}
	}
}

func TestUseOfFiles(t *testing.T) {
	// A file is used by those that mention it: the module of Python, the package of Go, the header
	// of C. A mention in another language does not count.
	t.Parallel()
	h := gittest.New(t)
	h.Commit("import", gittest.Files{
		"vdsm/xmlutil.py": "def load(x):\n    pass\n", "vdsm/vm.py": "from vdsm import xmlutil\n", "vdsm/net.py": "import vdsm.xmlutil as x\n",
		"docs/notes.md": "xmlutil\n", "vdsm/api/__init__.py": "def start():\n    pass\n", "vdsm/web.py": "from vdsm import api\n",
		"st/st-icon.c": "#include \"st-icon.h\"\n", "st/st-button.c": "#include \"st-icon.h\"\n", "st/st-box.c": "int st;\n",
	})
	e := gathered(t, h, &crash.Report{Stacks: []crash.Stack{
		stackOf(crash.StackCrash, "load vdsm/xmlutil.py", "start vdsm/api/__init__.py", "icon st/st-icon.c", "box st/st-box.c"),
	}})
	for path, want := range map[string]int{"vdsm/xmlutil.py": 2, "vdsm/api/__init__.py": 1, "st/st-icon.c": 1, "st/st-box.c": 0} {
		if got := e[path].users; got != want {
			t.Errorf("%s: %d users, want %d", path, got, want)
		}
	}
}

func TestAges(t *testing.T) {
	const day = 24 * 60 * 60
	t.Parallel()
	h := gittest.New(t)
	h.Commit("import", gittest.Files{"old.c": "1\n", "new.c": "1\n"})
	h.Time += 900 * day
	h.Commit("change", gittest.Files{"new.c": "2\n"})
	h.Time += 10 * day
	h.Commit("other", gittest.Files{"other.c": "1\n"})
	e := gathered(t, h, &crash.Report{Stacks: []crash.Stack{stackOf(crash.StackCrash, "f new.c", "g old.c")}})
	if e["new.c"].age != 10 || e["old.c"].age != stale {
		t.Errorf("%d and %d days", e["new.c"].age, e["old.c"].age)
	}
}
