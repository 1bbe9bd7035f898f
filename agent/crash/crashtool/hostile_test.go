//go:build unix

package crashtool

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"git-agent/agent/crash"
	"git-agent/agent/crash/hana/hanatest"
	"git-agent/agent/secret"
)

// Anything may replace a dump between its reading and a tool's call. The tool does not block on
// the replacement, and shows nothing of another file.
func TestDumpThatIsReplaced(t *testing.T) {
	t.Parallel()
	h, crashed := history(t)
	for what, replace := range map[string]func(name string) error{
		"a pipe":      func(name string) error { return syscall.Mkfifo(name, 0o600) },
		"a device":    func(name string) error { return os.Symlink("/dev/zero", name) },
		"a directory": func(name string) error { return os.Mkdir(name, 0o700) },
		"another file": func(name string) error {
			return os.WriteFile(name, []byte(strings.Repeat("private notes\n", 1<<16)), 0o600)
		},
		"a shorter file": func(name string) error { return os.WriteFile(name, []byte("[BUI"), 0o600) },
		"an empty file":  func(name string) error { return os.WriteFile(name, nil, 0o600) },
	} {
		name, report := dump(t, hanatest.Options{})
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
		if err := replace(name); err != nil {
			t.Fatal(err)
		}
		tools := toolsOf(t, h.Open(), crashed, report, name)
		for _, section := range []string{"BUILD", "CRASH_REGISTERS"} {
			if res, refused := ask(t, tools, "get_crash_section", fmt.Sprintf(`{"name":%q}`, section)); !refused || !strings.Contains(res.Text, "has changed") {
				t.Errorf("%s, %s: %v %.200q", what, section, refused, res.Text)
			}
		}
		if res, refused := ask(t, tools, "get_crash_stack", `{}`); refused || strings.Contains(res.Text, "private") {
			t.Errorf("%s: %v %.200q", what, refused, res.Text)
		}
	}
}

// A dump may repeat a section two thousand times. The total text that is read is bounded.
func TestSectionThatIsRepeated(t *testing.T) {
	t.Parallel()
	h, crashed := history(t)
	name, report := dump(t, hanatest.Options{})
	build := report.Sections[0]
	text := strings.Repeat("[BUILD]  x\n"+strings.Repeat("line\n", 1<<15)+"[OK]\n", 16)
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	report.Sections = nil
	for i := range 2000 {
		report.Sections = append(report.Sections, crash.Section{Name: build.Name, Start: int64(i % 16 * len(text) / 16), End: 1 << 40})
	}
	tools := toolsOf(t, h.Open(), crashed, report, name)
	res, refused := ask(t, tools, "get_crash_section", `{"name":"BUILD","page":2}`)
	if refused || !strings.Contains(res.Text, fmt.Sprintf("(page 2 of %d;", maxText/pageChars+2)) && !strings.Contains(res.Text, fmt.Sprintf("(page 2 of %d;", maxText/pageChars+1)) {
		t.Errorf("%v %.300q", refused, res.Text[max(0, len(res.Text)-200):])
	}
	if res, _ := ask(t, tools, "get_crash_section", `{}`); len(res.Text) > 2*pageChars || !strings.Contains(res.Text, " more sections)") {
		t.Errorf("%d characters", len(res.Text))
	}
}

// A secret is masked before a cut of a line or a page could split it.
func TestSecretsThatAreCut(t *testing.T) {
	t.Parallel()
	const token = "ghp_" + "x7Kq9ZbT2mWv4NcR8sYd1LfHa3JgPe6UoQ5i"
	key := []string{"-----BEGIN RSA PRIVATE KEY-----"}
	for i := range 30 {
		key = append(key, fmt.Sprintf("%02dMIIEowIBAAKCAQEAx7Kq9ZbT2mWv4NcR8sYd1LfHa3JgPe6UoQ5i%dzAbC", i, i%7))
	}
	key = append(key, "-----END RSA PRIVATE KEY-----")
	c := &Case{Mask: secret.New().Mask, Report: &crash.Report{
		Problems: []crash.Problem{{Kind: strings.Repeat("K ", maxKind/2-5) + token, Message: strings.Repeat("m ", maxMessage/2-5) + token}},
		Stacks:   []crash.Stack{{Title: strings.Repeat("t ", 90) + token, Frames: []crash.Frame{{Raw: strings.Repeat("r ", maxLine/2-5) + token}}}},
	}}
	texts := map[string]string{
		"problems": c.problems(c.Report), "stacks": c.lines(),
		"code": c.Numbered([][]byte{[]byte(strings.Repeat("c ", maxCode/2-5) + token)}, 1, 1, 0),
	}
	for before := pageChars - 1500; before < pageChars; before += 100 {
		var pages strings.Builder
		for n := 1; n <= 2; n++ {
			res, err := c.page("tool", strings.Repeat("some text\n", before/10)+strings.Join(key, "\n")+"\n"+strings.Repeat("more text\n", 200), n)
			if err != nil {
				t.Fatal(err)
			}
			pages.WriteString(c.Mask(res.Text))
		}
		texts[fmt.Sprint("page ", before)] = pages.String()
	}
	for name, text := range texts {
		if strings.Contains(text, token[:8]) || strings.Contains(text, "MIIEow") || !strings.Contains(text, "<secret:") {
			t.Errorf("%s: %q", name, text[max(0, len(text)-2000):])
		}
	}
}
