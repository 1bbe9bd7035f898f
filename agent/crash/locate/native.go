package locate

import (
	"path"
	"slices"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// kernel is the format of the stacks of kernels.
const kernel = "kernel"

// elisp is the format of the stacks of Emacs Lisp.
const elisp = "elisp"

// nativeFormats are formats whose frames are functions of machine code.
var nativeFormats = map[string]bool{
	"apple": true, "bsd": true, "coredump": true, "gdb": true, "glog": true, "go": true, "hana": true, kernel: true, "libc": true,
	"minidump": true, "rust": true, "sanitizer": true, "tombstone": true, "valgrind": true, "windows": true,
}

// managedExtensions are those of languages whose functions are not machine code: a debugger shows
// the interpreter or the virtual machine instead.
var managedExtensions = map[string]bool{
	".cs": true, ".dart": true, ".erl": true, ".ex": true, ".exs": true, ".gd": true, ".groovy": true, ".hs": true, ".java": true, ".jl": true, ".js": true, ".jsx": true, ".kt": true, ".lua": true, ".mjs": true, ".perl": true, ".php": true, ".pl": true,
	".el": true, ".pm": true, ".ps1": true, ".psm1": true, ".py": true, ".r": true, ".raku": true, ".rakumod": true, ".rb": true, ".scala": true, ".sh": true, ".t": true, ".tcl": true, ".ts": true, ".tsx": true,
}

// mayBeTcl are the extensions of programs of Tcl, which may have none.
var mayBeTcl = map[string]bool{
	"": true, ".exp": true, ".in": true, ".itcl": true, ".sh": true, ".tcl": true, ".test": true, ".tk": true, ".tm": true,
}

// stacksOf returns the stack of each frame.
func stacksOf(report *crash.Report) map[*crash.Frame]*crash.Stack {
	stacks := map[*crash.Frame]*crash.Stack{}
	for i := range report.Stacks {
		s := &report.Stacks[i]
		for j := range s.Frames {
			stacks[&s.Frames[j]] = s
		}
	}
	return stacks
}

// fits reports whether a file may define the function of a frame, by the language of the stack.
func fits(stack *crash.Stack, frame *crash.Frame, file string) bool {
	switch {
	case nativeFormats[stack.Format]:
		return !isManaged(file) && len(ofGoPackage(frame.Function, []string{file})) > 0
	case stack.Format == "java":
		return inJavaClass(frame.Function, file)
	case stack.Format == elisp:
		return source.IsLisp(file)
	case stack.Format == "tcl" && frame.File == "":
		return mayBeTcl[strings.ToLower(path.Ext(file))]
	case stack.Format == "php" && frame.File == "":
		return inPHPClass(frame.Function, file)
	}
	return len(ofGoPackage(frame.Function, []string{file})) > 0
}

// inJavaClass reports whether a file may hold the class of a method: it has the name of the outermost
// class, or is in the directories of its package. java.lang.String.valueOf is in no file of a
// project that has none of java/lang.
func inJavaClass(method, file string) bool {
	scope, _, _ := strings.Cut(method, "$")
	parts := strings.Split(scope, ".")
	if scope == method {
		parts = parts[:len(parts)-1] // without the method
	}
	if len(parts) == 0 {
		return false
	}
	class, pkg := parts[len(parts)-1], strings.Join(parts[:len(parts)-1], "/")
	dir, base := path.Split(file)
	stem := source.Stem(base)
	return stem == class || stem+"Kt" == class || pkg != "" && strings.HasSuffix("/"+strings.TrimSuffix(dir, "/"), "/"+pkg)
}

// inPHPClass reports whether a file may hold the class of a method of PHP, A\B\Class->method or Class::method: it has its name.
func inPHPClass(method, file string) bool {
	class, _, found := strings.Cut(strings.Replace(method, "::", "->", 1), "->")
	class = class[strings.LastIndexByte(class, '\\')+1:]
	stem := source.Stem(path.Base(file))
	return !found || strings.EqualFold(stem, class) || strings.EqualFold(stem, "class."+class)
}

// builtIn reports whether a function is of Go's library, or of the kernel itself, in a repository of modules: the stack has
// the modules of the others, and the repository has no kernel.
func (f *Files) builtIn(s *crash.Stack, frame *crash.Frame) bool {
	if pkg := packageOfGo(frame.Function); s.Format == "go" && pkg != "" {
		return !f.HasDir("src/" + pkg) // only Go's repository has it
	}
	return s.Format == kernel && frame.Module == "" && !f.all["Kbuild"] &&
		slices.ContainsFunc(s.Frames, func(o crash.Frame) bool { return o.Module != "" })
}

// inSystemHeader reports whether the place of a frame may be that of code from a header of others, which
// the compiler inlined into the function of the project that the frame names: "log_enqueue
// (string3.h:107)". Methods and functions of namespaces may be of the header themselves.
func inSystemHeader(s *crash.Stack, frame *crash.Frame) bool {
	switch path.Ext(frame.File) {
	case ".h", ".hpp", ".inl":
		return nativeFormats[s.Format] && !strings.Contains(frame.Function, ":") && !frame.Inline && frame.Line > 0
	}
	return false
}

func isManaged(p string) bool { return managedExtensions[strings.ToLower(path.Ext(p))] }
