package gittool

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"git-agent/agent"
	"git-agent/cache"
	"git-agent/gitext"
)

var update = flag.Bool("update", false, "write the golden files")

// golden compares got with testdata/name.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := "testdata/" + name
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		t.Errorf("%s differs (go test -update writes it):\n%s", file, got)
	}
}

// transcript returns the answers to the calls, one after the other.
func (f *fixture) transcript(box *Toolbox, calls [][2]string) string {
	var b strings.Builder
	for _, c := range calls {
		fmt.Fprintf(&b, "$ %s %s\n", c[0], c[1])
		res, err := box.Call(context.Background(), c[0], json.RawMessage(f.expand(c[1])))
		var refused *agent.CallError
		switch {
		case errors.As(err, &refused):
			b.WriteString(refused.Answer())
		case err != nil:
			f.t.Errorf("%s %s: %v", c[0], c[1], err)
		}
		b.WriteString(res.Text + "\n")
	}
	return b.String()
}

var goodCalls = [][2]string{
	{"git_blame", `{"path":"src/calc.c"}`},
	{"git_blame", `{"path":"./src/calc.c","start":8,"end":13}`},
	{"git_blame", `{"path":"b/src/calc.c","start":17,"end":900}`},
	{"git_blame", `{"path":"lib/calc.c","commit":"{moved}^","start":3,"end":6}`},
	{"git_blame", `{"path":"lib/calc.c","commit":"{zero12}","start":8,"end":11,"ignore_space":false,"moves":"files"}`},
	{"git_blame", `{"path":"web/min.js"}`},
	{"git_blame", `{"path":"win.txt"}`},
	{"git_show", `{"commit":"HEAD"}`},
	{"git_show", `{"commit":"{zero}"}`},
	{"git_show", `{"commit":"{zero}","context":0}`},
	{"git_show", `{"commit":"{moved}","stat":true}`},
	{"git_show", `{"commit":"{moved}","path":"web/app.ts"}`},
	{"git_show", `{"commit":"{noisy}"}`},
	{"git_show", `{"commit":"{merge}"}`},
	{"git_show", `{"commit":"{first}","path":"README"}`},
	{"git_log_search", `{"pattern":"b == 0"}`},
	{"git_log_search", `{"pattern":"divide(a, 10)","order":"oldest"}`},
	{"git_log_search", `{"pattern":"divide(a, 10)","path":"src/calc.c"}`},
	{"git_log_search", `{"pattern":"divide(a, 10)","path":"lib/calc.c"}`},
	{"git_log_search", `{"pattern":"divide\\(a, [0-9]+\\)","mode":"G"}`},
	{"git_log_search", `{"pattern":"return","mode":"G","max":2}`},
	{"git_log_search", `{"pattern":"b == 0","until":"2020-01-31"}`},
	{"git_log_search", `{"pattern":"no.*such"}`},
	{"git_log_search", `{"pattern":"int divide","path":"src"}`},
	{"git_log_search", `{"pattern":"int divide","path":"lib/calc.c"}`},
	{"git_log_function", `{"path":"src/calc.c","function":"divide"}`},
	{"git_log_function", `{"path":"src/calc.c","function":"int scale(int a)"}`},
	{"git_log_function", `{"path":"src/calc.c","start":3,"end":6,"max":1}`},
	{"git_log_function", `{"path":"web/app.ts","function":"App.load"}`},
	{"git_log_function", `{"path":"src/calc.c","function":"divide","until":"2019-01-01"}`},
	{"git_grep", `{"pattern":"divide("}`},
	{"git_grep", `{"pattern":"divide\\(a, .*\\)","regex":true,"commit":"{zero}"}`},
	{"git_grep", `{"pattern":"RETURN","ignore_case":true,"word":true,"path":"web"}`},
	{"git_grep", `{"pattern":"needle"}`},
	{"git_grep", `{"pattern":"int","max":2}`},
	{"git_grep", `{"pattern":"a.*b"}`},
	{"git_grep", `{"pattern":"--open-files-in-pager=false"}`},
}

func TestToolsAnswer(t *testing.T) {
	// Each tool answers in the compressed form that a model sees.
	f := calcHistory(t)
	golden(t, "tools.golden", f.transcript(f.toolbox(Scope{}, Options{}), goodCalls))
}

func TestToolsPlain(t *testing.T) {
	// Without compression the answers look like git's own.
	f := calcHistory(t)
	golden(t, "plain.golden", f.transcript(f.toolbox(Scope{}, Options{Plain: true}), goodCalls[:8]))
}

var badCalls = [][2]string{
	{"git_push", `{}`},
	{"git_blame", `{"path":"src/calc.c"`},
	{"git_blame", `{"file":"src/calc.c"}`},
	{"git_blame", `{}`},
	{"git_blame", `{"path":"src/calc.c","commit":"main"}`},
	{"git_blame", `{"path":"src/calc.c","commit":"--output=x"}`},
	{"git_blame", `{"path":"src/calc.c","commit":"abc"}`},
	{"git_blame", `{"path":"src/calc.c","commit":"deadbeefdeadbeef"}`},
	{"git_blame", `{"path":"src/calc.c","commit":"{fix}"}`},
	{"git_blame", `{"path":"src/calc.c","commit":"{first}^"}`},
	{"git_blame", `{"path":"src/calc.c","commit":"{last}^3"}`},
	{"git_blame", `{"path":"src/calc.c","commit":"HEAD~99999999"}`},
	{"git_blame", `{"path":"src/calc.c","start":90}`},
	{"git_blame", `{"path":"src/calc.c","start":9,"end":3}`},
	{"git_blame", `{"path":"--output=x"}`},
	{"git_blame", `{"path":"lib/calc.c"}`},
	{"git_blame", `{"path":"src/calc.c","commit":"{first}"}`},
	{"git_blame", `{"path":"../etc/passwd"}`},
	{"git_blame", `{"path":"src"}`},
	{"git_blame", `{"path":"img.bin"}`},
	{"git_blame", `{"path":"empty"}`},
	{"git_blame", `{"path":"src/calc.c","page":7}`},
	{"git_show", `{"commit":"{zero}","path":"README"}`},
	{"git_show", `{"commit":"{zero}","context":31}`},
	{"git_log_search", `{"pattern":"(","mode":"G"}`},
	{"git_log_search", `{"pattern":"a\nb","mode":"G"}`},
	{"git_log_search", `{"pattern":"x","since":"yesterday"}`},
	{"git_log_search", `{"pattern":"x","since":"2020-02-01","until":"2020-01-01"}`},
	{"git_log_search", `{"pattern":"x","path":"nowhere/calc.c"}`},
	{"git_log_function", `{"path":"src/calc.c"}`},
	{"git_log_function", `{"path":"src/calc.c","function":" "}`},
	{"git_log_function", `{"path":"src/calc.c","function":"add","start":1}`},
	{"git_log_function", `{"path":"src/calc.c","function":"subtract"}`},
	{"git_log_function", `{"path":"src/calc.c","function":"calc.h"}`},
	{"git_grep", `{"pattern":"a\nb"}`},
	{"git_grep", `{"pattern":"(","regex":true}`},
	{"git_grep", `{"pattern":"x","path":"src/clac.c"}`},
}

func TestToolsRefuse(t *testing.T) {
	// The answer to every bad call leads to a good one.
	f := calcHistory(t)
	got := f.transcript(f.toolbox(Scope{}, Options{}), badCalls)
	golden(t, "refused.golden", got)
	if n := strings.Count(got, "\nerror: "); n != len(badCalls) {
		t.Errorf("%d of %d calls were refused", n, len(badCalls))
	}
}

func TestHashesAreForgiven(t *testing.T) {
	// A hash with a wrong end is found by its beginning, in any case and with any
	// decoration from models; the answer names the assumption.
	f := calcHistory(t)
	box := f.toolbox(Scope{}, Options{})
	zero := string(f.oid["zero"])
	for _, written := range []string{
		zero, zero[:12], zero[:7], strings.ToUpper(zero), "`" + zero[:8] + "`.", "commit " + zero,
		zero[:12] + strings.Repeat("0", 28), zero[:8] + strings.Repeat("f", 32), "{noisy}~2", "{moved}^1",
	} {
		args, err := json.Marshal(map[string]string{"commit": f.expand(written)})
		if err != nil {
			t.Fatal(err)
		}
		res, err := box.Call(context.Background(), "git_show", args)
		if err != nil {
			t.Errorf("%s: %v", written, err)
			continue
		}
		if got := res.Value.(*Show).Commit.OID; got != zero {
			t.Errorf("%s is taken for %s, want %s", written, got, zero)
		}
		if assumed := len(written) == 40 && !strings.EqualFold(written, zero); assumed != strings.Contains(res.Text, "note: no commit is called") {
			t.Errorf("%s: %s", written, res.Text)
		}
	}
}

func TestBranchNamedLikeAHash(t *testing.T) {
	// A branch with a hexadecimal name does not stand for its commit.
	f := calcHistory(t)
	f.git("branch", "abcdef1234", string(f.oid["first"]))
	_, err := f.toolbox(Scope{}, Options{}).Call(context.Background(), "git_show", json.RawMessage(`{"commit":"abcdef1234"}`))
	var refused *agent.CallError
	if !errors.As(err, &refused) {
		t.Errorf("got %v", err)
	}
}

func TestAmbiguousHash(t *testing.T) {
	// A prefix shared by two visible commits is refused with both names; hidden commits
	// with the same prefix do not matter.
	f := newFixture(t)
	f.write("a", "a\n")
	seen := map[string]gitext.OID{}
	var one, two gitext.OID
	tree := f.git("write-tree")
	const digits = 2 // more digits of real commits cannot be had quickly
	for i := range 200 {
		oid := gitext.OID(f.git("commit-tree", "-m", fmt.Sprint(i), tree))
		if other, ok := seen[string(oid)[:digits]]; ok {
			one, two = other, oid
			break
		}
		seen[string(oid)[:digits]] = oid
	}
	tip := gitext.OID(f.git("commit-tree", "-m", "tip", "-p", string(one), "-p", string(two), tree))
	b := &scopedRepo{repo: f.open(), scope: Scope{Tip: tip}}
	_, err := b.searchHash(context.Background(), string(one)[:digits], nil)
	if err == nil || !strings.Contains(err.Error(), string(one)) || !strings.Contains(err.Error(), string(two)) {
		t.Errorf("got %v", err)
	}
	b.scope.Tip = one
	if got, err := b.searchHash(context.Background(), string(one)[:digits], nil); got != one || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestScopeBoundsEveryTool(t *testing.T) {
	// No answer has a commit later than the tip, by ancestry or date.
	f := calcHistory(t)
	box := f.toolbox(Scope{Tip: f.oid["moved"], Fix: f.oid["noisy"]}, Options{})
	answers := f.transcript(box, [][2]string{
		{"git_blame", `{"path":"web/app.ts"}`},
		{"git_show", `{"commit":"{noisy}"}`},
		{"git_show", `{"commit":"{last}"}`},
		{"git_show", `{"commit":"{side12}"}`},
		{"git_log_search", `{"pattern":"fetch"}`},
		{"git_log_search", `{"pattern":"divide","mode":"G"}`},
		{"git_log_function", `{"path":"web/app.ts","function":"load"}`},
		{"git_grep", `{"pattern":"fetch("}`},
	})
	for _, later := range []string{"red", "Ignore", "side file", "scale by", "name, 1", "2020-04", "2020-05"} {
		if strings.Contains(answers, later) {
			t.Errorf("%q is visible:\n%s", later, answers)
		}
	}
	dated := f.toolbox(Scope{Tip: f.oid["last"], Until: time.Date(2020, 3, 15, 0, 0, 0, 0, time.UTC)}, Options{})
	answers = f.transcript(dated, [][2]string{
		{"git_show", `{"commit":"{noisy}"}`},
		{"git_log_search", `{"pattern":"fetch","mode":"G"}`},
		{"git_log_function", `{"path":"web/app.ts","function":"load"}`},
	})
	if strings.Contains(answers, "2020-04") || !strings.Contains(answers, "cannot be seen") || !strings.Contains(answers, "2020-03") {
		t.Errorf("got %s", answers)
	}
}

func TestRedaction(t *testing.T) {
	// Messages, subjects and trailers pass through the redactor, in all tools.
	f := calcHistory(t)
	hide := Redactor{Name: "test", Text: func(s string) string {
		return strings.NewReplacer("zero", "ZZZ", "killed", "KKK", "Bob", "BBB").Replace(s)
	}}
	for _, plain := range []bool{false, true} {
		box := f.toolbox(Scope{Tip: f.oid["last"], Redact: hide}, Options{Plain: plain})
		answers := f.transcript(box, [][2]string{
			{"git_blame", `{"path":"src/calc.c","start":8,"end":12}`},
			{"git_show", `{"commit":"{zero12}"}`},
			{"git_log_search", `{"pattern":"b == 0"}`},
			{"git_log_function", `{"path":"src/calc.c","function":"divide"}`},
		})
		answers = strings.ReplaceAll(answers, "{zero12}", "")
		if strings.Contains(answers, "zero") || strings.Contains(answers, "killed") || strings.Contains(answers, "Signed-off-by: Bob") {
			t.Errorf("plain %v: %s", plain, answers)
		}
	}
}

// recorder is a Memory in memory.
type recorder struct {
	mu   sync.Mutex
	kept map[[32]byte][]byte
	puts int
}

func (r *recorder) Get(_ context.Context, key cache.Key) ([]byte, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	v, ok := r.kept[key.Sum()]
	return v, ok
}

func (r *recorder) Put(_ context.Context, key cache.Key, value []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.kept == nil {
		r.kept = map[[32]byte][]byte{}
	}
	r.kept[key.Sum()] = value
	r.puts++
}

func TestMemory(t *testing.T) {
	// A remembered answer is the same, text and value; the same question in other words
	// is equal; another scope or parameter makes another question.
	f := calcHistory(t)
	memory := &recorder{}
	box := f.toolbox(Scope{}, Options{Memory: memory})
	for _, c := range goodCalls {
		args := json.RawMessage(f.expand(c[1]))
		first, err := box.Call(context.Background(), c[0], args)
		if err != nil {
			t.Fatal(err)
		}
		again, err := box.Call(context.Background(), c[0], args)
		if err != nil {
			t.Fatal(err)
		}
		if !again.Cached || again.Text != first.Text || !reflect.DeepEqual(again.Value, first.Value) {
			t.Errorf("%s: the second answer differs (cached %v):\n%s\n%s", c, again.Cached, first.Text, again.Text)
		}
	}
	puts := memory.puts
	call := func(box *Toolbox, args string) {
		t.Helper()
		if _, err := box.Call(context.Background(), "git_blame", json.RawMessage(f.expand(args))); err != nil {
			t.Fatal(err)
		}
	}
	call(box, `{"path":"a/src/calc.c","commit":"HEAD","page":1}`)
	call(f.toolbox(Scope{}, Options{Memory: memory, Plain: true}), `{"path":"src/calc.c","commit":"{last12}"}`)
	if memory.puts != puts {
		t.Errorf("the same question was asked of git again")
	}
	call(box, `{"path":"src/calc.c","ignore_space":false}`)
	call(f.toolbox(Scope{Tip: f.oid["last"]}, Options{Memory: memory}), `{"path":"src/calc.c"}`)
	if memory.puts != puts+2 {
		t.Errorf("%d questions were told apart, want 2", memory.puts-puts)
	}
}

func TestRefusalsAreNotRemembered(t *testing.T) {
	// Only answers are kept.
	f := calcHistory(t)
	memory := &recorder{}
	f.transcript(f.toolbox(Scope{}, Options{Memory: memory}), badCalls)
	// One bad call asks for a page that a good answer does not have.
	if memory.puts > 1 {
		t.Errorf("%d answers were kept", memory.puts)
	}
}

func TestTimeout(t *testing.T) {
	// The answer to a call that takes too long says how to ask for less, and a caller who
	// leaves gets the cause back.
	f := calcHistory(t)
	box := f.toolbox(Scope{}, Options{Timeout: time.Nanosecond})
	_, err := box.Call(context.Background(), "git_log_search", json.RawMessage(`{"pattern":"x"}`))
	var refused *agent.CallError
	if !errors.As(err, &refused) || !strings.Contains(refused.Text, "give path") || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := f.toolbox(Scope{}, Options{}).Call(ctx, "git_log_search", json.RawMessage(`{"pattern":"x"}`)); !errors.Is(err, context.Canceled) || errors.As(err, &refused) && refused.Err == nil {
		t.Errorf("got %v", err)
	}
}

func TestQualifiedNames(t *testing.T) {
	// Among two methods of one name the qualified one is followed, and the decoration
	// around a name does not matter.
	f := newFixture(t)
	f.write("x.cpp", "int A::run(int x)\n{\n\treturn 1;\n}\n\nint B::run(int x)\n{\n\treturn 2;\n}\n")
	f.commit("one", "one\n")
	f.write("x.cpp", "int A::run(int x)\n{\n\treturn 1;\n}\n\nint B::run(int x)\n{\n\treturn 3;\n}\n")
	f.commit("two", "two\n")
	box := f.toolbox(Scope{Tip: f.oid["two"]}, Options{})
	for written, commits := range map[string]int{"B::run": 2, "A::run": 1, "int B::run(int x)": 2, "run": 1, "a.run()": 1, "C::run": 1} {
		args, err := json.Marshal(map[string]string{"path": "x.cpp", "function": written})
		if err != nil {
			t.Fatal(err)
		}
		res, err := box.Call(context.Background(), "git_log_function", args)
		if err != nil {
			t.Errorf("%s: %v", written, err)
		} else if n := len(res.Value.(*FunctionLog).Hits); n != commits {
			t.Errorf("%s: %d commits, want %d", written, n, commits)
		}
	}
}
