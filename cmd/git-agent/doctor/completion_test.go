package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCompletionOfShells(t *testing.T) {
	// An unread completion script is a warning with the remedy: a command, or a line for the
	// shell's start-up file.
	t.Parallel()
	home := t.TempDir()
	check := func(shell string, files map[string]string) finding {
		for name, text := range files {
			path := filepath.Join(home, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		env := map[string]string{"SHELL": "/usr/bin/" + shell, "HOME": home}
		return checkCompletion(&visit{Input: Input{Getenv: func(key string) string { return env[key] }}})
	}
	for _, tt := range []struct {
		shell  string
		files  map[string]string
		status string
		fix    string
	}{
		{"fish", nil, "warn", "git agent completion fish >~/.config/fish/completions/git-agent.fish"},
		{"fish", map[string]string{".config/fish/completions/git-agent.fish": ""}, "ok", ""},
		{"zsh", nil, "warn", "git agent completion zsh >~/.local/share/zsh/site-functions/_git-agent"},
		{"zsh", map[string]string{".local/share/zsh/site-functions/_git-agent": ""}, "warn", "fpath=(" + home + "/.local/share/zsh/site-functions $fpath)"},
		{"zsh", map[string]string{".zshrc": "fpath=(~/.local/share/zsh/site-functions $fpath)\n"}, "ok", ""},
	} {
		if got := check(tt.shell, tt.files); got.Status != tt.status || !strings.HasSuffix(got.Fix, tt.fix) {
			t.Errorf("%s: %+v", tt.shell, got)
		}
	}
}
