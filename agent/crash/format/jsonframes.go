package format

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// jsonFrames reads the arrays of frames in the JSON of services and loggers for errors: Sentry, Bugsnag, Rollbar, Elastic APM, structlog,
// zerolog, and exceptions of Java. Each has names of its own for the same things.
type jsonFrames struct {
	s     *scanner
	above []map[string]any // the objects around the value
}

const (
	maxJSONDepth  = 40
	maxJSONValues = 10_000 // lines of a log
	maxNear       = 3      // objects from a stack to the one that names the failure
)

// frameArray matches the beginning of an array that may be a stack, and frameKey its key.
var (
	frameArray = source.Lazy(`"(?:frames|\w*(?:[sS]tack|[tT]race)\w*)"\s*:\s*\[\s*\{`)
	frameKey   = source.Lazy(`^(?:frames|\w*(?:[sS]tack|[tT]race)\w*)$`)
)

// readFrames reads an input that is JSON, or a log of it. It reports whether there is an array of frames.
func readFrames(s *scanner, data []byte) bool {
	if !frameArray().Match(data) {
		return false
	}
	in := json.NewDecoder(bytes.NewReader(data))
	for range maxJSONValues {
		var value any
		if in.Decode(&value) != nil {
			break
		}
		r := &jsonFrames{s: s}
		r.walk(value, "")
	}
	return len(s.Report.Stacks) > 0
}

// walk looks for stacks in a value with a key.
func (r *jsonFrames) walk(value any, key string) {
	switch value := value.(type) {
	case map[string]any:
		if len(r.above) == maxJSONDepth {
			return
		}
		r.version(value)
		r.s.date([]byte(textOf(value, "timestamp", "@timestamp", "datetime", "time")))
		r.above = append(r.above, value)
		for _, k := range slices.Sorted(maps.Keys(value)) {
			r.walk(value[k], k)
		}
		r.above = r.above[:len(r.above)-1]
	case []any:
		if frameKey().MatchString(key) {
			if frames := framesOf(value); len(frames) > 0 {
				r.stack(frames, key)
				return
			}
		}
		if key == "values" { // of Sentry, which begins with the cause
			value = slices.Clone(value)
			slices.Reverse(value)
		}
		for _, v := range value {
			r.walk(v, key)
		}
	}
}

// textOf returns the text of the first key that an object has, and numberOf the number.
func textOf(m map[string]any, keys ...string) string {
	for _, k := range keys {
		if text, ok := m[k].(string); ok && text != "" {
			return text
		}
	}
	return ""
}

func numberOf(m map[string]any, keys ...string) int {
	for _, k := range keys {
		switch n := m[k].(type) {
		case float64:
			if n >= 1 && n <= 1<<30 {
				return int(n)
			}
		case string:
			if at := atoi(n); at > 0 {
				return at
			}
		case map[string]any: // {"line": {"number": 12}} of Elastic APM
			return numberOf(n, "number")
		}
	}
	return 0
}

// framesOf returns the frames of an array that is a stack: of objects with files and lines. The formats of its files say in which
// language it is.
func framesOf(array []any) []crash.Frame {
	var out []crash.Frame
	placed := false
	for n, value := range array {
		m, ok := value.(map[string]any)
		if !ok || n == maxFrames {
			break
		}
		f := frameIn(m)
		if f.File == "" && f.Function == "" {
			return nil
		}
		placed = placed || f.File != "" && f.Line > 0
		out = append(out, bounded(reportLine{N: 1}, f))
	}
	if !placed {
		return nil
	}
	return out
}

// frameIn returns the frame of an object.
func frameIn(m map[string]any) crash.Frame {
	f := crash.Frame{
		File:     textOf(m, "abs_path", "absPath", "filename", "fileName", "file", "absoluteFilePath"),
		Line:     numberOf(m, "lineno", "lineNo", "lineNumber", "line_number", "lino", "line"),
		Column:   numberOf(m, "colno", "colNo", "columnNumber", "column"),
		Function: textOf(m, "function", "method", "methodName", "func", "name"),
		Quote:    strings.TrimSpace(cut(textOf(m, "context_line", "contextLine", "code"), maxText)),
	}
	if f.File == "" && textOf(m, "func") != "" {
		f.File = textOf(m, "source") // of zerolog
	}
	if text, ok := m["line"].(string); ok && f.Quote == "" && atoi(text) == 0 {
		f.Quote = strings.TrimSpace(cut(text, maxText)) // of structlog
	}
	if short := textOf(m, "filename"); strings.HasPrefix(f.File, "http") && short != "" && !strings.Contains(short, "://") {
		f.File = short // of the source, of which the other is the bundle
	}
	switch formatOf(f.File) {
	case "java":
		if class := textOf(m, "className", "class", "module"); class != "" {
			pkg := class[:max(strings.LastIndexByte(class, '.'), 0)]
			f.File = path.Join(strings.ReplaceAll(pkg, ".", "/"), path.Base(f.File))
			f.Function, f.Module = strings.ReplaceAll(class, "$", ".")+"."+f.Function, pkg
		}
	case "dotnet":
		if class := textOf(m, "className", "class", "module"); class != "" {
			f.Function = dotnetName(class + "." + f.Function)
		}
	case "javascript":
		f.File, f.Function = jsPath(f.File), jsName(f.Function)
	case "python":
		if strings.HasPrefix(f.Function, "<") {
			f.Function = ""
		}
	}
	f.Raw = titleOf(f.Function, f.File)
	return f
}

// formatOf returns the format of the stacks of a language, by the name of a file.
func formatOf(file string) string {
	switch strings.ToLower(path.Ext(file)) {
	case ".java", ".kt", ".scala", ".groovy":
		return "java"
	case ".cs", ".vb", ".fs":
		return "dotnet"
	case ".py":
		return "python"
	case ".rb":
		return "ruby"
	case ".php":
		return "php"
	case ".go":
		return "go"
	case ".rs":
		return "rust"
	case ".ex", ".exs":
		return "elixir"
	case ".dart":
		return "dart"
	case ".swift", ".m", ".mm":
		return "apple"
	case ".c", ".cc", ".cpp", ".cxx", ".h", ".hpp":
		return "minidump"
	}
	if jsFile().MatchString(file) {
		return "javascript"
	}
	return "json"
}

// stack adds the stack of an array with a key. That of the exception which is no cause comes first.
func (r *jsonFrames) stack(frames []crash.Frame, key string) {
	if key == "frames" {
		slices.Reverse(frames)
	}
	st := crash.Stack{Kind: crash.StackCrash, Format: "json", Problem: -1, Frames: frames}
	if i := slices.IndexFunc(frames, func(f crash.Frame) bool { return f.File != "" }); i >= 0 {
		st.Format = formatOf(frames[i].File)
	}
	kind, message := r.failure()
	if kind != "" || message != "" {
		p := crash.Problem{Kind: cmp.Or(kind, "error"), Message: message, Line: 1}
		p.Null = strings.HasSuffix(kind, "NullPointerException") || strings.HasSuffix(kind, "NullReferenceException")
		r.s.Fail(p)
		st.Problem, st.Title = r.s.Problem, titleOf(p.Kind, p.Message)
	}
	crashed := slices.ContainsFunc(r.s.Report.Stacks, func(s crash.Stack) bool { return s.Kind == crash.StackCrash })
	switch {
	case crashed && kind != "":
		st.Kind = crash.StackCause
	case crashed:
		st.Kind = crash.StackThread
	}
	r.s.keep(st)
}

// failure returns what the nearest object around a stack says of the failure.
func (r *jsonFrames) failure() (kind, message string) {
	for n := len(r.above) - 1; n >= max(0, len(r.above)-maxNear); n-- {
		m := r.above[n]
		if inner, ok := m["exception"].(map[string]any); ok && n == len(r.above)-1 {
			m = inner // beside the frames, of Rollbar
		}
		kind = textOf(m, "errorClass", "exc_type", "className", "class", "type", "name")
		message = textOf(m, "value", "exc_value", "message", "localizedMessage", "errorMessage")
		if kind != "" && message != "" || kind != "" && strings.HasSuffix(kind, "Exception") {
			return kind, message
		}
	}
	if n := len(r.above); n > 0 {
		return "", textOf(r.above[n-1], "error") // of zerolog
	}
	return "", ""
}

// version keeps the version that an object names as that of the program: of Sentry "1.2.0", "app@1.2.0" or the id of a commit.
func (r *jsonFrames) version(m map[string]any) {
	said := textOf(m, "release", "code_version", "codeVersion", "appVersion")
	if app, ok := m["app"].(map[string]any); ok && said == "" {
		said = textOf(app, "version")
	}
	build := &r.s.Report.Build
	if said = said[strings.LastIndexByte(said, '@')+1:]; said == "" || len(said) > maxRaw || *build != (crash.Build{}) {
		return
	}
	if isWholeID(said) || len(said) >= 7 && isMixed(said) && strings.Trim(said, "0123456789abcdef") == "" {
		build.Commit = said
	} else {
		build.Version, _, _ = strings.Cut(said, "+")
	}
}
