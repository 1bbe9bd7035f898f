package format

import (
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// markHandlers marks the frames that handle a signal. They are further in than the frame by which
// the system calls the handler; the first frame behind that one received the signal.
func markHandlers(frames []crash.Frame) {
	for i := len(frames) - 2; i > 0; i-- {
		if !callsHandler(frames[i]) {
			continue
		}
		for j := range frames[:i] {
			frames[j].Handler = true
		}
		return
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
	nameless := f.Function == "" || strings.HasPrefix(f.Function, "0x")
	return nameless && strings.Contains(f.Raw, "libpthread") || f.Function == "killpg" && strings.Contains(f.Raw, "libc")
}
