package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"git-agent/cmd/git-agent/ui"
)

// writeCompletion writes the file of a shell and returns its name.
func writeCompletion(t *testing.T, shell, name string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(ui.CompletionFor(shell, flagTable(t))), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// need returns the path of a program, or skips the test.
func need(t *testing.T, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("%s is not installed", program)
	}
	return path
}

// runShell runs a script in a repository with the branch "topic".
func runShell(t *testing.T, shell string, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	env := append(os.Environ(), "HOME="+dir, "GIT_CONFIG_GLOBAL="+os.DevNull, "XDG_CONFIG_HOME="+dir, "TERM=dumb")
	for _, argv := range [][]string{
		{"git", "init", "-q", "-b", "topic"},
		{"git", "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "--allow-empty", "-m", "first"},
	} {
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Dir, cmd.Env = dir, env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", argv, err, out)
		}
	}
	cmd := exec.Command(shell, args...)
	cmd.Dir, cmd.Env = dir, env
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", shell, err, out)
	}
	return string(out)
}

// completionCases are for every shell: a line, with words that it must and must
// not offer.
var completionCases = []struct {
	line          string
	want, notWant []string
}{
	{"git agent ", []string{"szz", "doctor", "completion"}, []string{"--json"}},
	{"git agent s", []string{"szz"}, []string{"doctor"}},
	{"git-agent ", []string{"szz", "doctor"}, nil},
	{"git-agent sz", []string{"szz"}, nil},
	{"git agent szz --al", []string{"--algorithm=", "--allow-shallow"}, []string{"--json"}},
	{"git agent szz --js", []string{"--json"}, nil},
	{"git agent -q szz --tr", []string{"--trailer"}, nil},
	{"git agent szz --quie", []string{"--quiet"}, nil},
	{"git agent szz to", []string{"topic"}, []string{"szz"}},
	{"git agent doctor --f", []string{"--fix"}, []string{"--format="}},
	{"git agent completion ", []string{"bash", "fish", "zsh"}, nil},
}

func checkOffers(t *testing.T, line string, offers, want, notWant []string) {
	t.Helper()
	for _, w := range want {
		if !slices.Contains(offers, w) {
			t.Errorf("%q does not offer %q, only %q", line, w, offers)
		}
	}
	for _, w := range notWant {
		if slices.Contains(offers, w) {
			t.Errorf("%q offers %q", line, w)
		}
	}
}

// recordedShell runs a script where a run is recorded, and returns its output
// and the run's name.
func recordedShell(t *testing.T, shell string, args ...string) (offers []string, run string) {
	t.Helper()
	text := "{\"schema\":\"git-agent/steps/1\",\"id\":\"x\",\"kind\":\"szz/agent\",\"spec\":{},\"state\":\"done\"}\n"
	file := filepath.Join(t.TempDir(), "run.jsonl")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	name, err := exec.Command("git-agent-record", file, filepath.Join(state, "git-agent")).Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range trimmedLines(runShell(t, shell, args...)) {
		word, _, _ := strings.Cut(line, "\t")
		offers = append(offers, word)
	}
	return offers, string(name)
}

// The names of recorded runs are offered exactly where a run can be named.
func TestCompletionOfRuns(t *testing.T) {
	for _, line := range []string{"git agent trace show ", "git agent trace resume 2", "git agent trace ", "git agent trace list "} {
		wanted := !strings.HasSuffix(line, "trace ") && !strings.HasSuffix(line, "list ")
		check := func(offers []string, run string) {
			t.Helper()
			if slices.Contains(offers, run) != wanted {
				t.Errorf("%q offers %q, run is %s", line, offers, run)
			}
			if strings.HasSuffix(line, "trace ") != slices.Contains(offers, "show") {
				t.Errorf("%q offers %q", line, offers)
			}
		}
		t.Run("bash/"+line, func(t *testing.T) {
			check(recordedShell(t, need(t, "bash"), append([]string{"--norc", "-c", bashOffers, "bash"}, bashFiles(t, line)...)...))
		})
		t.Run("fish/"+line, func(t *testing.T) {
			file, fish := writeCompletion(t, "fish", "git-agent.fish"), need(t, "fish")
			check(recordedShell(t, fish, "--no-config", "-c",
				"source "+ui.FishQuote(file)+"; complete -C "+ui.FishQuote(strings.Replace(line, "git agent", "git-agent", 1))))
		})
	}
	t.Run("zsh", func(t *testing.T) {
		file, zsh := writeCompletion(t, "zsh", "_git-agent"), need(t, "zsh")
		offers, run := recordedShell(t, zsh, "-f", "-c", `
			_arguments () { : }
			. "$1"
			compadd () { print -rl -- ${(P)argv[-1]} }
			_git-agent-runs`, "zsh", file)
		if !slices.Equal(offers, []string{run}) {
			t.Errorf("offers %q, run is %s", offers, run)
		}
	})
}

// bash completes through git's own completion and for the plain program. The
// script loads git's completion if necessary; without it, the plain program is
// still completed.
func TestBashCompletion(t *testing.T) {
	bash := need(t, "bash")
	own := writeCompletion(t, "bash", "git-agent")
	runShell(t, bash, "-n", own)
	lonely := filepath.Join(t.TempDir(), "git-agent")
	text := strings.ReplaceAll(ui.CompletionFor("bash", flagTable(t)), strings.Join(ui.GitCompletions, " "), "/nonexistent")
	if err := os.WriteFile(lonely, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for i, c := range completionCases {
		plain := strings.Replace(c.line, "git agent", "git-agent", 1)
		setups := [][]string{bashFiles(t, c.line), {os.DevNull, lonely, plain}, {os.DevNull, own, c.line}}
		if i > 0 {
			setups = setups[:2] // where git's comes from makes no difference to the rest
		}
		for _, files := range setups {
			out := runShell(t, bash, append([]string{"--norc", "-c", bashOffers, "bash"}, files...)...)
			checkOffers(t, files[2], trimmedLines(out), c.want, c.notWant)
		}
	}
}

// bashOffers prints what bash would offer after a line.
const bashOffers = `
	. "$1"; . "$2"; line=$3
	read -ra COMP_WORDS <<<"$line"
	case $line in *' ') COMP_WORDS+=("") ;; esac
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_LINE=$line COMP_POINT=${#line} COMP_TYPE=9
	complete -p "${COMP_WORDS[0]}" >/dev/null || exit
	function=$(complete -p "${COMP_WORDS[0]}" | sed 's/.*-F \([^ ]*\).*/\1/')
	$function "${COMP_WORDS[0]}" "${COMP_WORDS[COMP_CWORD]}"
	printf '%s\n' "${COMPREPLY[@]}"`

// bashFiles are the arguments of bashOffers.
func bashFiles(t *testing.T, line string) []string {
	t.Helper()
	i := slices.IndexFunc(ui.GitCompletions, exists)
	if i < 0 {
		t.Skip("git's own completion is not installed")
	}
	return []string{ui.GitCompletions[i], writeCompletion(t, "bash", "git-agent"), line}
}

// An option's values are offered after its equals sign.
func TestBashCompletionOfValues(t *testing.T) {
	bash := need(t, "bash")
	i := slices.IndexFunc(ui.GitCompletions, exists)
	if i < 0 {
		t.Skip("git's own completion is not installed")
	}
	out := runShell(t, bash, "--norc", "-c", `
		. "$1"; . "$2"
		cur=--algorithm=r words=(git agent szz --algorithm=r) cword=3 prev=szz
		_git_agent
		printf '%s\n' "${COMPREPLY[@]}"`, "bash", ui.GitCompletions[i], writeCompletion(t, "bash", "git-agent"))
	checkOffers(t, "--algorithm=r", trimmedLines(out), []string{"rank", "r", "ra"}, []string{"b"})
}

// fish completes `git agent` by the completions of git-agent. In 3.6.0, this is
// broken (fish-shell #9457), so the test asks the same question as fish's git
// completion.
func TestFishCompletion(t *testing.T) {
	fish := need(t, "fish")
	file := writeCompletion(t, "fish", "git-agent.fish")
	for _, c := range completionCases {
		line := strings.Replace(c.line, "git agent", "git-agent", 1)
		out := runShell(t, fish, "--no-config", "-c", "source "+ui.FishQuote(file)+"; complete -C "+ui.FishQuote(line))
		var offers []string
		for _, l := range trimmedLines(out) {
			word, _, _ := strings.Cut(l, "\t")
			offers = append(offers, strings.TrimSpace(word))
		}
		var want, notWant []string // fish writes no equals sign
		for _, w := range c.want {
			want = append(want, strings.TrimSuffix(w, "="))
		}
		for _, w := range c.notWant {
			notWant = append(notWant, strings.TrimSuffix(w, "="))
		}
		checkOffers(t, c.line, offers, want, notWant)
	}
}

// zsh accepts the file, and its completion system takes it for git-agent.
func TestZshCompletion(t *testing.T) {
	zsh := need(t, "zsh")
	file := writeCompletion(t, "zsh", "_git-agent")
	runShell(t, zsh, "-n", file)
	out := runShell(t, zsh, "-f", "-c", `
		fpath=("${1:h}" $fpath)
		autoload -Uz compinit && compinit -u -D
		print -r -- ${_comps[git-agent]}
		head -n 2 "$1" | tail -n 1`, "zsh", file)
	lines := trimmedLines(out)
	if len(lines) != 2 || lines[0] != "_git-agent" || !strings.HasPrefix(lines[1], "#description ") {
		t.Errorf("zsh registered %q", lines)
	}
}

func trimmedLines(s string) []string {
	var list []string
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, line)
		}
	}
	return list
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}
