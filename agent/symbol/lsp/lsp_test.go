package lsp

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"git-agent/agent/sandbox"
	"git-agent/agent/symbol/lsp/lsptest"
)

func TestMain(m *testing.M) {
	sandbox.Helper()
	lsptest.Serve()
	os.Exit(m.Run())
}

// start starts the test binary as a server with one answer.
func start(t *testing.T, answer string) (*Client, error) {
	t.Helper()
	root := filepath.Join(t.TempDir(), "a+b c%41") // what servers encode in different ways
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	c, err := Start(t.Context(), Config{Root: root, StartTime: 5 * time.Second, Spec: sandbox.Spec{
		Dir: root, Argv: []string{os.Args[0], lsptest.Mark, answer}, Sandbox: sandbox.None, Timeout: time.Minute,
	}})
	if err == nil {
		t.Cleanup(c.Close)
	}
	return c, err
}

func place(uri string, line int) string {
	return fmt.Sprintf(`{"uri":%q,"range":{"start":{"line":%d,"character":0},"end":{"line":%d,"character":1}}}`, uri, line, line)
}

// Places in all forms of the protocol are read, and paths are compared decoded.
func TestDefinition(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		"null":               "[]",
		"[]":                 "[]",
		lsptest.Asks:         "[]",
		place("ROOT/x.c", 4): "[{x.c 5 false}]",
		"[" + place("ROOT/d%2Be/x%20y.h", 0) + "," + place("ROOT/x.c", 1) + "]":                                     "[{d+e/x y.h 1 false} {x.c 2 false}]",
		`[{"targetUri":"ROOT/x.c","targetSelectionRange":{"start":{"line":8}},"targetRange":{"start":{"line":1}}}]`: "[{x.c 9 false}]",
		place("file:///usr/include/stdlib.h", 2):                                                                    "[{/usr/include/stdlib.h 3 true}]",
		place("ROOT/../../secret", 2):                                                                               "outside",
		place("http://example.org/x.c", 2):                                                                          "[]",
		place("file://elsewhere/x.c", 2):                                                                            "[]",
		place("ROOT/x.c", -7):                                                                                       "[]",
		place("ROOT/%zz", 1):                                                                                        "[]",
		`"text"`:                                                                                                    "[]",
		`{"uri":7}`:                                                                                                 "[]",
		`[{"uri":"ROOT/x.c","range":[]},{}]`:                                                                        "[]",
		"[" + strings.Repeat(place("ROOT/x.c", 1)+",", 500) + place("ROOT/x.c", 1) + "]": "many",
	} {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			c, err := start(t, answer)
			if err != nil {
				t.Fatal(err)
			}
			got, err := c.Definition(t.Context(), Document{Path: "x.c", Language: "c", Text: "a\nb(c)\n"}, 2, 2)
			if err != nil {
				t.Fatalf("%.80s: %v", answer, err)
			}
			switch {
			case want == "many" && len(got) == maxLocations:
			case want == "outside" && len(got) == 1 && got[0].Outside:
			case fmt.Sprint(got) != want:
				t.Errorf("%.80s: %v, want %s", answer, got, want)
			}
		})
	}
}

// A server that misbehaves costs an error, and it is gone after Close, which does not wait
// for it for ever.
func TestBadServers(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{lsptest.Dies, lsptest.Endless, lsptest.Huge, lsptest.Garbage} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			c, err := start(t, mode)
			if err != nil {
				t.Fatal(err)
			}
			text := strings.Repeat("int x;\n", 100_000) // more than a pipe holds
			if _, err := c.Definition(t.Context(), Document{Path: "x.c", Language: "c", Text: text}, 1, 4); err == nil {
				t.Error("no error")
			}
			if c.Close(); c.Alive() {
				t.Error("it lives")
			}
		})
	}
}

func TestSilentServer(t *testing.T) {
	t.Parallel()
	_, err := Start(t.Context(), Config{Root: t.TempDir(), StartTime: 300 * time.Millisecond, Spec: sandbox.Spec{
		Dir: t.TempDir(), Argv: []string{os.Args[0], lsptest.Mark, lsptest.Silent}, Sandbox: sandbox.None,
	}})
	if err == nil || !strings.Contains(err.Error(), "did not start within") {
		t.Error(err)
	}
	_, err = Start(t.Context(), Config{Root: t.TempDir(), StartTime: 20 * time.Second, Spec: sandbox.Spec{
		Dir: t.TempDir(), Argv: []string{"/bin/sh", "-c", "echo no such option >&2; exit 1"}, Sandbox: sandbox.None,
	}})
	if err == nil || !strings.Contains(err.Error(), "no such option") {
		t.Error(err)
	}
}

func TestColumn(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		line   string
		column int
		want   int
	}{{"abc", 2, 2}, {"é=x", 3, 2}, {"😀=x", 5, 3}, {"\xff=x", 2, 2}, {"a", 9, 1}} {
		if got := utf16Column(test.line, test.column); got != test.want {
			t.Errorf("%q at %d: %d, want %d", test.line, test.column, got, test.want)
		}
	}
}
