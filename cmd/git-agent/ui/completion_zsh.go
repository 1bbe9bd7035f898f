package ui

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// zshHead begins the script in the form for zsh's own _git. _git calls the
// function _git-agent, and describes the command with the text of the second
// line.
const zshHead = `#compdef git-agent
#description %s

_git-agent-runs () {
  local -a runs
  runs=(${(f)"$(git agent trace list --names 2>/dev/null)"})
  compadd -V runs -a runs || _files
}

_git-agent () {
  local curcontext=$curcontext state line ret=1
  declare -A opt_args
  _arguments -C \
%s    '1: :->command' \
    '*:: :->argument' && ret=0
  case $state in
  (command)
    local -a commands
    commands=(
%s    )
    _describe -t commands 'git agent command' commands && ret=0
    ;;
  (argument)
    curcontext="${curcontext%%:*:*}:git-agent-$line[1]:"
    case $line[1] in
`

const zshTail = `    esac
    ;;
  esac
  return ret
}

_git-agent "$@"
`

func zshCompletion(root *kong.Node) string {
	var b, commands strings.Builder
	for _, v := range Verbs(root) {
		fmt.Fprintf(&commands, "      %s\n", zshQuote(v.Name+":"+v.Help))
	}
	fmt.Fprintf(&b, zshHead, programSummary, zshRows(OptionsOf(root), "    "), commands.String())
	for _, v := range Verbs(root) {
		fmt.Fprintf(&b, "    (%s)\n      _arguments \\\n%s", v.Name, zshRows(AllOptions(v, root), "        "))
		switch values := firstValues(v); {
		case values != nil && takesRuns(v) != nil:
			fmt.Fprintf(&b, "        '1: :(%s)' \\\n        '*: :_git-agent-runs' && ret=0\n", strings.Join(values, " "))
		case values != nil:
			fmt.Fprintf(&b, "        '1: :(%s)' \\\n        '*: :_files' && ret=0\n", strings.Join(values, " "))
		case takesRevisions(v):
			fmt.Fprint(&b, "        '*: :{ __git_commits 2>/dev/null || _files }' && ret=0\n")
		default:
			fmt.Fprint(&b, "        '*: :_files' && ret=0\n")
		}
		fmt.Fprint(&b, "      ;;\n")
	}
	b.WriteString(zshTail)
	return b.String()
}

// zshRows returns options as specifications for _arguments.
func zshRows(rows []Option, indent string) string {
	var b strings.Builder
	for _, o := range rows {
		help := "[" + strings.NewReplacer("[", `\[`, "]", `\]`, ":", `\:`).Replace(o.Help) + "]"
		action := ""
		if o.Arg != "" {
			action = ":" + strings.Trim(o.Arg, "<>") + ":" + zshValues(o)
		}
		for _, word := range o.words() {
			if o.NoArg && !strings.HasSuffix(word, "=") {
				continue // one row is for both spellings
			}
			if o.NoArg {
				word, action = word+"-", ":"+action // the value is optional, and behind the equals sign
			}
			fmt.Fprintf(&b, "%s%s \\\n", indent, zshQuote(word+help+action))
		}
		if o.Short != "" {
			fmt.Fprintf(&b, "%s%s \\\n", indent, zshQuote("-"+o.Short+help))
		}
	}
	return b.String()
}

func zshValues(o Option) string {
	switch {
	case o.Values != nil:
		return "(" + strings.Join(o.Values, " ") + ")"
	case o.Kind == "path":
		return "_files"
	}
	return " "
}

func zshQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
