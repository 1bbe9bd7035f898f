package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"git-agent/agent/model/modeltest"
	"git-agent/cmd/git-agent/app"
)

// These are the recorded talks, see talk. They are about a program that relays packets and was
// not written only for its bugs: in the first, the faulty line is hidden behind a feature and a
// move; in the second, the fix adds a check that a commit to another file made necessary; in the
// third, a caller of the function that crashed gives it the wrong size.
//
// Their requests change with each prompt, tool and ranking. If the change is intended and the
// replies still make sense, updateDesk stores the new requests.
var talks = []string{"wrap", "idle", "tail"}

const updateDesk = "if that is meant: go test ./cmd/git-agent -run ScriptDesk -update"

// deskBench is the history of a mailbox of testdata/desk, in a separate home.
type deskBench struct {
	name string // of the mailbox and the repository
	dir  string
	env  []string
	// The commits have other ids in SHA-256.
	recorded, here *strings.Replacer
}

// newDeskBench makes the bench of relay.mbox, the subject of most talks.
func newDeskBench(t *testing.T) *deskBench { return newDeskBenchOf(t, "relay") }

func newDeskBenchOf(t *testing.T, name string) *deskBench {
	t.Helper()
	home := t.TempDir()
	b := &deskBench{name: name, dir: filepath.Join(home, name), env: append(os.Environ(),
		"HOME="+home, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull, "GIT_CEILING_DIRECTORIES="+home,
		"XDG_CONFIG_HOME="+filepath.Join(home, ".config"), "XDG_CACHE_HOME="+filepath.Join(home, ".cache"), "XDG_STATE_HOME="+filepath.Join(home, ".state"),
		"TZ=UTC", "LC_ALL=C.UTF-8", "TERM=dumb", "GIT_COMMITTER_NAME=Nadia Brandt", "GIT_COMMITTER_EMAIL=nadia@relay.example",
		"GORACE=atexit_sleep_ms=10", // a second otherwise, for each program
		"GIT_AGENT_MODEL=desk", "GIT_AGENT_API_KEY=", "OPENAI_API_KEY=", "OPENAI_BASE_URL=")}
	here, recorded := b.history(t, b.dir, os.Getenv("GIT_DEFAULT_HASH")), []string(nil)
	if recorded = here; len(here[0]) != 40 {
		recorded = b.history(t, filepath.Join(home, "sha1"), "sha1")
	}
	var to, from []string
	for i := range here {
		for _, n := range [][2]int{{len(here[i]), 40}, {12, 12}, {8, 8}} { // as they are written in answers
			to = append(to, here[i][:n[0]], recorded[i][:n[1]])
			from = append(from, recorded[i][:n[1]], here[i][:n[0]])
		}
	}
	b.recorded, b.here = strings.NewReplacer(to...), strings.NewReplacer(from...)
	config := filepath.Join(home, ".gitconfig")
	if err := writeConfig(config, home); err != nil {
		t.Fatal(err)
	}
	b.env = append(b.env, "GIT_CONFIG_GLOBAL="+config)
	return b
}

// history makes the repository and lists its commits.
func (b *deskBench) history(t *testing.T, dir, hash string) []string {
	t.Helper()
	mbox, err := filepath.Abs(filepath.Join("testdata", "desk", b.name+".mbox"))
	if err != nil {
		t.Fatal(err)
	}
	if hash == "" {
		hash = "sha1"
	}
	cmd := exec.Command("sh", "-ec", `git init -q -b main --object-format="$2" "$1" && cd "$1" && git am -q --no-gpg-sign --committer-date-is-author-date "$3" && git rev-list HEAD`, "sh", dir, hash, mbox)
	cmd.Env = b.env
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, &errs)
	}
	return strings.Fields(out.String())
}

// command is the program in the repository, configured for a server.
func (b *deskBench) command(t *testing.T, url string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Args = append([]string{"git-agent-main"}, args...)
	cmd.Dir, cmd.Env = b.dir, append(b.env, "GIT_AGENT_BASE_URL="+url)
	return cmd
}

// run runs the program and checks its exit code.
func (b *deskBench) run(t *testing.T, want int, url string, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := b.command(t, url, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || cmd.ProcessState.ExitCode() != want {
		t.Fatalf("git agent %v: %v, want exit status %d\n%s%s", args, err, want, &out, &errs)
	}
	checkSchemas(t, args, out.String())
	return out.String(), errs.String()
}

// A deskAnswer is what the JSON forms of the answers of szz and crash share.
type deskAnswer struct {
	Engine   string
	Files    []struct{ Path string } // crash only
	Suspects []struct{ Commit string }
	Agent    *struct {
		Fallback string
		Turns    int
		Runs     []struct{ Objections int } // szz only
	}
}

// ask runs the command of a talk and returns the answer, with the commit ids of the record.
func (b *deskBench) ask(t *testing.T, d *desk) (ans deskAnswer, stderr string) {
	t.Helper()
	out, errs := b.run(t, app.ExitFound, d.URL, d.command("--json")...)
	if err := json.Unmarshal([]byte(b.recorded.Replace(out)), &ans); err != nil {
		t.Fatal(err)
	}
	return ans, errs
}

// command is the command line of the talk, with the commit ids of this repository.
func (d *desk) command(more ...string) []string {
	var args []string
	for _, arg := range d.talk.Command {
		args = append(args, d.here.Replace(arg))
	}
	return append(args, more...)
}

// check checks the verdict of the talk.
func (d *desk) check(t *testing.T, ans deskAnswer) {
	t.Helper()
	if ans.Engine != "agent" || ans.Agent == nil || ans.Agent.Fallback != "" || len(ans.Suspects) != 1 ||
		!strings.HasPrefix(ans.Suspects[0].Commit, d.talk.Culprit) || ans.file() != d.talk.File ||
		ans.Agent.Turns != len(d.talk.Turns) || len(ans.Agent.Runs) != 1 || ans.Agent.Runs[0].Objections != d.talk.Objections {
		text, _ := json.MarshalIndent(ans, "", " ") // it was JSON before
		t.Errorf("the verdict is not that of the talk:\n%s", text)
	}
}

// file is the first file of the answer, "" if it names none.
func (a deskAnswer) file() string {
	if len(a.Files) == 0 {
		return ""
	}
	return a.Files[0].Path
}

// expected compares a text with its golden file.
func expected(t *testing.T, file, got string) {
	t.Helper()
	file = filepath.Join("testdata", "desk", file)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: %s\n%s", file, firstLine(got, string(want)), updateDesk)
	}
}

// The recorded replies lead to the same requests, tool answers and verdict again, and the trace
// can be read, exported and replayed.
func TestScriptDesk(t *testing.T) {
	for _, name := range talks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, c := newDeskBench(t), readTalk(t, name)
			d := b.serve(t, c, nil)
			ans, _ := b.ask(t, d)
			d.check(t, ans)
			if _, requests := d.seen(); *update {
				c.write(t, requests)
			}
			out, _ := b.run(t, app.ExitFound, d.URL, d.command()...)
			expected(t, name+".answer", b.mask(out))
			if asked, _ := d.seen(); len(asked) != len(c.Turns) {
				t.Errorf("turns asked for: %v: an answer that is known was asked for again", asked)
			}
			b.readTrace(t, d)
		})
	}
}

var runName = regexp.MustCompile(`\b\d{8}-\d{6}-[a-z0-9]{4}\b`)

// mask replaces our ids by the record's.
func (b *deskBench) mask(text string) string {
	return runName.ReplaceAllString(b.recorded.Replace(text), "RUN")
}

// readTrace reads the recorded run in every form.
func (b *deskBench) readTrace(t *testing.T, d *desk) {
	t.Helper()
	out, _ := b.run(t, app.ExitFound, d.URL, "trace", "show")
	said := strings.Join(strings.Fields(b.mask(out)), " ")
	for i, turn := range d.talk.Turns {
		for _, want := range []string{fmt.Sprintf("turn %d ", i+1), turn.Reply.Text} {
			if !strings.Contains(said, want) {
				t.Errorf("trace show has no %q:\n%s", want, out)
			}
		}
	}
	smells := app.ExitFound
	if d.talk.Smell == "" {
		smells = app.ExitNothing
	}
	if out, _ = b.run(t, smells, d.URL, "trace", "smells"); !strings.Contains(out, d.talk.Smell) || strings.Count(out, "(turn") > 1 {
		t.Errorf("smells: %s", out)
	}
	b.replays(t, d)
	for format, words := range map[string]string{"atif": `"tool_calls":`, "otel": `"gen_ai.tool.name"`} {
		out, _ := b.run(t, app.ExitFound, d.URL, "trace", "export", "--format="+format)
		if !json.Valid([]byte(out)) || !strings.Contains(out, words) {
			t.Errorf("export --format=%s is not JSON, or has no %s:\n%s", format, words, out)
		}
	}
}

// replays checks that a replay of the recorded run is equal.
func (b *deskBench) replays(t *testing.T, d *desk) {
	t.Helper()
	out, _ := b.run(t, app.ExitFound, d.URL, "trace", "replay")
	if !strings.Contains(out, "  equal: ") || !strings.HasSuffix(out, fmt.Sprintf(" of %d turns\n", len(d.talk.Turns))) {
		t.Errorf("replay: %s", out)
	}
}

// A busy, overloaded or disconnected server and a killed program do not change the answer;
// recorded replies are not requested again.
func TestScriptDeskInBadWeather(t *testing.T) {
	for i, name := range talks {
		if i > 0 && testing.Short() {
			break
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, c := newDeskBench(t), readTalk(t, name)
			program := make(chan *os.Process, 1)
			d := b.serve(t, c, badWeather(t, program))
			b.killed(t, d, program)
			ans, errs := b.ask(t, d)
			if !strings.Contains(errs, "resuming run ") {
				t.Errorf("it begins anew: %s", errs)
			}
			if asked, _ := d.seen(); !slices.Equal(asked, []int{0, 0, 1, 1, 2, 2, 2, 3}[:len(c.Turns)+4]) {
				t.Errorf("turns asked for: %v", asked)
			}
			d.check(t, ans)
			out, _ := b.run(t, app.ExitFound, d.URL, d.command()...)
			expected(t, name+".answer", b.mask(out))
			if out, _ := b.run(t, app.ExitFound, d.URL, "trace", "show"); !strings.Contains(out, "the run was resumed here") {
				t.Errorf("trace show does not tell of the kill:\n%s", out)
			}
			b.replays(t, d)
		})
	}
}

// badWeather replaces some answers by failures. At the fifth request it kills the program.
func badWeather(t *testing.T, program <-chan *os.Process) func(n int) *modeltest.Reply {
	const soon = "Retry-After-Ms"
	bad := map[int]modeltest.Reply{ // by the number of the request
		1: modeltest.Status(429, `{"error":{"message":"slow down"}}`, soon, "1"),
		3: modeltest.Status(200, `{"choices":[{"index":0,"message":{"role":"assistant","tool_calls":[{"id":"x","type":"function","function":{"name":"report","arg`, "Content-Length", "5000"),
		5: modeltest.Status(503, ""), // nobody hears it
		6: modeltest.Status(529, "<html>overloaded</html>", soon, "1"),
	}
	return func(n int) *modeltest.Reply {
		if n == 5 {
			if err := (<-program).Kill(); err != nil {
				t.Error(err)
			}
		}
		if reply, ok := bad[n]; ok {
			return &reply
		}
		return nil
	}
}

// killed runs the program until its server kills it.
func (b *deskBench) killed(t *testing.T, d *desk, started chan<- *os.Process) {
	t.Helper()
	cmd := b.command(t, d.URL, d.command("--json")...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	started <- cmd.Process
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != -1 || out.Len() > 0 {
		t.Fatalf("the program was not killed: %v\n%s%s", err, &out, &errs)
	}
}
