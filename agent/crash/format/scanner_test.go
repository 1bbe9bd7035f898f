package format

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"git-agent/agent/crash"
	"git-agent/agent/crash/hana/hanatest"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestAssertions reads messages of assertions, each as its tool writes it.
func TestAssertions(t *testing.T) {
	for _, test := range []struct{ line, file, function, message string }{
		{"prog: lib/a.c:12: f: Assertion `x > 0' failed.", "lib/a.c:12", "f", "x > 0"},
		{"Assertion 'm->count > 0' failed at src/core/manager.c:312, function manager_free(). Aborting.", "src/core/manager.c:312", "manager_free", "m->count > 0"},
		{"Assertion failed: (n < 3), function f, file a.c, line 12.", "a.c:12", "f", "n < 3"},
		{"Assertion failed: x != 0 (src/a.c: main: 12)", "src/a.c:12", "main", "x != 0"},
		{"ERROR:src/a.c:12:test_it: assertion failed: (x == 3)", "src/a.c:12", "test_it", "x == 3"},
		{"2021-01-01T10:00:00Z|00001|util|EMER|lib/hash.c:12: assertion n > 0 failed in hash_add()", "lib/hash.c:12", "hash_add", "n > 0"},
		{"F0506 07:08:09.123456 1234 server.cc:12] Check failed: ptr != nullptr ", "server.cc:12", "", "ptr != nullptr"},
		{"[1234:FATAL:browser.cc(12)] Check failed: a == b. ", "browser.cc:12", "", "a == b."},
		{"BUG: refs.c:12: unexpected state", "refs.c:12", "", "unexpected state"},
	} {
		r, err := Read(strings.NewReader(test.line))
		if err != nil {
			t.Errorf("%q: %v", test.line, err)
			continue
		}
		f := r.Stacks[0].Frames[0]
		if got := fmt.Sprintf("%s:%d", f.File, f.Line); got != test.file || f.Function != test.function || r.Problems[0].Message != test.message || !f.Assertion {
			t.Errorf("%q:\n%s", test.line, render(r))
		}
	}
}

// TestLogPrefixes reads one report after the prefixes of several logs.
func TestLogPrefixes(t *testing.T) {
	report := []string{
		"Traceback (most recent call last):",
		`  File "/srv/app.py", line 12, in main`,
		"    run()",
		"ValueError: no value",
	}
	for _, prefix := range []string{
		"", "> ", ">> ", "    ", "\t",
		"2024-05-06T07:08:09.123Z ", "[2024-05-06 07:08:09,123] ", "07:08:09.123 ",
		"May  6 07:08:09 host app[123]: ", "app-1  | ",
		"build\tRun tests\t2024-05-06T07:08:09.1234567Z ", "#12 34.56 ", "app.sh[321]: ",
		"E/Python  ( 1234): ", "\x1b[31m", "[error] ", "[stderr] ", "! ", "2024-05-06T07:08:09+0200 host app[123]: ",
	} {
		text := prefix + strings.Join(report, "\n"+prefix)
		r, err := Read(strings.NewReader(text))
		if err != nil || len(r.Stacks) != 1 || len(r.Problems) != 1 {
			t.Errorf("prefix %q: %v %v", prefix, r, err)
			continue
		}
		f := r.Stacks[0].Frames[0]
		if f.File != "/srv/app.py" || f.Function != "main" || r.Problems[0].Kind != "ValueError" {
			t.Errorf("prefix %q:\n%s", prefix, render(r))
		}
	}
}

// TestSyslogLine reads a report that syslog wrote as one line.
func TestSyslogLine(t *testing.T) {
	text := "Process 12 (app) of user 0 dumped core.#012#012Stack trace of thread 12:#012#0  0x00007f1148755527 n/a (libc.so.6 + 0x5e527)#012#1  0x0000000000409401 run (/usr/bin/app)"
	r, err := Read(strings.NewReader(text))
	if err != nil || len(r.Stacks) != 1 || len(r.Stacks[0].Frames) != 2 || r.Stacks[0].Frames[1].Function != "run" {
		t.Fatal(r, err)
	}
}

// TestCrashThread finds the crashed thread among gdb's threads.
func TestCrashThread(t *testing.T) {
	const threads = `
Thread 2 (Thread 0x7f13 (LWP 37)):
#0  0x00007fc5 in poll () from /lib64/libc.so.6
#1  0x00000040 in wait_for (fd=3) at b.c:15

Thread 1 (Thread 0x7f14 (LWP 36)):
#0  0x00007fc5 in %s () from /lib64/libc.so.6
#1  0x00000040 in work () at a.c:15
`
	for _, test := range []struct{ head, innermost, want string }{
		{"Thread 2 \"app\" received signal SIGSEGV, Segmentation fault.", "abort", "2"},
		{"[Current thread is 2 (Thread 0x7f13 (LWP 37))]", "poll", "2"},
		{"", "abort", "1"},
		{"", "poll", "1"},
	} {
		r, err := Read(strings.NewReader(test.head + fmt.Sprintf(threads, test.innermost)))
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Stacks[r.Main()].Thread; got != test.want || r.Stacks[r.Main()].Kind != crash.StackCrash {
			t.Errorf("%q, %s: thread %s crashed, want %s", test.head, test.innermost, got, test.want)
		}
	}
}

func TestUnknown(t *testing.T) {
	for _, text := range []string{"", "\n\n", "All tests passed.\nok\n", "see foo.c:12 and bar (x)\n", strings.Repeat("x", 1<<20)} {
		if r, err := Read(strings.NewReader(text)); !errors.Is(err, ErrUnknown) {
			t.Errorf("%.40q: %v %v", text, r, err)
		}
	}
}

// TestBounds reads stacks and reports above the limits. The innermost frames of a stack are kept.
func TestBounds(t *testing.T) {
	var b strings.Builder
	b.WriteString("Traceback (most recent call last):\n")
	for i := range 3000 {
		fmt.Fprintf(&b, "  File \"a.py\", line %d, in f\n    f()\n", i+1)
	}
	b.WriteString("RecursionError: maximum recursion depth exceeded\n")
	for i := range 300 {
		fmt.Fprintf(&b, "Exception in thread \"t%d\" a.E: x\n\tat a.B.m(B.java:1)\n", i)
	}
	r, err := Read(strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	st := r.Stacks[0]
	if len(st.Frames) != maxFrames || st.Frames[0].Line != 3000 || st.Omitted != 3000-maxFrames {
		t.Errorf("the deep stack has %d frames from line %d and %d omitted", len(st.Frames), st.Frames[0].Line, st.Omitted)
	}
	if len(r.Stacks) != maxStacks || len(r.Problems) != maxProblems || len(r.Notes) != 2 {
		t.Errorf("%d stacks, %d problems, notes %q", len(r.Stacks), len(r.Problems), r.Notes)
	}
}

// TestDeepRecursion reads stacks of many similar frames. Frames above the limit are counted, even
// if two functions call each other, and the next stack begins at the same line as after a short
// stack.
func TestDeepRecursion(t *testing.T) {
	const depth = 20_000
	for name, f := range map[string]struct {
		head, next string
		frame      func(i int) string
		stacks     int
	}{
		"gdb":  {"Program received signal SIGSEGV, Segmentation fault.\n", "#0  0x1 in other () at b.c:7\n#1  0x2 in f1 (n=1) at a.c:1\n", func(i int) string { return fmt.Sprintf("#%d  0x%x in f%d (n=%d) at a.c:%d\n", i, i, i%2, i, i%3+1) }, 2},
		"java": {"Exception in thread \"main\" a.E: boom\n", "Caused by: a.E: x\n\tat a.B.m(B.java:7)\n", func(i int) string { return fmt.Sprintf("\tat a.B.f%d(B.java:%d)\n", i%2, i%3+1) }, 2},
		"log": {"2024-05-06T07:08:09.123Z a.E: boom\n", "2024-05-06T07:08:09.125Z Caused by: a.E: x\n2024-05-06T07:08:09.125Z \tat a.B.m(B.java:7)\n", func(i int) string {
			return fmt.Sprintf("2024-05-06T07:08:09.%dZ \tat a.B.f%d(B.java:%d)\n", 124+i%2, i%2, i%3+1)
		}, 2},
		"valgrind": {"==1== Invalid read of size 4\n==1==    at 0x1: f (a.c:1)\n", "==1==    at 0x1: g (b.c:7)\n", func(i int) string { return fmt.Sprintf("==1==    by 0x%X: f%d (a.c:%d)\n", i, i%2, i%3+1) }, 2},
	} {
		var b strings.Builder
		b.WriteString(f.head)
		for i := range depth {
			b.WriteString(f.frame(i))
		}
		b.WriteString(f.next)
		r, err := Read(strings.NewReader(b.String()))
		if err != nil {
			t.Fatal(name, err)
		}
		st := r.Stacks[0]
		if n := len(st.Frames) + st.Omitted; len(st.Frames) != maxFrames || n != depth && n != depth+1 {
			t.Errorf("%s: %d frames, %d omitted", name, len(st.Frames), st.Omitted)
		}
		if len(r.Stacks) != f.stacks || r.Stacks[len(r.Stacks)-1].Frames[0].Line != 7 {
			t.Errorf("%s: %d stacks, the last is %+v", name, len(r.Stacks), r.Stacks[len(r.Stacks)-1])
		}
	}
}

// FuzzRead checks that any input is read without a panic, within the limits of a report, and with
// the same result each time.
func FuzzRead(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.txtar")
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(txtar.Parse(data).Files[0].Data))
	}
	for _, hostile := range []string{
		"#0 #1 #2 #3 #4 #5", "#0 (\n(\n", "at a.b.c(", "File \"", "==1== at 0x1: ", "goroutine 1 [x]:\na.b(\n",
		"thread 'x' panicked at 'a\n", " ---> a.Exception", " Stack trace: #0  Stack trace: #0 ", "=3D\x1b[", "#012#012",
	} {
		f.Add(hostile)
	}
	for _, s := range samples {
		f.Add(s.text)
	}
	dump, _ := io.ReadAll(io.LimitReader(hanatest.New(hanatest.Options{}), 9000))
	f.Add(string(dump))
	f.Fuzz(func(t *testing.T, text string) {
		r, err := Read(strings.NewReader(text))
		again, err2 := Read(strings.NewReader(text))
		if !errors.Is(err, err2) || !reflect.DeepEqual(r, again) {
			t.Fatalf("read twice:\n%v %v\n%v %v", r, err, again, err2)
		}
		if err == nil {
			checkBounds(t, r)
			checkReport(t, r)
		}
	})
}

func checkBounds(t *testing.T, r *crash.Report) {
	if len(r.Stacks) > maxStacks || len(r.Problems) > maxProblems {
		t.Errorf("%d stacks, %d problems", len(r.Stacks), len(r.Problems))
	}
	for _, s := range r.Stacks {
		if len(s.Frames) == 0 || len(s.Frames) > maxFrames {
			t.Errorf("a stack of %d frames", len(s.Frames))
		}
		if s.Problem < -1 || s.Problem >= len(r.Problems) || len(s.Title) > maxText {
			t.Errorf("problem %d of %d, title of %d bytes", s.Problem, len(r.Problems), len(s.Title))
		}
		for _, f := range s.Frames {
			if f.Line < 0 || f.Column < 0 || f.ReportLine < 1 || max(len(f.Raw), len(f.File), len(f.Function), len(f.Symbol), len(f.Module)) > maxRaw {
				t.Errorf("frame %+v", f)
			}
		}
	}
	if m := r.Main(); m < 0 {
		t.Error("no main stack")
	}
}

// BenchmarkRead reads a log of a megabyte with one report in its middle.
// BenchmarkDeep reads a stack of 100,000 frames.
func BenchmarkDeep(b *testing.B) {
	text := "Program received signal SIGSEGV, Segmentation fault.\n"
	var frames strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&frames, "#%d  0x%x in f%d (n=%d) at a.c:%d\n", i, i, i%2, i, i%3+1)
	}
	for b.Loop() {
		if _, err := Read(strings.NewReader(text + frames.String())); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	noise := strings.Repeat("2024-05-06T07:08:09.123Z INFO  [main] com.example.Server - request 12 from 10.0.0.1 was answered in 3 ms\n"+
		"    at the end of the day (see the manual, chapter 3): 12 of 30 tests passed\n"+
		"  0x00007f1148755527: 00 00 00 00 48 8b 05 12 34 56 78 90 ab cd ef 00\n", 2000)
	text := noise + "java.lang.Error: x\n\tat a.B.m(B.java:1)\n" + noise
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := Read(strings.NewReader(text)); err != nil {
			b.Fatal(err)
		}
	}
}

// A list of issues is not read as a stack, not even below a stack. Consecutive frames without a
// place, and frames from the middle of a stack on, are read.
func TestNumbersOfIssues(t *testing.T) {
	t.Parallel()
	const list = "#295 Allow RPC ID\n#296 Fix the build of docs (thanks)\n#301 Add tests for parse() on Windows\n#302 fix(parser): a crash in lists\n"
	for text, want := range map[string]string{
		list:                             "",
		"Changes:\n\n" + list:            "",
		"#5 0x01 in f\n#6 0x02 in g\n":   "f g",
		"#12 f (a=1) at a.c:3\n#13 g\n":  "f g",
		"#0 f\n#1 g\n#2 main\n\n" + list: "f g main",
		"#0 0x01 in f () at a.c:3\n#4 0x02 in g () at b.c:4\n#9 main\n" + list: "f g main",
	} {
		r, err := Read(strings.NewReader(text))
		got := ""
		if err == nil {
			for _, s := range r.Stacks {
				for _, f := range s.Frames {
					got += f.Function + " "
				}
			}
		}
		if strings.TrimSpace(got) != want {
			t.Errorf("%q has the frames %q, want %q, %v", text, got, want, err)
		}
	}
}
