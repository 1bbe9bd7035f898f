package address

import (
	"bytes"
	"compress/zlib"
	"debug/elf"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"git-agent/agent/crash"
	"git-agent/agent/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.Helper()
	Helper()
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
	if err := os.Symlink("/bin/sh", filepath.Join(dir, "sh")); err != nil {
		t.Fatal(err)
	}
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

// A binary that a report names may be made to exhaust the memory of who reads it: by a packed symbol
// table, or by sections whose names overlap.
func TestHostileBinaries(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no system but Linux limits the memory of a worker")
	}
	defer func(limit int64) { readMemory = limit }(readMemory)
	readMemory = 512 << 20
	// The packed symbols alone are more than the limit: less fits or not by when the worker collects garbage.
	for name, section := range map[string][]byte{"packed symbols": bomb(t, 600<<20), "names": names()} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "bomb.so")
			if err := os.WriteFile(file, section, 0o600); err != nil {
				t.Fatal(err)
			}
			r := about("sanitizer", crash.Frame{Module: file, Offset: "0x1234", Build: bombBuild})
			before := peak(t)
			(&Namer{}).Name(t.Context(), r)
			if grown := peak(t) - before; grown > 256<<20 {
				t.Errorf("this process took %d MiB", grown>>20)
			}
			if got := text(r); !strings.HasPrefix(got, " .:0; ") || !strings.Contains(got, "reading it takes more than 512 MiB of memory") {
				t.Error(got)
			}
		})
	}
}

// peak returns how much memory this process had at most. It is not that of its children.
func peak(t *testing.T) int64 {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	var kib int64
	if _, err := fmt.Sscan(after, &kib); err != nil {
		t.Fatal(err)
	}
	return kib << 10
}

// bombBuild is the build id of the binaries that bomb makes.
const bombBuild = "11223344556677889900aabbccddeeff00112233"

// bomb returns a binary with a packed symbol table of zeros.
func bomb(t *testing.T, size int64) []byte {
	t.Helper()
	var packed bytes.Buffer
	binary.Write(&packed, binary.LittleEndian, elf.Chdr64{Type: uint32(elf.COMPRESS_ZLIB), Size: uint64(size), Addralign: 1})
	w, err := zlib.NewWriterLevel(&packed, zlib.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(w, zeros{}, size); err != nil {
		t.Fatal(err)
	}
	w.Close()
	symbols := elf.Section64{Type: uint32(elf.SHT_SYMTAB), Flags: uint64(elf.SHF_COMPRESSED), Link: 4, Entsize: 24}
	return object([]string{".symtab", ".strtab"}, []elf.Section64{symbols, {Type: uint32(elf.SHT_STRTAB)}}, [][]byte{packed.Bytes(), []byte("\x00a\x00")})
}

// names returns a binary with thousands of sections whose names are a megabyte and overlap.
func names() []byte {
	const count = 8_000
	title := make([]string, count)
	title[0] = strings.Repeat("n", 1<<20)
	return object(title, make([]elf.Section64, count), make([][]byte, count))
}

// object returns a binary with a build id and these sections. A section without a name has that of
// the first one.
func object(titles []string, sections []elf.Section64, bodies [][]byte) []byte {
	id, _ := hex.DecodeString(bombBuild)
	note := append([]byte{4, 0, 0, 0, byte(len(id)), 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0}, id...)
	titles = append([]string{".shstrtab", ".note.gnu.build-id"}, titles...)
	sections = append([]elf.Section64{{Type: uint32(elf.SHT_STRTAB)}, {Type: uint32(elf.SHT_NOTE)}}, sections...)
	table := []byte{0}
	for i, title := range titles {
		if sections[i].Name = sections[min(i, 2)].Name; title != "" {
			sections[i].Name = uint32(len(table))
			table = append(append(table, title...), 0)
		}
	}
	bodies = append([][]byte{table, note}, bodies...)
	var out bytes.Buffer
	out.Write(make([]byte, 64))
	for i, body := range bodies {
		sections[i].Off, sections[i].Size, sections[i].Addralign = uint64(out.Len()), uint64(len(body)), 1
		out.Write(body)
	}
	head := elf.Header64{Type: uint16(elf.ET_DYN), Machine: uint16(elf.EM_X86_64), Version: 1, Shoff: uint64(out.Len()), Ehsize: 64, Phentsize: 56, Shentsize: 64,
		Shnum: uint16(len(sections) + 1), Shstrndx: 1}
	copy(head.Ident[:], "\x7fELF\x02\x01\x01")
	binary.Write(&out, binary.LittleEndian, append([]elf.Section64{{}}, sections...))
	var first bytes.Buffer
	binary.Write(&first, binary.LittleEndian, head)
	return append(first.Bytes(), out.Bytes()[64:]...)
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }
