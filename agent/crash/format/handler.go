package format

import (
	"slices"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// markHandlers marks the frames that handle a signal. They are further in than the frame by which
// the system calls the handler; the first frame behind that one received the signal. Where only
// the start of a thread is behind such a frame, it is the start of a thread itself.
func markHandlers(frames []crash.Frame) {
	for i := len(frames) - 2; i > 0; i-- {
		if !callsHandler(frames[i]) || !slices.ContainsFunc(frames[i+1:], func(f crash.Frame) bool { return !startsThread(f) }) {
			continue
		}
		for j := range frames[:i] {
			frames[j].Handler = true
		}
		return
	}
}

// markDeferred marks the frames of Go that handle a panic: functions that were deferred, and that
// panicked again. The outermost panic was the first one, and the frame behind it caused it.
func markDeferred(frames []crash.Frame) {
	for i := len(frames) - 2; i > 0; i-- {
		switch frames[i].Function {
		case "panic", "runtime.gopanic", "runtime.panic":
			for j := range frames[:i] {
				frames[j].Handler = true
			}
			return
		}
	}
}

// trampoline matches the functions by which systems call the handler of a signal.
var trampoline = source.Lazy(`^(?:<signal handler called>|_sigtramp|__restore_rt|__kernel_(?:rt_)?sigreturn(?:_v2)?|KiUserExceptionDispatcher\w*)$`)

// callsHandler reports whether a frame is the one by which the system calls the handler of a
// signal. backtrace() prints it without a name in libpthread, or as killpg in newer libraries.
func callsHandler(f crash.Frame) bool {
	if trampoline().MatchString(f.Function) {
		return true
	}
	return nameless(f) && strings.Contains(f.Raw, "libpthread") || f.Function == "killpg" && strings.Contains(f.Raw, "libc")
}

func nameless(f crash.Frame) bool { return f.Function == "" || strings.HasPrefix(f.Function, "0x") }

// threadStart matches the outermost functions of programs and threads.
var threadStart = source.Lazy(`^_*(?:clone\d*|start_thread|start|libc_start_\w+|GI___clone\d*)$`)

// startsThread reports whether a frame is of the system's start of a program or a thread.
func startsThread(f crash.Frame) bool {
	return threadStart().MatchString(f.Function) || nameless(f) && (strings.Contains(f.Raw, "libpthread") || strings.Contains(f.Raw, "libc.so"))
}
