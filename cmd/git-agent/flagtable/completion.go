package flagtable

import "github.com/alecthomas/kong"

// CompletionFor writes one shell's file from the flag table.
func CompletionFor(shell string, root *kong.Node) string {
	switch shell {
	case "bash":
		return bashCompletion(root)
	case "zsh":
		return zshCompletion(root)
	default:
		return fishCompletion(root)
	}
}

// firstValues lists what a verb's first argument may be, when that is a small
// set: its sub-verbs, or an enumeration.
func firstValues(verb *kong.Node) []string {
	var list []string
	if len(verb.Children) > 0 {
		for _, n := range Leaves(verb) {
			list = append(list, n.Name)
		}
		return list
	}
	if len(verb.Positional) > 0 && verb.Positional[0].Enum != "" {
		return verb.Positional[0].EnumSlice()
	}
	return nil
}

// takesRevisions is true for a verb whose arguments are revisions.
func takesRevisions(verb *kong.Node) bool {
	return len(verb.Positional) > 0 && verb.Positional[0].Name == "revision"
}

// takesRuns lists the sub-verbs whose arguments are recorded runs.
func takesRuns(verb *kong.Node) []string {
	var list []string
	for _, n := range verb.Children {
		if len(n.Positional) > 0 && n.Positional[0].Name == "run" {
			list = append(list, n.Name)
		}
	}
	return list
}

// AllOptions lists what may follow a verb: its own options, those of its
// sub-verbs and those of every command.
func AllOptions(verb, root *kong.Node) []Option {
	rows := OptionsOf(verb)
	seen := map[string]bool{}
	for _, o := range rows {
		seen[o.Long] = true
	}
	for _, n := range verb.Children {
		for _, o := range OptionsOf(n) {
			if !n.Hidden && !seen[o.Long] {
				rows, seen[o.Long] = append(rows, o), true
			}
		}
	}
	return append(rows, OptionsOf(root)...)
}

// programSummary describes the program in one line, in completions and in the
// heading of the manual.
const programSummary = "answer questions about a repository's history"
