package symbol

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"git-agent/agent/sandbox"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

func TestMain(m *testing.M) {
	sandbox.Helper()
	os.Exit(m.Run())
}

func finder(t *testing.T, h *gittest.History, commit gitext.OID, opt Options) *Finder {
	t.Helper()
	opt.Scratch, opt.Sandbox = t.TempDir(), sandbox.None
	f := NewFinder(h.Open(), commit, opt)
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// needCtags skips a test if universal-ctags is not installed.
func needCtags(t *testing.T, f *Finder) {
	t.Helper()
	if _, err := f.ctags(); err != nil {
		t.Skip(err)
	}
}

func lookUp(t *testing.T, f *Finder, name string, at Place) Found {
	t.Helper()
	found, err := f.Lookup(t.Context(), name, at)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return found
}

// brief writes definitions as "path:line-end kind".
func brief(found Found) string {
	var list []string
	for _, d := range found.Definitions {
		text := fmt.Sprintf("%s:%d-%d %s", d.Path, d.Line, d.End, d.Kind)
		if d.Declared {
			text += " declared"
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

func TestParseName(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"f":                        "f [] 0",
		" f ":                      "f [] 0",
		"ns::C::f":                 "f [ns C] 0",
		"ns::C<int, D<x>>::f":      "f [ns C] 0",
		"C::~C":                    "~C [C] 0",
		"pkg/sub.(*T).m":           "m [pkg sub T] 0",
		"a.b.C$Inner.run":          "run [a b C Inner] 0",
		"a.b.C$1.run":              "run [a b C] 0",
		"obj->field":               "field [obj] 2",
		"a->b.c":                   "c [a b] 2",
		"f(x, g(y))":               "f [] 1",
		"a[3]":                     "a [] 0",
		"struct foo":               "foo [] 3",
		"&var":                     "var [] 0",
		"(anonymous namespace)::f": "f [] 0",
		"save!":                    "save [] 0",
		"":                         "error", "operator==": "error", "1x": "error", "<module>": "error", "a b": "error", "::": "error",
		strings.Repeat("x", 2000): "error",
	} {
		q, err := parseName(text)
		got := fmt.Sprint(q.full, " ", q.qualifiers, " ", q.form)
		if err != nil {
			got = "error"
			if !errors.Is(err, ErrNoName) {
				t.Errorf("%q: %v", text, err)
			}
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// project has names that several files define, in several ways.
var project = gittest.Files{
	"lib/queue.h":   gittest.Lines("struct queue {", "\tint length;", "\tstruct queue *next;", "};", "typedef struct {", "\tint a;", "} pair_t;", "int push(struct queue *q);", "#define LIMIT(x) \\", "\t(x)", "extern int total;", "enum color { RED, GREEN };"),
	"lib/queue.c":   gittest.Lines("#include \"queue.h\"", "int total = 1;", "int push(struct queue *q)", "{", "\tint added = 0;", "\tq->length += LIMIT(added);", "\treturn helper(q, added);", "}", "static int helper(struct queue *q, int n)", "{", "\treturn n;", "}"),
	"lib/other.h":   gittest.Lines("struct aaa { int a, length; };", "static inline int first(struct aaa *x, pair_t *pair) { return pair->a; }"),
	"lib/only.h":    gittest.Lines("int proto(void);"),
	"app/main.c":    gittest.Lines("static int helper(void)", "{", "\treturn 1;", "}", "int main(void)", "{", "\tstruct queue q;", "\tpush(&q);", "\treturn helper();", "}"),
	"tests/queue.c": gittest.Lines("int push(struct queue *q)", "{", "\treturn 0;", "}"),
	"cc/shape.cc":   gittest.Lines("namespace geo {", "class Circle { public: void draw(int n); ~Circle(); };", "class Square { public: void draw(); };", "void Circle::draw(int n) { }", "void Square::draw() { }", "Circle::~Circle() { }", "}"),
	"go/a.go":       gittest.Lines("package a", "type Server struct {", "\tname string", "}", "func (s *Server) start() error { return nil }", "type Client struct{}", "func (c *Client) start() error { return nil }"),
	"py/m.py":       gittest.Lines("class Base(object):", "    def start(self, size):", "        for item in size:", "            print(item)", "        self.start(size)"),
}

func TestLookupByCtags(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	f := finder(t, h, h.Commit("one", project), Options{})
	needCtags(t, f)
	for _, test := range []struct {
		name string
		at   Place
		want string
	}{
		{"push", Place{}, "lib/queue.c:3-8 function, tests/queue.c:1-4 function"},
		{"push", Place{"app/main.c", 8}, "lib/queue.c:3-8 function, tests/queue.c:1-4 function"},
		{"push", Place{"tests/queue.c", 2}, "tests/queue.c:1-4 function, lib/queue.c:3-8 function"},
		{"helper", Place{"app/main.c", 9}, "app/main.c:1-4 function, lib/queue.c:9-12 function"},
		{"helper", Place{"lib/queue.c", 7}, "lib/queue.c:9-12 function, app/main.c:1-4 function"},
		{"struct queue", Place{}, "lib/queue.h:1-4 struct"},
		{"pair_t", Place{}, "lib/queue.h:5-7 typedef"},
		{"q->length", Place{"lib/queue.c", 6}, "lib/queue.h:2-2 member, lib/other.h:1-1 member"},
		{"length", Place{"lib/queue.c", 6}, "lib/queue.h:2-2 member, lib/other.h:1-1 member"},
		{"pair->a", Place{"lib/other.h", 2}, "lib/queue.h:6-6 member, lib/other.h:1-1 member"},
		{"LIMIT", Place{}, "lib/queue.h:9-10 macro"},
		{"proto", Place{}, "lib/only.h:1-1 prototype declared"},
		{"total", Place{}, "lib/queue.c:2-2 variable"},
		{"GREEN", Place{}, "lib/queue.h:12-0 enumerator"},
		{"geo::Square::draw", Place{}, "cc/shape.cc:5-5 function, cc/shape.cc:3-3 prototype declared, cc/shape.cc:4-4 function, cc/shape.cc:2-2 prototype declared"},
		{"Circle::~Circle", Place{}, "cc/shape.cc:6-6 function, cc/shape.cc:2-2 prototype declared"},
		{"a.(*Client).start", Place{}, "go/a.go:7-7 function, go/a.go:5-5 function, py/m.py:2-5 member"},
		{"Base.start", Place{}, "py/m.py:2-5 member, go/a.go:5-5 function, go/a.go:7-7 function"},
		{"absent", Place{"lib/queue.c", 3}, ""},
		{"added", Place{"lib/queue.c", 7}, "lib/queue.c:5-0 local variable"},
		{"n", Place{"lib/queue.c", 11}, "lib/queue.c:9-0 parameter"},
		{"item", Place{"py/m.py", 4}, "py/m.py:3-0 local variable"},
		{"size", Place{"py/m.py", 3}, "py/m.py:2-0 parameter"},
	} {
		found := lookUp(t, f, test.name, test.at)
		if got := brief(found); got != test.want {
			t.Errorf("%s at %v: %s, want %s", test.name, test.at, got, test.want)
		}
		for _, d := range found.Definitions {
			if d.Text == "" {
				t.Errorf("%s: no text of %s:%d", test.name, d.Path, d.Line)
			}
		}
	}
	if d := lookUp(t, f, "push", Place{}).Definitions[0]; d.Signature != "(struct queue * q)" || d.Text != "int push(struct queue *q)" {
		t.Errorf("%+v", d)
	}
	if d := lookUp(t, f, "Square::draw", Place{}).Definitions[0]; d.Scope != "geo::Square" {
		t.Errorf("%+v", d)
	}
}

// If a name is not on the line, the rest of the file is searched.
func TestUsed(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	f := finder(t, h, h.Commit("one", project), Options{})
	for _, test := range []struct {
		name string
		at   Place
		want Place
		note string
	}{
		{"push", Place{"app/main.c", 8}, Place{"app/main.c", 8}, ""},
		{"push", Place{"app/main.c", 1}, Place{"app/main.c", 8}, ""},
		{"helper", Place{"app/main.c", 6}, Place{"app/main.c", 9}, ""},
		{"helper", Place{"app/main.c", 4}, Place{"app/main.c", 1}, ""},
		{"push", Place{"app/main.c", 1 << 40}, Place{"app/main.c", 8}, ""},
		{"push", Place{"app/main.c", 0}, Place{"app/main.c", 8}, ""},
		{"total", Place{"app/main.c", 8}, Place{}, ""},
		{"push", Place{}, Place{}, ""},
		{"push", Place{"app/gone.c", 8}, Place{}, `"app/gone.c" is not a file of the commit`},
		{"push", Place{"../app/main.c", 8}, Place{}, "is not a file of the commit"},
	} {
		found := lookUp(t, f, test.name, test.at)
		if notes := strings.Join(found.Notes, "; "); found.Used != test.want || !strings.Contains(notes, test.note) || test.note == "" && notes != "" {
			t.Errorf("%s at %v: %v, %s", test.name, test.at, found.Used, notes)
		}
	}
}

// Without ctags, the form of lines identifies definitions.
func TestLookupByGrep(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	f := finder(t, h, h.Commit("one", project), Options{})
	f.ctags = func() (string, error) { return "", errNoCtags }
	for name, want := range map[string]string{
		"push":   "lib/queue.c:3-0 function, tests/queue.c:1-0 function",
		"length": "lib/other.h:1-0 member, lib/queue.h:2-0 member",
		"pair_t": "lib/queue.h:7-0 type",
		"LIMIT":  "lib/queue.h:9-0 macro",
		"absent": "",
	} {
		found := lookUp(t, f, name, Place{})
		if got := brief(found); got != want || want != "" && found.By != ByGrep || len(found.Notes) > 0 {
			t.Errorf("%s: %s by %s, want %s", name, got, found.By, want)
		}
	}
}

// ctags sees no names of files, links are not followed, and a file in an unknown language costs
// nothing.
func TestOddFiles(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	for i, name := range []string{"a b\t\"c\n.c", "--options=x.c", "\xff\xfe.c", "x.c;touch y"} {
		h.Write(gittest.Files{name: fmt.Sprintf("int odd%d(void)\n{\n}\n", i)})
	}
	h.Write(gittest.Files{"bin.c": "int odd4(void)\n{\x00\xff\n}\n", "tool": "#!/usr/bin/env python3\ndef odd5():\n    pass\n"})
	if err := os.Symlink("/etc/passwd", filepath.Join(h.Dir, "link.c")); err != nil {
		t.Fatal(err)
	}
	f := finder(t, h, h.Commit("one", gittest.Files{"z.c": "int z;\n"}), Options{})
	needCtags(t, f)
	for i, want := range []string{"a b\t\"c\n.c", "--options=x.c", "\xff\xfe.c", "", "bin.c", "tool"} {
		found := lookUp(t, f, fmt.Sprintf("odd%d", i), Place{Path: want})
		if want == "" {
			continue // not a source file by its name
		}
		if len(found.Definitions) != 1 || found.Definitions[0].Path != want {
			t.Errorf("%q: %+v", want, found)
		}
	}
	if found := lookUp(t, f, "root", Place{"link.c", 1}); len(found.Definitions) > 0 {
		t.Errorf("%+v", found)
	}
}

// The output of a hostile ctags is limited, and its file names are not used as paths.
func TestHostileCtags(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	commit := h.Commit("one", project)
	for _, script := range []string{
		`printf 'push\t/etc/passwd\t1;"\tfunction\tline:1\npush\t../../x.c\t1;"\tfunction\tline:1\npush\t9999.c\t1\tfunction\tline:1\npush\t-1.c\t1\tfunction\tline:1\npush\t0.c\t1;"\tfun\033ction\tline:1\npush\npush\t0.c\t\t\npush\t0.c\t1;"\tfunction\tline:-5\n' > tags`,
		"ln -s /etc/passwd tags",
		"mkfifo tags",
		"head -c 70000000 /dev/zero > tags",
		"exit 3",
	} {
		f := finder(t, h, commit, Options{})
		name := filepath.Join(t.TempDir(), "ctags")
		if err := os.WriteFile(name, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		f.ctags = func() (string, error) { return name, nil }
		found := lookUp(t, f, "push", Place{})
		if found.By != ByGrep || found.Definitions[0].Path != "lib/queue.c" {
			t.Errorf("%s: %+v", script, found)
		}
	}
}

// Many lookups may run concurrently, and Close may happen during them.
func TestConcurrentLookups(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	f := finder(t, h, h.Commit("one", project), Options{})
	var group sync.WaitGroup
	for range 4 {
		for _, name := range []string{"push", "helper", "LIMIT"} {
			group.Go(func() {
				if found, err := f.Lookup(t.Context(), name, Place{"lib/queue.c", 3}); err != nil || len(found.Definitions) == 0 {
					t.Errorf("%s: %+v, %v", name, found, err)
				}
			})
		}
	}
	group.Wait()
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if found, err := f.Lookup(t.Context(), "total", Place{}); err != nil || len(found.Definitions) == 0 || found.By == "" {
		t.Errorf("after Close: %+v, %v", found, err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stop")
	cancel(stop)
	if _, err := f.Lookup(ctx, "push", Place{}); !errors.Is(err, stop) {
		t.Errorf("%v", err)
	}
}

// The name of a class means the class, and not its constructors, unless it is called.
func TestClassBeforeConstructors(t *testing.T) {
	h := gittest.New(t)
	commit := h.Commit("start", gittest.Files{
		"src/Pool.java": "package a;\n\npublic class Pool {\n    private int size;\n\n    public Pool() {\n        this(3);\n    }\n\n    public Pool(int size) {\n        this.size = size;\n    }\n}\n",
		"src/heap.h":    "class Heap {\npublic:\n\tHeap();\n\tint size;\n};\n",
		"src/heap.cpp":  "#include \"heap.h\"\n\nHeap::Heap()\n{\n\tsize = 0;\n}\n",
		"src/stat.c":    "struct stat { int size; };\n\nint stat(const char *name)\n{\n\treturn 0;\n}\n",
	})
	for _, ctags := range []bool{true, false} {
		f := finder(t, h, commit, Options{})
		if !ctags {
			f.ctags = func() (string, error) { return "", errNoCtags }
		} else if _, err := f.ctags(); err != nil {
			continue
		}
		for name, want := range map[string]string{
			"Pool": "src/Pool.java:3", "Heap": "src/heap.h:1", "Heap::Heap": "src/heap.cpp:3", "stat(": "src/stat.c:3",
		} {
			d := lookUp(t, f, name, Place{Path: "src/heap.cpp", Line: 3}).Definitions
			if len(d) == 0 || fmt.Sprintf("%s:%d", d[0].Path, d[0].Line) != want {
				t.Errorf("ctags %v, %s: %+v, want %s", ctags, name, d, want)
			}
		}
	}
}

// A method that a class of Java inherits is that of its superclass, also if a class nearer by has a
// method of that name. The classes are netty's.
func TestLookupInherited(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	tip := h.Commit("import", gittest.Files{
		"http/HttpObjectAggregator.java": "class HttpObjectAggregator\n    extends MessageAggregator<HttpObject> {\n    boolean isStart() {\n    }\n}\n",
		"http/HttpObjectDecoder.java":    "class HttpObjectDecoder {\n    void decode(Buf b) {\n    }\n}\n",
		"codec/MessageAggregator.java":   "abstract class MessageAggregator<I> extends Decoder<I> {\n    void decode(I msg) {\n    }\n}\n",
		"codec/Decoder.java":             "abstract class Decoder<I> {\n    abstract void decode(I msg);\n\n    void read() {\n    }\n}\n",
	})
	f := finder(t, h, tip, Options{})
	for name, want := range map[string]string{
		"HttpObjectAggregator.decode":        "codec/MessageAggregator.java",
		"io.http.HttpObjectAggregator.read":  "codec/Decoder.java",
		"HttpObjectDecoder.decode":           "http/HttpObjectDecoder.java",
		"HttpObjectAggregator.isStart":       "http/HttpObjectAggregator.java",
		"io.netty.HttpObjectAggregator.none": "",
	} {
		found := lookUp(t, f, name, Place{Path: "http/HttpObjectAggregator.java"})
		got := ""
		if len(found.Definitions) > 0 {
			got = found.Definitions[0].Path
		}
		noted := strings.Contains(strings.Join(found.Notes, "\n"), "inherits that of")
		if got != want || noted != (strings.HasPrefix(want, "codec/")) {
			t.Errorf("%s: %s, %q", name, brief(found), found.Notes)
		}
	}
}
