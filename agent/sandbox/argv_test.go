package sandbox

import (
	"strings"
	"testing"
)

// A program that runs by its arguments gets them as they are: no shell reads them.
func TestArgv(t *testing.T) {
	program, err := Program("printf")
	if err != nil {
		t.Skip(err)
	}
	for _, level := range []Level{None, Landlock, Bwrap} {
		if _, err := Probe(t.Context(), level); err != nil {
			continue
		}
		arg := `$(touch x) "; a 'b' *`
		res, err := Run(t.Context(), Spec{Dir: t.TempDir(), Argv: []string{program, "%s|", arg, "--"}, Sandbox: level, Memory: 1 << 30})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSpace(string(res.Output)); res.Exit != 0 || got != arg+"|--|" {
			t.Errorf("%s: %d %q", level, res.Exit, got)
		}
	}
	if _, err := Program("no-such-program"); err == nil || err.Error() != "no-such-program is not installed" {
		t.Errorf("%v", err)
	}
}
