package locate

import (
	"path"
	"slices"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// foreignFunctions are functions of run-time libraries, allocators, sanitizers and fuzzers. They
// are in the stacks of every project, and are not at fault.
var foreignFunctions = source.Lazy(
	`^(?:_*(?:abort|raise|kill|tgkill|pthread_kill\w*|exit|_exit|longjmp|siglongjmp|assert|assert_fail(?:_base)?|assert_perror_fail|chk_fail|fortify_fail|stack_chk_fail|libc_\w+|GI_\w+|restore_rt|start_thread|clone\d*|start|main_thread)` +
		`|_*(?:malloc|calloc|realloc|reallocarray|free|cfree|posix_memalign|memalign|aligned_alloc|valloc|int_malloc|int_free|int_realloc|malloc_printerr|malloc_consolidate|sysmalloc|unlink_chunk|strn?dup|strdup|wcsdup|alloca|tcache_\w+)` +
		`|_*(?:mem(?:cpy|move|set|cmp|chr|mem|pcpy|rchr)|str(?:n?len|n?cmp|n?casecmp|n?cpy|n?cat|r?chr|chrnul|str|casestr|spn|cspn|pbrk|tok(?:_r)?|to[a-z]+|ftime|coll|lcpy|lcat)|wcs\w+|bcopy|bzero|bcmp|index)(?:_\w+)?` +
		`|_*(?:v?f?n?w?printf|v?s?n?printf|v?asprintf|v?dprintf|v?sscanf|v?fscanf|fputs|puts|putc|fwrite|fread|fopen\w*|fclose|fflush|fseek|IO_\w+|vfprintf_internal|printf_\w+|getline|getdelim|qsort(?:_r)?|msort_\w+|bsearch|atoi|atol|inet_\w+|gethostby\w+|getaddrinfo\w*)(?:_chk|_internal|_l)?` +
		`|_*(?:read|write|writev|readv|pread(?:64)?|pwrite(?:64)?|open(?:at)?(?:64)?|close|ioctl|poll|ppoll|select|pselect|epoll_wait|epoll_pwait|nanosleep|clock_nanosleep|futex\w*|syscall|send(?:to|msg|mmsg)?|recv(?:from|msg|mmsg)?|accept4?|connect|bind|wait(?:pid|4)?|fork|vfork|execve|dl_\w+|mmap(?:64)?|munmap|brk|sbrk)` +
		`|pthread_\w+|sem_wait|cnd_wait|lll_\w+` +
		`|_*(?:asan|msan|tsan|ubsan|lsan|hwasan|sanitizer|interceptor|interception|sancov|cxa|cxx|gnu_cxx|gxx|Unwind)_\w*|__sanitizer\w*|wrap_\w+|___interceptor_\w+` +
		`|LLVMFuzzer\w+|RunOneTest|HonggfuzzMain|afl_\w+` +
		`|rust_begin_unwind|rust_panic\w*|rust_eh_\w*|main|_main|WinMain|wmain|BaseThreadInitThunk|RtlUserThreadStart|Rtl\w+|Nt\w+|Ki\w+)$` +
		`|^(?:asan|msan|tsan|__asan|__msan|__tsan|__ubsan|__hwasan|__sanitizer|fuzzer|std|__gnu_cxx|__cxxabiv1|google_breakpad|core|alloc|runtime|testing|reflect|sync|syscall|panic)(?:::|\.|/)` +
		`|^<?(?:core|alloc|std)::|^(?:operator new|operator delete|<signal handler called>|<unknown)`,
)

// foreignModules are libraries of systems and of tools.
var foreignModules = source.Lazy(
	`(?:^|/)(?:libc|libpthread|libdl|libm|librt|ld|ld-linux[\w-]*|libstdc\+\+|libgcc_s|libc\+\+(?:abi)?|lib[atm]san|libubsan|liblsan|vgpreload_\w+|linux-vdso|linux-gate|libSystem\w*|libsystem_\w+|ntdll|kernel32|kernelbase|ucrtbase\w*|libjvm|libart|libphp\d*|libpython[\d.]+\w*|libruby[\d.-]*|libglib-2\.0|libgobject-2\.0|libgtk[\d-]*|libQt\w*)(?:[.\-][\w.\-]*)?$`,
)

// ofGoPackage returns the files that may belong to the package of a Go function. A directory has
// the name of its package's path: net/http/server.go of the function net/http.(*conn).serve is not
// modules/caddyhttp/server.go. Functions without such a path belong to any file, and so do closures of a function that was
// inlined: the compiler gives them the package of its caller.
func ofGoPackage(function string, paths []string) []string {
	if pkg := packageOfGo(function); pkg != "" {
		return slices.DeleteFunc(slices.Clone(paths), func(p string) bool {
			return path.Ext(p) == ".go" && !strings.HasSuffix("/"+path.Dir(p), "/src/"+pkg)
		})
	}
	name, _, found := strings.Cut(function[strings.LastIndexByte(function, '/')+1:], ".")
	name = strings.TrimSuffix(name, "_test")
	if !found || name == "main" || IsMajor(name) || inlinedClosure().MatchString(function) {
		return paths
	}
	return slices.DeleteFunc(slices.Clone(paths), func(p string) bool {
		dir := path.Dir(p)
		return path.Ext(p) == ".go" && dir != "." && !strings.EqualFold(path.Base(dir), name) && !IsMajor(path.Base(dir))
	})
}

// packageOfGo returns the package of a function of Go's own library, else "". A traceback leaves out that of panic.
func packageOfGo(function string) string {
	if function == "panic" {
		return "runtime"
	}
	slash := strings.LastIndexByte(function, '/') + 1
	name, _, found := strings.Cut(function[slash:], ".")
	if pkg := function[:slash] + name; found && goLibrary().MatchString(pkg) && !inlinedClosure().MatchString(function) {
		return pkg
	}
	return ""
}

// goLibrary matches the path of a package of Go's own library, of which only Go's repository has the files: http/server.go of
// net/http is not internal/http/server.go.
var goLibrary = source.Lazy(
	`^(?:archive|bufio|bytes|compress|container|context|crypto|database|debug|embed|encoding|errors|expvar|flag|fmt|hash|html|image|io|iter|log|maps|math|` +
		`mime|net|os|path|reflect|regexp|runtime|slices|sort|strconv|strings|sync|syscall|testing|text|time|unicode)(?:/[\w/]+)?$`,
)

// inlinedClosure matches the name of a closure with that of the inlined function that it is of:
// cmd/pro.init.func2.(*HostnameIterator).Iterate.
var inlinedClosure = source.Lazy(`\.func\d+\.\(\*?\w+\)\.\w`)

// systemLibrary is the file of a library in the folders of a system.
var systemLibrary = source.Lazy(`^/(?:usr/)?lib(?:32|64)?/(?:[^/]+/)?[^/]+\.so(?:\.[\d.]+)?$`)

var major = source.Lazy(`^v\d+$`)

// IsMajor reports whether the last element of a module's path, or of a directory, is only a major
// version.
func IsMajor(name string) bool { return major().MatchString(name) }

// Foreign reports whether a frame belongs to a run-time library, a sanitizer, or other code that
// no project contains, or handles the signal of the crash.
func Foreign(f crash.Frame) bool {
	if f.Handler {
		return true
	}
	if f.Path == "" && f.Module != "" && foreignModules().MatchString(f.Module) {
		return true
	}
	return foreignFunctions().MatchString(strings.TrimPrefix(f.Function, "::"))
}

// Outside reports whether a frame is in a file of a system, of a language's library or of an installed
// package, which is not the project's.
func Outside(f crash.Frame) bool {
	return f.Path == "" && f.File != "" && systemPath().MatchString(Clean(f.File))
}
