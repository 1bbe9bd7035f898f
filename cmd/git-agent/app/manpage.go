package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"git-agent/cmd/git-agent/ui"
	"git-agent/man"
)

// ShowPage lays out a manual page and prints it, through the pager if it is
// longer than a screen. git itself shows `git agent --help` with man(1); ShowPage
// serves `git agent szz --help`, and works if the pages are not installed.
func ShowPage(a *App, name string) (err error) {
	ctx := context.Background()
	source, err := man.Page(name)
	if err != nil {
		return WithHint(err, "git agent man")
	}
	var style man.Style
	if ui.IsTerminal(a.Stdout) && a.WantColor(ctx) {
		const underlined, bold = "\x1b[4m", "\x1b[1m"
		a.colors = []string{underlined, bold, ui.ColorReset}
		style = func(font byte, s string) string {
			if font == 'I' {
				return underlined + s + ui.ColorReset
			}
			return bold + s + ui.ColorReset
		}
	}
	out := a.Page(ctx)
	defer func() { err = errors.Join(err, out.Close()) }()
	_, err = out.Write([]byte(man.Text(source, min(a.TextWidth(), 80), style)))
	return err
}

// DefaultManDir returns a directory for the program's pages that man-db searches.
// For a program in a directory named bin, this is ../share/man; for other
// directories, man-db has no such rule, so DefaultManDir returns the user's data
// directory.
func DefaultManDir(env Environ) (string, error) {
	exe, err := os.Executable()
	if err == nil && filepath.Base(filepath.Dir(exe)) == "bin" && !strings.Contains(exe, "go-build") {
		return filepath.Join(filepath.Dir(filepath.Dir(exe)), "share", "man"), nil
	}
	if data := env.Get("XDG_DATA_HOME"); data != "" {
		return filepath.Join(data, "man"), nil
	}
	if home := env.Get("HOME"); home != "" {
		return filepath.Join(home, ".local", "share", "man"), nil
	}
	return "", WithHint(errors.New("no place for manual pages is known"), "git agent man --install <dir>")
}
