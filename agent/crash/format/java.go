package format

import (
	"path"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// javaReader reads the stack traces and thread dumps of the Java virtual machine, for programs in
// any language.
type javaReader struct {
	head    reportLine      // the last line that may head a stack
	rest    []string        // the lines behind head that its message goes on in
	kind    crash.StackKind // of the stack that head announces
	thread  string
	test    reportLine // that failed, and its line
	reason  int        // the line "Reason" of HockeyApp, which names the exception behind its stack
	part    reportLine // the beginning of a wrapped frame
	service int        // the line in which Bugsnag names the exception; its message comes next
}

// Limits on the lines of an exception's message: up to its first frame, and that are read.
const (
	maxMessage = 40
	maxRest    = 3
)

var (
	javaFrame = source.Lazy("(?:^|[\\s|!:>])at ((?:[\\w.@+-]*/){0,2})([\\pL_$][^()\"=,]*)\\(([^()]*)\\)(?:\\W{0,2}\\[([^\\]\\s]*)\\])?")
	javaPlace = source.Lazy(
		`^(?:([\w.]+)(?:@[\w.+-]*)?/)?([^\s:/\\]+\.(?:java|kts?|scala|groovy|gradle|clj[cs]?|aj|jsp|rb|xtend|sc)|SourceFile|Unknown Source|Native Method|<generated>|<eval>|NO_SOURCE_FILE|D8\$\$SyntheticClass|r8-map-id-\w+)(?::(-?\d+))?$`,
	)
	javaPart = source.Lazy(`^at(?: (?:[\w$]+\.)+[\w$<>]*(?:\([\w$.:]*)?)?$`)
	javaRest = source.Lazy(`^[\w$.<>]*\([^()]+\)$`)
	// What a terminal of 80 columns left of a place: "ources.java:491)".
	javaClosing = source.Lazy(`^[\w$.:]*\)$`)
	javaMore    = source.Lazy(`^\.\.\. (\d+) (?:more|common frames)`)
	// The class of an exception, anywhere in a line.
	javaError = source.Lazy(
		`(?:^|[\s"'\]:!])((?:[A-Za-z_]\w*\.)+[\w$]*(?:Exception|Error|Throwable|Failure|Death|Interrupt|Abort)[\w$]*)(?:: ?(.*)|:?)$`,
	)
	javaClass = source.Lazy(`^((?:[a-z_]\w*\.)+[A-Z][\w$]*)(?:: (.*)|:?)$`)
	javaIn    = source.Lazy(`^Exception in thread "(.*)" ?(.*)$`)
	javaDump  = source.Lazy(`^"([^"]+)"(?:.*(?:prio=|tid=|nid=|Id=\d)|:$)`)
	// A frame without its "at".
	javaTrimmed = source.Lazy(`^((?:[\w$]+\.)+[\w$<>]+)\(([\w$]+\.(?:java|kt|scala|groovy):\d+)\)$`)
	// A frame of a fuzzer: org.example.Foo.bar::Foo.java:12
	javaColons = source.Lazy(`^((?:[\w$]+\.)+[\w$<>]+)::([\w$]+\.(?:java|kt|scala|groovy):\d+)$`)
	// A frame of HockeyApp: sync.Uploader;run;Uploader.java;93
	javaFields = source.Lazy(`^(?:<pre>)?((?:[\w$]+\.)*[\w$]+);([\w$<>]+);([\w$]+\.(?:java|kt));(\d+)(?:</pre>)?$`)
	// A frame of Bugsnag, in an issue that it makes and on its pages, and the exception before it: **java.lang.Error** in **Foo.java:12**
	javaNamed   = source.Lazy(`^([\w$]+\.(?:java|kts?|scala|groovy)|SourceFile|Unknown):(-?\d+)(?: -)? ((?:[\w$]+\.)+[\w$<>-]+)$`)
	javaBugsnag = source.Lazy(`^\*\*((?:[a-z_]\w*\.)+[A-Z][\w$]*)\*\* in \*\*.*\*\*$`)
	javaBecause = source.Lazy(`^(?i)(?:caused by|cause \d+|wrapped by):? *`)
	// An exception in the short form of Gradle: java.lang.AssertionError at FooTest.java:12
	javaShort = source.Lazy(`^(Caused by: )?((?:[A-Za-z_]\w*\.)+[\w$]+) at ([\w$-]+\.(?:java|kt|groovy|scala)):(-?\d+)$`)
	javaCause = source.Lazy(`^(?i)(?:(?:caused by|cause \d+|wrapped by):|caused by [\w.]+[:.])`)
	// A failed test of Surefire: testBar(org.Foo)  Time elapsed: 0.1 sec  <<< ERROR!, or org.Foo.testBar -- Time ...
	javaTest = source.Lazy(`^([^\s(:]+)(?:\(([\w.$]+)\))?(?: --)? +Time elapsed: .*<<< (?:FAILURE|ERROR)!`)
	// The line of Maven with the message of an exception in a plugin.
	mavenFailed = source.Lazy(`^Failed to execute goal (\S+) .*\bfailed[.:]* (\S.*?) -> \[Help \d+\]$`)
	javaSimple  = source.Lazy(`^\w+$`)
	javaLock    = source.Lazy(`^- +(?:waiting|locked|parking|eliminated|None)\b`)

	// Names that compilers derive from a function's own.
	kotlinLambda = source.Lazy(`^([\w.$]*?)\$([a-z_]\w*)\$\d[\w$]*\.(?:invoke|invokeSuspend)$`)
	kotlinSuffix = source.Lazy(`(\.[A-Za-z_]\w*)(?:-[\w-]{7})?(?:\$(?:default|suspendImpl|lambda(?:[-$]\d+)+|[a-z][a-z_]*))*$`)
	scalaClosure = source.Lazy(`\$\$anonfun\$(?:\w+\$\$)?([A-Za-z]\w*)\$\d+.*\.apply[\w$]*$`)
	scalaLocal   = source.Lazy(`^\.([A-Za-z]\w*)\$\d+$`)
	javaHidden   = source.Lazy(`\$\$Lambda[^.]+\.`)
	javaLambda   = source.Lazy(`(?:lambda\$|\$anonfun\$)(?:\$?new\$|)([A-Za-z_]\w*)(?:\$\d+)+(?:\$[A-Z]\w*)?$|\.(\w+)\$lambda\$\d+$`)
)

// Read implements lineReader.
func (j *javaReader) Read(s *scanner, l reportLine) bool {
	l.Text = javaOwnForm(l.Text)
	t := l.Text
	switch {
	case t == "" || len(t) > maxRaw*10:
		return false
	case j.part.Text != "":
		l = j.joined(l)
		return j.frame(s, l) || j.heads(s, l)
	case strings.HasPrefix(t, "**") && javaBugsnag().MatchString(t):
		l.Text = javaBugsnag().ReplaceAllString(t, "$1:")
		j.heading(l, crash.StackCrash)
		j.service = l.N
		return true
	case j.service > 0 && l.N == j.service+1 && j.head.N == j.service && t[0] != '[':
		j.head.Text += " " + t
		return true
	case strings.Contains(t, " at ") && strings.Contains(t, ":") && javaShort().MatchString(t):
		return j.short(s, l)
	case strings.HasPrefix(t, "## ") && strings.Trim(t, "# ") == "Reason" && s.IsOpen("java") && s.Open.Title == "":
		j.reason = l.N
		return true
	case j.reason > 0 && l.N-j.reason <= 2:
		return j.because(s, l)
	case strings.HasPrefix(t, "at") && javaPart().MatchString(t) && (s.IsOpen("java") || j.head.Text != "" && l.N-j.head.N <= maxRest):
		j.part = l
		return true
	case strings.IndexByte(t, '(') > 0:
		if i := strings.Index(t, "at "); i >= 0 && dotted(t[i:]) {
			if head := strings.TrimSpace(t[:i]); javaError().MatchString(head) { // the first frame in the line of the exception
				before := l
				before.Text = head
				j.heads(s, before)
			}
			if j.frame(s, l) {
				return true
			}
		}
		if t[len(t)-1] == ')' && strings.Contains(t, ":") && javaTrimmed().MatchString(t) {
			l.Text = "at " + t
			return j.frame(s, l)
		}
	case strings.HasPrefix(t, "...") && s.IsOpen("java"):
		if m := javaMore().FindStringSubmatch(t); m != nil {
			s.Open.Omitted += atoi(m[1])
			return true
		}
		return t == "..."
	case t[0] == '"':
		if m := javaDump().FindStringSubmatch(t); m != nil {
			j.heading(l, crash.StackThread)
			j.thread = m[1]
			return true
		}
	case t[0] == '-' && s.IsOpen("java") && javaLock().MatchString(t):
		return true
	}
	return j.heads(s, l)
}

// javaOwnForm returns a frame that another program shows as Java prints it, without what a library puts before it; other lines are as they
// were.
func javaOwnForm(t string) string {
	switch {
	case strings.HasPrefix(t, "STACK_TRACE="): // of ACRA, a library of Android for reports
		return strings.TrimPrefix(t, "STACK_TRACE=")
	case len(t) > maxRaw*10:
		return t
	case strings.Contains(t, "::"):
		return javaColons().ReplaceAllString(t, "at ${1}($2)")
	case strings.Contains(t, ";"):
		return javaFields().ReplaceAllString(t, "at ${1}.${2}(${3}:${4})")
	case strings.Count(t, " ") < 3 && strings.Contains(t, ":"):
		if m := javaNamed().FindStringSubmatch(t); m != nil && strings.Contains(m[1], ".") {
			return "at " + m[3] + "(" + m[1] + ":" + m[2] + ")"
		} else if m != nil {
			return "at " + m[3] + "(Unknown Source)"
		}
	}
	return t
}

// short reads an exception of a test as Gradle prints it, with the place of the innermost frame that is not of a library.
func (j *javaReader) short(s *scanner, l reportLine) bool {
	m := javaShort().FindStringSubmatch(l.Text)
	s.Fail(crash.Problem{Kind: m[2], Line: l.N})
	kind := crash.StackCrash
	if m[1] != "" {
		kind = crash.StackCause
	}
	s.Begin(crash.Stack{Kind: kind, Format: "java", Title: m[2]})
	f := crash.Frame{File: m[3]}
	if m[4][0] != '-' { // as -2 of native code
		f.Line = atoi(m[4])
	}
	s.Add(l, f)
	s.Close()
	return true
}

// because takes the exception behind the word "Reason" for that of the open stack.
func (j *javaReader) because(s *scanner, l reportLine) bool {
	j.reason = 0
	kind, message := exceptionIn(l.Text)
	if kind == "" || !s.IsOpen("java") {
		return false
	}
	s.Fail(crash.Problem{Kind: kind, Message: message, Line: l.N})
	s.Open.Problem, s.Open.Title = s.Problem, titleOf(kind, message)
	return true
}

// dotted is a quick test that rejects most other lines: a method has a dot in its name.
func dotted(t string) bool {
	name, _, ok := strings.Cut(t, "(")
	return ok && strings.IndexByte(name, '.') > 0
}

// heads notes a line that may head a stack. Other formats may read the line too.
func (j *javaReader) heads(s *scanner, l reportLine) bool {
	t, last := l.Text, j.head.N
	switch {
	case len(t) > 6 && (t[0] == 'C' || t[0] == 'c' || t[0] == 'W') && javaCause().MatchString(t):
		j.heading(l, crash.StackCause)
	case strings.HasPrefix(t, "Suppressed:"):
		j.heading(l, crash.StackSuppressed)
	case strings.HasPrefix(t, `Exception in thread "`):
		j.test = reportLine{} // of a program behind the tests
		j.heading(l, crash.StackCrash)
	case strings.HasPrefix(t, "Failed to execute goal ") && mavenFailed().MatchString(t):
		j.heading(l, crash.StackCrash)
	case strings.Contains(t, " <<< "):
		if m := javaTest().FindStringSubmatch(t); m != nil {
			j.test = reportLine{N: l.N, Text: strings.TrimPrefix(m[2]+"."+m[1], ".")}
		}
	case j.head.Text != "" && j.head.Text[len(j.head.Text)-1] == ':' && j.kind == crash.StackCause && l.N == j.head.N+1 && javaError().MatchString(t):
		j.heading(l, crash.StackCause)
	case mayNameError(t) && javaError().MatchString(t), mayBeClass(t) && javaClass().MatchString(t):
		// A message may name further exceptions.
		if j.head.Text == "" || j.head.N <= s.Last || l.N-j.head.N > maxMessage || j.kind == crash.StackThread {
			j.heading(l, crash.StackCrash)
		}
	}
	if j.head.N == last && j.head.Text != "" && j.kind != crash.StackThread && len(j.rest) < maxRest && l.N == last+1+len(j.rest) {
		j.rest = append(j.rest, t)
	}
	return false
}

// mayNameError and mayBeClass are quick tests that reject most other lines.
func mayNameError(t string) bool {
	if strings.IndexByte(t, '.') < 0 {
		return false
	}
	for _, word := range []string{"Exception", "Error", "Throwable", "Failure", "Death", "Interrupt", "Abort"} {
		if strings.Contains(t, word) {
			return true
		}
	}
	return false
}

func mayBeClass(t string) bool {
	if end := strings.IndexAny(t, ": "); end >= 0 {
		if t[end] == ' ' {
			return false
		}
		t = t[:end]
	}
	return strings.IndexByte(t, '.') > 0
}

func (j *javaReader) heading(l reportLine, kind crash.StackKind) {
	j.head, j.rest, j.kind, j.thread = l, nil, kind, ""
}

// joined joins a frame that was wrapped after "at", or within the name of its method or its place, with the next line.
func (j *javaReader) joined(l reportLine) reportLine {
	part := j.part.Text
	j.part = reportLine{}
	switch {
	case part == "at":
		l.Text = "at " + l.Text
	case strings.Contains(part, "(") && javaClosing().MatchString(l.Text), javaRest().MatchString(l.Text):
		l.Text = part + l.Text
	}
	return l
}

// frame reads "at org.example.Foo.bar(Foo.java:12)" and any text around it.
func (j *javaReader) frame(s *scanner, l reportLine) bool {
	m := javaFrame().FindStringSubmatch(l.Text)
	if m == nil {
		return false
	}
	place := javaPlace().FindStringSubmatch(m[3])
	name := strings.TrimSpace(m[2])
	if m[3] == "" && s.IsOpen("java") && s.Since(l) == 1 && strings.HasPrefix(l.Text, "at ") {
		place = make([]string, 4) // R8 leaves out the place of what it made
	}
	if place == nil || !strings.Contains(name, ".") {
		return false
	}
	if j.head.N > s.Last || !s.IsOpen("java") || s.Since(l) > maxMessage {
		j.begin(s, l)
	}
	s.Add(l, javaFrameOf(m[1], name, place, m[4]))
	return true
}

// begin opens the stack that the last heading announced.
func (j *javaReader) begin(s *scanner, l reportLine) {
	st := crash.Stack{Kind: crash.StackCrash, Format: "java"}
	if j.head.Text != "" && l.N-j.head.N <= maxMessage && j.head.N > s.Last {
		st.Kind, st.Thread = j.kind, j.thread
		text := j.head.Text
		if m := javaIn().FindStringSubmatch(text); m != nil {
			st.Thread, text = m[1], m[2]
		}
		if kind, message := exceptionIn(text); kind != "" && j.kind != crash.StackThread {
			begun := (message != "" || strings.HasSuffix(text, ":")) && !mavenFailed().MatchString(text)
			if begun && len(j.rest) > 0 && l.N <= j.head.N+len(j.rest)+2 { // the "at" of a frame may be on a line of its own
				message = strings.TrimSpace(message + " " + strings.Join(j.rest, " "))
			}
			s.Fail(crash.Problem{Kind: kind, Message: message, Line: j.head.N})
			st.Title = titleOf(kind, message)
		}
	}
	if st.Kind == crash.StackCrash {
		if l.N-j.test.N <= maxMessage {
			st.Test = j.test.Text
		}
		j.test = reportLine{}
	}
	s.Begin(st)
	j.head = reportLine{}
}

// exceptionIn returns the class and the message of the exception in a heading.
func exceptionIn(text string) (kind, message string) {
	if m := mavenFailed().FindStringSubmatch(text); m != nil {
		if javaSimple().MatchString(m[2]) { // an exception without a message
			return m[2], "goal " + m[1] + " failed"
		}
		return "goal " + m[1] + " failed", m[2]
	}
	text = javaBecause().ReplaceAllString(text, "")
	text = strings.TrimSpace(strings.TrimPrefix(text, "Suppressed:"))
	m := javaClass().FindStringSubmatch(text)
	if m == nil {
		m = javaError().FindStringSubmatch(text)
	}
	switch {
	case m == nil:
		return "", ""
	case m[2] == "null": // loggers print null for no message
		m[2] = ""
	}
	if rest, ok := strings.CutPrefix(m[1], "null"); ok && strings.HasPrefix(rest, "java") {
		m[1] = rest // and for none before the exception
	}
	return m[1], m[2]
}

// javaFrameOf makes a frame from the parts of its line. The file is in the directories of the
// class's package.
func javaFrameOf(loader, name string, place []string, jar string) crash.Frame {
	class, pkg := "", ""
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		class = name[:i]
	}
	if i := strings.Index(class, "$$Lambda"); i > 0 {
		class = class[:i]
	}
	if i := strings.LastIndexByte(class, '.'); i > 0 {
		pkg = class[:i]
	}
	f := crash.Frame{Module: pkg}
	if n := atoi(place[3]); n > 0 {
		f.Line = n
	}
	file := place[2]
	if file == "SourceFile" && f.Line > 0 && pkg != "" { // R8 left out the name, which is that of the class
		outer, _, _ := strings.Cut(class[len(pkg)+1:], "$")
		file = strings.TrimSuffix(outer, "Kt") + ".java"
	}
	if strings.Contains(file, ".") && !strings.HasPrefix(file, "<") {
		f.File = file
		if pkg != "" {
			f.File = strings.ReplaceAll(pkg, ".", "/") + "/" + file
		}
	}
	module, _, _ := strings.Cut(strings.Trim(loader, "/"), "@")
	jar, _, _ = strings.Cut(jar, ":")
	switch {
	case strings.HasSuffix(jar, ".jar"):
		f.Module = jar
	case place[1] != "":
		f.Module = place[1]
	case module != "" && module != "app" && module != "platform":
		f.Module = module[strings.LastIndexByte(module, '/')+1:]
	}
	switch f.Function = javaName(name); path.Ext(f.File) {
	case ".kt":
		f.Function = javaName(kotlinName(name))
	case ".scala":
		f.Function = scalaMethod(f.Function)
	}
	if f.Function != name {
		f.Symbol = name
	}
	return f
}

// kotlinName returns the name of the function that a frame of Kotlin is in: around a lambda, without the hash for its value classes, and
// without the name of its module.
func kotlinName(name string) string {
	name = kotlinLambda().ReplaceAllString(name, "$1.$2")
	if strings.Contains(name, ".access$") {
		return name
	}
	return kotlinSuffix().ReplaceAllString(name, "$1")
}

// javaName returns the name of a method as written in the source: a lambda and an anonymous
// function have the name of the method around them, and an inner class is separated by a dot.
func javaName(name string) string {
	name = javaHidden().ReplaceAllString(name, "$$$$Lambda.")
	name = strings.ReplaceAll(strings.TrimSuffix(name, "$adapted"), "$.", ".")
	name = scalaClosure().ReplaceAllString(name, ".$1")
	if i := strings.LastIndexByte(name, '.'); i > 0 && !strings.HasPrefix(name[i:], ".access$") {
		if m := scalaLocal().FindStringSubmatch(name[i:]); m != nil {
			name = name[:i+1] + m[1]
		}
		if m := javaLambda().FindStringSubmatch(name[i:]); m != nil {
			name = name[:i+1] + m[1] + m[2]
		}
	}
	if !strings.Contains(name, "$") {
		return name
	}
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		c := name[i]
		inner := c == '$' && i > 0 && i+1 < len(name) && source.IsIdentByte(name[i-1]) && name[i-1] != '$' &&
			source.IsIdentByte(name[i+1]) && !source.IsDigit(name[i+1]) && name[i+1] != '$' && strings.IndexByte(name[i:], '.') > 0
		if inner {
			c = '.'
		}
		b.WriteByte(c)
	}
	return b.String()
}
