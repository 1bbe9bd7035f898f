package format

import (
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// dotNetReader reads the stack traces of .NET and Mono. The stacks of inner exceptions come
// before the stack of the exception that they caused.
type dotNetReader struct {
	heads   []dotnetHead // the exceptions whose stacks are still to come, the outermost first
	bare    bool         // the frames of the open stack have no "at"
	wrapped int          // the last line that ends with the word that begins a frame
	reason  int          // the line "Reason" of App Center, which names the exception behind its stack
}

type dotnetHead struct {
	kind, message string
	line          int
}

// maxInner limits the nested exceptions that are distinguished.
const maxInner = 16

var (
	// The words before a method and before its file, in the languages of .NET Framework.
	dotnetAt = map[string]bool{
		"at": true, "bei": true, "à": true, "en": true, "в": true, "w": true, "v": true, "in": true, "em": true, "bij": true, "vid": true,
		"场所": true, "場所": true, "在": true, "於": true, "위치:": true,
	}
	dotnetFrame = source.Lazy(
		`^(?:at|bei|à|en|в|w|v|in|em|bij|vid|场所|場所|在|於|위치:) ([\pL_<][^()\s]*(?:, [^()\s]+\]*)*) ?\(([^()]*)\)(?: \[0x[0-9a-f]+\]| <0x[^>]*>| \+ 0x[0-9a-f]+| in offset \d+)?` +
			`(?: (?:in|dans|en|в|w|v|na|i|位置|場所|于|於|파일) (.+?): ?(?:\pL+ ?)?(\d+))?[. ]*$`,
	)
	dotnetError = source.Lazy(`(?:^|[\s:>\]=])((?:[A-Za-z_]\w*\.)*\w*Exception)(?: \(0x[0-9A-Fa-f]+\))?(?:: ?(.*))?$`)
	// A frame of App Center: N.C.M(Type name) in file:line 12;N, and of Mono N.C.M (Type name) [0x00031] in file:12;N.C
	dotnetCenter = source.Lazy(
		`^((?:在 )?[\pL_<][^()\s]* ?\([^()]*\)(?: \[0x[0-9a-f]+\])?(?: (?:in|en|dans) .+?:(?:\pL+ )?\d+)?);([\w.]+)$`,
	)
	// A frame of HockeyApp for .NET: N.C;M;file;line, most often without the last two.
	dotnetFields = source.Lazy("^(?:<pre>)?((?:[\\w`<>+]+\\.)+[\\w`<>+]+);([\\w.<>`]+);([^;]*);(\\d*)(?:</pre>)?$")
	// A frame of Unity and of Mono without "at": N.C.M (Type name), and (at Assets/file.cs:12) behind it.
	dotnetUnity = source.Lazy(`^([\pL_<][^()\s:]*[.:][^()\s:]+) ?\([^()]*\)(?: \(at (.+?):(\d+)\)| ?\[0x[0-9a-f]+\](?: in <[^>]*>:0)?)?$`)
	// The place of a frame in Application Insights, in the parentheses: assembly, Version=1.0.0.0, Culture=neutral: D:\a\file.cs: 12. A
	// copy from its pages has the assembly again behind the file.
	dotnetInsight = source.Lazy(`^([\w.]+), Version=[^:]*: ((?:[A-Za-z]:)?[^:]*?)(, Version=[^:]*)?: (\d+)$`)
	// The message of an exception of which only the code of the system is known.
	dotnetCode    = source.Lazy(`^Exception from HRESULT: 0x[0-9A-Fa-f]{8}\b.*$`)
	dotnetHeading = source.Lazy(`^.*[Uu]nhandled ?[Ee]xception[.:] +`)
	dotnetEnd     = source.Lazy(`^--- .* ---$`)
	// The names that compilers give to asynchronous functions, lambdas and local functions.
	dotnetAsync  = source.Lazy(`(?:[.+/]<>c(?:__DisplayClass\d+(?:_\d+)?)?)?[.+/]<+(\w+)>(?:b__\d+(?:_\d+)?>)?d(?:__\d+)?\.MoveNext$`)
	dotnetLambda = source.Lazy(`(?:[.+/]<>c(?:__DisplayClass\d+(?:_\d+)?)?)?\.<(\w+)>b__\d+(?:_\d+)?$`)
	dotnetLocal  = source.Lazy(`\.<(\w+)>g__(\w+)\|\d+(?:_\d+)?$`)
	dotnetTypes  = source.Lazy("`\\d+|\\[[\\w, .\\[\\]]*\\]")
)

// Read implements lineReader.
func (d *dotNetReader) Read(s *scanner, l reportLine) bool {
	l.Text = d.unwrap(l)
	t := l.Text
	switch {
	case t == "" || len(t) > maxText:
		return false
	case dotnetAt[firstWord(t)] && dotted(t) && d.frame(s, l):
		return true
	case strings.Contains(t, ";") && (strings.Contains(t, ");") || strings.Contains(t, ") in ") || strings.Contains(t, ") [0x")) && d.center(s, l):
		return true
	case strings.Count(t, ";") == 3 && dotnetFields().MatchString(t):
		return d.fields(s, l)
	case strings.Trim(t, "# ") == "Reason" && s.IsOpen("dotnet"):
		d.reason = l.N
		return true
	case d.reason > 0 && l.N-d.reason <= 2:
		return d.because(s, l)
	case strings.HasPrefix(t, "--- ") && dotnetEnd().MatchString(t):
		return d.separator(s, l)
	case t[len(t)-1] == ')' && strings.Contains(t, " (") && d.unity(s, l):
		return true
	case strings.Contains(t, "Exception"):
		d.head(l)
	case strings.HasPrefix(t, "Message=") && len(d.heads) > 0 && l.N-d.heads[0].line < 5:
		d.heads[0].message = strings.TrimPrefix(t, "Message=") // as Visual Studio copies an exception
	}
	return false
}

// center reads a frame of App Center, which ends with the namespace of its type.
func (d *dotNetReader) center(s *scanner, l reportLine) bool {
	m := dotnetCenter().FindStringSubmatch(l.Text)
	if m == nil || !strings.HasPrefix(strings.TrimPrefix(m[1], "在 "), m[2]) {
		return false
	}
	if !s.IsOpen("dotnet") {
		s.Begin(crash.Stack{Kind: crash.StackCrash, Format: "dotnet"})
		s.Last = l.N
		d.heads = nil
	}
	l.Text = "at " + strings.TrimPrefix(m[1], "在 ")
	return d.frame(s, l)
}

// fields reads a frame of HockeyApp, which names the exception behind its stack.
func (d *dotNetReader) fields(s *scanner, l reportLine) bool {
	m := dotnetFields().FindStringSubmatch(l.Text)
	if !s.IsOpen("dotnet") || s.Since(l) > 2 {
		s.Begin(crash.Stack{Kind: crash.StackCrash, Format: "dotnet"})
		d.heads = nil
	}
	name := m[1] + "." + m[2]
	f := crash.Frame{File: m[3], Line: atoi(m[4]), Function: dotnetName(name)}
	if f.Function != name {
		f.Symbol = name
	}
	s.Add(l, f)
	return true
}

// unity reads a frame without the word "at" that is right below an exception or another frame.
func (d *dotNetReader) unity(s *scanner, l reportLine) bool {
	m := dotnetUnity().FindStringSubmatch(l.Text)
	if m == nil {
		return false
	}
	if n := len(d.heads) - 1; n >= 0 && d.heads[n].line == l.N-1 {
		d.begin(s, l)
		d.bare = true
	} else if !d.bare || !s.IsOpen("dotnet") || s.Since(l) > 1 {
		return false // as below a stack that a program logs with the one of its own call
	}
	f := crash.Frame{File: m[2], Line: atoi(m[3]), Function: dotnetName(strings.ReplaceAll(m[1], ":", "."))}
	s.Add(l, f)
	return true
}

// because reads the exception of the stack of App Center that is open.
func (d *dotNetReader) because(s *scanner, l reportLine) bool {
	m := dotnetError().FindStringSubmatch(l.Text)
	if code := dotnetCode().FindStringSubmatch(l.Text); code != nil {
		m = []string{"", "exception", code[0]}
	}
	if m == nil {
		return false
	}
	d.reason = 0
	s.Fail(crash.Problem{Kind: m[1], Message: m[2], Line: l.N, Null: strings.HasSuffix(m[1], "NullReferenceException")})
	if s.Open != nil {
		s.Open.Problem, s.Open.Title = s.Problem, titleOf(m[1], m[2])
	}
	s.Close()
	return true
}

// unwrap returns a line with the word "at" before the frame that it belongs to: a client that wrapped the
// text of a message may have left it at the end of the line before.
func (d *dotNetReader) unwrap(l reportLine) string {
	t := l.Text
	if d.wrapped > 0 && d.wrapped == l.N-1 {
		t = "at " + t
	}
	if rest, found := strings.CutSuffix(strings.TrimRight(t, ". "), " at"); found {
		t, d.wrapped = rest, l.N
	}
	return t
}

// firstWord returns the text before the first space.
func firstWord(t string) string {
	word, _, _ := strings.Cut(t, " ")
	return word
}

// head notes the exceptions that a line names. Their causes follow an arrow, in the same line or
// in the next ones.
func (d *dotNetReader) head(l reportLine) {
	text := dotnetHeading().ReplaceAllString(l.Text, "")
	parts := strings.Split(text, " ---> ")
	if rest, ok := strings.CutPrefix(text, "---> "); ok {
		parts = strings.Split(rest, " ---> ")
	} else {
		d.heads = nil
	}
	for _, part := range parts {
		if len(d.heads) == maxInner {
			return
		}
		if m := dotnetError().FindStringSubmatch(part); m != nil {
			d.heads = append(d.heads, dotnetHead{m[1], m[2], l.N})
		}
	}
}

// frame reads "at N.C.M(Type name) in file:line 12".
func (d *dotNetReader) frame(s *scanner, l reportLine) bool {
	m := dotnetFrame().FindStringSubmatch(l.Text)
	if m == nil || !strings.Contains(m[1], ".") {
		return false
	}
	open := s.IsOpen("dotnet") && s.Since(l) < 10
	if !open {
		recent := len(d.heads) > 0 && l.N-d.heads[len(d.heads)-1].line <= maxMessage
		if m[3] == "" && !recent {
			return false // nothing marks it as a frame of .NET
		}
		d.begin(s, l)
	} else if len(d.heads) > 0 && d.heads[len(d.heads)-1].line > s.Last {
		d.begin(s, l)
	}
	f := crash.Frame{}
	if m[3] != "" && !strings.HasPrefix(m[3], "<") {
		f.File, f.Line = m[3], atoi(m[4])
	} else if place := dotnetInsight().FindStringSubmatch(m[2]); place != nil {
		f.File, f.Line = place[2], atoi(place[4])
		if place[3] != "" {
			f.File = strings.TrimSuffix(f.File, place[1])
		}
	}
	f.Function = dotnetName(m[1])
	if f.Function != m[1] {
		f.Symbol = m[1]
	}
	s.Add(l, f)
	return true
}

// begin opens the stack of the innermost exception whose stack is still to come.
func (d *dotNetReader) begin(s *scanner, l reportLine) {
	d.bare = false
	st := crash.Stack{Kind: crash.StackCrash, Format: "dotnet"}
	if n := len(d.heads) - 1; n >= 0 && l.N-d.heads[n].line <= maxMessage*maxInner {
		h := d.heads[n]
		d.heads = d.heads[:n]
		s.Fail(crash.Problem{Kind: h.kind, Message: h.message, Line: h.line, Null: strings.HasSuffix(h.kind, "NullReferenceException")})
		st.Title = titleOf(h.kind, h.message)
		if n > 0 {
			st.Kind = crash.StackCause
		}
	}
	s.Begin(st)
}

// separator reads the line between the stack of an inner exception and the stack of the outer
// one. The other separators are within one stack.
func (d *dotNetReader) separator(s *scanner, l reportLine) bool {
	if !s.IsOpen("dotnet") {
		return false
	}
	if len(d.heads) > 0 && (l.Indent > 0 || strings.Contains(l.Text, "inner exception")) {
		d.begin(s, reportLine{N: d.heads[len(d.heads)-1].line})
	}
	s.Last++
	return true
}

// dotnetName returns the name of a method as written in the source.
func dotnetName(name string) string {
	name = dotnetTypes().ReplaceAllString(name, "")
	if m := dotnetAsync().FindStringSubmatchIndex(name); m != nil {
		name = name[:m[0]] + "." + name[m[2]:m[3]]
	} else if m := dotnetLambda().FindStringSubmatchIndex(name); m != nil {
		name = name[:m[0]] + "." + name[m[2]:m[3]]
	} else if m := dotnetLocal().FindStringSubmatchIndex(name); m != nil {
		name = name[:m[0]] + "." + name[m[4]:m[5]]
	}
	return strings.ReplaceAll(name, "+", ".")
}
