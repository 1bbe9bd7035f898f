package ui

import (
	"slices"

	"github.com/alecthomas/kong"
)

// CompletionFor returns the completion script for a shell.
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

// firstValues lists the possible values of a verb's first argument, if they are
// enumerated or are sub-verbs. Otherwise it returns nil.
func firstValues(verb *kong.Node) []string {
	var list []string
	if len(verb.Children) > 0 {
		for _, n := range Leaves(verb) {
			list = append(list, n.Name)
		}
		return list
	}
	if len(verb.Positional) > 0 && verb.Positional[0].Enum != "" {
		return slices.DeleteFunc(verb.Positional[0].EnumSlice(), func(name string) bool { return name == "" })
	}
	return nil
}

// takesRevisions reports whether the verb's arguments are revisions.
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

// AllOptions lists the possible options after a verb: its own, those of its
// sub-verbs, and those of every command.
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

// programSummary describes the program in one line.
const programSummary = "answer questions about a repository's history"
