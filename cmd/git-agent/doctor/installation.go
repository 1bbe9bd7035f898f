package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"git-agent/agent/sandbox"
	"git-agent/gitext/disk"
	"git-agent/gitext/gitcmd"
	"git-agent/gitext/quote"
)

// oldestGit is the oldest supported and tested version, from Ubuntu 22.04.
const oldestGit = "2.34"

// checkInstallation runs the checks without a repository.
func checkInstallation(ctx context.Context, v *visit) []finding {
	list := []finding{
		checkGit(ctx),
		checkSystem(),
		checkProgram(v),
		checkManual(v),
		checkCompletion(v),
		checkSandbox(ctx, v),
	}
	if left, found := checkTemporary(); found {
		list = append(list, left)
	}
	return append(list, checkClients(v, "")...)
}

func checkGit(ctx context.Context) finding {
	version, err := gitcmd.UserVersion(ctx)
	if err != nil {
		return fail("git", "install git", "git cannot be run: %v", err)
	}
	if older(version) {
		return fail("git", "install git "+oldestGit+" or newer", "git %s is older than %s", version, oldestGit)
	}
	return ok("git", "version %s", version)
}

// older reports whether a version is older than oldestGit. It compares only the major and minor
// numbers.
func older(version string) bool {
	var major, minor, wantMajor, wantMinor int
	if n, _ := fmt.Sscanf(version, "%d.%d", &major, &minor); n < 2 {
		return false // a version in an unknown form may be new enough
	}
	fmt.Sscanf(oldestGit, "%d.%d", &wantMajor, &wantMinor)
	return major < wantMajor || major == wantMajor && minor < wantMinor
}

// checkProgram checks that git finds this program, and not another copy of it.
func checkProgram(v *visit) finding {
	exe, err := os.Executable()
	if err != nil {
		return warn("program", "", "version %s; its place is unknown: %v", v.Version, err)
	}
	found := findInPath(v.Getenv("PATH"))
	switch {
	case found == "":
		return warn("program", "export PATH="+quote.Shell(filepath.Dir(exe))+`:"$PATH"`,
			"version %s at %s, where git does not find it", v.Version, exe)
	case !sameFile(found, exe):
		return warn("program", "rm "+quote.Shell(found), "version %s runs from %s, but git finds %s", v.Version, exe, found)
	}
	return ok("program", "version %s at %s", v.Version, exe)
}

// findInPath looks for this program as git does; on Windows, files have no bits that say that they can
// be run, and their extension says it.
func findInPath(path string) string {
	name, executable := "git-agent", fs.FileMode(0o111)
	if runtime.GOOS == "windows" {
		name, executable = name+".exe", 0o444
	}
	for _, dir := range filepath.SplitList(path) {
		file := filepath.Join(dir, name)
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Mode()&executable != 0 {
			return file
		}
	}
	return ""
}

func sameFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

func checkManual(v *visit) finding {
	dir, err := v.ManDir()
	if err != nil {
		return warn("manual", "git agent man --install <dir>", "%v", err)
	}
	places := append([]string{dir}, filepath.SplitList(v.Getenv("MANPATH"))...)
	places = append(places, "/usr/local/share/man", "/usr/share/man")
	for _, place := range places {
		for _, suffix := range []string{"", ".gz"} {
			file := filepath.Join(place, "man1", "git-agent.1"+suffix)
			if _, err := os.Stat(file); err == nil {
				return ok("manual", "%s", file)
			}
		}
	}
	return warn("manual", "git agent man --install", "the pages are not installed, so that 'git agent --help' finds none")
}

// completionFiles are the places of a completion script for bash, zsh and fish, below a data
// directory.
var completionFiles = []string{
	"bash-completion/completions/git-agent",
	"zsh/site-functions/_git-agent",
	"fish/vendor_completions.d/git-agent.fish",
}

// installCompletion are the commands that write these files.
var installCompletion = []string{
	"mkdir -p ~/.local/share/bash-completion/completions && git agent completion bash >~/.local/share/bash-completion/completions/git-agent",
	"mkdir -p ~/.local/share/zsh/site-functions && git agent completion zsh >~/.local/share/zsh/site-functions/_git-agent",
	"mkdir -p ~/.config/fish/completions && git agent completion fish >~/.config/fish/completions/git-agent.fish",
}

// checkCompletion looks for the completion script of the user's shell.
func checkCompletion(v *visit) finding {
	shell := filepath.Base(v.Getenv("SHELL"))
	i := slices.Index([]string{"bash", "zsh", "fish"}, shell)
	if i < 0 {
		return ok("completion", "not looked for: the shell %q has none", shell)
	}
	file := completionFiles[i]
	places := []string{v.Getenv("XDG_DATA_HOME"), filepath.Join(v.Getenv("HOME"), ".local", "share"), "/usr/local/share", "/usr/share"}
	if exe, err := os.Executable(); err == nil {
		places = append(places, filepath.Join(filepath.Dir(filepath.Dir(exe)), "share"))
	}
	var full string
	for _, place := range places {
		if full = filepath.Join(place, file); place != "" && disk.Exists(full) {
			break
		}
		full = ""
	}
	elsewhere := map[string]string{
		"fish": filepath.Join(v.Getenv("HOME"), ".config", "fish", "completions", "git-agent.fish"),
		"zsh":  "/usr/share/zsh/vendor-completions/_git-agent", // of the package for Debian
	}[shell]
	if full == "" && disk.Exists(elsewhere) {
		full = elsewhere
	}
	switch {
	case full == "":
		return warn("completion", installCompletion[i], "there is none for %s", shell)
	case shell == "zsh" && !zshReads(v, filepath.Dir(full)):
		return warn("completion", "fpath=("+quote.Shell(filepath.Dir(full))+" $fpath)",
			"%s is not read unless .zshrc has the line below, before it calls compinit", full)
	}
	return ok("completion", "%s", full)
}

// maxStartup bounds the size of a shell's start-up file, in bytes.
const maxStartup = 1 << 20

// zshReads reports whether zsh looks for completions in the directory: it is one of
// zsh's own, is in FPATH, or is named in the user's .zshrc.
func zshReads(v *visit, dir string) bool {
	if strings.HasPrefix(dir, "/usr/share/zsh/") || strings.HasPrefix(dir, "/usr/local/share/zsh/") ||
		slices.Contains(filepath.SplitList(v.Getenv("FPATH")), dir) {
		return true
	}
	text, _ := disk.ReadRegular(filepath.Join(cmp.Or(v.Getenv("ZDOTDIR"), v.Getenv("HOME")), ".zshrc"), maxStartup) // many have none
	below := strings.TrimPrefix(dir, v.Getenv("HOME")+"/")
	return strings.Contains(string(text), below)
}

// checkSandbox tries the sandbox for --verify-cmd, and reports the gaps in its confinement.
func checkSandbox(ctx context.Context, v *visit) finding {
	const check = "sandbox"
	level, err := v.Sandbox(ctx)
	if err != nil {
		return fail(check, hintOf(err), "%v", err)
	}
	standing, err := sandbox.Probe(ctx, level)
	var unavailable *sandbox.Unavailable
	switch {
	case errors.As(err, &unavailable):
		return warn(check, cmp.Or(sandbox.InstallCommand(unavailable.Failed), "git config --global agent.sandbox none"),
			"%v; so --verify-cmd runs nothing unless --sandbox=none lets it run with your rights", err)
	case errors.As(err, new(*sandbox.TemporaryError)):
		return fail(check, "export TMPDIR=<directory>", "%v", err)
	case err != nil:
		return fail(check, "", "%v", err)
	case standing.Level == sandbox.None:
		return warn(check, "git config --global --unset agent.sandbox", "agent.sandbox is none, so --verify-cmd runs with your rights")
	}
	text := fmt.Sprintf("%s; its self-test tried %d ways out", standing, standing.Tried)
	if len(standing.Failed) == 0 {
		return ok(check, "%s", text)
	}
	return warn(check, sandbox.InstallCommand(standing.Failed), "%s; not better, because %s", text, strings.Join(standing.Failed, "; "))
}
