package format

import (
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// javascript reads the stacks of V8, as Node.js, Deno and Chromium print them,
// and those of Firefox and Safari.
type javascript struct {
	head  line // the last line that may head a stack
	cause bool // it is the cause of the error before
	place line // "file.js:12" before the code of a syntax error
}

var (
	jsCall   = source.Lazy(`^at (?:(.+) )?\((?:[^()]*\([^()]*\), )?([^()]+?):(\d+)(?::(\d+))?\)(?:,|;| \{)?$`)
	jsBare   = source.Lazy(`^at (?:async )?(\S.*?):(\d+):(\d+)(?:,| \{)?$`)
	jsOpaque = source.Lazy(`^at (?:(.+) \((?:native|<anonymous>|index \d+|native code|unknown.*)\)|(<anonymous>))(?: \{)?$`)
	jsOther  = source.Lazy(`^([\w$.*<>/\[\]]*)@(\S+?):(\d+):(\d+)$`)
	jsFile   = source.Lazy(`\.(?:[cm]?[jt]sx?|vue|svelte|coffee|es6|jsbundle|bundle|wasm)(?:[?#]\S*)?$|^(?:node:|internal/|https?://|webpack(?:-internal)?:/|evalmachine\.|file://|app:///|ng://|bun:|ext:)`)
	jsError  = source.Lazy(`(?:^|[\s\]:(>])([A-Za-z_$][\w$.]*(?:Error|Exception)|Error)(?: \[[\w.-]+\])?(?:: (.*))?$`)
	jsPlace  = source.Lazy(`^((?:/|[A-Za-z]:\\|file://)\S[^:]*\.[cm]?[jt]sx?):(\d+)$`)
	jsQuery  = source.Lazy(`[?#][^/]*$`)
)

func (j *javascript) read(s *scanner, l line) bool {
	t := l.text
	switch {
	case t == "" || len(t) > maxText:
		return false
	case strings.HasPrefix(t, "at "):
		return j.frame(s, l)
	case strings.IndexByte(t, '@') >= 0 && isDigit(t[len(t)-1]) && j.other(s, l):
		return true
	case strings.Contains(t, "Error"), strings.Contains(t, "Exception"):
		if jsError().MatchString(t) && (j.head.text == "" || s.isOpen("javascript") || l.n-j.head.n > 3) {
			j.head, j.cause = l, strings.Contains(t, "[cause]:") || strings.HasPrefix(t, "Caused by:")
		}
	case t[0] == '/' || strings.Contains(t, ":\\") || strings.HasPrefix(t, "file://"):
		if jsPlace().MatchString(t) {
			j.place = l
		}
	}
	return false
}

// frame reads a line that begins with "at".
func (j *javascript) frame(s *scanner, l line) bool {
	t := l.text
	end := strings.TrimRight(t, " {,;")
	open := s.isOpen("javascript")
	switch {
	case end == "at":
		return false
	case open || l.n-j.head.n == 1 && j.head.text != "":
		if m := jsOpaque().FindStringSubmatch(t); m != nil {
			return j.add(s, l, m[1]+m[2], []string{"", "", ""})
		}
	case strings.Count(t, ":") < 2:
		return false
	}
	if end[len(end)-1] == ')' {
		m := jsCall().FindStringSubmatch(t)
		return m != nil && (open || jsFile().MatchString(m[2])) && j.add(s, l, m[1], m[2:])
	}
	if isDigit(end[len(end)-1]) {
		m := jsBare().FindStringSubmatch(t)
		return m != nil && jsFile().MatchString(m[1]) && j.add(s, l, "", m[1:])
	}
	return false
}

// other reads a frame of Firefox or Safari, "fn@file.js:1:2".
func (j *javascript) other(s *scanner, l line) bool {
	m := jsOther().FindStringSubmatch(l.text)
	return m != nil && jsFile().MatchString(m[2]) && j.add(s, l, strings.TrimRight(m[1], "/<"), m[2:])
}

// add adds a frame, and opens the stack that the last heading announced.
func (j *javascript) add(s *scanner, l line, name string, place []string) bool {
	if !s.isOpen("javascript") || s.since(l) > 10 || j.head.n > s.last {
		j.begin(s, l)
	}
	f := crash.Frame{File: jsPath(place[0]), Line: atoi(place[1]), Column: atoi(place[2])}
	f.Function = jsName(name)
	if f.Function != name && f.Function != "" {
		f.Symbol = name
	}
	s.add(l, f)
	return true
}

// begin opens the stack of the error that was named last.
func (j *javascript) begin(s *scanner, l line) {
	st := crash.Stack{Kind: crash.StackCrash, Format: "javascript"}
	if j.head.text != "" && l.n-j.head.n <= maxMessage {
		if j.cause {
			st.Kind = crash.StackCause
		}
		m := jsError().FindStringSubmatch(j.head.text)
		s.fail(crash.Problem{Kind: m[1], Message: m[2], Line: j.head.n})
		st.Title = titleOf(m[1], m[2])
		j.syntax(s)
	}
	j.head = line{}
	s.begin(st)
}

// syntax records the place of a syntax error, which is in no frame.
func (j *javascript) syntax(s *scanner) {
	if j.place.text == "" || j.head.n-j.place.n > 10 || !strings.HasPrefix(j.head.text, "SyntaxError") {
		return
	}
	m := jsPlace().FindStringSubmatch(j.place.text)
	s.addPlace(j.place, "javascript", crash.Frame{File: jsPath(m[1]), Line: atoi(m[2])})
	j.place = line{}
}

// jsPath returns the path of a script that a browser or a bundler names.
func jsPath(file string) string {
	file = jsQuery().ReplaceAllString(file, "")
	if rest, ok := strings.CutPrefix(file, "file://"); ok {
		file = rest
		if len(file) > 2 && file[0] == '/' && file[2] == ':' {
			file = file[1:] // file:///C:/dir
		}
	}
	for _, scheme := range []string{"webpack-internal:///", "webpack:///", "webpack://"} {
		if rest, ok := strings.CutPrefix(file, scheme); ok {
			return strings.TrimPrefix(rest, "./")
		}
	}
	return file
}

// jsName returns a function's name without what V8 says of the call.
func jsName(name string) string {
	if i := strings.Index(name, " [as "); i > 0 {
		name = name[:i]
	}
	for _, word := range []string{"async ", "new "} {
		name = strings.TrimPrefix(name, word)
	}
	if name == "<anonymous>" || name == "?" {
		return ""
	}
	return name
}
