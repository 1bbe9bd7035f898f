package format

import (
	"strings"
	"sync"
)

// A sieve passes only those lines of a large log that may matter to a format, with the lines
// around them. Most logs have few such lines, and giving every line to every format is slow.
//
// A line matters if it contains one of the marks below, or begins like a frame of Java or Node.
// The lines before it may be its heading, so the last ones are kept. The lines after it may have
// no mark, so all of them pass for a while, and for longer if a format accepted one.
type sieve struct {
	marks  *automaton
	whole  int64 // bytes at the start of the input that always pass
	awake  int   // lines up to this number pass
	before [linesBefore]keptLine
	kept   int // lines that did not pass since the last release; the last linesBefore are in before
}

type keptLine struct {
	n    int
	text []byte
}

const (
	// attentive is the size up to which every line of an input goes to every format.
	attentive = 1 << 20

	linesBefore = 8
	linesBehind = 16 // lines after a line with a mark
	linesTaken  = 80 // lines after a line that a format accepted
)

// marks are the parts of lines that begin a report. Letters stand for both cases, "%" for a
// digit, a space or "~" for white space, and "^" for any character except letters, digits, and
// underscore; a line counts as following such a character. Each line of the list belongs to one
// family of formats.
var marks = sync.OnceValue(func() *automaton {
	return newAutomaton(strings.FieldsFunc(strings.TrimSpace(`
#%~;#%%~;#%%%~;#%:;#%%:;frame #
sanitizer;runtime error;leak of~;of size~;freed by;allocated by;created by;stored to memory;uninit;marked as~;heap block;mutex m;hint: addr
at 0x;by 0x;invalid read;invalid write;invalid free;lost in~;alloc'd;free'd;stack'd;terminating~;overlap in;mismatched;syscall param;jump to the inv;data race;realloc;==%
^signal;sigsegv;sigabrt;sigbus;sigfpe;sigill;sigtrap;sigsys;sigquit;thread #;thread %;lwp~;stack trace;backtrace;dumped core;segfault at;build-id;executable: /;stop reason
assert;^bug:~;bug at~;check failed;check(;check (;warning: cpu;panic;abort
fault addr;***~;cause:~;--- ---;pid: %;pc 0
@~~;@ 0x;@ %;pc: @
+0x;() ip = ;all trace;rip:~;eip:~;ip: [;pc :~;kasan;kmsan;kcsan;kfence;ubsan;oops;unable to handle;null pointer;protection fault;warn at;warning: at;warning: possible;warning: suspicious;warning: inconsistent;warning: held;warning: bad;warning: lock;warning: nested;warning: trying;warning: odebug;warning: kernel;warning: stack;[inline];pc is at;lr is at;lockup;blocked for more;info: rcu;info: possible;info: suspicious;info: inconsistent;info: trying;info: lockdep;invalid opcode;divide error;double fault;internal error;unhandled;unreferenced object;> from~;locks held;nmi backtrace;.c:% at~;.h:% at~
) at~;fatal trap;fatal page;uvm_fault;---[ end
crash;found by:;/blob/;<frame>;<stack>;what>
exception;# stacktrace;triggered by;thread %
.%%%%%% w ;.%%%%%% e ;.%%%%%% f ;[crash_stack];[stack_short];-> symbolic;-> pending;[thr=;^0:~;^1:~;: no.
traceback;file ";recent call;line %;.py:%;failed~
.java:%);.java:%%);.java:%%%);.java:%%%%);.kt:%;.scala:%;.groovy:%;.clj:%;native method;unknown source;caused by;%% more;% more;throwable;suppressed:
goroutine;fatal error;panicked;created by;--- fail:;_test.go:%
.js:%:;.js:%%:;.js:%%%:;.js:%%%%:;.ts:%:;.ts:%%:;.ts:%%%:;.mjs:%;.cjs:%;node:internal;expect(
:line %;**error type;.rb:%;.haml:%;.erb:%;runtime failure;.swift:%;.nim(%;error detected~;error in~;error using~;.dart %;.dart~;xception in~;:in `+"`"+`;:in ';.php(%;.php:%;php fatal;on line %;on line <i>%;on line <b>%;call stack
**~(;.ex:%;.exs:%;.erl:%;{line,%;{line,~%;with reason;, line: %
stacktrace;"stack";exc_info;callstack (;raised at~;called from~;called at~;can't call method;can't locate object;undefined subroutine;non-exhaustive;lisp error;while executing;invoked from~;error executing
execution halted;.dll!;.exe!;access violation
`), func(r rune) bool { return r == ';' || r == '\n' }))
})

// newSieve returns a sieve that passes all of the first bytes, whole of them.
func newSieve(whole int64) *sieve { return &sieve{whole: whole} }

// passes reports whether a line goes to the formats. Other lines are kept for a while.
func (v *sieve) passes(n int, raw []byte) bool {
	if v.whole > 0 {
		v.whole -= int64(len(raw)) + 1
		v.awake = n
		return true
	}
	if v.marks == nil {
		v.marks = marks()
	}
	if v.marks.Match(raw) || beginsAt(raw) {
		v.awake = max(v.awake, n+linesBehind)
		return true
	}
	if n <= v.awake {
		return true
	}
	v.keep(n, raw)
	return false
}

// beginsAt recognises "    at f (x)", a frame in many languages.
func beginsAt(raw []byte) bool {
	for i, c := range raw {
		if c != ' ' && c != '\t' {
			return len(raw) > i+3 && c == 'a' && raw[i+1] == 't' && raw[i+2] == ' '
		}
	}
	return false
}

// taken notes that a format accepted a line.
func (v *sieve) taken(n int) { v.awake = max(v.awake, n+linesTaken) }

// keep stores a line that does not pass, instead of the oldest one.
func (v *sieve) keep(n int, raw []byte) {
	k := &v.before[v.kept%linesBefore]
	k.n, k.text = n, append(k.text[:0], raw...)
	v.kept++
}

// release yields the stored lines, the oldest first.
func (v *sieve) release(yield func(n int, raw []byte)) {
	for i := max(0, v.kept-linesBefore); i < v.kept; i++ {
		k := &v.before[i%linesBefore]
		yield(k.n, k.text)
	}
	v.kept = 0
}
