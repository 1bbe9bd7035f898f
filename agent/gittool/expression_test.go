package gittool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"git-agent/agent"
)

func TestExpressions(t *testing.T) {
	// Ordinary expressions pass. The refusal of an expensive one suggests another form.
	for _, pattern := range []string{
		"a", "", "foo|bar", `\.c$`, "^[a-z_]+[ \t]*\\(", "[]a(]{2}", "[[:alpha:]_]+", "(a|b)*c", "x{3}", "x{2,}", "x{,20}", "a{", "a{x}", "{", "*a", "(",
		`\(\)`, "((a+)b)*", "(foo|bar|baz)[0-9]{1,8}", "int +[a-z_]+\\([^)]*\\)", `\bword\b`, "a{1,900}", "[0-9a-f]{40}", strings.Repeat("a|", 490),
	} {
		if err := checkExpression(pattern); err != nil {
			t.Errorf("%.60q is refused: %v", pattern, err)
		}
	}
	for pattern, advice := range map[string]string{
		"a{1,32767}": "in place of large numbers", "a{1,32767}{1,32767}": "in place of large numbers", "(a{40}){40}": "in place of large numbers",
		"((((a+)+)+)+)+": "leave the outer ones out", "a{99999999999999999999}": "in place of large numbers", "(a|b{600}){2}": "in place of large numbers",
		`(a)\1`: "back-references", `\(a*\)*\1`: "back-references", strings.Repeat("a", 1001): "rarest part",
		strings.Repeat("(", 60) + "a": "leave the outer ones out", "((((a*)*)*)*)*": "leave the outer ones out", "((((((a{4}){4}){4}){4}){4}){4})": "in place of large numbers",
		"(((((((((((a{1,2}){1,2}){1,2}){1,2}){1,2}){1,2}){1,2}){1,2}){1,2}){1,2}){1,2})": "in place of large numbers",
	} {
		err := checkExpression(pattern)
		var no *refusal
		if !errors.As(err, &no) || !strings.Contains(no.text, advice) {
			t.Errorf("%.60q: got %v, want %q", pattern, err, advice)
		}
	}
}

func FuzzExpression(f *testing.F) {
	for _, seed := range []string{"a{1,2}{3}", "[[:alpha:]", `(a|\1)+`, "{,}", "a{1,", "[^]", "\\", "((", "))", "[[.", "[a[=]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, pattern string) {
		m := measure{text: pattern}
		if s := m.alternatives(0); s.states < 1 || m.at != len(pattern) {
			t.Errorf("%q has %d states, %d of %d bytes read", pattern, s.states, m.at, len(pattern))
		}
	})
}

// anExpression makes a random regular expression with many repetitions.
func anExpression(r *rand.Rand, depth int) string {
	var b strings.Builder
	for range 1 + r.IntN(3) {
		switch n := r.IntN(8); {
		case n < 3 && depth > 0:
			b.WriteString("(" + anExpression(r, depth-1) + ")")
		case n == 3:
			b.WriteString("[^a-f]")
		case n == 4:
			b.WriteString("[[:alpha:]_é]")
		default:
			b.WriteString(string(rune('a' + r.IntN(4))))
		}
		switch r.IntN(8) {
		case 0:
			b.WriteString("*")
		case 1:
			b.WriteString("+")
		case 2:
			b.WriteString("?")
		case 3:
			fmt.Fprintf(&b, "{%d,%d}", r.IntN(3), 3+r.IntN(300))
		case 4:
			fmt.Fprintf(&b, "{%d,}", r.IntN(40))
		case 5:
			b.WriteString("|")
		}
	}
	return b.String()
}

func TestAcceptedExpressionsAreCheap(t *testing.T) {
	// An accepted expression compiles in git, and reads a text, in little memory.
	if runtime.GOOS != "linux" {
		t.Skip("only Linux bounds the memory of a process")
	}
	tries := 150
	if testing.Short() {
		tries = 30
	}
	f := newFixture(t)
	f.write("a", strings.Repeat("abcdabcabcdd fedcba éaaaaaaaaaaaaaa\n", 200))
	f.commit("one", "one\n")
	r := rand.New(rand.NewPCG(1, 2))
	accepted := 0
	for accepted < tries {
		pattern := anExpression(r, 4)
		if checkExpression(pattern) != nil {
			continue
		}
		accepted++
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		cmd := exec.CommandContext(ctx, "sh", "-c", `ulimit -d 204800; exec git grep -c -E -i -e "$1" HEAD`, "sh", pattern)
		cmd.Dir = f.dir
		out, err := cmd.CombinedOutput()
		cancel()
		if err != nil && cmd.ProcessState.ExitCode() != 1 {
			t.Errorf("%q: %v: %s", pattern, err, out)
		}
	}
}

func TestToolsMeasureExpressions(t *testing.T) {
	// Both tools with a regular expression measure it; a plain text is not measured.
	f := calcHistory(t)
	box := f.toolbox(Scope{}, Options{})
	for _, c := range [][2]string{
		{"git_grep", `{"pattern":"a{1,32767}","regex":true}`},
		{"git_log_search", `{"pattern":"a{1,32767}","mode":"G"}`},
		{"git_grep", `{"pattern":"(a)\\1","regex":true}`},
	} {
		_, err := box.Call(t.Context(), c[0], json.RawMessage(c[1]))
		var refused *agent.CallError
		if !errors.As(err, &refused) || refused.Malformed {
			t.Errorf("%s: got %v", c, err)
		}
	}
	for _, c := range [][2]string{{"git_grep", `{"pattern":"a{1,32767}"}`}, {"git_log_search", `{"pattern":"a{1,32767}"}`}} {
		if _, err := box.Call(t.Context(), c[0], json.RawMessage(c[1])); err != nil {
			t.Errorf("%s: %v", c, err)
		}
	}
}
