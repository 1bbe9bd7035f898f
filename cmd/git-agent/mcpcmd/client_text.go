package mcpcmd

import (
	"regexp"
	"slices"
	"sync"

	"git-agent/agent"
)

// clientWidth is the width of an answer in columns. No terminal shows it, and a line of evidence
// that is cut is one that the client must read again.
const clientWidth = 160

// forClients rewrites the notes of the engines, which tell a person which option of a command helps. A client of MCP
// has the parameters of the tools, and no option -v. What the renderers say of options, they leave out themselves.
var forClients = sync.OnceValue(func() []rewrite {
	return []rewrite{
		{regexp.MustCompile(`\s+\(-v\s+shows\s+all\)`), ""},
		{regexp.MustCompile(`\bwith(\s+)--at\b`), "as${1}at"},
		{regexp.MustCompile(`\btry(\s+)--algorithm\b`), "try${1}algorithm"},
		{regexp.MustCompile(`(^|note: |[;,]\s+)(--(?:network|with)\b)`), "${1}git agent bisect $2"},
	}
})

type rewrite struct {
	from *regexp.Regexp
	to   string
}

// clientText returns a text for a client: without control characters, and without options of
// commands.
func clientText(text string) string {
	for _, r := range forClients() {
		text = r.from.ReplaceAllString(text, r.to)
	}
	return agent.Clean(text)
}

// clientNotes returns the notes of a structured answer for a client. The program that writes the
// answer replaces their control characters.
func clientNotes(notes []string) []string {
	out := slices.Clone(notes)
	for i := range out {
		for _, r := range forClients() {
			out[i] = r.from.ReplaceAllString(out[i], r.to)
		}
	}
	return out
}
