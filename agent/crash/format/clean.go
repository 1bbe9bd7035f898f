package format

import (
	"bytes"
	"iter"
	"strings"
	"unicode/utf8"

	"git-agent/agent/source"
)

// logicalLines yields the lines that a line of the input stands for: syslog
// writes a report of several lines as one, with "#012" for each line's end.
func logicalLines(raw []byte) iter.Seq[[]byte] {
	return bytes.SplitSeq(raw, []byte("#012"))
}

// trimEnd returns a line without white space at its end.
func trimEnd(b []byte) []byte { return bytes.TrimRight(b, " \t\r\n\v\f\x00") }

// cut cuts a text to at most n bytes, at a character's end.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

var (
	escapeSequence = source.Lazy(`\x1b(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\^_])`)

	// The prefixes that logs, quotes and terminals put before a line. Each is
	// tried only on lines that begin with a byte that it may begin with.
	prefixes = []struct {
		first   string // bytes that the prefix may begin with
		pattern source.Pattern
	}{
		// Quotes of mail and of Markdown, and the margins of exception groups and
		// of container logs.
		{">|", source.Lazy(`^[>|]+(?: |$)`)},
		// 2024-05-06T07:08:09.123Z, in brackets or not, as most logs have it.
		{"[0123456789", source.Lazy(`^\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?\]?(?:[:|]? |$)`)},
		// 05-06 07:08:09.123  1234  1234 F DEBUG   : is Android's logcat.
		{"0123456789", source.Lazy(`^\d\d-\d\d \d\d:\d\d:\d\d\.\d+ +\d+ +\d+ [VDIWEFA] [^:]{1,60}: ?`)},
		{"VDIWEFA", source.Lazy(`^[VDIWEFA]/[\w. -]{1,40}\( *\d+\): ?`)},
		// What Android Studio shows behind the time: 1234-1240/app A/DEBUG:, or in
		// columns, 1234-1240 DEBUG app A.
		{"0123456789", source.Lazy(`^\d+-\d+(?:/\S+ [VDIWEFA]/[\w. -]{1,40}: ?| +\S+ +\S+ +[VDIWEFA]  )`)},
		// May  6 07:08:09 host program[123]: is syslog's and the journal's.
		{"JFMASOND", source.Lazy(`^(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d \d\d:\d\d:\d\d(?:\.\d+)? \S+ [^\s:\[]{1,60}(?:\[\d+\])?: ?`)},
		// The same without a host, as the journal is often quoted.
		{"JFMASOND", source.Lazy(`^(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d \d\d:\d\d:\d\d kernel: ?`)},
		// [Wed Dec 13 10:43:00 2023] is dmesg's with human times.
		{"[", source.Lazy(`^\[[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}\] ?`)},
		// (XEN) is the hypervisor's, kernel: a message's to all terminals.
		{"(", source.Lazy(`^\(XEN\) ?`)},
		{"k", source.Lazy(`^kernel: ?`)},
		// 07:08:09.123 alone.
		{"[012", source.Lazy(`^\[?\d\d:\d\d:\d\d(?:[.,]\d+)?\]?(?: |$)`)},
		// [  123.456789] and [  123.456789][ T1234] are the kernel's.
		{"<[", source.Lazy(`^(?:<\d+>)?\[ *\d+\.\d+\](?:\[ *[TC]\d+(?:@\w+)?\])? ?`)},
		{"<", source.Lazy(`^<\d+>`)},
		// 1234-==1234== and 1234:==1234== come from a grep for the process.
		{"0123456789", source.Lazy(`^\d+[-:]==`)},
		// service-1  | is a line of a container.
		{"abcdefghijklmnopqrstuvwxyz", source.Lazy(`^[a-z][\w.-]{0,60} +\| `)},
	}

	processTag = source.Lazy(`^(?:==|--)(\d+)(?:==|--)(?: |$|E|W)`)
)

// cleanLine takes the prefixes of logs, quotes and terminals off a line.
func cleanLine(n int, raw []byte) line {
	text := string(raw[:min(len(raw), maxLine)])
	if strings.IndexByte(text, '\x1b') >= 0 {
		text = escapeSequence().ReplaceAllString(text, "")
	}
	l := line{n: n}
	l.indent, text = unindent(text)
	for range 4 {
		rest, ok := withoutPrefix(text)
		if !ok {
			break
		}
		l.logged = true
		l.indent, text = unindent(rest)
	}
	if strings.HasPrefix(text, "==") || strings.HasPrefix(text, "--") {
		if m := processTag().FindStringSubmatchIndex(text); m != nil {
			l.tag = text[m[2]:m[3]]
			l.indent, text = unindent(text[m[3]+2:])
		}
	}
	l.text = strings.TrimRight(text, " \t\r")
	return l
}

// unindent splits a text into the width of the white space before it and the rest.
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

// withoutPrefix takes one prefix off a text, if it has one.
func withoutPrefix(text string) (string, bool) {
	if text == "" {
		return text, false
	}
	for _, p := range prefixes {
		if strings.IndexByte(p.first, text[0]) < 0 {
			continue
		}
		if m := p.pattern().FindStringIndex(text); m != nil {
			end := m[1]
			if strings.HasSuffix(text[:end], "==") {
				end -= 2 // the tag of the process is read next
			}
			return text[end:], true
		}
	}
	return text, false
}
