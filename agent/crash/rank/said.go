package rank

import (
	"context"
	"fmt"
	"path"
	"slices"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/crash/locate"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// maxSaid limits the files of C and Cython that are looked up because a message names them.
const maxSaid = 4

// nativeFile matches the path of a source or of a compiled module in a message of Python, and a line.
var nativeFile = source.Lazy(`([\w./\\:@+-]*\w\.(?:c|cc|cpp|cxx|h|hh|hpp|pyx|pxd|pxi|so|pyd|dylib))\b(?::\d+)?`)

// saidFiles returns the files of C, C++ and Cython that the messages of Python name, except the listed
// files: "SystemError: Objects/longobject.c:998: bad argument to internal function", or
// "ImportError: pkg/_foo.cpython-38-x86_64-linux-gnu.so: undefined symbol: bar", which is compiled
// from pkg/_foo.c. The traceback of Python ends before such code.
func saidFiles(ctx context.Context, repo *gitext.Repo, commit gitext.OID, report *crash.Report, listed map[string]bool) ([]crash.File, error) {
	names := nativeNames(report)
	if len(names) == 0 {
		return nil, nil
	}
	files, err := locate.FilesOf(ctx, repo, commit)
	if files == nil {
		return nil, err
	}
	var out []crash.File
	for _, name := range names {
		found, why := "", fmt.Sprintf("the message names %s", agent.CleanLine(path.Base(locate.Clean(name))))
		if locate.IsCompiled(name) {
			var failed error
			if found, failed = files.CompiledFrom(ctx, repo, commit, name); failed != nil {
				return nil, failed
			}
			why += ", which is compiled from it"
		} else if paths, _ := files.Find(name); len(paths) == 1 {
			found = paths[0]
		}
		if found != "" && !listed[found] && !isHarness(found) {
			listed[found] = true
			out = append(out, crash.File{Path: found, Related: true, Reasons: []string{why}})
		}
	}
	return out, err
}

// nativeNames returns the sources and the compiled modules in the messages of a report of Python.
func nativeNames(report *crash.Report) []string {
	if !slices.ContainsFunc(report.Stacks, func(s crash.Stack) bool { return s.Format == "python" || s.Format == "pytest" }) {
		return nil
	}
	var names []string
	for _, p := range report.Problems {
		for _, m := range nativeFile().FindAllStringSubmatch(source.FirstBytes(p.Message, maxMessageBytes), -1) {
			if len(names) < maxSaid && !slices.Contains(names, m[1]) {
				names = append(names, m[1])
			}
		}
	}
	return names
}
