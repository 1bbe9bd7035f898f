package format

import (
	"path"
	"slices"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// markHandlers marks the frames that handle a signal or a panic. They are further in than the frame
// that calls the handler; the first frame behind that one received the signal, or panicked.
// Where only the start of a thread is behind such a frame, it is the start of a thread itself.
func markHandlers(stack *crash.Stack) {
	frames := stack.Frames
	for i := len(frames) - 2; i > 0; i-- {
		unwound := strings.HasPrefix(frames[i].Raw, "() ip = ") && signalHandler().MatchString(frames[0].Function) // libunwind knows no name for it
		calls := callsHandler(frames[i]) || unwound || restores(frames, i) || callsHook(frames, i) || stack.Format == "go" && panics(frames[i])
		if !calls || !slices.ContainsFunc(frames[i+1:], func(f crash.Frame) bool { return !startsThread(f) }) {
			continue
		}
		for j := range frames[:i] {
			frames[j].Handler = true
		}
		return
	}
}

// panics reports whether a frame of Go is a panic. It calls deferred functions, which may panic
// again; the outermost panic was the first one.
func panics(f crash.Frame) bool {
	switch f.Function {
	case "panic", "runtime.gopanic", "runtime.panic":
		return true
	}
	return false
}

// trampoline matches the functions by which systems call the handler of a signal.
var trampoline = source.Lazy(`^(?:<signal handler called>|_sigtramp|__restore_rt|__kernel_(?:rt_)?sigreturn(?:_v2)?|KiUserExceptionDispatcher\w*)$`)

// signalHandler matches names of functions that handle the signal of a crash.
var signalHandler = source.Lazy(`(?i)(?:segv|sig(?:nal)?|crash|fault)_?(?:\w*_)?handler$`)

// callsHandler reports whether a frame is the one by which the system calls the handler of a
// signal. backtrace() prints it without a name in libpthread, or as killpg in newer libraries.
func callsHandler(f crash.Frame) bool {
	if trampoline().MatchString(f.Function) {
		return true
	}
	return nameless(f) && strings.Contains(f.Raw, "libpthread") || f.Function == "killpg" && strings.Contains(f.Raw, "libc")
}

// callsHook reports whether a frame is of Rust's library, and calls the program's own hook for panics, which takes the stack.
func callsHook(frames []crash.Frame, i int) bool {
	own := func(f crash.Frame) bool {
		return strings.Contains(f.Function, "::") && !rustLibrary().MatchString(f.Function)
	}
	return frames[i].Function == "std::panicking::rust_panic_with_hook" && slices.ContainsFunc(frames[:i], own)
}

var rustLibrary = source.Lazy(`^<?(?:std|core|alloc|backtrace|rustc_\w+)::`)

// maxHandler bounds the frames of a handler that prints its own stack.
const maxHandler = 4

// restores reports whether a frame is the nameless one of the C library through which the handler before it returns: that has a name of
// handlers, and what follows is of another module, or what aborts.
//
//	/usr/bin/sway(error_handler+0x2f) [0x41b25f]
//	/usr/lib/libc.so.6(+0x33680) [0x7f64050cf680]
//	/usr/bin/sway(swayc_parent_by_type+0x58) [0x4110f8]
func restores(frames []crash.Frame, i int) bool {
	if f := frames[i]; i > maxHandler || !nameless(f) || f.File != "" || !strings.HasPrefix(path.Base(f.Module), "libc.so") {
		return false
	}
	handles := func(f crash.Frame) bool {
		return namesHandler().MatchString(f.Function) && f.Module != frames[i].Module
	}
	return slices.ContainsFunc(frames[:i], handles) && !nameless(frames[i-1])
}

// namesHandler matches names of functions that may handle a signal of any kind.
var namesHandler = source.Lazy(`(?i)(?:sig|segv|crash|fault|error|abort|backtrace)\w*handler|handle\w*(?:sig|segv|crash|fault|abort)|(?:signal|segv|crash|fault)\w*handle`)

// handled matches the number of the signal among the arguments of its handler, as gdb prints them.
var handled = source.Lazy(`[(, ]sig(?:no|num|nal|nr)?=(\d{1,2})[,)]`)

// nameSignals gives the stacks of a debugger the signal that their handler was called with, if the
// report names no failure at all:
//
//	#1  0x00007f3fd2d16e57 in core_handler (signo=11, siginfo=0x7ffffd5931b0) at lib/sigevent.c:246
//	#2  <signal handler called>
func nameSignals(report *crash.Report) {
	if len(report.Problems) > 0 {
		return
	}
	for i := range report.Stacks {
		s := &report.Stacks[i]
		for _, f := range s.Frames {
			if !f.Handler || s.Kind != crash.StackCrash {
				break
			}
			m := handled().FindStringSubmatch(f.Raw)
			if m == nil || signalNames[m[1]] == "" {
				continue
			}
			report.Problems = []crash.Problem{{Kind: signalNames[m[1]], Signal: atoi(m[1]), Line: f.ReportLine}}
			s.Problem = 0
			return
		}
	}
}

func nameless(f crash.Frame) bool { return f.Function == "" || strings.HasPrefix(f.Function, "0x") }

// threadStart matches the outermost functions of programs and threads.
var threadStart = source.Lazy(`^_*(?:clone\d*|start_thread|start|libc_start_\w+|GI___clone\d*)$`)

// startsThread reports whether a frame is of the system's start of a program or a thread.
func startsThread(f crash.Frame) bool {
	return threadStart().MatchString(f.Function) || nameless(f) && (strings.Contains(f.Raw, "libpthread") || strings.Contains(f.Raw, "libc.so"))
}
