package trace

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"git-agent/agent"
	"git-agent/agent/gittool"
	"git-agent/agent/model"
	"git-agent/cache"
	"git-agent/gitext"
)

// conversation builds a trajectory from turns of calls. A call is written as "name args ->
// answer"; a "!" before the answer marks a failed call. The run is from an old build, which does
// not record the deeds of tools.
func conversation(kind string, turns ...[]string) *Trajectory {
	t := &Trajectory{Run: cache.Run{Kind: kind}, Opening: &agent.Opening{Limits: agent.Limits{Turns: 15}}}
	for n, calls := range turns {
		turn := Turn{N: n + 1, Result: &agent.AskResult{Reply: &model.Reply{}}}
		for i, text := range calls {
			call, answer, _ := strings.Cut(text, " -> ")
			name, args, _ := strings.Cut(call, " ")
			c := Call{I: i + 1, Attempts: 1, Call: model.Call{Name: name, Args: args}, Result: &agent.CallResult{Text: answer}}
			if c.Result.Text, c.Result.Failed = strings.CutPrefix(answer, "!"); name == "report" {
				c.Result.Final = true
			}
			turn.Calls = append(turn.Calls, c)
		}
		t.Turns = append(t.Turns, turn)
	}
	t.setDeeds()
	return t
}

// recorded returns the same run in a newer build's form. Its fields replace the guesses from the
// names and messages of the tools.
func recorded(t *Trajectory) *Trajectory {
	names := map[string]string{} // of the tools
	t.Opening.Deeds, t.Opening.Needs = map[string]agent.Deed{}, t.needs
	for i := range t.Turns {
		for j := range t.Turns[i].Calls {
			c := &t.Turns[i].Calls[j]
			name, args := c.Means()
			if names[name] == "" {
				names[name] = fmt.Sprint("tool", len(names))
			}
			t.Opening.Deeds[names[name]] = t.deeds[name]
			c.Name, c.Args = names[name], args
			if c.Result.Nothing || c.Result.TimedOut {
				c.Result.Text = "some other words"
			}
		}
	}
	t.Run.Kind, t.Opening.Prompt = "other/agent", ""
	t.setDeeds()
	return t
}

func TestSmells(t *testing.T) {
	t.Parallel()
	const (
		blame  = `git_blame {"path":"a.c"} -> L1`
		report = `report {"commits":[{"commit":"abc"}]} -> accepted`
		search = `git_log_search {"pattern":"x","path":"a.c"} -> found`
		wide   = `git_grep {"pattern":"x"} -> found`
		empty  = "git_log_search {\"pattern\":\"x\",\"path\":\"b\"} -> -S: no commits found\ntry"
		empty2 = "git_grep {\"pattern\":\"y\",\"path\":\"b\"} -> \"y\": no lines found\ntry"
		late   = `git_grep {"pattern":"x","path":"a"} -> !error: stopped after 2m0s without an answer; to ask for less, give path`
	)
	show := func(commit, more string) string {
		return fmt.Sprintf(`git_show {"commit":%q%s} -> patch`, commit, more)
	}
	for name, tt := range map[string]struct {
		kind  string
		turns [][]string
		want  string
	}{
		"none":                        {turns: [][]string{{blame, show("abcdef1", "")}, {search}, {report}}},
		"never blamed":                {turns: [][]string{{show("abcdef1", "")}, {report}}, want: "never_blamed []"},
		"no verdict no blame":         {turns: [][]string{{show("abcdef1", "")}}},
		"repeated read":               {turns: [][]string{{blame}, {search}, {`git_blame { "path" : "a.c" } -> L1`}}, want: "no_op_read [3]"},
		"repeated in other words":     {turns: [][]string{{blame}, {`functions.git_blame "{\"path\":\"a.c\"}" -> L1`}}, want: "no_op_read [2]"},
		"a page in quotes":            {turns: [][]string{{show("abcdef1", "")}, {show("abcdef1", `,"page":"2"`)}, {show("abcdef1", `,"page":"3"`)}}},
		"a failed one is asked again": {turns: [][]string{{`git_blame {"path":"a"} -> !error`}, {`git_blame {"path":"a"} -> L1`}}},
		"three searches":              {turns: [][]string{{blame}, {search}, {wide}, {`git_grep {"pattern":"z"} -> found`}}, want: "consecutive_search [2 3 4]"},
		"side by side is one":         {turns: [][]string{{blame}, {search, wide, `git_grep {"pattern":"z"} -> found`}, {blame + "2"}}, want: "no_op_read [3]"},
		"same commit": {turns: [][]string{{show("abcdef1", "")}, {show("abcdef123456", `,"path":"a"`)}, {show("abcdef1", `,"context":9`)}},
			want: "same_commit [1 2 3] abcdef1"},
		"same commit by other names": {turns: [][]string{{`git_show {"commit":"c1"} -> abcdef123456 2020`}, {`git_show {"commit":"abcdef1"} -> abcdef123456 2020`},
			{`git_show {"commit":"HEAD~2"} -> abcdef123456 2020`}}, want: "same_commit [1 2 3] abcdef123456"},
		"pages are no showing": {turns: [][]string{{show("abcdef1", "")}, {show("abcdef1", `,"page":2`)}, {show("abcdef1", `,"page":3`)}}},
		"other commits":        {turns: [][]string{{show("abcdef1", ""), show("abcdef2", ""), show("1234567", "")}}},
		"empty searches":       {turns: [][]string{{blame}, {empty}, {show("abcdef1", "")}, {empty2}, {search}}, want: "empty_searches [2 4]"},
		"one empty search":     {turns: [][]string{{blame}, {empty}, {search}}},
		"wide first":           {turns: [][]string{{wide}, {blame}}, want: "wide_search_first [1]"},
		"asked as much again":  {turns: [][]string{{blame}, {late}, {`git_grep {"pattern":"y","path":"a"} -> found`}}, want: "timeout_not_narrowed [3]"},
		"narrowed":             {turns: [][]string{{blame}, {late}, {`git_grep {"pattern":"x","path":"a/b"} -> found`}}},
		"no test":              {kind: "fix/agent", turns: [][]string{{`edit_file {"path":"a"} -> ok`}}, want: "no_test [1]"},
		"tested":               {kind: "fix/agent", turns: [][]string{{`edit_file {"path":"a"} -> ok`}, {`run_tests {} -> ok`}}},
		"read after an edit":   {kind: "fix/agent", turns: [][]string{{`read_file {"path":"a"} -> x`}, {`edit_file {"path":"a"} -> ok`}, {`read_file {"path":"a"} -> y`}, {`run_tests {} -> ok`}}},
		"edits in a row": {kind: "fix/agent", turns: [][]string{{`edit_file {"path":"a","n":1} -> ok`}, {`edit_file {"path":"a","n":2} -> ok`}, {`edit_file {"path":"a","n":3} -> ok`}, {`run_tests {} -> ok`}},
			want: "consecutive_edits [1 2 3] a"},
		"edits of two files": {kind: "fix/agent", turns: [][]string{{`edit_file {"path":"a"} -> ok`}, {`edit_file {"path":"b"} -> ok`}, {`edit_file {"path":"a","n":3} -> ok`}, {`run_tests {} -> ok`}}},
	} {
		t.Run(name, func(t *testing.T) {
			kind := tt.kind
			if kind == "" {
				kind = "szz/agent"
			}
			old := conversation(kind, tt.turns...)
			for name, run := range map[string]*Trajectory{"an old build": old, "this build": recorded(conversation(kind, tt.turns...))} {
				var got []string
				for _, f := range run.Smells() {
					got = append(got, strings.TrimSpace(fmt.Sprint(f.Smell.Name, " ", f.Turns, " ", f.Note)))
				}
				if strings.Join(got, "; ") != tt.want {
					t.Errorf("of %s: got %q, want %q", name, got, tt.want)
				}
			}
		})
	}
}

// A blame in the first prompt counts as a blame. The prompt is that of a recorded
// conversation, which the tests of the command compare with the program.
func TestBlamedInThePrompt(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("..", "..", "cmd", "git-agent", "testdata", "desk", "wrap.json"))
	if err != nil {
		t.Fatal(err)
	}
	var talk struct {
		Turns []struct {
			Request struct {
				Messages []struct {
					Content json.RawMessage `json:"content"` // a string or a list of lines
				} `json:"messages"`
			} `json:"request"`
		} `json:"turns"`
	}
	if err := json.Unmarshal(data, &talk); err != nil {
		t.Fatal(err)
	}
	var content struct {
		Lines []string `json:"text in lines"`
	}
	if err := json.Unmarshal(talk.Turns[0].Request.Messages[1].Content, &content); err != nil {
		t.Fatal(err)
	}
	prompt := strings.Join(content.Lines, "\n")
	for _, tt := range []struct {
		prompt string
		want   int
	}{{prompt, 0}, {"# The fix\n\nWhich commit introduced the bug?", 1}} {
		run := conversation("szz/agent", []string{`report {"commits":[{"commit":"abc"}]} -> accepted`})
		run.Opening.Prompt = tt.prompt
		run.needs = nil
		run.setDeeds()
		if got := run.Smells(); len(got) != tt.want || tt.want == 1 && got[0].Smell != NeverBlamed {
			t.Errorf("%.60q: got %+v", tt.prompt, got)
		}
	}
}

// Every run that used all its turns has the smell turn_cap.
func TestTurnCap(t *testing.T) {
	t.Parallel()
	run := conversation("szz/agent", []string{`git_blame {"path":"a"} -> x`}, []string{`git_blame {"path":"b"} -> x`})
	run.Opening.Limits.Turns = 2
	if got := run.Smells(); len(got) != 1 || got[0].Smell != TurnCap || !slices.Equal(got[0].Turns, []int{2}) {
		t.Errorf("got %+v", got)
	}
}

// The tools record their deeds, fruitless searches and time-outs. Their messages still contain
// the phrases that old runs need for guesses.
func TestWordsOfTheTools(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, args := range [][]string{{"init", "-q"}, {"-c", "user.name=A", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "one"}} {
		git := exec.Command("git", append([]string{"-C", dir}, args...)...)
		git.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
		if out, err := git.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %s", args, out)
		}
	}
	repo, err := gitext.Open(t.Context(), gitext.OpenOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	tip, err := repo.Resolve(t.Context(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	box, err := gittool.New(repo, gittool.Scope{Tip: tip}, gittool.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"git_grep", "git_log_search"} {
		res, err := box.Call(t.Context(), name, []byte(`{"pattern":"nowhere"}`))
		if err != nil {
			t.Fatal(err)
		}
		if !res.Nothing || !oldNothing(res.Text) {
			t.Errorf("%s found nothing, %t, in other words: %q", name, res.Nothing, res.Text)
		}
	}
	specs, err := gittool.Specs()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range specs {
		if s.Deed != oldDeed(s.Name) {
			t.Errorf("the deed of %s is %q, once %q", s.Name, s.Deed, oldDeed(s.Name))
		}
	}
	if box, err = gittool.New(repo, gittool.Scope{Tip: tip}, gittool.Options{Timeout: time.Nanosecond}); err != nil {
		t.Fatal(err)
	}
	var no *agent.CallError
	if _, err := box.Call(t.Context(), "git_grep", []byte(`{"pattern":"x"}`)); !errors.As(err, &no) {
		t.Fatalf("no time-out: %v", err)
	}
	if !no.TimedOut || !strings.Contains(no.Answer(), oldTimeout) {
		t.Errorf("a time-out, %t, in other words: %q", no.TimedOut, no.Answer())
	}
}
