package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

// usageColumn is where git starts the help text of an option.
const usageColumn = 26

// writeUsage prints a verb's usage, or the program's when verb is nil, in the
// form of git's own -h.
func writeUsage(w io.Writer, verb, root *kong.Node) {
	if verb == nil {
		writeRootUsage(w, root)
		return
	}
	writeSynopsis(w, verb)
	fmt.Fprintf(w, "\n%s\n", sentence(verb.Help))
	if len(verb.Children) > 0 {
		fmt.Fprint(w, "\nCommands\n")
		for _, n := range leaves(verb) {
			writeRow(w, strings.Join(append([]string{n.Name}, positionals(n)...), " "), n.Help)
		}
	}
	writeOptions(w, "Options", optionsOf(verb))
	writeOptions(w, "Common options", optionsOf(root))
	fmt.Fprintf(w, "\nSee 'git agent %s --help' for the manual page.\n", verbName(verb))
}

func writeRootUsage(w io.Writer, root *kong.Node) {
	fmt.Fprint(w, "usage: git agent <command> [<options>] [<arguments>]\n\nCommands\n")
	for _, n := range verbs(root) {
		writeRow(w, n.Name, n.Help)
	}
	writeOptions(w, "Common options", optionsOf(root))
	fmt.Fprint(w, "\nSee 'git agent <command> -h' for a command's options, and\n'git agent --help' for the manual page.\n")
}

// parserWords turns what kong says of its tokens and of Go's types into words
// for a user.
func parserWords(text string) string {
	option, problem, typed := strings.Cut(text, ": expected ")
	if !typed {
		return strings.Replace(text, ` must be one of "",`, ` must be one of `, 1) // "" is the default
	}
	kind, got, _ := strings.Cut(problem, " but got ")
	if strings.HasPrefix(got, `"EOL"`) { // the end of the line
		return option + " needs a value"
	}
	got, _, _ = strings.Cut(got, " (") // a Go type
	got, _, _ = strings.Cut(got, ": ") // what Go's parser says
	switch {
	case kind == "duration":
		kind = "a duration, such as 90s or 10m"
	case kind == "a float":
		kind = "a number"
	case strings.HasSuffix(kind, "int"):
		kind = "a whole number"
	}
	return option + " takes " + kind + ", but got " + got
}

// writeSynopsis prints the usage line alone, and where to read more.
func writeSynopsis(w io.Writer, verb *kong.Node) {
	if verb == nil {
		fmt.Fprint(w, "usage: git agent <command> [<options>] [<arguments>]\n")
		return
	}
	for i, n := range leaves(verb) {
		lead := "usage:"
		if i > 0 {
			lead = "   or:"
		}
		fmt.Fprintf(w, "%s %s\n", lead, synopsis(n))
	}
}

func writeOptions(w io.Writer, title string, rows []option) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s\n", title)
	for _, o := range rows {
		writeRow(w, o.spelling(), o.Help)
	}
}

// writeRow prints one entry, its text wrapped into the right column.
func writeRow(w io.Writer, name, text string) {
	head := "    " + name
	if len(head) >= usageColumn-1 {
		fmt.Fprintln(w, head)
		head = ""
	}
	for _, line := range wrap(text, 80-usageColumn) {
		fmt.Fprintf(w, "%-*s%s\n", usageColumn, head, line)
		head = ""
	}
}

// sentence makes a help text a sentence: "find x" becomes "Find x.".
func sentence(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:] + "."
}
