package format

import (
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// javaScriptReader reads the stacks of V8, as Node.js, Deno and Chromium print them,
// and those of Firefox and Safari.
type javaScriptReader struct {
	head  reportLine // the last line that may head a stack
	cause bool       // head is the cause of the error before
	place reportLine // "file.js:12" before the code that failed
	quote string     // the line after place
	test  jestTest   // that failed
	above reportLine // the last line that may be the name of a function
}

var (
	// A path may have groups of routes, and layers of a bundle of Next.js: (app)/page.tsx, webpack-internal:///(rsc)/./src/app/page.tsx.
	jsCall   = source.Lazy(`^at (?:(.+) )?\((?:[^()]*\([^()]*\), )?((?:[^()]|\([^()\s]*\)/)+?):(\d+)(?::(\d+))?\)(?:,|;| \{)?$`)
	jsBare   = source.Lazy(`^at (?:async )?(\S.*?):(\d+):(\d+)(?:,| \{)?$`)
	jsOpaque = source.Lazy(`^at (?:(.+) \((?:native|<anonymous>|index \d+|native code|unknown.*)\)|(<anonymous>))(?: \{)?$`)
	jsOther  = source.Lazy(`^([\w$.*<>/\[\]]*)@(\S+?):(\d+):(\d+)$`)
	jsFile   = source.Lazy(
		`\.(?:[cm]?[jt]sx?|vue|svelte|sol|coffee|es6|jsbundle|bundle|wasm)(?:[?#]\S*)?$|^(?:node:|internal/|https?://|webpack(?:-internal)?:/|evalmachine\.|file://|app:///|rsc://|ng://|bun:|ext:)`,
	)
	jsError = source.Lazy(`(?:^|[\s\]:(>])([A-Za-z_$][\w$.]*(?:Error|Exception)|Error)(?: \[[\w.-]+\])?(?:: (.*))?$`)
	// A place of the page on which Next.js shows an error, behind the function or on the line below it, and a frame as consoles of
	// browsers show it.
	jsShown   = source.Lazy(`^(?:(\S+) )?(\S+?\.[cm]?[jt]sx?) \((\d+):(\d+)\)(?: @ .+)?$`)
	jsConsole = source.Lazy(`^([\w$.<>/()\[\]]+) (?:@ )?(\S+\.[cm]?[jt]sx?):(\d+)(?::(\d+))?$`)
	jsAlone   = source.Lazy(`^[\w$.<>]+$`)
	jsMarked  = source.Lazy(`^> (\d+) \| *(.*)$`)
	// The message of a TypeError or a ReferenceError of V8 without the name, as bundlers print it.
	jsUnnamed = source.Lazy(`^(?:Cannot (?:read propert(?:y|ies)|set propert(?:y|ies)|access|destructure|convert|use) .+|.{1,100} is not (?:a function|a constructor|iterable|defined|an object))$`)
	jsPlace   = source.Lazy(`^((?:/|[A-Za-z]:\\|file://)\S[^:]*\.[cm]?[jt]sx?):(\d+)$`)
	// What bundlers put before the path of a script, with the name of the bundle or its layer.
	jsBundle = source.Lazy(`^(?:rsc://React/\w+/)?webpack(?:-internal)?://(?:/?(?:\([\w-]+\)/|[\w@.-]+/)?\./|/)`)
	jsQuery  = source.Lazy(`[?#][^/]*$`)
)

// jsShownBelow is the number of lines from an error to its first frame on a page.
const jsShownBelow = 6

// Read implements lineReader.
func (j *javaScriptReader) Read(s *scanner, l reportLine) bool {
	t := l.Text
	switch {
	case j.place.N > 0 && l.N == j.place.N+1 && len(t) <= maxText:
		j.quote = t
		return false
	case t == "" || len(t) > maxText:
		return false
	case strings.HasPrefix(t, "at "):
		return j.frame(s, l)
	}
	j.test.read(l)
	if (s.IsOpen("javascript") || j.head.N > 0 && l.N-j.head.N <= jsShownBelow) && j.shown(s, l) {
		return true
	}
	switch {
	case strings.IndexByte(t, '@') >= 0 && source.IsDigit(t[len(t)-1]) && j.other(s, l):
		return true
	case strings.Contains(t, "Error"), strings.Contains(t, "Exception"):
		if jsError().MatchString(t) && (j.head.Text == "" || s.IsOpen("javascript") || l.N-j.head.N > 3 || strings.HasSuffix(j.head.Text, "untime Error")) {
			j.head, j.cause = l, strings.Contains(t, "[cause]:") || strings.HasPrefix(t, "Caused by:")
		}
	case strings.HasPrefix(t, "Cannot ") || strings.Contains(t, " is not "):
		if jsUnnamed().MatchString(t) && (j.head.Text == "" || l.N-j.head.N > 3) {
			j.head, j.cause = l, false
			j.head.Text = "TypeError: " + t
		}
	case t[0] == '/' || strings.Contains(t, ":\\") || strings.HasPrefix(t, "file://"):
		if jsPlace().MatchString(t) {
			j.place, j.quote = l, ""
		}
	}
	return false
}

// frame reads a line that begins with "at".
func (j *javaScriptReader) frame(s *scanner, l reportLine) bool {
	t := l.Text
	end := strings.TrimRight(t, " {,;")
	open := s.IsOpen("javascript")
	switch {
	case end == "at":
		return false
	case open || l.N-j.head.N == 1 && j.head.Text != "":
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
	if source.IsDigit(end[len(end)-1]) {
		m := jsBare().FindStringSubmatch(t)
		return m != nil && jsFile().MatchString(m[1]) && j.add(s, l, "", m[1:])
	}
	return false
}

// shown reads a frame of a page of Next.js, whose function may be on the line above, its code, or a frame of a console, which is below
// another one or right below the error.
func (j *javaScriptReader) shown(s *scanner, l reportLine) bool {
	t := l.Text
	if jsAlone().MatchString(t) && t != "Source" {
		j.above = l
	}
	if t[len(t)-1] == ')' || strings.Contains(t, ") @ ") {
		m := jsShown().FindStringSubmatch(t)
		if m == nil {
			return false
		}
		name := m[1] // behind the @ may be what the line calls
		if name == "" && j.above.N == l.N-1 {
			name = j.above.Text
		}
		return j.add(s, l, name, m[2:])
	}
	if m := jsMarked().FindStringSubmatch(t); m != nil && s.IsOpen("javascript") && len(s.Open.Frames) > 0 {
		if f := &s.Open.Frames[len(s.Open.Frames)-1]; atoi(m[1]) == f.Line && f.Quote == "" {
			f.Quote = m[2]
			s.Last = l.N
		}
		return false
	}
	if !source.IsDigit(t[len(t)-1]) || l.N-max(j.head.N, s.Last) > 1 {
		return false
	}
	m := jsConsole().FindStringSubmatch(t)
	return m != nil && j.add(s, l, strings.TrimRight(m[1], "/<"), m[2:])
}

// other reads a frame of Firefox or Safari, "fn@file.js:1:2".
func (j *javaScriptReader) other(s *scanner, l reportLine) bool {
	m := jsOther().FindStringSubmatch(l.Text)
	return m != nil && jsFile().MatchString(m[2]) && j.add(s, l, strings.TrimRight(m[1], "/<"), m[2:])
}

// add adds a frame, and opens the stack that the last heading announced.
func (j *javaScriptReader) add(s *scanner, l reportLine, name string, place []string) bool {
	if !s.IsOpen("javascript") || s.Since(l) > 10 || j.head.N > s.Last || j.test.line > s.Last {
		j.begin(s, l)
	}
	f := crash.Frame{File: jsPath(place[0]), Line: atoi(place[1]), Column: atoi(place[2])}
	f.Function = jsName(name)
	if f.Function != name && f.Function != "" {
		f.Symbol = name
	}
	if m := jsPlace().FindStringSubmatch(j.place.Text); m != nil && jsPath(m[1]) == f.File && atoi(m[2]) == f.Line {
		f.Quote = j.quote
		j.place, j.quote = reportLine{}, ""
	} else if text := j.test.code[f.Line]; text != "" && j.test.heads(l) && len(s.Open.Frames) == 0 {
		f.Quote = text
	}
	s.Add(l, f)
	return true
}

// begin opens the stack of the last named error.
func (j *javaScriptReader) begin(s *scanner, l reportLine) {
	st := crash.Stack{Kind: crash.StackCrash, Format: "javascript"}
	failed := j.test.heads(l) && j.test.line > s.Last
	if failed {
		st.Test = j.test.name
	}
	if p, ok := j.test.failure(); ok && failed && j.head.N < j.test.line {
		s.Fail(p)
		st.Title = titleOf(p.Kind, p.Message)
		j.head = reportLine{}
	}
	if j.head.Text != "" && l.N-j.head.N <= maxMessage {
		if j.cause {
			st.Kind = crash.StackCause
		}
		m := jsError().FindStringSubmatch(j.head.Text)
		s.Fail(crash.Problem{Kind: m[1], Message: m[2], Line: j.head.N})
		st.Title = titleOf(m[1], m[2])
		j.syntax(s)
	}
	j.head = reportLine{}
	s.Begin(st)
}

// syntax records the place of a syntax error, which is not in any frame.
func (j *javaScriptReader) syntax(s *scanner) {
	if j.place.Text == "" || j.head.N-j.place.N > 10 || !strings.HasPrefix(j.head.Text, "SyntaxError") {
		return
	}
	m := jsPlace().FindStringSubmatch(j.place.Text)
	s.AddPlace(j.place, "javascript", crash.Frame{File: jsPath(m[1]), Line: atoi(m[2]), Quote: j.quote})
	j.place, j.quote = reportLine{}, ""
}

// jsPath returns the path of a script from the name that a browser or a bundler gives it.
func jsPath(file string) string {
	file = jsQuery().ReplaceAllString(file, "")
	if rest, ok := strings.CutPrefix(file, "file://"); ok {
		file = rest
		if len(file) > 2 && file[0] == '/' && file[2] == ':' {
			file = file[1:] // file:///C:/dir
		}
	}
	if m := jsBundle().FindStringIndex(file); m != nil {
		return file[m[1]:]
	}
	return file
}

// jsName returns a function's name without V8's remarks about the call.
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
