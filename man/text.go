package man

import (
	"strings"
	"unicode/utf8"
)

// Style adds terminal escapes for a font, 'B' or 'I', to text. A nil Style leaves
// text plain.
type Style func(font byte, s string) string

// indentStep is the usual indentation of body text in man(1), in columns.
const indentStep = 7

// Text formats a page for a terminal of width columns. It supports only what the
// pages of this package use: the macros .TH .SH .SS .TP .IP .PP .RS .RE .nf .fi .EX
// .EE .br .B .I .BR .RB .IR .RI and the escapes \f \- \e \& \(aq \(dq \(en.
func Text(page string, width int, style Style) string {
	if style == nil {
		style = func(_ byte, s string) string { return s }
	}
	t := &formatter{width: width, style: style, indent: indentStep}
	for line := range strings.Lines(page) {
		t.line(strings.TrimRight(line, "\n"))
	}
	t.flush()
	return strings.TrimLeft(t.out.String(), "\n")
}

// formatter holds the state while a page is formatted.
type formatter struct {
	width, indent int
	extra         int // columns that .TP and .IP add to the indent
	style         Style
	out           strings.Builder
	words         []word
	tag           bool   // the next text line is the tag of a .TP
	hang          string // a tag that is on the same line as the text
	hangWidth     int    // number of columns of hang
	literal       bool   // between .nf and .fi
}

// word is one word, plain and with styles. The width is that of the plain form.
type word struct{ plain, styled string }

func (t *formatter) line(s string) {
	switch {
	case strings.HasPrefix(s, `.\"`) || s == ".":
	case strings.HasPrefix(s, "."):
		name, rest, _ := strings.Cut(s[1:], " ")
		t.macro(name, rest)
	default:
		t.text(s)
	}
}

func (t *formatter) macro(name, rest string) {
	switch name {
	case "B", "I":
		t.text(`\f` + name + strings.Join(arguments(rest), " ") + `\fR`)
	case "BR", "RB", "IR", "RI":
		t.text(alternate(name, arguments(rest)))
	case "SH", "SS":
		t.flush()
		t.indent, t.extra, t.literal = indentStep, 0, false
		lead := ""
		if name == "SS" {
			lead = "   "
		}
		t.out.WriteString("\n" + lead + t.style('B', unescape(strings.Join(arguments(rest), " "))) + "\n")
	case "PP", "TP", "IP":
		t.paragraph(name, rest)
	case "RS":
		t.flush()
		t.indent, t.extra = t.indent+4, 0
	case "RE":
		t.flush()
		t.indent, t.extra = t.indent-4, 0
	case "nf", "EX":
		t.flush()
		t.literal = true
	case "fi", "EE":
		t.literal = false
	case "br":
		t.flush()
	}
}

func (t *formatter) paragraph(name, rest string) {
	t.flush()
	t.extra = 0
	if !strings.HasSuffix(t.out.String(), "\n\n") && !t.afterHeading() {
		t.out.WriteString("\n")
	}
	switch name {
	case "TP":
		t.tag = true
	case "IP":
		t.extra = 4
		if args := arguments(rest); len(args) > 0 {
			t.hang = strings.Repeat(" ", t.indent) + unescape(args[0])
			t.hangWidth = utf8.RuneCountInString(t.hang)
		}
	}
}

// afterHeading reports whether the last line of the output is a heading, so that no blank line
// follows.
func (t *formatter) afterHeading() bool {
	lines := strings.Split(strings.TrimSuffix(t.out.String(), "\n"), "\n")
	last := lines[len(lines)-1]
	return last != "" && !strings.HasPrefix(last, strings.Repeat(" ", indentStep))
}

func (t *formatter) text(s string) {
	if t.literal {
		styled, _ := t.fonts(s)
		t.out.WriteString(strings.Repeat(" ", t.indent+t.extra) + styled + "\n")
		return
	}
	if t.tag {
		t.setTag(s)
		return
	}
	t.words = append(t.words, t.split(s)...)
}

// setTag places the tag of a .TP. A short tag goes on the same line as the text, a longer one on
// a separate line.
func (t *formatter) setTag(s string) {
	t.tag, t.extra = false, indentStep
	styled, plain := t.fonts(s)
	tag := strings.Repeat(" ", t.indent) + styled
	if utf8.RuneCountInString(plain) < indentStep {
		t.hang, t.hangWidth = tag, t.indent+utf8.RuneCountInString(plain)
		return
	}
	t.out.WriteString(tag + "\n")
}

// split divides a line into words. Each word is styled separately, so that a line break cannot
// come between font changes.
func (t *formatter) split(s string) []word {
	var list []word
	font := `\fR`
	for field := range strings.FieldsSeq(s) {
		styled, plain := t.fonts(font + field)
		list = append(list, word{plain, styled})
		if i := strings.LastIndex(field, `\f`); i >= 0 && i+3 <= len(field) {
			font = field[i : i+3]
		}
	}
	return list
}

// fonts resolves the escapes of a line and returns it with and without styles.
func (t *formatter) fonts(s string) (styled, plain string) {
	var a, b strings.Builder
	font := byte('R')
	for i, part := range strings.Split(s, `\f`) {
		if i > 0 && part != "" {
			font, part = part[0], part[1:]
		}
		text := unescape(part)
		b.WriteString(text)
		if font == 'R' || font == 'P' || text == "" {
			a.WriteString(text)
			continue
		}
		a.WriteString(t.style(font, text))
	}
	return a.String(), b.String()
}

// flush writes the collected words as a filled paragraph, with the tag before them.
func (t *formatter) flush() {
	indent := strings.Repeat(" ", t.indent+t.extra)
	line, used := indent, 0
	if t.hang != "" {
		line = t.hang + strings.Repeat(" ", max(1, len(indent)-t.hangWidth))
		t.hang = ""
	}
	for _, w := range t.words {
		n := utf8.RuneCountInString(w.plain)
		switch {
		case used == 0:
		case len(indent)+used+1+n > t.width:
			t.out.WriteString(line + "\n")
			line, used = indent, 0
		default:
			line += " "
			used++
		}
		line += w.styled
		used += n
	}
	if used > 0 {
		t.out.WriteString(line + "\n")
	}
	t.words = nil
}

// arguments splits the arguments of a macro. An argument in double quotes may contain
// spaces.
func arguments(s string) []string {
	var args []string
	for s = strings.TrimLeft(s, " "); s != ""; s = strings.TrimLeft(s, " ") {
		end, next := strings.IndexByte(s, ' '), 0
		if s[0] == '"' {
			s = s[1:]
			end, next = strings.IndexByte(s, '"'), 1
		}
		if end < 0 {
			return append(args, s)
		}
		args = append(args, s[:end])
		s = s[end+next:]
	}
	return args
}

// alternate sets arguments alternately in the two fonts of the macro's name.
func alternate(name string, args []string) string {
	var b strings.Builder
	for i, arg := range args {
		b.WriteString(`\f` + name[i%2:i%2+1] + arg)
	}
	return b.String() + `\fR`
}

// unescape resolves all escapes except font changes.
func unescape(s string) string {
	return strings.NewReplacer(`\-`, "-", `\e`, `\`, `\&`, "", `\(aq`, "'", `\(dq`, `"`, `\(en`, "–").Replace(s)
}
