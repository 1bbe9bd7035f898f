package format

import (
	"strings"
	"testing"
)

// The frames of a signal's handler are not where the program crashed.
func TestHandlers(t *testing.T) {
	for name, text := range map[string]string{
		"gdb": `Program terminated with signal SIGABRT, Aborted.
#0  0x00007f in raise () from /lib/libc.so.6
#1  0x00007f in abort () from /lib/libc.so.6
#2  0x00005 in sigdie (s=11) at src/sig.c:4
#3  <signal handler called>
#4  0x00005 in real (p=0x0) at src/real.c:3
#5  0x00005 in main () at src/main.c:3
`,
		"backtrace(), as redis prints it": `Backtrace:
./server(logStackTrace+0x3c)[0x45b94c]
./server(sigsegvHandler+0xac)[0x45c02c]
/lib64/libpthread.so.0(+0xf5e0)[0x7f4d]
./server(real+0x10)[0x43de10]
./server(main+0x4b6)[0x42a5a6]
/lib64/libc.so.6(__libc_start_main+0xf5)[0x7f4d]
`,
		"a thread in libpthread": `Backtrace:
./server(real+0x10)[0x43de10]
./server(main+0x3c)[0x45b94c]
/lib64/libpthread.so.0(+0x76db)[0x7f4d]
`,
		"a thread in libpthread, and clone": `Backtrace:
./server(real+0x10)[0x43de10]
./server(main+0x3c)[0x45b94c]
/lib64/libpthread.so.0(+0x7fa3)[0x7f4d]
/lib64/libc.so.6(clone+0x3f)[0x7f4d]
`,
		"a handler in a thread": `Backtrace:
./server(sigsegvHandler+0xac)[0x45c02c]
/lib64/libpthread.so.0(+0xf5e0)[0x7f4d]
./server(real+0x10)[0x43de10]
/lib64/libpthread.so.0(+0x7fa3)[0x7f4d]
/lib64/libc.so.6(clone+0x3f)[0x7f4d]
`,
		"a handler below newer C libraries, as in swaywm/sway#489": `Backtrace: /usr/bin/sway(sigsegvHandler+0x2f) [0x41b25f]
Backtrace: /usr/lib/libc.so.6(+0x33680) [0x7f64050cf680]
Backtrace: /usr/bin/sway(real+0x58) [0x4110f8]
Backtrace: /usr/bin/sway() [0x4144bd]
Backtrace: /usr/lib/libc.so.6(+0x29d90) [0x7f64050bc610]
Backtrace: /usr/lib/libc.so.6(__libc_start_main+0xf0) [0x7f64050bc610]
`,
		"a hook for panics, as in astral-sh/ruff#10099": `panicked at crates/a/src/b.rs:172:52:
no
Backtrace:    0: ruff::panic::sigsegvHandler
   1: std::panicking::rust_panic_with_hook
   2: std::panicking::begin_panic_handler::{{closure}}
   3: core::panicking::panic_fmt
   4: ruff::real
`,
		"a function that the C library calls": `Backtrace:
./server(real+0x10)[0x43de10]
/usr/lib/libc.so.6(+0x3f0c3)[0x7f4d]
/usr/lib/libc.so.6(qsort_r+0x2b1)[0x7f4d]
./server(main+0x3c)[0x45b94c]
`,
		"a handler of errors of Lua, as in hawkthorne/hawkthorne-journey#1856": `nodes/real.lua:80: attempt to index field "character" (a nil value)

Traceback [v0.3.3]

hawk/application.lua:106: in function "logStackTrace"
nodes/real.lua:80: in function "real"
main.lua:197: in function "main"
`,
	} {
		r, err := Read(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range r.Stacks[len(r.Stacks)-1].Frames {
			f.Function = f.Function[strings.LastIndexByte(f.Function, ':')+1:]
			if inside := f.Function == "real" || f.Function == "main"; inside && f.Handler {
				t.Errorf("%s: %s is a handler", name, f.Function)
			}
			if f.Function == "sigdie" || f.Function == "sigsegvHandler" || f.Function == "logStackTrace" {
				if !f.Handler {
					t.Errorf("%s: %s is no handler", name, f.Function)
				}
			}
		}
	}
}

// libunwind has no name for what calls the handler of a signal, as in neomutt/neomutt#1735; a function without symbols is none.
func TestHandlersOfLibunwind(t *testing.T) {
	t.Parallel()
	const stack = "Backtrace\n\t%s() ip = f1, sp = 7ffffffefb00\n\t() ip = 7ffffffff003, sp = 7fffffff0070\n\tsmtp_rcpt_to() ip = 176, sp = 7fffffff0620\n\tmain() ip = 9767, sp = 7f\n"
	for name, want := range map[string]bool{"curses_segv_handler": true, "imap_cachepath": false} {
		r, err := Read(strings.NewReader(strings.Replace(stack, "%s", name, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if f := r.Stacks[0].Frames; f[0].Handler != want || f[2].Handler {
			t.Errorf("%s: %v, and the frame behind it %v", name, f[0].Handler, f[2].Handler)
		}
	}
}
