package locate

import (
	"path"
	"regexp"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// A preference tells files of one name, or definitions of one function, apart.
type preference struct {
	dirs    map[string]int // number of frames in each directory
	program string         // the program that crashed, as plain writes it; "" if unknown
	system  *regexp.Regexp // matches the names of folders of other systems; nil if the system is unknown
}

// preferenceFor returns the preference by what a report says of its program and its system.
func preferenceFor(report *crash.Report, dirs map[string]int) preference {
	return preference{dirs: dirs, program: programOf(report), system: otherSystems(report)}
}

// better reports whether a file is likelier than another one: it is in the directory with more
// frames; else it belongs to the program that crashed; else it is not of another system, no
// example and no test; else its path is shorter.
func (p preference) better(a, b string) bool {
	if x, y := p.dirs[path.Dir(a)], p.dirs[path.Dir(b)]; x != y {
		return x > y
	}
	for _, less := range []func(string) bool{func(f string) bool { return !p.ofProgram(f) }, p.elsewhere, isExample, source.IsTestPath} {
		if x, y := less(a), less(b); x != y {
			return y
		}
	}
	if len(a) != len(b) {
		return len(a) < len(b)
	}
	return a < b
}

// ofProgram reports whether a folder or the file is named like the program: app/test-pmd/cmdline.c
// is of testpmd.
func (p preference) ofProgram(file string) bool {
	if p.program == "" {
		return false
	}
	for _, part := range strings.Split(strings.TrimSuffix(file, path.Ext(file)), "/") {
		if plain(part) == p.program {
			return true
		}
	}
	return false
}

// elsewhere reports whether a folder of a file is named after a system other than the report's.
func (p preference) elsewhere(file string) bool {
	return p.system != nil && p.system.MatchString(strings.ToLower(path.Dir(file)))
}

var exampleFolder = source.Lazy(`(?i)(?:^|/)(?:examples?|samples?|demos?|contrib|tutorials?)/`)

func isExample(file string) bool { return exampleFolder().MatchString(file) }

// plain returns a name in lower case without punctuation.
func plain(name string) string {
	return strings.NewReplacer("-", "", "_", "", ".", "").Replace(strings.ToLower(name))
}

// gotSignal matches gdb's line about the thread that crashed, which has the name of the program.
var gotSignal = source.Lazy(`^Thread \d+ "([\w.-]+)" received signal`)

// programOf returns the name of the program that crashed, or "": by its core, by gdb's line about
// the signal, or by the module of a native frame.
func programOf(report *crash.Report) string {
	if report.Program != "" {
		return plain(path.Base(report.Program))
	}
	for _, p := range report.Problems {
		if m := gotSignal().FindStringSubmatch(p.Message); m != nil {
			return plain(m[1])
		}
	}
	for _, s := range report.Stacks {
		for _, f := range s.Frames {
			base := path.Base(strings.ReplaceAll(f.Module, `\`, "/"))
			if f.Offset != "" && base != "." && !strings.Contains(base, ".so") && !strings.HasSuffix(base, ".dylib") && !strings.HasSuffix(base, ".dll") {
				return plain(strings.TrimSuffix(base, ".exe"))
			}
		}
	}
	return ""
}

var (
	linuxLibrary = source.Lazy(`/(?:libc\.so\.6|libc-2\.\d+\.so|libpthread\.so\.0|ld-linux)|^/lib/x86_64-linux-gnu/|^/lib64/`)
	linuxKernel  = source.Lazy(`^(?:entry_SYSCALL_64\w*|do_syscall_\w+|system_call_fastpath|ret_from_fork\w*|kthread|__(?:x64|arm64|ia32)_sys_\w+|SyS_\w+|el0_\w+|dump_stack(?:_lvl)?|__schedule)$`)
	notLinux     = source.Lazy(`(?:^|/)(?:(?:free|net|open)?bsd\w*|win(?:32|64|dows)?|darwin|macos\w*|osx|solaris|sunos|aix|haiku)(?:/|$)`)
)

// otherSystems returns a pattern for folders of other systems than that on which the report was
// made, or nil if the report does not show its system.
func otherSystems(report *crash.Report) *regexp.Regexp {
	for _, s := range report.Stacks {
		for _, f := range s.Frames {
			if linuxLibrary().MatchString(f.File) || linuxLibrary().MatchString(f.Module) ||
				s.Format == kernel && linuxKernel().MatchString(f.Function) {
				return notLinux()
			}
		}
	}
	return nil
}
