package symbol

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"git-agent/agent/sandbox"
	"git-agent/gitext/disk"
)

// The limits of one run of ctags.
const (
	ctagsTime   = 20 * time.Second
	ctagsMemory = 1 << 30
	maxTagsFile = 64 << 20 // bytes of its output that are read
	maxTagLine  = 64 << 10 // bytes of a line of its output
	maxTagField = 400      // bytes of a name, a scope or a signature that are kept
	maxTimeouts = 2        // runs that time out before ctags is no longer run
)

// errNoCtags says that universal-ctags cannot be used here.
var errNoCtags = errors.New("universal-ctags is not installed")

// universalCtags returns the path of ctags if it is universal-ctags. Other programs named ctags
// have other options.
func (f *Finder) universalCtags() (string, error) {
	program, err := sandbox.Program("ctags")
	if err != nil {
		return "", errNoCtags
	}
	dir, err := f.newDir("version")
	if err != nil {
		return "", err
	}
	defer removeDir(dir)
	result, err := sandbox.Run(context.Background(), sandbox.Spec{
		Dir: dir, Argv: []string{program, "--version"}, Timeout: ctagsTime, Sandbox: f.opt.Sandbox, Readable: f.opt.Readable,
	})
	if err != nil {
		return "", fmt.Errorf("ctags is not run: %w", err)
	}
	if !strings.Contains(string(result.Output), "Universal Ctags") {
		return "", errNoCtags
	}
	return program, nil
}

// ctagsArguments returns the command that makes ctags list the tags of files and nothing else. It
// reads no options from files, which a repository could contain, and follows no links.
func ctagsArguments(program string, files []string) []string {
	argv := []string{
		program, "--options=NONE", "--quiet=yes", "--links=no", "--sort=no", "--excmd=number", "--output-format=u-ctags",
		"--fields=KnesZStf", "--kinds-C=+px", "--kinds-C++=+px", "--kinds-CUDA=+px", "-f", tagsFile,
	}
	return append(argv, files...)
}

// tagsFile is the name of the file that ctags writes in its folder.
const tagsFile = "tags"

// A tag is a definition in one file, as ctags reports it.
type tag struct {
	name, scope, signature, typed string
	kind                          Kind
	line, end                     int
	declared                      bool // a prototype, or an extern variable
	static                        bool // visible in its file only
}

// A sourceFile is a file of the commit that is given to ctags.
type sourceFile struct {
	path string
	text []byte
}

// runCtags returns the tags of files, in the order of the files. ctags reads copies with numbers
// as names: ctags sees no name from the repository, and no name that ctags writes is used as a
// path.
func (f *Finder) runCtags(ctx context.Context, files []sourceFile) ([][]tag, error) {
	program, err := f.ctags()
	if err != nil {
		return nil, err
	}
	if f.timeouts.Load() >= maxTimeouts {
		return nil, fmt.Errorf("ctags is no longer run: %d times, it did not end within %v", maxTimeouts, ctagsTime)
	}
	dir, err := f.newDir("ctags")
	if err != nil {
		return nil, err
	}
	defer removeDir(dir)
	names := make([]string, len(files))
	for i, file := range files {
		names[i] = strconv.Itoa(i) + extensionFor(file)
		if err := os.WriteFile(filepath.Join(dir, names[i]), file.text, 0o600); err != nil {
			return nil, err
		}
	}
	result, err := sandbox.Run(ctx, sandbox.Spec{
		Dir: dir, Argv: ctagsArguments(program, names), Timeout: ctagsTime, Memory: ctagsMemory,
		Sandbox: f.opt.Sandbox, Readable: f.opt.Readable,
	})
	switch {
	case err != nil:
		return nil, err
	case result.TimedOut:
		f.timeouts.Add(1)
		return nil, fmt.Errorf("ctags did not end within %v", ctagsTime)
	}
	tags, err := readTags(dir, len(files))
	if err != nil {
		return nil, fmt.Errorf("ctags failed (exit code %d): %w", result.Exit, err)
	}
	return tags, nil
}

// extensionFor returns an extension by which ctags recognises the language of a file.
func extensionFor(file sourceFile) string {
	ext := path.Ext(strings.TrimSuffix(file.path, ".in"))
	switch strings.ToLower(ext) {
	case "":
		return interpreterExtension(file.text)
	case ".inc", ".inl", ".ipp", ".tcc", ".tpp", ".def":
		return ".hpp"
	case ".ebuild", ".eclass":
		return ".sh"
	case ".pyi":
		return ".py"
	}
	for i := 1; i < len(ext); i++ {
		if c := ext[i]; c != '+' && (c == '_' || c >= 0x80 || !IsIdentifier("x"+string(c))) {
			return ".txt"
		}
	}
	return ext
}

// interpreterExtension returns the extension for a program without one, from the interpreter in
// its first line.
func interpreterExtension(text []byte) string {
	first := string(lineIn(text[:min(len(text), maxText)], 1))
	if !strings.HasPrefix(first, "#!") {
		return ".txt"
	}
	for _, known := range [][2]string{{"python", ".py"}, {"perl", ".pl"}, {"ruby", ".rb"}, {"node", ".js"}, {"php", ".php"}, {"lua", ".lua"}, {"tclsh", ".tcl"}, {"sh", ".sh"}} {
		if strings.Contains(first, known[0]) {
			return known[1]
		}
	}
	return ".txt"
}

// readTags reads the tags that ctags wrote in dir about a number of files.
func readTags(dir string, files int) ([][]tag, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close() // only read
	text, err := disk.ReadRegularIn(root, tagsFile, maxTagsFile)
	if err != nil {
		return nil, err
	}
	tags := make([][]tag, files)
	for line := range bytes.Lines(text) {
		if len(line) > maxTagLine {
			continue
		}
		if i, t, ok := parseTag(strings.TrimSuffix(string(line), "\n")); ok && i < files {
			tags[i] = append(tags[i], t)
		}
	}
	return tags, nil
}

// parseTag reads a line of a tags file: name, file, line and fields, separated by tabs. It
// returns the number of the file.
func parseTag(line string) (file int, t tag, ok bool) {
	fields := strings.Split(line, "\t")
	if len(fields) < 4 || strings.HasPrefix(line, "!_TAG_") {
		return 0, t, false
	}
	number, _, _ := strings.Cut(fields[1], ".")
	file, err := strconv.Atoi(number)
	if err != nil || file < 0 {
		return 0, t, false
	}
	t.name = shortField(fields[0])
	t.kind = kindOf(fields[3])
	for _, field := range fields[4:] {
		key, value, _ := strings.Cut(field, ":")
		switch key {
		case "line":
			t.line, _ = strconv.Atoi(value)
		case "end":
			t.end, _ = strconv.Atoi(value)
		case "scope":
			_, t.scope, _ = strings.Cut(shortField(value), ":")
		case "signature":
			t.signature = shortField(value)
		case "typeref":
			t.typed = shortField(value)
		case "file":
			t.static = true
		}
	}
	t.declared = declaredKinds[t.kind]
	return file, t, t.line > 0 && t.name != "" && t.kind != "" && !otherKinds[t.kind]
}

// kindOf returns the kind for a word of ctags. Words for the same thing in several languages give
// one kind.
func kindOf(word string) Kind {
	switch word {
	case "func", "singletonMethod", "generator", "subroutine":
		return Function
	case "var", "globalVar":
		return "variable"
	case "const", "constant":
		return "constant"
	case "field":
		return "member"
	case "methodSpec":
		return "prototype"
	}
	for i := range len(word) {
		if c := word[i] | 0x20; c < 'a' || c > 'z' {
			return ""
		}
	}
	return Kind(word[:min(len(word), 30)])
}

var (
	declaredKinds = map[Kind]bool{"prototype": true, "externvar": true, "unknown": true, "implementation": true}
	// otherKinds are the kinds of tags whose definition is elsewhere or nowhere.
	otherKinds = map[Kind]bool{"package": true, "packageName": true, "header": true, "label": true, "local": true, "parameter": true}
)

// shortField returns a field without the escapes of ctags, cut to the length that is shown.
func shortField(s string) string {
	s = s[:min(len(s), maxTagField)]
	if strings.Contains(s, `\`) {
		s = strings.NewReplacer(`\\`, `\`, `\t`, " ", `\n`, " ").Replace(s)
	}
	return s
}
