package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"git-agent/cmd/git-agent/layout"
	"git-agent/cmd/git-agent/terminal"
	"git-agent/man"
)

type manCmd struct {
	Install bool   `help:"install the pages below the given directory; default: where man(1) looks for pages of the program"`
	Page    string `arg:"" optional:"" name:"command" help:"the command to read about, or with --install, the directory"`
}

// Run shows the page of one command, or installs all pages.
func (c *manCmd) Run(_ context.Context, a *app) error {
	if !c.Install {
		name := "git-agent"
		if c.Page != "" {
			name += "-" + strings.TrimPrefix(strings.TrimPrefix(c.Page, "git-"), "agent-")
		}
		return showPage(a, name)
	}
	dir := c.Page
	if dir == "" {
		d, err := defaultManDir(a.env)
		if err != nil {
			return err
		}
		dir = d
	}
	files, err := man.Install(dir, func(file, page string) error {
		return writeFile(file, 0o644, func(w io.Writer) error {
			_, err := io.WriteString(w, page)
			return err
		})
	})
	for _, f := range files {
		fmt.Fprintf(a.stdout, "%s\n", f)
	}
	return err
}

// defaultManDir returns the directory in which man-db looks for the program's
// pages. If the program is in a directory named bin, that is ../share/man; for
// other directories man-db has no such rule, so it is the user's data directory.
func defaultManDir(env environ) (string, error) {
	exe, err := os.Executable()
	if err == nil && filepath.Base(filepath.Dir(exe)) == "bin" && !strings.Contains(exe, "go-build") {
		return filepath.Join(filepath.Dir(filepath.Dir(exe)), "share", "man"), nil
	}
	if data := env.get("XDG_DATA_HOME"); data != "" {
		return filepath.Join(data, "man"), nil
	}
	if home := env.get("HOME"); home != "" {
		return filepath.Join(home, ".local", "share", "man"), nil
	}
	return "", withHint(errors.New("no place for manual pages is known"), "git agent man --install <dir>")
}

// showPage lays out a manual page and prints it, through the pager if it is
// longer than a screen. git itself shows `git agent --help` with man(1); showPage
// serves `git agent szz --help`, and works if the pages are not installed.
func showPage(a *app, name string) (err error) {
	ctx := context.Background()
	source, err := man.Page(name)
	if err != nil {
		return withHint(err, "git agent man")
	}
	var style man.Style
	if terminal.IsTerminal(a.stdout) && a.wantColor(ctx) {
		const underlined, bold = "\x1b[4m", "\x1b[1m"
		a.colors = []string{underlined, bold, layout.ColorReset}
		style = func(font byte, s string) string {
			if font == 'I' {
				return underlined + s + layout.ColorReset
			}
			return bold + s + layout.ColorReset
		}
	}
	out := a.page(ctx)
	defer func() { err = errors.Join(err, out.Close()) }()
	_, err = out.Write([]byte(man.Text(source, min(a.textWidth(), 80), style)))
	return err
}
