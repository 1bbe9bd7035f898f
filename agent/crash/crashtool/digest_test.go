package crashtool

import (
	"testing"

	"git-agent/agent/crash"
)

// The arguments of gdb frames are shown; frames of other formats are not searched for arguments.
func TestArguments(t *testing.T) {
	for raw, want := range map[string]string{
		"#3  0x01 in f (a=1, b=0x0) at x.c:3":        "a=1, b=0x0",
		"#0  f (s=0x1 \"(x) at y\") at x.c:3":        `s=0x1 "(x) at y"`,
		"#1  0x02 in ns::f(int) (this=0x0) at x.c:1": "this=0x0",
		"#1  0x02 in f () at x.c:1":                  "",
		"    #1 0x2 in f(int) x.c:3:4":               "",
	} {
		if got := (&frameLister{Case: &Case{}}).argumentsOf(crash.Frame{Raw: raw, Path: "x.c"}); got != want {
			t.Errorf("%q has %q, want %q", raw, got, want)
		}
	}
}
