package ui

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// fishHead begins the script. fish completes `git agent` with the completions of
// git-agent, so the script serves both.
const fishHead = `# fish completion for git-agent: made by "git agent completion fish".

function __fish_git_agent_verb
    for word in (commandline -opc)[2..]
        if not string match -q -- '-*' $word
            echo $word
            return 0
        end
    end
    return 1
end

function __fish_git_agent_in
    test (__fish_git_agent_verb) = $argv[1] 2>/dev/null
end

function __fish_git_agent_revisions
    git for-each-ref --format='%(refname:short)' refs/heads refs/tags refs/remotes 2>/dev/null
end

function __fish_git_agent_runs
    git agent trace list --names 2>/dev/null
end

complete -c git-agent -f
`

func fishCompletion(root *kong.Node) string {
	var b strings.Builder
	b.WriteString(fishHead)
	for _, o := range OptionsOf(root) {
		fishOption(&b, "", o)
	}
	for _, v := range Verbs(root) {
		fmt.Fprintf(&b, "complete -c git-agent -n 'not __fish_git_agent_verb' -a %s -d %s\n", v.Name, FishQuote(v.Help))
	}
	for _, v := range Verbs(root) {
		when := "-n '__fish_git_agent_in " + v.Name + "' "
		own := AllOptions(v, root)
		for _, o := range own[:len(own)-len(OptionsOf(root))] {
			fishOption(&b, when, o)
		}
		switch values := firstValues(v); {
		case values != nil && takesRuns(v) != nil:
			subs := strings.Join(values, " ")
			fmt.Fprintf(
				&b,
				"complete -c git-agent -n '__fish_git_agent_in %s; and not __fish_seen_subcommand_from %s' -a %s\n",
				v.Name,
				subs,
				FishQuote(subs),
			)
			fmt.Fprintf(
				&b,
				"complete -c git-agent -n '__fish_git_agent_in %s; and __fish_seen_subcommand_from %s' -k -F -a '(__fish_git_agent_runs)'\n",
				v.Name,
				strings.Join(takesRuns(v), " "),
			)
		case values != nil:
			fmt.Fprintf(&b, "complete -c git-agent %s-a %s\n", when, FishQuote(strings.Join(values, " ")))
		case takesRevisions(v):
			fmt.Fprintf(&b, "complete -c git-agent %s-a '(__fish_git_agent_revisions)'\n", when)
		default:
			fmt.Fprintf(&b, "complete -c git-agent %s-F\n", when)
		}
	}
	return b.String()
}

func fishOption(b *strings.Builder, when string, o Option) {
	for i, word := range o.words() {
		if i > 0 && o.NoArg {
			continue // one row is for both spellings
		}
		fmt.Fprintf(b, "complete -c git-agent %s-l %s", when, strings.Trim(word, "-="))
		if o.Short != "" {
			fmt.Fprintf(b, " -s %s", o.Short)
		}
		switch {
		case o.Values != nil:
			fmt.Fprintf(b, " -x -a %s", FishQuote(strings.Join(o.Values, " ")))
		case o.NoArg: // a value is only read behind an equals sign
		case o.Kind == "path":
			fmt.Fprint(b, " -r -F")
		case o.Arg != "":
			fmt.Fprint(b, " -x")
		}
		fmt.Fprintf(b, " -d %s\n", FishQuote(o.Help))
	}
}

// FishQuote quotes s for fish.
func FishQuote(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'"
}
