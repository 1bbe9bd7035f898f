package format

import (
	"bytes"
	"encoding/json"
	"html"
	"iter"
	"net/url"
	"strings"

	"git-agent/agent/source"
)

// logicalLines yields the logical lines in an input line: syslog writes a report of several lines
// as one, with "#012" for each line end, and "#011" for a tab. A link of Markdown that follows another one was on a line of its own.
// A stack in a log of JSON is the lines of a string, and so is one that a logger quoted. A stack of Java may have lost its line ends.
func logicalLines(raw []byte) iter.Seq[[]byte] {
	if bytes.Contains(raw, []byte(`\n`)) {
		if stackKey().Match(raw) {
			raw = withStacks(raw)
		}
		if quotedStack().Match(raw) {
			raw = unquoted(raw)
		}
	}
	if bytes.Contains(raw, []byte("]: ")) && bytes.Count(raw, []byte(" +0x")) > 1 {
		raw = oneLineGo().ReplaceAll(raw, []byte("#012$1"))
	}
	if bytes.Count(raw, []byte("at ")) > 1 && framesBehind().Match(raw) {
		raw = oneLineFrames().ReplaceAll(raw, []byte("#012$1"))
	}
	if bytes.Contains(raw, []byte("](http")) {
		raw = bytes.ReplaceAll(raw, []byte(")["), []byte(")#012["))
	}
	if bytes.Contains(raw, []byte("#011")) {
		raw = bytes.ReplaceAll(raw, []byte("#011"), []byte("\t"))
	}
	return bytes.SplitSeq(raw, []byte("#012"))
}

// stackKey matches the keys that logs of JSON have for stacks, and panicKey the one for the value of a panic of Go.
var (
	stackKey = source.Lazy(`(?i)"(?:[\w.]*stack(?:_?trace)?|traceback|backtrace|exc_info|exception|errorVerbose|@x)": ?"`)
	panicKey = source.Lazy(`"panic": ?"((?:[^"\\]|\\.)*)"`)
)

// withStacks returns a line of a log with "#012" for each line end in the strings that may be stacks. Monolog's exceptions of PHP have their
// own reader.
func withStacks(raw []byte) []byte {
	var out []byte
	if m := panicKey().FindSubmatch(raw); m != nil {
		out = append(append(append(out, "panic: "...), m[1]...), "#012"...)
	}
	rest := raw
	for at := stackKey().FindIndex(rest); at != nil; at = stackKey().FindIndex(rest) {
		end := at[1]
		for end < len(rest) && rest[end] != '"' {
			if rest[end] == '\\' {
				end++
			}
			end++
		}
		value := rest[at[1]:min(end, len(rest))]
		if out = append(out, rest[:at[1]]...); bytes.Contains(value, []byte(`\n`)) && !bytes.HasPrefix(value, []byte("[object] (")) {
			value = []byte("#012" + strings.ReplaceAll(unescaped(string(value)), "\n", "#012") + "#012")
		}
		out = append(out, value...)
		rest = rest[min(end, len(rest)):]
	}
	return append(out, rest...)
}

// These match the beginning of a stack in a text that a logger quoted, and its heading in Go behind the message.
var (
	quotedStack   = source.Lazy(`goroutine \d+ \[[^\]]{1,80}\]:\\n|\\n(?:\\t| {1,8})at [\w$.@/<>-]+[ (]|\(most recent call last\):\\n`)
	quotedHeading = source.Lazy(`[ :]+(goroutine \d+ \[[^\]]{1,80}\]:)#012`)
	quotedParts   = strings.NewReplacer(`\r\n`, "#012", `\n`, "#012", `\t`, "\t", `\"`, `"`, `\'`, `'`, `\\`, `\`)
	quotedPath    = source.Lazy(`\bFile "[A-Za-z.<][^"]*\\[^"]*", line \d`) // with the separators of Windows, in Python
)

// framesBehind matches a line with a frame behind two others, as in a stack of Java, where the line ends were lost.
var framesBehind = source.Lazy(`\)\s+at .*\)\s+at `)

// oneLineFrames matches what begins a line in a stack of Java, where the line ends were lost.
var oneLineFrames = source.Lazy(`\s+(at (?:[\w.@+-]*/){0,2}[\pL_$][\w$.<>-]*\((?:[\w$-]+\.\w+:\d+|Native Method|Unknown Source|[\w$-]+\.\w+)\)|Caused by: |\.\.\. \d+ (?:more|common))`)

// oneLineGo matches what begins a line in a panic of Go, where the line ends were lost: the signal, the goroutine, and what is behind it or
// behind a place.
var oneLineGo = source.Lazy(`\s(panic: |\[signal SIG|goroutine \d+ \[[^\]]{1,80}\]:|created by |[\w.~-]+(?:/[\w.~%-]+)*\.(?:\(\*?\w+\)\.)?[\w.]+\(|panic\(\S)`)

// unquoted returns a line of a log with "#012" for each line end in what a logger quoted.
func unquoted(raw []byte) []byte {
	raw = quotedPath().ReplaceAllFunc(raw, func(path []byte) []byte { return bytes.ReplaceAll(path, []byte(`\`), []byte("/")) })
	return quotedHeading().ReplaceAll([]byte(quotedParts.Replace(string(raw))), []byte("#012$1#012"))
}

// trimEnd returns a line without trailing white space.
func trimEnd(b []byte) []byte { return bytes.TrimRight(b, " \t\r\n\v\f\x00") }

// cut shortens a text to at most n bytes, at the end of a character.
func cut(s string, n int) string { return source.Cut(s, n) }

var (
	// Buildkite puts the time of a line between ESC _ and BEL.
	escapeSequence = source.Lazy(`\x1b(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|_bk;t=\d+\x07|[@-Z\\^_])`)
	// The sequence for a color without its first character, which a browser or a form lost, or with another one in its place.
	pastedColor = source.Lazy(`(?:\\u001b|\\x1b|\\033|\\e|\^\[|[\x{241b}\x{fffd}\x{2190}])?\[(?:\d{1,3};){0,4}\d{1,3}m`)

	// Signs of code that HTML escapes.
	escapedText = source.Lazy(`\w-&gt;\w|\w&lt;[\w:&, ]+&gt;|&#0?39;|&quot;`)

	letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

	// The prefixes of logs, quotes and terminals. A prefix is tried only on lines that begin with
	// one of its first bytes and contain its fixed part.
	prefixes = []struct {
		first   string // bytes that the prefix may begin with
		has     string // a part of every line with the prefix, for speed
		pattern source.Pattern
	}{
		// Quotes of mail and of Markdown, and the margins of exception groups and
		// of container logs.
		{">|", "", source.Lazy(`^[>|]+(?: |$)`)},
		// 2024-05-06T07:08:09.123Z, with or without brackets, as in most logs.
		{"[0123456789", "", source.Lazy(`^\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?\]?(?:[:|]? |$)`)},
		// PHP: [27-Nov-2026 20:55:55 UTC]
		{"[", "-", source.Lazy(`^\[\d\d-[A-Z][a-z]{2}-\d{4} \d\d:\d\d:\d\d [\w/+-]+\] ?`)},
		// Android's logcat: 05-06 07:08:09.123  1234  1234 F DEBUG   :
		{"0123456789", "", source.Lazy(`^\d\d-\d\d \d\d:\d\d:\d\d\.\d+ +\d+ +\d+ [VDIWEFA] [^:]{1,60}: ?`)},
		{"VDIWEFA", "", source.Lazy(`^[VDIWEFA]/[\w. -]{1,40}\( *\d+\): ?`)},
		// The rest of an Android Studio prefix, after the time: 1234-1240/app A/DEBUG:, or in
		// columns, 1234-1240 DEBUG app A.
		{"0123456789", "", source.Lazy(`^\d+-\d+(?:/\S+ [VDIWEFA]/[\w. -]{1,40}: ?| +\S+ +\S+ +[VDIWEFA]  )`)},
		// syslog and the journal: May  6 07:08:09 host program[123]:
		{
			"JFMASOND",
			"",
			source.Lazy(`^(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d \d\d:\d\d:\d\d(?:\.\d+)? \S+ [^\s:\[]{1,60}(?:\[\d+\])?: ?`),
		},
		// The same without a host, as the journal is often quoted.
		{"JFMASOND", "", source.Lazy(`^(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d \d\d:\d\d:\d\d kernel: ?`)},
		// dmesg with human times: [Wed Dec 13 10:43:00 2023]
		{"[", "", source.Lazy(`^\[[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}\] ?`)},
		// (XEN) is the hypervisor's prefix; kernel: marks a message to all terminals.
		{"(", "", source.Lazy(`^\(XEN\) ?`)},
		{"k", "", source.Lazy(`^kernel: ?`)},
		// 07:08:09.123 alone.
		{"[012", "", source.Lazy(`^\[?\d\d:\d\d:\d\d(?:[.,]\d+)?\]?(?: |$)`)},
		// Rancher: Thu, Jun 30 2022 11:08:02 am |
		{"SMTWF", "m | ", source.Lazy(`^[A-Z][a-z]{2}, [A-Z][a-z]{2} \d{1,2} \d{4} \d{1,2}:\d\d:\d\d [ap]m \| ?`)},
		// 9:08:09 PM: of a clock of twelve hours.
		{"0123456789", "M", source.Lazy(`^\d{1,2}:\d\d:\d\d [AP]M:? ?`)},
		// The kernel: [  123.456789] and [  123.456789][ T1234]
		{"<[", "", source.Lazy(`^(?:<\d+>)?\[ *\d+\.\d+\](?:\[ *[TC]\d+(?:@\w+)?\])? ?`)},
		{"<", "", source.Lazy(`^<\d+>`)},
		// 1234-==1234== and 1234:==1234== come from a grep for the process, and
		// 12 ==1234== from an editor that numbers lines.
		{"0123456789", "", source.Lazy(`^\d+[-: ] ?==`)},
		// Bamboo: error, a tab, 23-Nov-2020 18:53:57, and a tab.
		{"abcdefghijklmnopqrstuvwxyz", "\t", source.Lazy(`^[a-z]{3,10}\t\d\d-[A-Z][a-z]{2}-\d{4} \d\d:\d\d:\d\d(?:\t|$)`)},
		// Python's logging after the time: - ERROR:
		{"-", "", source.Lazy(`^- (?:DEBUG|INFO|WARNING|ERROR|CRITICAL)(?:: ?| - )`)},
		// "#0" and \#0 are quotes for a shell or for Markdown.
		{"\"\\", "", source.Lazy(`^["\\]+#`)},
		// A container's line: service-1  |
		{"abcdefghijklmnopqrstuvwxyz", " | ", source.Lazy(`^[a-z][\w.-]{0,60} +\| `)},
		// [ERROR] comes from Maven, sbt, and many loggers; "!" from Dropwizard.
		{"[", "]", source.Lazy(`^\[(?i:error|warn|warning|info|debug|trace|fatal|critical|stderr|stdout|err|out)\]:?(?:\s|$)`)},
		{"!", "! ", source.Lazy(`^! `)},
		// The journal and syslog after a time of another form: host program[123]: and
		// program[123]:
		{letters, "]: ", source.Lazy(`^(?:[\w.-]{1,60} )?[\w./@-]{1,60}\[\d+\]: `)},
		// A line of a container build: #12 34.56
		{"#", ".", source.Lazy(`^#\d+ +\d+\.\d{1,3}(?: |$)`)},
		// The job and the step in logs of GitHub Actions, as gh prints them.
		{letters, "\t", source.Lazy(`^[^\t]{1,80}\t[^\t]{1,80}\t\d{4}-\d\d-\d\dT[\d:.]+Z(?: |$)`)},
	}

	processTag = source.Lazy(`^(?:==|--)(\d+)(?:==|--)(?: |$|E|W)`)
)

// cleanLine removes the prefixes of logs, quotes and terminals from a line.
func cleanLine(n int, raw []byte) reportLine {
	text := string(raw[:min(len(raw), maxLine)])
	if strings.Contains(text, "\u00a0") {
		text = strings.ReplaceAll(text, "\u00a0", " ") // from copying in a browser
	}
	if strings.IndexByte(text, '\x1b') >= 0 {
		text = escapeSequence().ReplaceAllString(text, "")
	}
	if hasColor(text) {
		text = pastedColor().ReplaceAllString(text, "")
	}
	text = withoutMarkdown(text)
	if strings.HasSuffix(text, unused) {
		text = strings.TrimRight(text, "· │┃|") // the border of tmux behind it
	}
	if strings.IndexByte(text, '&') >= 0 && escapedText().MatchString(text) { // the source of a page
		text = html.UnescapeString(text)
	}
	if strings.Contains(text, "=3D") { // a mail's source
		text = strings.TrimSuffix(strings.ReplaceAll(text, "=3D", "="), "=20")
	}
	l := reportLine{N: n}
	text, l.logged = unwrapped(text)
	l.Indent, text = unindent(text)
	for range 4 {
		if m := wholeCode().FindStringSubmatch(text); m != nil {
			text = m[1]
		}
		rest, ok := withoutPrefix(text)
		if !ok {
			break
		}
		l.logged = true
		l.Indent, text = unindent(rest)
	}
	if strings.HasPrefix(text, "==") || strings.HasPrefix(text, "--") {
		if m := processTag().FindStringSubmatchIndex(text); m != nil {
			l.Tag = text[m[2]:m[3]]
			l.Indent, text = unindent(text[m[3]+2:])
		}
	}
	l.Text = strings.TrimRight(text, " \t\r")
	return l
}

// hasColor reports whether a text may have a sequence for a color: a bracket, numbers, and an m.
func hasColor(text string) bool {
	for {
		i := strings.IndexByte(text, '[')
		if i < 0 {
			return false
		}
		text = text[i+1:]
		rest := strings.TrimLeft(text, "0123456789;")
		if len(rest) > 0 && rest[0] == 'm' && len(rest) < len(text) {
			return true
		}
	}
}

// withoutMarkdown returns a line without the signs of Markdown for code that begins or ends in it, and with the texts of
// links in place of the links: "```panic: x" is "panic: x".
func withoutMarkdown(text string) string {
	if strings.Contains(text, "](http") {
		text = withoutLinks(text)
	}
	if strings.Contains(text, "**") {
		text = boldName().ReplaceAllString(text, "${1}__${2}__")
	}
	if strings.HasSuffix(text, "`") && strings.Count(text, "`") == 1 {
		return text[:len(text)-1]
	}
	if code := strings.TrimLeft(text, "`"); code != text && !strings.Contains(code, "`") && codeBehindFence().MatchString(code) {
		return code
	}
	return text
}

// unused are the signs with which tmux fills the part of a window that another client does not show.
var unused = strings.Repeat("·", 10)

// boldName matches a name of Python in a path, of which Markdown made bold text: beets/ui/**init**.py.
var boldName = source.Lazy(`([/\\])\*\*(\w+)\*\*`)

// wholeCode matches a line that is code of Markdown as a whole. Messages of Ruby have quotes such as `name' in them.
var wholeCode = source.Lazy("^`((?:[^`]|`[^`'\\s]*')+)`$")

// codeBehindFence matches what is no name of a language behind the beginning of code.
var codeBehindFence = source.Lazy(`^[\w.$]+[:(]? ?\S`)

// maxLinks bounds the links of one line.
const maxLinks = 20

// withoutLinks replaces links of Markdown by their texts. A program that makes links of all that looks like one also links functions,
// whose brackets are no end of the link: [pkg.(*T).f(0x1](http://pkg.(*T).f(0x1), 0x2).
func withoutLinks(text string) string {
	const maxBrackets = 20 // that an address may have

	var out strings.Builder
	for range maxLinks {
		before, rest, found := strings.Cut(text, "](http")
		start := strings.LastIndexByte(before, '[')
		_, address, isLink := strings.Cut(rest, "://")
		end := strings.IndexByte(address, ')')
		if !found || start < 0 || !isLink || end < 0 {
			break
		}
		label := before[start+1:]
		tried := 0
		for i := end; i < len(address) && tried < maxBrackets; i++ {
			if address[i] != ')' {
				continue
			}
			tried++
			if to, err := url.PathUnescape(address[:i]); err == nil && (to == label || "http://"+to == label || "https://"+to == label) {
				end = i
				break
			}
		}
		out.WriteString(before[:start] + label)
		text = address[end+1:]
	}
	return out.String() + text
}

// unwrapped returns the line of a container that a line of Docker's JSON log holds, and whether it is
// one:
//
//	{"log":"#0  0x55a67bbdd674      in  cio_chunk_is_locked() at lib/chunkio/src/cio_chunk.c:375\n","stream":"stderr","time":"..."}
func unwrapped(text string) (string, bool) {
	if !strings.HasPrefix(text, `{"`) || !strings.Contains(text, `"log":"`) {
		return text, false
	}
	var line struct {
		Log *string `json:"log"`
	}
	if json.Unmarshal([]byte(text), &line) != nil || line.Log == nil {
		return text, false
	}
	return strings.TrimRight(*line.Log, "\r\n"), true
}

// unindent splits a text into the width of its leading white space and the rest.
func unindent(s string) (int, string) {
	width := 0
	for i := range len(s) {
		switch s[i] {
		case ' ':
			width++
		case '\t':
			width += 8 - width%8
		default:
			return width, s[i:]
		}
	}
	return width, ""
}

// withoutPrefix removes one prefix from a text, if it has one.
func withoutPrefix(text string) (string, bool) {
	if text == "" {
		return text, false
	}
	for _, p := range prefixes {
		if strings.IndexByte(p.first, text[0]) < 0 || !strings.Contains(text, p.has) {
			continue
		}
		if m := p.pattern().FindStringIndex(text); m != nil {
			end := m[1]
			if strings.HasSuffix(text[:end], "==") {
				end -= 2 // the tag of the process is read next
			}
			if text[end-1] == '#' {
				end-- // the number of the frame is read next
			}
			return text[end:], true
		}
	}
	return text, false
}
