package address

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"git-agent/agent/crash"
	"git-agent/agent/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.Helper()
	os.Exit(m.Run())
}

// queue has a function that the compiler inlines into another one.
const queue = `struct item { int weight; };
static inline __attribute__((always_inline)) int weight(volatile struct item *i)
{
	return i->weight;
}
int __attribute__((noinline)) queue_total(struct item *i)
{
	return 7 *
		weight(i);
}
int main(int argc, char **argv)
{
	return queue_total(argc > 7 ? (void *)argv : 0) + 1;
}
`

// built compiles queue with further arguments, and returns the program, its build id, and the
// offsets at which functions begin.
func built(t *testing.T, args ...string) (file, build string, at map[string]uint64) {
	t.Helper()
	for _, tool := range []string{"cc", "nm", "readelf"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "queue.c"), []byte(queue), 0o644); err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(dir, "queued")
	run(t, dir, "cc", append([]string{"-O1", "-Wl,--build-id=sha1", "-o", file, "queue.c"}, args...)...)
	for line := range strings.Lines(run(t, dir, "readelf", "-n", file)) {
		if _, id, ok := strings.Cut(line, "Build ID: "); ok {
			build = strings.TrimSpace(id)
		}
	}
	at = map[string]uint64{}
	for line := range strings.Lines(run(t, dir, "nm", file)) {
		var address uint64
		var kind, name string
		if n, _ := fmt.Sscanf(line, "%x %s %s", &address, &kind, &name); n == 3 {
			at[name] = address
		}
	}
	if build == "" || at["queue_total"] == 0 {
		t.Skip("the linker writes no build id")
	}
	return file, build, at
}

func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", name, err, out)
	}
	return string(out)
}

// about returns a report with one frame.
func about(format string, f crash.Frame) *crash.Report {
	return &crash.Report{Stacks: []crash.Stack{{Kind: crash.StackCrash, Format: format, Problem: -1, Frames: []crash.Frame{f}}}}
}

// text returns the frames of a report.
func text(r *crash.Report) string {
	var b strings.Builder
	for _, f := range r.Stacks[0].Frames {
		fmt.Fprintf(&b, "%s%s %s:%d", map[bool]string{true: "inline "}[f.Inline], f.Symbol+f.Function, filepath.Base(f.File), f.Line)
		b.WriteString("; ")
	}
	return b.String() + strings.Join(r.Notes, "; ")
}

// Debugging information names the function, the inlined function in it, and their lines. The
// program is found by its path, if it has the build id of the report.
func TestName(t *testing.T) {
	file, build, at := built(t, "-g")
	access := at["queue_total"] // the first instruction that is not for the debugger is the access
	for d := range uint64(16) {
		r := about("sanitizer", crash.Frame{Module: file, Offset: fmt.Sprintf("0x%x", access+d), Build: build})
		(&Namer{}).Name(t.Context(), r)
		got := text(r)
		if want := "inline weight queue.c:4; queue_total queue.c:9; addresses of the report are named by " + file; got == want {
			other := about("sanitizer", crash.Frame{Module: file, Offset: fmt.Sprintf("0x%x", access+d), Build: strings.Repeat("0", len(build))})
			(&Namer{}).Name(t.Context(), other)
			if got := text(other); !strings.HasPrefix(got, " .:0; 1 frame of the stack that failed has only an address") {
				t.Errorf("a binary of another build named an address: %s", got)
			}
			return
		} else if !strings.Contains(got, "queue_total queue.c:") {
			t.Errorf("offset %d: %s", d, got)
		}
	}
	t.Error("no address is in the inlined function")
}

// A program without debugging information still names functions. Without a build id in the report,
// only the file that the user names is read, for modules of its name.
func TestNameBySymbols(t *testing.T) {
	file, _, at := built(t)
	f := crash.Frame{Module: "queued", Offset: fmt.Sprintf("0x%x", at["queue_total"]+1)}
	for _, test := range []struct {
		program, module, want string
	}{
		{file, "queued", "queue_total .:0; addresses of the report are named by " + file},
		{file, "/usr/bin/queued", "queue_total .:0; addresses of the report are named by " + file},
		{file, "libqueue.so", " .:0; "},
		{"", file, " .:0; "},
	} {
		f.Module = test.module
		r := about("libc", f)
		(&Namer{Program: test.program}).Name(t.Context(), r)
		if got := text(r); got != test.want {
			t.Errorf("%+v: %s", test, got)
		}
	}
}

// systemd counts from the start of the mapping, also for a program that is linked at a fixed
// address. A frame with the name of another function keeps it.
func TestNameOfCore(t *testing.T) {
	file, build, at := built(t, "-g", "-no-pie")
	im, err := openImage(file, build)
	if err != nil || im.base == 0 || im.base%4096 != 0 {
		t.Fatal(im, err)
	}
	f := crash.Frame{Module: file, Offset: fmt.Sprintf("0x%x", at["main"]-im.base), Build: build}
	r := about("coredump", f)
	(&Namer{}).Name(t.Context(), r)
	if got := text(r); !strings.HasPrefix(got, "main queue.c:12; ") {
		t.Error(got)
	}
	f.Function = "other"
	r = about("coredump", f)
	(&Namer{}).Name(t.Context(), r)
	if got := text(r); got != "other .:0; " {
		t.Error(got)
	}
}

// What debuginfod's clients keep is found by its build id. A server is asked only if the user says
// so, and only if there is one.
func TestNameByDebuginfod(t *testing.T) {
	file, build, at := built(t, "-g")
	dir := t.TempDir()
	cache := filepath.Join(dir, "cache")
	t.Setenv("DEBUGINFOD_CACHE_PATH", cache)
	t.Setenv("DEBUGINFOD_URLS", "")
	t.Setenv("PATH", dir)
	ask := func(n *Namer) string {
		r := about("sanitizer", crash.Frame{Module: "/gone/queued", Offset: fmt.Sprintf("0x%x", at["main"]), Build: build})
		n.Name(t.Context(), r)
		return text(r)
	}
	if got := ask(&Namer{}); !strings.HasSuffix(got, "--debuginfod asks the servers of DEBUGINFOD_URLS") {
		t.Error(got)
	}
	if got := ask(&Namer{Ask: true}); got != " .:0; debuginfod did not help with addresses: debuginfod-find is not installed" {
		t.Error(got)
	}
	program := "#!/bin/sh\n[ \"$1 $2 $DEBUGINFOD_URLS\" = \"debuginfo " + build + " http://localhost:1\" ] && echo " + file + "\n"
	if err := os.WriteFile(filepath.Join(dir, "debuginfod-find"), []byte(program), 0o755); err != nil {
		t.Fatal(err)
	}
	if got := ask(&Namer{Ask: true}); got != " .:0; debuginfod did not help with addresses: DEBUGINFOD_URLS names no server" {
		t.Error(got)
	}
	t.Setenv("DEBUGINFOD_URLS", "http://localhost:2")
	if got := ask(&Namer{Ask: true}); got != " .:0; debuginfod did not help with addresses: the servers do not have build id "+build {
		t.Error(got)
	}
	t.Setenv("DEBUGINFOD_URLS", "http://localhost:1")
	if got := ask(&Namer{Ask: true}); !strings.HasPrefix(got, "main queue.c:12; ") {
		t.Error(got)
	}
	kept := filepath.Join(cache, build, "debuginfo")
	if err := os.MkdirAll(filepath.Dir(kept), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(file, kept); err != nil {
		t.Fatal(err)
	}
	if got := ask(&Namer{}); got != "main queue.c:12; addresses of the report are named by "+kept {
		t.Error(got)
	}
}

// Any file that is no binary names nothing and does no harm.
func FuzzOpenImage(f *testing.F) {
	f.Add([]byte("\x7fELF\x02\x01\x01"), uint64(4))
	f.Fuzz(func(t *testing.T, data []byte, address uint64) {
		name := filepath.Join(t.TempDir(), "binary")
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if im, err := openImage(name, ""); err == nil {
			im.calls(address)
		}
	})
}
