package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"git-agent/agent/trace"
	"git-agent/cache"
	"git-agent/cache/place"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/render"
	"git-agent/cmd/git-agent/tracecmd"
	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext/quote"

	"github.com/rogpeppe/go-internal/testscript"
)

func init() {
	scriptCommands["record"] = cmdRecord
	scriptCommands["places"] = cmdPlaces
	scriptCommands["collector"] = cmdCollector
}

// cmdRecord writes a run into the traces of the repository, or of none, and
// sets a variable to its name. In the file, $FIX is the last commit and $BIC
// the one before; scripts have these variables too afterwards:
//
//	record <variable> <file> [<directory>]
func cmdRecord(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: record <variable> <file> [<directory>]")
	}
	dir := ""
	if len(args) == 3 {
		dir = ts.MkAbs(args[2])
	} else {
		dir = folderOf(ts, place.State)
	}
	for name, rev := range map[string]string{"FIX": "HEAD", "BIC": "HEAD~1"} {
		ts.Check(ts.Exec("git", "rev-parse", rev))
		ts.Setenv(name, strings.TrimSpace(ts.ReadFile("stdout")))
	}
	text := os.Expand(ts.ReadFile(args[1]), ts.Getenv)
	file := ts.MkAbs(args[1]) + ".expanded"
	ts.Check(os.WriteFile(file, []byte(text), 0o644))
	ts.Check(ts.Exec("git-agent-record", file, dir)) // whose home is the script's
	ts.Setenv(args[0], ts.ReadFile("stdout"))
}

// cmdPlaces sets variables to where the cache and the recorded runs of the
// repository are:
//
//	places <variable> <variable>
func cmdPlaces(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: places <variable> <variable>")
	}
	ts.Setenv(args[0], folderOf(ts, place.Cache))
	ts.Setenv(args[1], folderOf(ts, place.State))
}

// folderOf makes the folder of the script's repository, for its home.
func folderOf(ts *testscript.TestScript, kind place.Kind) string {
	ts.Check(ts.Exec("git", "rev-parse", "--git-common-dir"))
	f, err := place.User{Getenv: ts.Getenv}.Folder(kind, ts.MkAbs(strings.TrimSpace(ts.ReadFile("stdout"))))
	ts.Check(err)
	ts.Check(f.Make())
	return f.Path
}

// recordRun is the program that writes the run of a file into traces.db in a
// directory, and prints its name.
func recordRun() error {
	text, err := os.Open(os.Args[1])
	if err != nil {
		return err
	}
	run, steps, err := trace.ReadSteps(text)
	if err != nil {
		return err
	}
	ctx := context.Background()
	var warned error
	traces, err := cache.OpenTraces(ctx, os.Args[2], cache.Options{Version: run.Version, Warn: func(s string) { warned = errors.New(s) }})
	if err != nil {
		return err
	}
	id, err := traces.StartRun(ctx, run.Kind, run.Spec)
	err = errors.Join(err, warned, traces.Append(ctx, id, steps...))
	if run.State != cache.Interrupted {
		err = errors.Join(err, traces.Finish(ctx, id, run.State))
	}
	fmt.Print(id)
	return errors.Join(err, traces.Close())
}

// cmdCollector starts a server that writes what it is sent to a file, and
// points the variables of OpenTelemetry to it:
//
//	collector <file>
func cmdCollector(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: collector <file>")
	}
	name := ts.MkAbs(args[0])
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		head := fmt.Sprintln(r.Method, r.URL.Path, r.Header.Get("Content-Type"), r.Header.Get("X-Key"))
		if err = errors.Join(err, os.WriteFile(name, append([]byte(head), body...), 0o644)); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	}))
	ts.Defer(server.Close)
	ts.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
	ts.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-key=secret")
}

func TestParseSince(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.Local)
	for in, want := range map[string]time.Time{
		"":                    {},
		"3h":                  now.Add(-3 * time.Hour),
		"2d":                  now.Add(-48 * time.Hour),
		"1.5d":                now.Add(-36 * time.Hour),
		"2026-11-20":          time.Date(2026, 11, 20, 0, 0, 0, 0, time.Local),
		"2026-11-20 08:30:00": time.Date(2026, 11, 20, 8, 30, 0, 0, time.Local),
	} {
		if got, err := tracecmd.ParseSince(in, now); err != nil || !got.Equal(want) {
			t.Errorf("parseSince(%q) = %v, %v", in, got, err)
		}
	}
	for _, in := range []string{"yesterday", "-3h", "-2d", "d", "20"} {
		if got, err := tracecmd.ParseSince(in, now); err == nil {
			t.Errorf("parseSince(%q) = %v", in, got)
		}
	}
}

// Texts of a model or a repository reach the terminal without bytes that control
// it, in the list and in the conversation.
func TestTraceHumanIsClean(t *testing.T) {
	t.Parallel()
	hostile := `"\u001b]0;owned\u0007\u202e\u009b31m"`
	text := strings.NewReplacer("HOSTILE", hostile).Replace(`{"schema":"git-agent/steps/1","id":"r","kind":"szz/agent","spec":{"fix":HOSTILE,"model":HOSTILE,"settings":HOSTILE,"repo":HOSTILE,"case":HOSTILE},"state":HOSTILE,"started":"2026-11-21T09:30:00Z","version":HOSTILE}
{"seq":1,"kind":"result","key":"opening","at":"2026-11-21T09:30:00Z","payload":{"model":HOSTILE,"system":HOSTILE,"prompt":HOSTILE}}
{"seq":2,"kind":"result","key":"limit/1","at":"2026-11-21T09:30:00Z","payload":{"reason":HOSTILE,"text":HOSTILE}}
{"seq":3,"kind":"result","key":"model/1","at":"2026-11-21T09:30:00Z","payload":{"reply":{"message":{"text":HOSTILE,"thought":HOSTILE,"calls":[{"id":"1","name":HOSTILE,"args":HOSTILE}]},"finish":HOSTILE}}}
{"seq":4,"kind":"result","key":"tool/1/1","at":"2026-11-21T09:30:00Z","payload":{"name":HOSTILE,"text":HOSTILE,"full":HOSTILE,"final":true,"detail":[{"commit":HOSTILE,"type":HOSTILE,"reasoning":HOSTILE}]}}
{"seq":5,"kind":"result","key":"user/1","at":"2026-11-21T09:30:00Z","payload":{"text":HOSTILE}}
{"seq":6,"kind":"note","key":HOSTILE,"at":"2026-11-21T09:30:00Z","payload":HOSTILE}
{"seq":7,"kind":"result","key":"removed/1","at":"2026-11-21T09:30:00Z","payload":{"why":HOSTILE,"answers":[{"step":HOSTILE,"text":HOSTILE}]}}
{"seq":8,"kind":"result","key":"model/2","at":"2026-11-21T09:30:00Z","payload":{"class":HOSTILE,"error":HOSTILE}}
{"seq":9,"kind":"note","key":"closing","at":"2026-11-21T09:30:00Z","payload":{"status":HOSTILE,"reason":HOSTILE}}
`)
	run, steps, err := trace.ReadSteps(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, steps := range [][]cache.Step{steps, steps[:len(steps)-1]} { // ended, and open
		tr, err := trace.Read(run, trace.Sequence(steps))
		if err != nil || len(tr.Damaged) > 0 {
			t.Fatal(err, tr.Damaged)
		}
		checkTraceClean(t, tr)
	}
}

func checkTraceClean(t *testing.T, tr *trace.Trajectory) {
	t.Helper()
	a := &app.App{Stdout: &bytes.Buffer{}}
	for _, output := range []string{"compressed", "full"} {
		var b bytes.Buffer
		form := render.NewTraceHuman(&b, ui.Palette{}, a.TextWidth())
		form.Full, form.Output = output == "full", output
		if err := form.Show(tr, "\x1b[31mred"); err != nil {
			t.Fatal(err)
		}
		checkClean(t, b.String())
	}
	checkClean(t, render.TraceTable([]render.TraceRow{render.NewTraceRow(tr, "\x1b[31mred")}, time.Now(), ui.Palette{}, "\n"))
	var page bytes.Buffer
	if err := tr.WriteHTML(&page, "\x1b[31mred"); err != nil {
		t.Fatal(err)
	}
	checkClean(t, page.String())
}

func checkClean(t *testing.T, s string) {
	t.Helper()
	if !strings.Contains(s, "owned") {
		t.Errorf("the text is gone: %q", s)
	}
	for _, r := range s {
		if quote.Hidden(r) {
			t.Errorf("%U in %q", r, s)
			return
		}
	}
}
