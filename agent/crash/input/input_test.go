package input

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"git-agent/agent/crash"
	"git-agent/agent/crash/format"
	"git-agent/agent/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.Helper()
	os.Exit(m.Run())
}

const backtrace = "#0  0x00005555 in push (q=0x0) at src/queue.c:41\n#1  0x00005556 in main () at src/main.c:9\n"

func write(t *testing.T, name, text string) string {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// A folder is replaced by its regular files, in order. Other entries and subfolders are left out.
func TestExpand(t *testing.T) {
	dir := t.TempDir()
	b, a := write(t, filepath.Join(dir, "b"), "x"), write(t, filepath.Join(dir, "a"), "x")
	empty := filepath.Join(dir, "empty")
	if err := os.Mkdir(empty, 0o755); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range Expand([]string{"-", dir, empty, "gone"}) {
		text := s.Name
		if s.Err != nil {
			text = s.Err.Error()
		}
		got = append(got, text)
	}
	want := []string{"-", a, b, empty + ": the folder has no file", "gone"}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("%q, want %q", got, want)
	}
}

// random returns random bytes.
func random(n int) string {
	b := make([]byte, n)
	source := rand.New(rand.NewPCG(1, 2))
	for i := range b {
		b[i] = byte(source.Uint32())
	}
	return string(b)
}

func reader(level sandbox.Level) *Reader {
	return &Reader{Stdin: strings.NewReader(backtrace), Confine: func(context.Context) (Confinement, error) { return Confinement{Level: level}, nil }}
}

// Each input that is not a report gives one clear error.
func TestReadErrors(t *testing.T) {
	dir := t.TempDir()
	in := func(name, text string) string { return write(t, filepath.Join(dir, name), text) }
	for name, want := range map[string]string{
		filepath.Join(dir, "gone"):              "gone: no such file or directory",
		dir:                                     "is a directory, not a regular file",
		in("notes", "we should fix this\n"):     "notes: no crash report was found",
		in("empty", ""):                         "empty: no crash report was found",
		in("dump.gz", "\x1f\x8b\x08\x00\x00"):   "dump.gz: the input is compressed by gzip",
		in("prog", string(elfFile(2))):          "prog: the input is a program or a library",
		in("noise", "\x00\x01\x02\xff\xfe\x03"): "noise: no crash report was found",
		in("random", random(4096)):              "random: the input is no text: give a crash report",
		in("core", string(elfFile(4))):          "core: the core file does not say which program ran",
	} {
		report, err := reader(sandbox.None).Read(t.Context(), name)
		if report != nil || err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	var advised *Advised
	if _, err := reader(sandbox.None).Read(t.Context(), filepath.Join(dir, "notes")); !errors.As(err, &advised) || !errors.Is(err, format.ErrUnknown) {
		t.Errorf("%v has no advice", err)
	}
	r := reader(sandbox.None)
	r.Stdin = bytes.NewReader(elfFile(4))
	if _, err := r.Read(t.Context(), Stdin); err == nil || !strings.Contains(err.Error(), "has to be a file") {
		t.Errorf("a core on standard input: %v", err)
	}
}

// The context ends the reading of an endless input.
func TestReadIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stop")
	r := reader(sandbox.None)
	r.Stdin = readerFunc(func(p []byte) (int, error) {
		cancel(stop)
		return copy(p, "no report\n"), nil
	})
	if _, err := r.Read(ctx, Stdin); !errors.Is(err, stop) {
		t.Errorf("%v", err)
	}
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// elfFile returns the header of an ELF file of a type, without content.
func elfFile(kind uint16) []byte {
	b := append([]byte("\x7fELF\x02\x01\x01"), make([]byte, 57)...)
	binary.LittleEndian.PutUint16(b[16:], kind)
	binary.LittleEndian.PutUint16(b[18:], 62)
	binary.LittleEndian.PutUint32(b[20:], 1)
	binary.LittleEndian.PutUint16(b[52:], 64)
	return b
}

// crasher follows a null pointer two functions deep.
const crasher = `struct node { struct node *next; int value; };
static int sum_list(struct node *n) { return n->value; }
int process(struct node *n) { return 1 + sum_list(n->next); }
int main(void) { struct node a = {0, 1}; return process(&a); }
`

// gdb reads a real core file, at each available level of confinement.
func TestReadCore(t *testing.T) {
	name := dumpCore(t)
	for _, level := range []sandbox.Level{sandbox.None, sandbox.Landlock, sandbox.Bwrap} {
		t.Run(string(level), func(t *testing.T) {
			if _, err := sandbox.Probe(t.Context(), level); err != nil {
				t.Skip(err)
			}
			report, err := reader(level).Read(t.Context(), name)
			if err != nil {
				t.Fatal(err)
			}
			var stack []string
			for _, f := range report.Stacks[report.Main()].Frames {
				stack = append(stack, f.Function)
			}
			if got := strings.Join(stack, " "); got != "sum_list process main" || len(report.Stacks) != 1 {
				t.Errorf("%d stacks; %s", len(report.Stacks), got)
			}
			if len(report.Problems) == 0 || report.Problems[0].Kind != "SIGSEGV" || report.Stacks[0].Kind != crash.StackCrash {
				t.Errorf("problems %+v, stack %s", report.Problems, report.Stacks[0].Kind)
			}
		})
	}
	r := reader(sandbox.None)
	r.Program = filepath.Join(filepath.Dir(name), "crasher.c")
	if _, err := r.Read(t.Context(), name); err == nil || !strings.Contains(err.Error(), "is not a program") {
		t.Errorf("%v", err)
	}
	t.Setenv("PATH", t.TempDir())
	var advised *Advised
	if _, err := reader(sandbox.None).Read(t.Context(), name); !errors.As(err, &advised) || !strings.Contains(advised.Advice, "gdb -nx -batch -ex 'thread apply all bt'") {
		t.Errorf("without gdb: %v", err)
	}
}

// dumpCore makes a program that crashes, and returns its core file.
func dumpCore(t *testing.T) string {
	t.Helper()
	pattern, _ := os.ReadFile("/proc/sys/kernel/core_pattern")
	for _, tool := range []string{"cc", "gdb"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	if got := strings.TrimSpace(string(pattern)); strings.ContainsAny(got, "|/%") || got == "" {
		t.Skipf("core files go to %q", got)
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "crasher.c"), crasher)
	cmd := exec.Command("sh", "-c", "cc -g -O0 -o crasher crasher.c && ulimit -c unlimited && ./crasher; ls")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	found, _ := filepath.Glob(filepath.Join(dir, "core*"))
	if len(found) != 1 {
		t.Skipf("no core file: %s %v", out, err)
	}
	return found[0]
}

// The names of thousands of sections may overlap in a core file. It is described all the same, and
// nothing of them is read.
func TestInspectOverlappingNames(t *testing.T) {
	le := binary.LittleEndian
	var files []byte
	for _, word := range []uint64{1, 4096, 0x1000, 0x2000, 0} {
		files = le.AppendUint64(files, word)
	}
	files = append(files, "/bin/queued\x00"...)
	note := le.AppendUint32(le.AppendUint32(le.AppendUint32(nil, 5), uint32(len(files))), noteFiles)
	note = append(append(note, "CORE\x00\x00\x00\x00"...), files...)
	name := strings.Repeat("n", 1<<20) + "\x00"
	const sections = 2000
	head := elf.Header64{Type: uint16(elf.ET_CORE), Machine: uint16(elf.EM_X86_64), Version: 1, Phoff: 64, Shoff: 120, Ehsize: 64, Phentsize: 56, Phnum: 1,
		Shentsize: 64, Shnum: sections, Shstrndx: 1}
	copy(head.Ident[:], "\x7fELF\x02\x01\x01")
	table := make([]elf.Section64, sections)
	data := uint64(120 + 64*sections)
	table[1] = elf.Section64{Type: uint32(elf.SHT_STRTAB), Off: data + uint64(len(note)), Size: uint64(len(name))}
	var b bytes.Buffer
	for _, part := range []any{head, elf.Prog64{Type: uint32(elf.PT_NOTE), Off: data, Filesz: uint64(len(note))}, table, note, []byte(name)} {
		if err := binary.Write(&b, le, part); err != nil {
			t.Fatal(err)
		}
	}
	file := write(t, filepath.Join(t.TempDir(), "core"), b.String())
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	found := inspect(file)
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 64<<20 || !slices.Equal(found.files, []string{"/bin/queued"}) {
		t.Errorf("%d MiB for %q", grown>>20, found.files)
	}
}

// Reading the description in any core file ends and does no harm.
func FuzzInspect(f *testing.F) {
	f.Add(elfFile(4))
	note := append(binary.LittleEndian.AppendUint32(nil, 5), 24, 0, 0, 0, 0x45, 0x4c, 0x49, 0x46)
	note = append(note, "CORE\x00\x00\x00\x00"...)
	f.Add(append(note, make([]byte, 24)...))
	f.Fuzz(func(t *testing.T, data []byte) {
		name := filepath.Join(t.TempDir(), "core")
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		inspect(name)
		eachNote(data, binary.LittleEndian, func(kind uint32, data []byte) {
			entryOf(words{data, 8, binary.LittleEndian})
			mappingsOf(words{data, 4, binary.LittleEndian})
		})
	})
}
