package render

import (
	"strings"
	"testing"

	"git-agent/agent/suspect"
	"git-agent/agent/szz"
	"git-agent/agent/szz/engine"
	"git-agent/gitext"
)

// Each placeholder of the table can be written, and gives its value.
func TestPlaceholders(t *testing.T) {
	row := formatRow{
		answer: Answer{Answer: engine.Answer{
			Fix:     gitext.Commit{Message: "the fix\n"},
			Verdict: &szz.Verdict{Fix: gitext.OID(strings.Repeat("f", 40)), Algorithm: "rank", Engine: "offline"},
		}},
		rank: 1,
		suspect: szz.Suspect{Suspect: suspect.Suspect{
			Commit:      gitext.Commit{OID: gitext.OID(strings.Repeat("a", 40)), Message: "subject\n\nbody\n"},
			Probability: 0.25, Reason: "because",
			Evidence:     []suspect.Evidence{{Path: "p.c", Command: "git show"}},
			Confirmation: &suspect.Confirmation{Status: suspect.Confirmed},
		}},
	}
	for format, want := range map[string]string{
		"%h":             "aaaaaaaaaaaa",
		"%(prob)":        "0.2500",
		"%(fix:short)":   "ffffffffffff",
		"%(fix:subject)": "the fix",
		"a%%b%x41%n":     "a%bA\n",
		"%(check) %(path) %(confirmation) %(rank)": "git show p.c confirmed 1",
		"%(trailer)": `Fixes: aaaaaaaaaaaa ("subject")`,
		"%s|%b":      "subject|body\n",
		"tformat:%s": "subject",
	} {
		if got := expand(t, format, row); got != want {
			t.Errorf("%q gives %q, want %q", format, got, want)
		}
	}
	for _, p := range Placeholders {
		if p.value == nil {
			continue
		}
		if got, want := expand(t, "<%"+p.Name+">", row), "<"+p.value(row)+">"; got != want {
			t.Errorf("%%%s gives %q, want %q: a shorter name hides it", p.Name, got, want)
		}
	}
}

func expand(t *testing.T, format string, row formatRow) string {
	t.Helper()
	pieces, err := ParseFormat(format)
	if err != nil {
		t.Fatalf("%q: %v", format, err)
	}
	return lineOf(pieces, row, false)
}

// A person is shown what is hidden in a value; a program gets the value. What
// the user writes into a format is the user's own.
func TestFormatForPeople(t *testing.T) {
	row := formatRow{suspect: szz.Suspect{Suspect: suspect.Suspect{Commit: gitext.Commit{Message: "evil \x1b[2J\u202e\n"}}}}
	pieces, err := ParseFormat("%x1b[1m%s")
	if err != nil {
		t.Fatal(err)
	}
	for clean, want := range map[bool]string{false: "\x1b[1mevil \x1b[2J\u202e", true: "\x1b[1m" + `evil \x1b[2J\u202e`} {
		if got := lineOf(pieces, row, clean); got != want {
			t.Errorf("clean %t: %q, want %q", clean, got, want)
		}
	}
}

// A format is text and known placeholders, or an error that quotes the wrong
// one; nothing makes the parser fail otherwise.
func FuzzParseFormat(f *testing.F) {
	for _, s := range []string{"%H %s", "%(", "%", "%x", "%x4", "%(fix)%(", "%%%", "tformat:%q"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if _, err := ParseFormat(s); err != nil && !strings.Contains(err.Error(), "unknown placeholder") {
			t.Errorf("parseFormat(%q): %v", s, err)
		}
	})
}
