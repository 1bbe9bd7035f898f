package locate

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// maxSetup limits the size of a setup.py that is read.
const maxSetup = 1 << 20

var (
	// A module of Python that was compiled from C, C++ or Cython, by the name of its file.
	compiledModule = source.Lazy(`^(\w+)(?:\.(?:cpython-\w+|pypy\w+|cp\d+|abi3)(?:-[\w-]+)?\.(?:so|dylib|pyd)|\.pyd)$`)
	// The same of Python 2, in a folder of installed modules.
	installedCompiled = source.Lazy(`/(?:site|dist)-packages/(?:.*/)?(\w+)\.so$`)
	// An extension in setup.py: its name, and its list of sources.
	extension = source.Lazy(`\bExtension\(\s*(?:name\s*=\s*)?["']([\w.]+)["']\s*,\s*(?:sources\s*=\s*)?\[([^\]]*)\]`)
	stringIn  = source.Lazy(`["']([^"'\n]+)["']`)
	// The first package in the path of an installed module.
	installedPackage = source.Lazy(`/(?:site|dist)-packages/(?:[^/]+\.egg/)?(\w+)/`)
	// The modules of Python's own library that are compiled.
	standardModule = source.Lazy(`/lib-dynload/|(?:^|/)(?:array|binascii|cmath|fcntl|grp|math|mmap|nis|pyexpat|readline|resource|select|spwd|syslog|` +
		`termios|unicodedata|zlib|_(?:asyncio|bisect|blake2|bz2|codecs_\w+|contextvars|crypt|csv|ctypes|curses|datetime|dbm|decimal|elementtree|gdbm|hashlib|` +
		`heapq|interp\w+|json|lsprof|lzma|md5|multibytecodec|multiprocessing|opcode|pickle|posixshmem|posixsubprocess|queue|random|sha\w+|socket|sqlite3|ssl|` +
		`statistics|struct|tkinter|uuid|zoneinfo))\.[^/]*$`)
)

// mapCompiled maps the frames in compiled modules of Python to the source of the module, if the commit
// has one source of it.
func (f *Files) mapCompiled(ctx context.Context, repo *gitext.Repo, commit gitext.OID, report *crash.Report) error {
	known := map[string]string{}
	for i := range report.Stacks {
		for j := range report.Stacks[i].Frames {
			frame := &report.Stacks[i].Frames[j]
			if frame.Path != "" {
				continue
			}
			for _, file := range []string{frame.File, frame.Module} {
				if !IsCompiled(file) || frame.Path != "" {
					continue
				}
				p, found := known[file]
				if !found {
					var err error
					if p, err = f.CompiledFrom(ctx, repo, commit, file); err != nil {
						return err
					}
					known[file] = p
				}
				if p != "" {
					frame.Path, frame.Rule = p, string(RuleCompiled)
					frame.Moved = frame.Line > 0 // which is no line of the source
				}
			}
		}
	}
	return nil
}

// IsCompiled reports whether a file has the name of a compiled module of Python.
func IsCompiled(file string) bool {
	return file != "" && compiledStem(Clean(file)) != ""
}

// compiledStem returns the name of a compiled module by its path, or "".
func compiledStem(p string) string {
	if m := compiledModule().FindStringSubmatch(path.Base(p)); m != nil {
		return m[1]
	}
	if m := installedCompiled().FindStringSubmatch(p); m != nil {
		return m[1]
	}
	return ""
}

// CompiledFrom returns the source of a compiled module of Python, or "" if there is none or more than
// one: the only source that setup.py names for it, else the only file with its name.
func (f *Files) CompiledFrom(ctx context.Context, repo *gitext.Repo, commit gitext.OID, file string) (string, error) {
	p := Clean(file)
	stem := compiledStem(p)
	if stem == "" || standardModule().MatchString(p) && !f.Has("Python/ceval.c") {
		return "", nil
	}
	if m := installedPackage().FindStringSubmatch(p); m != nil && !f.hasFolder(m[1]) {
		return "", nil // a package of others
	}
	if f.Has("setup.py") {
		text, err := repo.BlobAt(ctx, commit, "setup.py", maxSetup)
		if err != nil && !gitext.Unreadable(err) && !errors.Is(err, gitext.ErrNotExist) {
			return "", err
		}
		if named := f.inSetup(string(text), stem, p); named != "" {
			return named, nil
		}
	}
	return f.namedAfter(stem, p), nil
}

// hasFolder reports whether any tracked file is in a folder of a name.
func (f *Files) hasFolder(name string) bool {
	for p := range f.all {
		if strings.HasPrefix(p, name+"/") || strings.Contains(p, "/"+name+"/") {
			return true
		}
	}
	return false
}

// inSetup returns the only source of an extension that the text of a setup.py names, or "".
func (f *Files) inSetup(text, stem, module string) string {
	found := ""
	for _, m := range extension().FindAllStringSubmatch(text, -1) {
		dirs, name := path.Split(strings.ReplaceAll(m[1], ".", "/"))
		if name != stem || dirs != "" && strings.Contains(module, "/") && !strings.HasSuffix(path.Dir(module)+"/", "/"+dirs) && path.Dir(module)+"/" != dirs {
			continue
		}
		sources := stringIn().FindAllStringSubmatch(m[2], -1)
		if len(sources) != 1 || found != "" || !f.Has(path.Clean(sources[0][1])) {
			return ""
		}
		found = path.Clean(sources[0][1])
	}
	return found
}

// namedAfter returns the only source of a name for a compiled module, or "". Of several, it is the
// only one in a folder of the module's name. The C that Cython made from a file counts as that file.
func (f *Files) namedAfter(stem, module string) string {
	folder := path.Base(path.Dir(module))
	for _, endings := range [][]string{{".pyx"}, {".c", ".cc", ".cpp", ".cxx", "module.c", "module.cc", "module.cpp"}} {
		var all []string
		for _, ending := range endings {
			for _, p := range f.byBase[strings.ToLower(stem+ending)] {
				if path.Base(p) == stem+ending && !source.IsVendored(p) && !source.IsTestPath(p) {
					all = append(all, p)
				}
			}
		}
		if len(all) > 1 {
			all = slices.DeleteFunc(all, func(p string) bool { return path.Base(path.Dir(p)) != folder })
		}
		if len(all) == 1 {
			return all[0]
		}
		if len(all) > 1 {
			return ""
		}
	}
	return ""
}
