package clients

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var plain = Server{Command: "git-agent", Args: []string{"mcp"}}

// install edits a text as the client with the name does.
func install(t *testing.T, name, text string, s Server) string {
	t.Helper()
	c, ok := Find(name)
	if !ok {
		t.Fatal(name)
	}
	after, err := c.file.install(text, c.fields(s), c.extra)
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, text)
	}
	got, err := c.Read([]byte(after))
	if err != nil || got == nil || !sameJSON(got, s) {
		t.Fatalf("%s reads %v, %v from\n%s", name, got, err, after)
	}
	return after
}

// These files are as people write them. The entry goes in and out, and nothing else changes.
var jsonFiles = []string{
	"",
	"{\"a\": 1}",
	"{\n  \"a\": 1\n}\n",
	"{\n  \"a\": 1\n}",
	"{\r\n    \"a\": 1, // about a\r\n    \"b\": [1, 2,],\r\n}\r\n",
	"// settings\n{\n\t// the theme\n\t\"theme\": \"One // Dark\", /* dark\n\tor light */\n\t\"n\": 12345678901234567890 // last\n\t// end\n}\n",
	"{\n  \"gemini\": {\"a\": \"}\"},\n  \"mcpServers\": {\n    \"other\": {\"command\": \"x\", \"env\": {\"K\": \"\\u00e9\\\"\"}}\n  },\n  \"z\": null\n}\n",
	"{\n  \"mcpServers\": {\n    \"other\": {\"command\": \"x\"}, // keep\n  },\n}\n",
	"{\n  \"mcpServers\": {\n    // no server yet\n  }\n}\n",
	"{\"mcpServers\": {\"other\": {}}, \"a\": {}}",
	"\ufeff{\n  \"a\": 1\n}\n",
}

func TestJSONRoundTrips(t *testing.T) {
	t.Parallel()
	c, _ := Find("cursor")
	for _, text := range jsonFiles {
		after := install(t, "cursor", text, plain)
		if again := install(t, "cursor", after, plain); again != after {
			t.Errorf("a second installation changes\n%s to\n%s", after, again)
		}
		back, err := c.file.uninstall(after)
		if err != nil || back != text {
			t.Errorf("%v: %q comes back as %q", err, text, back)
		}
	}
}

// The time is bounded for a file that a stranger wrote, such as one of a project.
func TestLargeFiles(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	text.WriteString("{")
	for i := range 50_000 {
		fmt.Fprintf(&text, "\"%d\":0,", i)
	}
	text.WriteString("}")
	if after := install(t, "cursor", text.String(), plain); len(after) < text.Len() {
		t.Error("the file has shrunk")
	}
}

func TestLayoutIsKept(t *testing.T) {
	t.Parallel()
	for _, tt := range [][2]string{
		{jsonFiles[2], "{\n  \"a\": 1,\n  \"mcpServers\": {\n    \"git-agent\": {\n      \"command\": \"git-agent\",\n      \"args\": [\"mcp\"],\n      \"type\": \"stdio\"\n    }\n  }\n}\n"},
		{jsonFiles[5], strings.Replace(jsonFiles[5], " // last\n", ", // last\n\t\"mcpServers\": {\n\t\t\"git-agent\": {\n\t\t\t\"command\": \"git-agent\",\n\t\t\t\"args\": [\"mcp\"],\n\t\t\t\"type\": \"stdio\"\n\t\t}\n\t}\n", 1)},
	} {
		if got := install(t, "cursor", tt[0], plain); got != tt[1] {
			t.Errorf("got\n%s, want\n%s", got, tt[1])
		}
	}
}

// Of an entry that is there, only what starts another program changes.
func TestOwnKeysStay(t *testing.T) {
	t.Parallel()
	more := Server{Command: "git-agent", Args: []string{"mcp", "--allow=run"}}
	before := "{\n  \"mcpServers\": {\n    \"git-agent\": {\n      \"args\": [\"mcp\"], // read-only\n      \"alwaysAllow\": [\"szz\"],\n      \"command\": \"git-agent\"\n    }\n  }\n}\n"
	want := strings.Replace(before, `["mcp"]`, `["mcp", "--allow=run"]`, 1)
	if got := install(t, "cursor", before, more); got != want {
		t.Error(got)
	}
	before = "model = \"m\"\n[mcp_servers.git-agent] # ours\ncommand = \"git-agent\"\nargs = [\n  'mcp', # read-only\n]\nstartup_timeout_sec = 20\n[tui]\na = \"\"\"\n[mcp_servers.git-agent]\n\"\"\"\n"
	want = strings.Replace(before, "[\n  'mcp', # read-only\n]", `["mcp", "--allow=run"]`, 1)
	if got := install(t, "codex", before, more); got != want {
		t.Error(got)
	}
}

func TestTOMLRoundTrips(t *testing.T) {
	t.Parallel()
	c, _ := Find("codex")
	for _, text := range []string{
		"",
		"model = \"gpt\" # which\n",
		"# mine\nday = 1979-05-27 07:32:00\n\n[mcp_servers.other]\ncommand = 'C:\\x'\nenv = { A = \"]\", B = '}' }\n\n",
		"s = '''\n[mcp_servers.git-agent]'''''\nlist = [\n  [1, 2], # two\n  \"#\",\n]\r\n[[hooks]]\n\"quoted key\".b = 1\n",
		"[mcp_servers]\n[mcp_servers.\"other\".env]\nA = 'b'\n",
		"\"\\U0001F600\" = 1\r\n[ \"a\tb\" ]\r\nmcp_servers.x = {\n  y = 2, # two\n}\r\n",
		"mcp_servers.other.command = \"x\"\n",
	} {
		after := install(t, "codex", text, plain)
		if !strings.HasPrefix(after, text) {
			t.Errorf("the file does not begin as before:\n%s", after)
		}
		if again := install(t, "codex", after, plain); again != after {
			t.Errorf("a second installation changes\n%s", again)
		}
		back, err := c.file.uninstall(after)
		if err != nil || back != text {
			t.Errorf("%v: %q comes back as %q", err, text, back)
		}
	}
}

// Subtables of the entry go with it, and what is written behind it stays.
func TestTOMLEntryInTheMiddle(t *testing.T) {
	t.Parallel()
	c, _ := Find("codex")
	got, err := c.file.uninstall("a = 1\n\n[mcp_servers.git-agent]\ncommand = \"git-agent\"\nargs = [\"mcp\"]\n[mcp_servers.git-agent.env]\nX = \"y\"\n\n# about the terminal\n[tui]\nb = 2\n")
	if want := "a = 1\n\n\n# about the terminal\n[tui]\nb = 2\n"; err != nil || got != want {
		t.Errorf("%v: %q", err, got)
	}
}

// A file in which the place of the entry is in doubt is refused.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for text, name := range map[string]string{
		"{\"mcpServers\": []}":                 "cursor",
		"{\"mcpServers\": {\"git-agent\": 1}}": "cursor",
		"{\"a\": 1, \"a\": 2}":                 "cursor",
		"{\"a\": 1":                            "cursor",
		"[]":                                   "cursor",
		"{\"a\": 1} x":                         "cursor",
		"{'a': 1}":                             "cursor",
		strings.Repeat("{\"a\":", 200):         "cursor",
		"mcp_servers = { other = { command = \"x\" } }\n":        "codex",
		"[mcp_servers]\ngit-agent = { command = \"git-agent\" }": "codex",
		"[[mcp_servers]]\ncommand = \"x\"\n":                     "codex",
		"a = \"\n":                                               "codex",
		"a = [1\n":                                               "codex",
		"a b = 1\n":                                              "codex",
		"[a\n":                                                   "codex",
	} {
		c, _ := Find(name)
		if after, err := c.file.install(text, c.fields(plain), c.extra); err == nil {
			t.Errorf("%q becomes %q", text, after)
		}
	}
}

// home is a user's home directory and a project.
func home(t *testing.T) Places {
	t.Helper()
	dir := t.TempDir()
	return Places{Top: filepath.Join(dir, "project"), System: "linux", Getenv: func(key string) string {
		if key == "HOME" {
			return filepath.Join(dir, "home")
		}
		return ""
	}}
}

func write(path string, mode fs.FileMode, fill func(io.Writer) error) error {
	var text strings.Builder
	if err := fill(&text); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text.String()), mode)
}

// Every client's files come and go, and what was not there before is not there afterwards.
func TestEveryClient(t *testing.T) {
	t.Parallel()
	p := home(t)
	for _, c := range All() {
		for _, project := range []bool{false, true} {
			if project && c.project == "" {
				continue
			}
			ch, err := c.Install(p, project, plain)
			if err != nil || ch.Apply(write) != nil || !strings.Contains(ch.Diff(), "+++ ") {
				t.Fatalf("%s: %v", c.Name, err)
			}
			if s, err := c.Installed(p, project); err != nil || s == nil || !s.Ours() || !project && !c.Present(p) {
				t.Errorf("%s: %v, %v", c.Name, s, err)
			}
			out, err := c.Uninstall(p, project)
			if err != nil || out.Apply(write) != nil {
				t.Fatalf("%s: %v", c.Name, err)
			}
			if _, err := os.Lstat(ch.Path); err == nil {
				t.Errorf("%s is left", ch.Path)
			}
		}
	}
}

// Another program's entry, a changed file and a project's link are left alone.
func TestGuards(t *testing.T) {
	t.Parallel()
	p := home(t)
	c, _ := Find("gemini")
	path, _ := c.Path(p, false)
	put := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(path, `{"mcpServers": {"git-agent": {"command": "rm", "args": ["mcp"]}}}`)
	if _, err := c.Install(p, false, plain); err == nil || !strings.Contains(err.Error(), `starts "rm"`) {
		t.Errorf("install: %v", err)
	}
	if _, err := c.Uninstall(p, false); err == nil {
		t.Error("another program's entry would be removed")
	}
	put(path, `{"mcpServers": {"x": {"env": {"API_KEY": "q8Zt3vLx0WnR5yKp2sDf"}}}}`)
	ch, err := c.Install(p, false, plain)
	if err != nil || strings.Contains(ch.Diff(), "q8Zt3") {
		t.Errorf("%v: a key is shown:\n%s", err, ch.Diff())
	}
	put(path, `{"changed": true}`)
	if err := ch.Apply(write); err == nil {
		t.Error("a change of another program is overwritten")
	}
	inProject, _ := c.Path(p, true)
	if err := os.MkdirAll(p.Top, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Dir(path), filepath.Dir(inProject)); err != nil {
		t.Skip(err)
	}
	if _, err := c.Install(p, true, plain); err == nil || !strings.Contains(err.Error(), "link") {
		t.Errorf("a link of a project is followed: %v", err)
	}
}

func FuzzTOML(f *testing.F) {
	f.Add("a = \"\"\"\n[b]\"\"\"\n[mcp_servers.\"x y\"]\nargs = [ 'a', # b\n]\n")
	c, _ := Find("codex")
	f.Fuzz(func(t *testing.T, text string) {
		after, err := c.file.install(text, c.fields(plain), c.extra)
		if err != nil {
			return
		}
		if got, err := c.Read([]byte(after)); err != nil || !sameJSON(got, plain) {
			t.Fatalf("%q becomes %q", text, after)
		}
		if _, err := c.file.uninstall(after); err != nil {
			t.Fatalf("%q becomes %q: %v", text, after, err)
		}
	})
}

// Whatever the file is, an accepted edit loses nothing.
func FuzzJSON(f *testing.F) {
	for _, text := range jsonFiles {
		f.Add(text)
	}
	c, _ := Find("gemini")
	f.Fuzz(func(t *testing.T, text string) {
		after, err := c.file.install(text, c.fields(plain), c.extra)
		if err != nil {
			return
		}
		if !json.Valid([]byte(plainJSON(after))) {
			t.Fatalf("%q becomes %q", text, after)
		}
		if _, err := c.file.uninstall(after); err != nil {
			t.Fatalf("%q becomes %q: %v", text, after, err)
		}
	})
}

// The running program is ours under any name.
func TestOursUnderAnotherName(t *testing.T) {
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if !(Server{exe, []string{"mcp"}}).Ours() || (Server{exe, nil}).Ours() || (Server{exe + "2", []string{"mcp"}}).Ours() {
		t.Error("the running program is not told from another")
	}
}
