package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"git-agent/agent/model/modeltest"
	"git-agent/cmd/git-agent/app"
	"git-agent/man"
)

// reproducing returns the manual's commands for the tables of a verb.
func reproducing(t *testing.T, verb string) (commands [][]string) {
	page, err := man.Page("git-agent-reproducing")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(strings.NewReplacer(`\-`, "-", `\(aq`, "'", "\\e\n", "").Replace(page)) {
		words := strings.Fields(line)
		if len(words) > 3 && strings.Join(words[:4], " ") == "git agent eval "+verb && strings.HasPrefix(line, "  ") {
			commands = append(commands, words[2:])
		}
	}
	return commands
}

// Each command of the manual page about the papers runs with a scripted model, and its report has
// a row for each algorithm in the command.
func TestReproducing(t *testing.T) {
	t.Parallel()
	answers := map[string]string{
		"szz":   `{"id":"0","suspects":[]}`,
		"crash": `{"id":"0","files":[]}`,
		"fix":   `{"id":"0","patches":[]}`,
	}
	for verb, known := range map[string]func(*agentBench) []told{"szz": (*agentBench).knownSzz, "crash": (*agentBench).knownCrashes, "fix": (*agentBench).knownBugs} {
		t.Run(verb, func(t *testing.T) {
			b := newAgentBench(t)
			cases := known(b)
			files := b.casesFile(cases)
			other := filepath.Join(b.home, "answers.jsonl")
			if err := os.WriteFile(other, []byte(answers[verb]+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			b.serve(func(req modeltest.Request) modeltest.Reply {
				for _, c := range cases {
					if strings.Contains(req.Messages[1].Text, c.mark) {
						return c.reply(req)
					}
				}
				return cases[0].reply(req) // an arm hides what marks the case
			})
			commands := reproducing(t, verb)
			if len(commands) < 2 {
				t.Fatalf("the page has %d commands", len(commands))
			}
			for i, args := range commands {
				here := strings.NewReplacer(verb+".jsonl", files[0], "--repos=repos", files[1], "answers.jsonl", other)
				var run []string
				for _, arg := range args {
					run = append(run, here.Replace(arg))
				}
				run = append(run, "--json", "--limit=1", fmt.Sprintf("--run=%s%d", verb, i))
				if verb == "fix" {
					run = append(run, "--sandbox=none")
				}
				out, _ := b.run(app.ExitFound, run...)
				checkRows(t, args, rowsOf(t, out))
			}
		})
	}
}

// checkRows checks that a report has a row for each algorithm in a command.
func checkRows(t *testing.T, args []string, rows []measured) {
	t.Helper()
	has := map[string]bool{}
	for _, row := range rows {
		has[row.name] = true
	}
	for _, arg := range args {
		names, named := strings.CutPrefix(arg, "--algorithm=")
		if program, _, ok := strings.Cut(strings.TrimPrefix(arg, "--answers="), "="); ok && strings.HasPrefix(arg, "--answers=") {
			names, named = program, true
		}
		for name := range strings.SplitSeq(names, ",") {
			if named && !has[name] {
				t.Errorf("%s: no row %s in %v", strings.Join(args, " "), name, has)
			}
		}
	}
}
