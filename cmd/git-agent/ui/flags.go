package ui

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Option is one row of the flag table.
type Option struct {
	Short   string   // "q", or ""
	Long    string   // "quiet"
	Negated string   // "no-progress", or ""
	Arg     string   // "<when>", or "" for a switch
	NoArg   bool     // Arg may be left out
	Values  []string // the possible values of Arg, if they are enumerated
	Kind    string   // kind of completion for Arg: "path", or "" for none
	Help    string
}

// OptionsOf lists the visible options of a node itself, in the order of its
// struct.
func OptionsOf(n *kong.Node) []Option {
	var rows []Option
	for _, f := range n.Flags {
		if !f.Hidden {
			rows = append(rows, optionOf(f))
		}
	}
	return rows
}

func optionOf(f *kong.Flag) Option {
	o := Option{Long: f.Name, Help: f.Help, Kind: f.Tag.Get("kind")}
	if f.Short != 0 {
		o.Short = string(f.Short)
	}
	if f.Tag.Negatable != "" {
		o.Negated = "no-" + f.Name
	}
	o.NoArg = f.Tag.Get("value") == "optional"
	if !o.NoArg && (f.IsBool() || f.IsCounter() || isBoolPointer(f)) {
		return o
	}
	o.Arg = f.FormatPlaceHolder()
	if !strings.HasPrefix(o.Arg, "<") {
		o.Arg = "<" + f.Name + ">"
	}
	if f.Enum != "" {
		o.Values = f.EnumSlice()
		o.Values = slices.DeleteFunc(o.Values, func(v string) bool { return v == "" })
	}
	return o
}

// isBoolPointer reports whether f is a switch with three states: on, off, and not
// given. kong parses it like a bool.
func isBoolPointer(f *kong.Flag) bool {
	_, ok := f.Target.Interface().(*bool)
	return ok
}

// Spelling returns the option in the form of usage and manual, such as
// "-q, --quiet", "--[no-]progress", "--color=<when>" or "--html[=<file>]".
func (o Option) Spelling() string {
	s := "--" + o.Long
	if o.Negated != "" {
		s = "--[no-]" + o.Long
	}
	switch {
	case o.NoArg:
		s += "[=" + o.Arg + "]"
	case o.Arg != "":
		s += "=" + o.Arg
	}
	if o.Short != "" {
		s = "-" + o.Short + ", " + s
	}
	return s
}

// words lists the words that completion offers for the option.
func (o Option) words() []string {
	words := []string{"--" + o.Long}
	if o.Arg != "" {
		words[0] += "="
	}
	if o.NoArg {
		words = append(words, "--"+o.Long)
	}
	if o.Negated != "" {
		words = append(words, "--"+o.Negated)
	}
	return words
}

// Verbs lists the visible verbs, sorted.
func Verbs(app *kong.Node) []*kong.Node {
	var list []*kong.Node
	for _, n := range app.Children {
		if !n.Hidden {
			list = append(list, n)
		}
	}
	slices.SortFunc(list, func(a, b *kong.Node) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Leaves lists a verb's sub-verbs in order, or the verb itself.
func Leaves(verb *kong.Node) []*kong.Node {
	var list []*kong.Node
	for _, n := range verb.Children {
		if !n.Hidden {
			list = append(list, n)
		}
	}
	if list == nil {
		list = append(list, verb)
	}
	return list
}

// VerbName returns the name of n's verb, which may be n itself.
func VerbName(n *kong.Node) string {
	for n.Parent != nil && n.Parent.Type != kong.ApplicationNode {
		n = n.Parent
	}
	return n.Name
}

// Positionals lists a node's arguments in the form of usage, such as "<shell>" or
// "[<revision>...]".
func Positionals(n *kong.Node) []string {
	var list []string
	for _, p := range n.Positional {
		s := "<" + p.Name + ">"
		if p.IsCumulative() {
			s += "..."
		}
		if !p.Required {
			s = "[" + s + "]"
		}
		list = append(list, s)
	}
	if n.Target.CanAddr() {
		switch n.Target.Addr().Interface().(type) {
		case WordTaker:
			list = append([]string{"[--]"}, list...)
		case PathTaker:
			list = append(list, "[--]", "[<path>...]")
		}
	}
	return list
}

// Synopsis returns the usage line of a node.
func Synopsis(n *kong.Node) string {
	words := []string{"git agent"}
	if path := n.Path(); path != "" {
		words = append(words, path)
	}
	if len(OptionsOf(n)) > 0 {
		words = append(words, "[<options>]")
	}
	if len(n.Children) > 0 {
		words = append(words, "<command>")
	}
	return strings.Join(append(words, Positionals(n)...), " ")
}

// PathTaker is a verb that takes paths after "--".
type PathTaker interface{ SetPaths(paths []string) }

// WordTaker is a verb whose arguments may be behind "--", which then are not read as options.
type WordTaker interface{ SetWords(words []string) }
