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

	letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

	// The prefixes that logs, quotes and terminals put before a line. Each is
	// tried only on lines that begin with a byte that it may begin with, and that
	// have a part that it always has.
	prefixes = []struct {
		first   string // bytes that the prefix may begin with
		has     string // a part of every line with the prefix, for speed
		pattern source.Pattern
	}{
		// Quotes of mail and of Markdown, and the margins of exception groups and
		// of container logs.
		{">|", "", source.Lazy(`^[>|]+(?: |$)`)},
		// 2024-05-06T07:08:09.123Z, in brackets or not, as most logs have it.
		{"[0123456789", "", source.Lazy(`^\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?\]?(?:[:|]? |$)`)},
		// 05-06 07:08:09.123  1234  1234 F DEBUG   : is Android's logcat.
		{"0123456789", "", source.Lazy(`^\d\d-\d\d \d\d:\d\d:\d\d\.\d+ +\d+ +\d+ [VDIWEFA] [^:]{1,60}: ?`)},
		{"VDIWEFA", "", source.Lazy(`^[VDIWEFA]/[\w. -]{1,40}\( *\d+\): ?`)},
		// What Android Studio shows behind the time: 1234-1240/app A/DEBUG:, or in
		// columns, 1234-1240 DEBUG app A.
		{"0123456789", "", source.Lazy(`^\d+-\d+(?:/\S+ [VDIWEFA]/[\w. -]{1,40}: ?| +\S+ +\S+ +[VDIWEFA]  )`)},
		// May  6 07:08:09 host program[123]: is syslog's and the journal's.
		{
			"JFMASOND",
			"",
			source.Lazy(`^(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d \d\d:\d\d:\d\d(?:\.\d+)? \S+ [^\s:\[]{1,60}(?:\[\d+\])?: ?`),
		},
		// The same without a host, as the journal is often quoted.
		{"JFMASOND", "", source.Lazy(`^(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d \d\d:\d\d:\d\d kernel: ?`)},
		// [Wed Dec 13 10:43:00 2023] is dmesg's with human times.
		{"[", "", source.Lazy(`^\[[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}\] ?`)},
		// (XEN) is the hypervisor's, kernel: a message's to all terminals.
		{"(", "", source.Lazy(`^\(XEN\) ?`)},
		{"k", "", source.Lazy(`^kernel: ?`)},
		// 07:08:09.123 alone.
		{"[012", "", source.Lazy(`^\[?\d\d:\d\d:\d\d(?:[.,]\d+)?\]?(?: |$)`)},
		// [  123.456789] and [  123.456789][ T1234] are the kernel's.
		{"<[", "", source.Lazy(`^(?:<\d+>)?\[ *\d+\.\d+\](?:\[ *[TC]\d+(?:@\w+)?\])? ?`)},
		{"<", "", source.Lazy(`^<\d+>`)},
		// 1234-==1234== and 1234:==1234== come from a grep for the process, and
		// 12 ==1234== from an editor that numbers lines.
		{"0123456789", "", source.Lazy(`^\d+[-: ] ?==`)},
		// error, a tab, 23-Nov-2020 18:53:57, and a tab: Bamboo's.
		{"abcdefghijklmnopqrstuvwxyz", "\t", source.Lazy(`^[a-z]{3,10}\t\d\d-[A-Z][a-z]{2}-\d{4} \d\d:\d\d:\d\d(?:\t|$)`)},
		// - ERROR: is what Python's logging has after the time.
		{"-", "", source.Lazy(`^- (?:DEBUG|INFO|WARNING|ERROR|CRITICAL)(?:: ?| - )`)},
		// "#0" and \#0 are quoted for a shell or for Markdown.
		{"\"\\", "", source.Lazy(`^["\\]+#`)},
		// service-1  | is a line of a container.
		{"abcdefghijklmnopqrstuvwxyz", " | ", source.Lazy(`^[a-z][\w.-]{0,60} +\| `)},
		// [ERROR] is Maven's, sbt's, and that of many loggers; "!" is Dropwizard's.
		{"[", "]", source.Lazy(`^\[(?i:error|warn|warning|info|debug|trace|fatal|critical|stderr|stdout|err|out)\]:?(?:\s|$)`)},
		{"!", "! ", source.Lazy(`^! `)},
		// host program[123]: and program[123]: are the journal's and syslog's,
		// behind a time of another form.
		{letters, "]: ", source.Lazy(`^(?:[\w.-]{1,60} )?[\w./@-]{1,60}\[\d+\]: `)},
		// #12 34.56 is a line of a container's build.
		{"#", ".", source.Lazy(`^#\d+ +\d+\.\d{1,3} `)},
		// The job and the step, as gh prints logs of GitHub's actions.
		{letters, "\t", source.Lazy(`^[^\t]{1,80}\t[^\t]{1,80}\t\d{4}-\d\d-\d\dT[\d:.]+Z(?: |$)`)},
	}

	processTag = source.Lazy(`^(?:==|--)(\d+)(?:==|--)(?: |$|E|W)`)
)

// cleanLine takes the prefixes of logs, quotes and terminals off a line.
func cleanLine(n int, raw []byte) reportLine {
	text := string(raw[:min(len(raw), maxLine)])
	if strings.Contains(text, "\u00a0") {
		text = strings.ReplaceAll(text, "\u00a0", " ") // what copying from a browser gives
	}
	if strings.IndexByte(text, '\x1b') >= 0 {
		text = escapeSequence().ReplaceAllString(text, "")
	}
	if strings.Contains(text, "=3D") { // a mail's source
		text = strings.TrimSuffix(strings.ReplaceAll(text, "=3D", "="), "=20")
	}
	l := reportLine{N: n}
	l.Indent, text = unindent(text)
	for range 4 {
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
