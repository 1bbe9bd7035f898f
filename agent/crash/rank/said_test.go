package rank

import (
	"strings"
	"testing"

	"git-agent/agent/crash"
	"git-agent/agent/crash/format"
	"git-agent/agent/crash/locate"
	"git-agent/gitext/gittest"
)

// A traceback of Python ends where an extension module begins: its message names the file. The
// reports are of borgbackup/borg 4872, Cisco-Talos/pyrebox 18 and python/cpython 82107.
func TestFilesThatAMessageOfPythonNames(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("import", gittest.Files{
		"src/borg/crypto/low_level.pyx": "", "src/borg/helpers.py": "import borg.crypto.low_level\n", "Objects/longobject.c": "",
		"tests/checks.c": "", "pyrebox/init.py": "from ipython_shell import start_shell\n", "a/twice.c": "", "b/twice.c": "",
	})
	frames := "Traceback (most recent call last):\n  File \"/srv/src/borg/helpers.py\", line 1, in <module>\n    import borg.crypto.low_level\n"
	for text, want := range map[string]string{
		frames + "ImportError: dlopen failed: cannot locate symbol \"PyBaseObject_Type\" referenced by " +
			"\"/data/data/com.termux/files/usr/lib/python3.8/site-packages/borg/crypto/low_level.cpython-38-x86_64-linux-gnu.so\"...": "src/borg/crypto/low_level.pyx: " +
			"the message names low_level.cpython-38-x86_64-linux-gnu.so, which is compiled from it",
		frames + "SystemError: ../Objects/longobject.c:998: bad argument to internal function":                 "Objects/longobject.c: the message names longobject.c",
		frames + "SystemError: Python-3.8.0b3/Objects/unicodeobject.c:2089: bad argument to internal function": "",
		frames + "ValueError: failed in tests/checks.c":                                                        "",
		frames + "ValueError: failed in twice.c":                                                               "",
	} {
		report, err := format.Read(strings.NewReader(text + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := locate.Locate(t.Context(), h.Open(), h.Head(), report); err != nil {
			t.Fatal(err)
		}
		answer, err := Rank(t.Context(), h.Open(), h.Head(), report, Ours)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, f := range answer.Files {
			if f.Related && strings.Contains(strings.Join(f.Reasons, ""), "the message names") {
				got += f.Path + ": " + strings.Join(f.Reasons, "; ")
			}
		}
		if got != want || answer.Files[0].Path != "src/borg/helpers.py" {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	report := &crash.Report{Problems: []crash.Problem{{Message: "Objects/longobject.c:998: bad"}}, Stacks: []crash.Stack{{Format: "gdb"}}}
	if names := nativeNames(report); names != nil {
		t.Errorf("%q of a report that is not of Python", names)
	}
	report.Stacks[0].Format = "pytest"
	if names := nativeNames(report); len(names) != 1 || names[0] != "Objects/longobject.c" {
		t.Errorf("%q of a report of pytest", names)
	}
}
