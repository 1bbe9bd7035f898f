package investigate

import (
	"context"
	"fmt"
	"strings"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/secret"
	"git-agent/prompts"
)

// firstPrompt is the data for the prompt text crash/case.
type firstPrompt struct {
	Problems, Stacks, Missing, Ranking, Code, Values, Terms, Declarations, Changes string
	NoTools                                                                        bool
	Alone                                                                          bool // no frame is in the repository
}

// Limits on the texts in the first prompt, in characters. Every turn sends the prompt again, so
// details that an easy case does not need are left to the tools.
const (
	maxCode    = 8000
	maxChanges = 3600
)

// system returns the system message of the conversation.
func (d *investigation) system() (string, error) {
	task, err := prompts.Get("crash/task")
	if err != nil {
		return "", err
	}
	method, err := prompts.Get("crash/method")
	if err != nil {
		return "", err
	}
	text, err := method.Render(
		map[string]any{"Tools": !d.sees.NoCalls, "Definitions": !d.sees.NoDefinitions, "History": !d.sees.NoHistory, "Calls": d.opt.Limits.Calls},
	)
	return task.Text + "\n" + strings.TrimRight(text, "\n") + "\n", err
}

// prompt returns the first message.
func (d *investigation) prompt(ctx context.Context) (string, error) {
	p := firstPrompt{
		Problems: d.tools.ProblemsInShort(),
		Stacks:   d.tools.StacksInShort(),
		Missing:  d.tools.Missing(),
		NoTools:  d.sees.NoCalls,
		Alone:    !d.tools.Placed(),
	}
	if !d.sees.NoRanking {
		p.Ranking = d.rankingText()
	}
	var err error
	if !d.sees.NoCode {
		if p.Code, err = d.codeText(ctx); err != nil {
			return "", err
		}
		if p.Values, err = d.valueText(ctx, p.Code); err != nil {
			return "", err
		}
		if p.Terms, err = d.termText(ctx, p.Code); err != nil {
			return "", err
		}
		p.Declarations = d.declarationText()
	}
	if !d.sees.NoChanges {
		if p.Changes, err = d.changeText(ctx); err != nil {
			return "", err
		}
	}
	text, err := prompts.Get("crash/case")
	if err != nil {
		return "", err
	}
	return text.Render(p)
}

// declarationText renders the declarations of the fields that race.
func (d *investigation) declarationText() string {
	var b strings.Builder
	for _, decl := range d.offline.Declarations {
		if secret.MustRedact(decl.Path) {
			continue
		}
		fmt.Fprintf(&b, "## %s, %s\n", agent.CleanLine(decl.Field), agent.CleanLine(decl.Path))
		for _, l := range decl.Lines {
			sign := " "
			if l.Line == decl.Line {
				sign = ">"
			}
			fmt.Fprintf(&b, "%s%d %s\n", sign, l.Line, d.tools.Shorten(strings.ReplaceAll(l.Text, "\t", "  "), maxDeclared))
		}
	}
	return b.String()
}

// maxDeclared limits a line of a declaration, in characters.
const maxDeclared = 160

// Limits on the ranking in the first prompt.
const (
	shownFiles   = 10
	shownRelated = 4 // files that no stack names
	shownReasons = 2
	maxFileLine  = 200 // characters

	maxRelatedLine = 140
)

// rankingText renders the files of the offline ranking.
func (d *investigation) rankingText() string {
	var b strings.Builder
	var related []string
	alone := !d.tools.Placed() // all files only have words of the report
	for i, f := range d.offline.Files {
		switch {
		case alone && i < shownRelated:
			fmt.Fprintln(&b, agent.ShortenWords(fileLine(f), maxFileLine))
		case f.ByHistory && d.sees.NoHistory:
		case f.Related && len(related) < shownRelated:
			related = append(related, agent.ShortenWords(fileLine(f), maxRelatedLine))
		case !f.Related && i < shownFiles:
			fmt.Fprintln(&b, agent.ShortenWords(fileLine(f), maxFileLine))
		}
	}
	if len(related) > 0 {
		fmt.Fprintf(&b, "not in the stacks:\n%s\n", strings.Join(related, "\n"))
	}
	return b.String()
}

func fileLine(f crash.File) string {
	line := agent.CleanLine(f.Path)
	if strings.HasPrefix(line, "#") {
		line = "./" + line // so that the line is no heading
	}
	if f.Probability > 0 {
		line = fmt.Sprintf("%.2f %s", f.Probability, line)
	}
	if len(f.Reasons) > 0 {
		line += ": " + agent.CleanLine(strings.Join(f.Reasons[:min(len(f.Reasons), shownReasons)], "; "))
	}
	return line
}
