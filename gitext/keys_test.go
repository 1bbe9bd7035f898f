package gitext

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-agent/gitext/gitcmd"
	"git-agent/gitext/usercmd"
)

// No started program gets one of our keys.
func TestThreatT4ChildrenSeeNoKey(t *testing.T) {
	f := newFixture(t)
	for _, name := range []string{"GIT_AGENT_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"} {
		t.Setenv(name, "CANARY-ours")
	}
	others := []string{"ANTHROPIC_API_KEY", "GIT_SOME_TOKEN", "MY_SECRET", "GIT_X_PASSWORD"}
	for _, name := range others {
		t.Setenv(name, "CANARY-other")
	}
	t.Setenv("GIT_CONFIG_COUNT", "1")
	t.Setenv("GIT_CONFIG_KEY_0", "alias.look")
	t.Setenv("GIT_CONFIG_VALUE_0", "!env")
	r := f.open()
	for name, run := range map[string]*gitcmd.Runner{"shadow": r.shadow, "user": r.user} {
		out, err := run.Output(t.Context(), gitcmd.Call{Args: []string{"-c", "alias.see=!env; cat /proc/self/environ 2>/dev/null", "see"}})
		if err != nil || strings.Contains(string(out), "CANARY") || !strings.Contains(string(out), "PATH=") {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
	if out, err := r.user.Output(t.Context(), gitcmd.Call{Args: []string{"look"}}); err != nil {
		t.Errorf("settings of the environment are gone: %v\n%s", err, out)
	}
	// The user's own programs keep all variables except our keys.
	out, err := usercmd.Credential(t.Context(), "env | grep CANARY | sort | tr '\\n' ' '")
	if err != nil || strings.Contains(out, "ours") || !strings.Contains(out, "MY_SECRET") {
		t.Errorf("credential command: %q, %v", out, err)
	}
	if version, err := gitcmd.AsUser(t.Context(), "-c", "alias.see=!env", "see"); err != nil || strings.Contains(version, "ours") {
		t.Errorf("user's git: %v\n%s", err, version)
	}
	name := filepath.Join(t.TempDir(), "out")
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	p, err := usercmd.StartPager("env", file, file)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if seen, err := os.ReadFile(name); err != nil || strings.Contains(string(seen), "ours") || !strings.Contains(string(seen), "PATH=") {
		t.Errorf("pager: %v\n%s", err, seen)
	}
}
