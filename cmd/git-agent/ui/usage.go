package ui

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

// usageColumn is the column at which the help text of an option begins, as in
// git.
const usageColumn = 26

// WriteUsage prints a verb's usage in the form of git's own -h, or the program's
// usage if verb is nil.
func WriteUsage(w io.Writer, verb, root *kong.Node) {
	if verb == nil {
		WriteRootUsage(w, root)
		return
	}
	WriteSynopsis(w, verb)
	fmt.Fprintf(w, "\n%s\n", Sentence(verb.Help))
	if len(verb.Children) > 0 {
		fmt.Fprint(w, "\nCommands\n")
		for _, n := range Leaves(verb) {
			writeRow(w, strings.Join(append([]string{n.Name}, Positionals(n)...), " "), n.Help)
		}
	}
	writeOptions(w, "Options", OptionsOf(verb))
	writeOptions(w, "Common options", OptionsOf(root))
	fmt.Fprintf(w, "\nSee 'git agent %s --help' for the manual page.\n", VerbName(verb))
}

// WriteRootUsage prints the usage of the program.
func WriteRootUsage(w io.Writer, root *kong.Node) {
	WriteSynopsis(w, nil)
	fmt.Fprint(w, "\nCommands\n")
	for _, n := range Verbs(root) {
		writeRow(w, n.Name, n.Help)
	}
	writeOptions(w, "Common options", OptionsOf(root))
	fmt.Fprint(w, "\nSee 'git agent <command> -h' for a command's options, and\n'git agent --help' for the manual page.\n")
}

// gitOptions are options of git itself, which are often typed behind the name of a command, and
// their usage.
var gitOptions = map[string]string{
	"-C": "-C <path>", "-c": "-c <name>=<value>", "--git-dir": "--git-dir=<path>", "--work-tree": "--work-tree=<path>",
	"--no-pager": "--no-pager", "--paginate": "--paginate",
}

// ParserWords rewords an error of kong for users, because kong mentions tokens
// and Go's types.
func ParserWords(text string) string {
	if flag, ok := strings.CutPrefix(text, "unknown flag "); ok {
		flag, _, _ = strings.Cut(flag, ",")
		if usage := gitOptions[flag]; usage != "" {
			return "unknown flag " + flag + ", which stands before the name of the command: git " + usage + " agent"
		}
	}
	option, problem, typed := strings.Cut(text, ": expected ")
	if !typed {
		return strings.Replace(text, ` must be one of "",`, ` must be one of `, 1) // "" is the default
	}
	kind, got, _ := strings.Cut(problem, " but got ")
	if strings.HasPrefix(got, `"EOL"`) { // the end of the line
		return option + " needs a value"
	}
	got, _, _ = strings.Cut(got, " (") // a Go type
	got, _, _ = strings.Cut(got, ": ") // Go's message
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

// WriteSynopsis prints the usage lines of a verb, or that of the program if verb
// is nil.
func WriteSynopsis(w io.Writer, verb *kong.Node) {
	if verb == nil {
		fmt.Fprint(w, "usage: git agent <command> [<options>] [<arguments>]\n")
		return
	}
	for i, n := range Leaves(verb) {
		lead := "usage:"
		if i > 0 {
			lead = "   or:"
		}
		fmt.Fprintf(w, "%s %s\n", lead, Synopsis(n))
	}
}

func writeOptions(w io.Writer, title string, rows []Option) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s\n", title)
	for _, o := range rows {
		writeRow(w, o.Spelling(), o.Help)
	}
}

// writeRow prints one entry: its name, and its text wrapped into the right
// column.
func writeRow(w io.Writer, name, text string) {
	head := "    " + name
	if len(head) >= usageColumn-1 {
		fmt.Fprintln(w, head)
		head = ""
	}
	for _, line := range Wrap(text, 80-usageColumn) {
		fmt.Fprintf(w, "%-*s%s\n", usageColumn, head, line)
		head = ""
	}
}

// Sentence turns a help text into a sentence: "find x" becomes "Find x.".
func Sentence(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:] + "."
}
