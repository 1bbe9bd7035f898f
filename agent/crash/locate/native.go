package locate

import (
	"path"
	"strings"

	"git-agent/agent/crash"
)

// nativeFormats are formats whose frames are functions of machine code.
var nativeFormats = map[string]bool{
	"apple": true, "bsd": true, "coredump": true, "gdb": true, "glog": true, "go": true, "hana": true, "kernel": true, "libc": true,
	"minidump": true, "rust": true, "sanitizer": true, "tombstone": true, "valgrind": true,
}

// managedExtensions are those of languages whose functions are not machine code: a debugger shows
// the interpreter or the virtual machine instead.
var managedExtensions = map[string]bool{
	".cs": true, ".erl": true, ".ex": true, ".exs": true, ".groovy": true, ".java": true, ".js": true, ".jsx": true, ".kt": true, ".lua": true, ".mjs": true, ".perl": true, ".php": true, ".pl": true,
	".pm": true, ".py": true, ".rb": true, ".scala": true, ".sh": true, ".t": true, ".tcl": true, ".ts": true, ".tsx": true,
}

// nativeFrames returns the frames of the stacks of machine code.
func nativeFrames(report *crash.Report) map[*crash.Frame]bool {
	native := map[*crash.Frame]bool{}
	for _, s := range report.Stacks {
		for j := range s.Frames {
			if nativeFormats[s.Format] {
				native[&s.Frames[j]] = true
			}
		}
	}
	return native
}

func isManaged(p string) bool { return managedExtensions[strings.ToLower(path.Ext(p))] }
