package render

import (
	"strings"
	"testing"
	"time"

	"git-agent/agent/suspect"
	"git-agent/agent/szz"
	"git-agent/agent/szz/engine"
	"git-agent/gitext"
)

// Each placeholder of the table is accepted and gives its value.
func TestPlaceholders(t *testing.T) {
	row := formatRow{
		answer: Answer{Result: engine.Result{
			Fix:    gitext.Commit{Message: "the fix\n"},
			Answer: &szz.Answer{Fix: gitext.OID(strings.Repeat("f", 40)), Algorithm: "rank", Engine: "offline"},
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
	return lineOf(pieces, row, false, false)
}

// A person sees the hidden characters of a value escaped; a program gets the value. The user's
// own text in a format is not escaped.
func TestFormatForPeople(t *testing.T) {
	row := formatRow{suspect: szz.Suspect{Suspect: suspect.Suspect{Commit: gitext.Commit{Message: "evil \x1b[2J\u202e\n"}}}}
	pieces, err := ParseFormat("%x1b[1m%s")
	if err != nil {
		t.Fatal(err)
	}
	for clean, want := range map[bool]string{false: "\x1b[1mevil \x1b[2J\u202e", true: "\x1b[1m" + `evil \x1b[2J\u202e`} {
		if got := lineOf(pieces, row, clean, false); got != want {
			t.Errorf("clean %t: %q, want %q", clean, got, want)
		}
	}
}

// A format with only text and known placeholders is valid; any other gives an error that quotes
// the wrong one.
func FuzzParseFormat(f *testing.F) {
	for _, s := range []string{"%H %s", "%(", "%", "%x", "%x4", "%(fix)%(", "%%%", "tformat:%q", "%C(", "%C(red", "%C(always,)%h", "%Cred%<(3)%h", "oneline"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if _, err := ParseFormat(s); err != nil && !strings.Contains(err.Error(), "--format") {
			t.Errorf("parseFormat(%q): %v", s, err)
		}
	})
}

// The names and colours of git's formats have the same meaning as in git log. Unsupported ones
// are refused with a reason.
func TestFormatOfGit(t *testing.T) {
	t.Parallel()
	commit := gitext.Commit{OID: gitext.OID(strings.Repeat("a", 40)), Message: "subject\n", Author: gitext.Person{Time: time.Unix(0, 0).UTC()}}
	row := formatRow{suspect: szz.Suspect{Suspect: suspect.Suspect{Commit: commit}}}
	whole, short, yellow, reset := strings.Repeat("a", 40), strings.Repeat("a", 12), "\x1b[33m", "\x1b[m"
	for format, want := range map[string][2]string{ // without and with colour
		"oneline":                  {whole + " subject", yellow + whole + reset + reset + " subject"},
		"reference":                {short + " (subject, 1970-01-01)", yellow + short + reset + reset + " (subject, 1970-01-01)"},
		"%C(auto)%h%Creset %h":     {short + " " + short, yellow + short + reset + reset + " " + short},
		"%Cred%s":                  {"subject", "\x1b[31msubject"},
		"%C(bold blue)%s%C(reset)": {"subject", "\x1b[1;34msubject" + reset},
		"%C(auto,green)%s":         {"subject", "\x1b[32msubject"},
		"%C(always,green)%s":       {"\x1b[32msubject", "\x1b[32msubject"},
		"tformat:plain":            {"plain", "plain"},
		"%%%x41%n":                 {"%A\n", "%A\n"},
	} {
		pieces, err := ParseFormat(format)
		if err != nil {
			t.Errorf("%q: %v", format, err)
			continue
		}
		if got := [2]string{lineOf(pieces, row, false, false), lineOf(pieces, row, false, true)}; got != want {
			t.Errorf("%q: %q, want %q", format, got, want)
		}
	}
	for format, why := range map[string]string{
		"medium": "one line", "fullest": "no placeholder", "%<(20)%s": `"%<(20)" is not supported`,
		"%>>(20)%s": "not supported", "%w(80)%B": "not supported", "%C(blurple)%s": `"blurple" is not a color`, "%C(red": "unknown placeholder",
	} {
		if _, err := ParseFormat(format); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: %v, want %q", format, err, why)
		}
	}
}
