package ui

import (
	"fmt"
	"strings"

	"git-agent/gitext/quote"

	"github.com/alecthomas/kong"
)

// bashHead begins the script: it finds the verb on the command line. git's
// completion calls _git_agent with cur, words and cword set; bashTail does the
// same for a plain `git-agent`.
const bashHead = `# bash completion for git-agent: made by "git agent completion bash".

_git_agent ()
{
	local i word verb= sub= seen=
	for ((i = 0; i < cword; i++)); do
		word=${words[i]}
		case "$seen,$word" in
		,agent|,git-agent|,*/git-agent) seen=1 ;;
		,*|1,-*) ;;
		*) if [ -n "$verb" ]; then sub=$word; break; fi; verb=$word ;;
		esac
	done
	__git_has_doubledash && return
	case "$verb" in
`

// GitCompletions lists the possible files of git's own completion for bash. The
// script loads git's completion if necessary, because it uses git's functions and
// because only git's completion completes `git agent`.
var GitCompletions = []string{
	"/usr/share/bash-completion/completions/git",
	"/usr/share/git/completion/git-completion.bash",
	"/usr/share/git-core/contrib/completion/git-completion.bash",
	"/usr/local/share/bash-completion/completions/git",
	"/usr/local/etc/bash_completion.d/git-completion.bash",
	"/opt/homebrew/etc/bash_completion.d/git-completion.bash",
	"/Library/Developer/CommandLineTools/usr/share/git-core/git-completion.bash",
}

// bashTail ends the script: it registers the completion. Without git's
// completion, a plain git-agent is still completed, with replacements for git's
// functions.
const bashTail = `	esac
}

__git_agent_alone ()
{
	__gitcomp ()
	{
		local word
		COMPREPLY=()
		for word in $(compgen -W "$1" -- "${3-$cur}"); do
			case "$word" in *=) ;; *) word="$word " ;; esac
			COMPREPLY+=("$word")
		done
	}
	__gitcomp_nl () { __gitcomp "$1"; }
	__git () { git "$@" 2>/dev/null; }
	__git_complete_revlist_file () { __gitcomp "HEAD $(__git for-each-ref --format='%%(refname:short)')"; }
	__git_has_doubledash ()
	{
		local word
		for word in "${words[@]:0:cword}"; do [ "$word" = -- ] && return; done
		return 1
	}
	local cur words cword line=${COMP_LINE:0:COMP_POINT}
	read -ra words <<<"$line"
	case "$line" in *[[:space:]]) words+=("") ;; esac
	cword=$((${#words[@]} - 1))
	cur=${words[cword]}
	_git_agent
}

__git_agent_register ()
{
	local file
	if ! declare -F __git_complete >/dev/null && declare -F _completion_loader >/dev/null; then
		_completion_loader git
	fi
	for file in %s; do
		declare -F __git_complete >/dev/null && break
		[ -r "$file" ] && . "$file"
	done
	if declare -F __git_complete >/dev/null; then
		__git_complete git-agent _git_agent
	else
		complete -o bashdefault -o default -o nospace -F __git_agent_alone git-agent
	fi
}
__git_agent_register
unset -f __git_agent_register
`

func bashCompletion(root *kong.Node) string {
	var b strings.Builder
	b.WriteString(bashHead)
	var names []string
	for _, v := range Verbs(root) {
		names = append(names, v.Name)
	}
	bashCase(&b, "''", OptionsOf(root), "__gitcomp "+quote.Shell(strings.Join(names, " ")))
	for _, v := range Verbs(root) {
		rest := ""
		switch values := firstValues(v); {
		case values != nil:
			rest = bashValues(values, takesRuns(v))
		case takesRevisions(v):
			rest = "__git_complete_revlist_file"
		}
		bashCase(&b, v.Name, AllOptions(v, root), rest)
	}
	fmt.Fprintf(&b, bashTail, strings.Join(GitCompletions, " "))
	return b.String()
}

// bashValues returns the code that completes the first argument with values, and
// the argument after one of runs with the names of recorded runs.
func bashValues(values, runs []string) string {
	offer := "__gitcomp " + quote.Shell(strings.Join(values, " "))
	if len(runs) == 0 {
		return offer
	}
	return fmt.Sprintf(`case "$sub" in
			'') %s ;;
			%s) __gitcomp_nl "$(__git agent trace list --names)" ;;
			esac`, offer, strings.Join(runs, "|"))
}

// bashCase writes the case of one verb. It completes the values of options, then
// the options, and everything else with the code rest.
func bashCase(b *strings.Builder, verb string, rows []Option, rest string) {
	fmt.Fprintf(b, "\t%s)\n\t\tcase \"$cur\" in\n", verb)
	var words []string
	for _, o := range rows {
		words = append(words, o.words()...)
		if o.Values != nil {
			fmt.Fprintf(b, "\t\t--%s=*) __gitcomp %s \"\" \"${cur#--%s=}\" ;;\n", o.Long, quote.Shell(strings.Join(o.Values, " ")), o.Long)
		}
	}
	fmt.Fprintf(b, "\t\t--*=*) ;;\n\t\t--*) __gitcomp %s ;;\n", quote.Shell(strings.Join(words, " ")))
	if rest != "" {
		fmt.Fprintf(b, "\t\t*) %s ;;\n", rest)
	}
	b.WriteString("\t\tesac ;;\n")
}
