package format

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"git-agent/agent/crash"
)

func TestBinary(t *testing.T) {
	elf := func(kind byte) string {
		return "\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 9) + string(kind) + "\x00>\x00"
	}
	for text, want := range map[string]string{
		elf(4): "core file: give the output of gdb",
		"\x7fELF\x02\x02\x01" + strings.Repeat("\x00", 9) + "\x00\x04\x00\x15": "core file: give the output of gdb",
		elf(3): "a program or a library",
		"\xcf\xfa\xed\xfe\x07\x00\x00\x01\x03\x00\x00\x00\x04\x00\x00\x00\x00\x00": "core file of macOS",
		"MDMP\x93\xa7\x00\x00":          "minidump-stackwalk",
		"PAGEDU64\x0f\x00":              "WinDbg",
		"\x1f\x8b\x08\x00":              "gzip -dc",
		"PK\x03\x04":                    "unpack",
		"BZh91AY&SY\x01":                "bzip2",
		"\x7fEL":                        ErrUnknown.Error(),
		"BZhello is no archive of text": ErrUnknown.Error(),
		"":                              ErrUnknown.Error(),
	} {
		_, err := Read(strings.NewReader(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.8q: %v, want %s", text, err, want)
		}
	}
	var core *CoreError
	if _, err := Read(strings.NewReader(elf(4))); !errors.As(err, &core) || core.Kind != "ELF" {
		t.Errorf("%v", err)
	}
}

func TestReadError(t *testing.T) {
	broken := errors.New("broken disk")
	for _, start := range []string{"", "a log\n", `{"MESSAGE":"x"}` + "\n", `{"threads":[`, "[CRASH_STACK]\n"} {
		r := io.MultiReader(strings.NewReader(start), iotest.ErrReader(broken))
		if _, err := Read(r); !errors.Is(err, broken) {
			t.Errorf("%q: %v", start, err)
		}
	}
}

// A reader may return single bytes: the result does not depend on the chunks of an input.
func TestReadOneByte(t *testing.T) {
	for _, s := range samples {
		want, err := Read(strings.NewReader(s.text))
		if err != nil {
			t.Fatal(s.name, err)
		}
		got, err := Read(iotest.OneByteReader(strings.NewReader(s.text)))
		if err != nil || brief(got) != brief(want) {
			t.Errorf("%s: %v\n%s", s.name, err, brief(got))
		}
	}
}

// Reports are pasted: indented, quoted, within a fence, with Windows line ends, after the times
// of a log. The result stays the same.
func TestPasted(t *testing.T) {
	for _, s := range samples {
		if strings.HasPrefix(s.text, "{") || strings.Contains(s.text, "\n>") {
			continue // JSON is read unchanged; one sample is quoted already
		}
		for name, paste := range map[string]func(string) string{
			"indented": func(l string) string { return "    " + l },
			"quoted":   func(l string) string { return "> " + l },
			"windows":  func(l string) string { return l + "\r" },
			"timed":    func(l string) string { return "2024-05-06T07:08:09.1234567Z " + l },
			"colored":  func(l string) string { return "\x1b[31m" + l + "\x1b[0m" },
		} {
			lines := strings.Split(strings.TrimSuffix(s.text, "\n"), "\n")
			for i := range lines {
				lines[i] = paste(lines[i])
			}
			r, err := Read(strings.NewReader("```\n" + strings.Join(lines, "\n") + "\n```\n"))
			if err != nil || strings.TrimSpace(brief(r)) != strings.TrimSpace(s.want) {
				t.Errorf("%s, %s: %v\n%s\nwant\n%s", s.name, name, err, brief(r), s.want)
			}
		}
	}
}

// checkReport checks the properties of every report.
func checkReport(t *testing.T, r *crash.Report) {
	t.Helper()
	if len(r.Stacks) > maxStacks || len(r.Problems) > maxProblems+1 {
		t.Fatalf("%d stacks, %d problems", len(r.Stacks), len(r.Problems))
	}
	for _, s := range r.Stacks {
		if len(s.Frames) == 0 || len(s.Frames) > maxFrames || s.Problem < -1 || s.Problem >= len(r.Problems) {
			t.Fatalf("a stack of %d frames of problem %d of %d", len(s.Frames), s.Problem, len(r.Problems))
		}
		for _, f := range s.Frames {
			if f.Line < 0 || f.Column < 0 || len(f.Raw) > maxRaw || len(f.Function) > maxRaw || len(f.File) > maxRaw {
				t.Fatalf("frame %+v", f)
			}
		}
	}
}

// Inputs made to consume time or memory consume neither.
func TestHostile(t *testing.T) {
	many := func(s string) string { return strings.Repeat(s, 300000/len(s)) }
	for name, text := range map[string]string{
		"stacks":      many("Call Trace:\n f+0x1/0x2\n"),
		"frames":      "Call Trace:\n" + many(" f+0x1/0x2\n"),
		"unsure":      "Call Trace:\n" + many(" ? f+0x1/0x2\n"),
		"problems":    many("BUG: KASAN: x in f+0x1/0x2\n"),
		"inline":      "Call Trace:\n f (" + many("a.c:1 ") + ")\n",
		"brackets":    "Call Trace:\n f" + many("(") + "\n",
		"templates":   "    @ 0x1234 " + many("a<") + "\n",
		"pipes":       "Crash|X|0x0|0\n" + many("0|0|a|b|c|1|0x1\n"),
		"many pipes":  many("|") + "\n",
		"threads":     many("Thread 1\n 0  a!b [c : 1 + 0x1]\n"),
		"tombstones":  many("#00 pc 12345678  a (b+1)\n#01 pc 12345678  a\n"),
		"states":      many("Crash State:\n  f\n"),
		"trace files": many("[1]{1}[1/1] 2021-11-04 13:13:25.025767 e A  b.cpp(1) : x\n"),
		"exceptions":  many("exception  1: no.1  (a.cpp:1)\n"),
		"bare":        many("0: a::b\n1: c::d\n"),
		"names":       many("Thread 1 name:  x\n"),
		"BSD":         many("f() at f+0x1\n"),
		"one line":    many("a"),
		"escapes":     many("\x1b["),
		"json":        `{"threads":` + many("["),
		"ips":         "{}\n" + `{"faultingThread":0,"exception":{"type":"X"},"threads":[` + strings.TrimSuffix(many(`{"frames":[{"symbol":"f","sourceLine":-5,"imageIndex":-1}]},`), ",") + "]}",
		"journal":     many(`{"MESSAGE":"#0  0x12 f (a)"}` + "\n"),
		"syslog":      many("f+0x1/0x2#012"),
	} {
		r, err := Read(strings.NewReader(text))
		if err == nil {
			checkReport(t, r)
		} else if !errors.Is(err, ErrUnknown) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzJSON fuzzes the readers of reports in JSON.
func FuzzJSON(f *testing.F) {
	for _, s := range samples {
		if strings.HasPrefix(s.text, "{") {
			f.Add([]byte(s.text))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, read := range []func(*scanner, []byte) bool{readIPS, readStackwalk} {
			s := &scanner{Problem: -1}
			if read(s, data) {
				checkReport(t, s.Finish())
			}
		}
		if r, err := scanAll(journal(bytes.NewReader(data)), formats()); err == nil {
			checkReport(t, r)
		}
	})
}
