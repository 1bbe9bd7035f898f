package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	szzeval "git-agent/agent/eval/szz"
	"git-agent/agent/model/modeltest"
	"git-agent/cmd/git-agent/app"
)

// armCase writes a case file with one fix. A commit moved the faulty code to the repaired file,
// and the fix uses a name defined in another file.
func (b *agentBench) armCase() (args []string, fix, mover string) {
	b.shell(`cd r
		printf 'int upper_limit = 9;\n\nint lowest_of(int a, int b)\n{\n\treturn a < b ? a : b;\n}\n' >names.c; git add -A; git commit -q --no-verify --no-gpg-sign -m 'name the upper limit'
		printf 'int bounded(int n)\n{\n\tint most = lowest_of(n, 10);\n\treturn most;\n}\n' >new.c
		printf '\nint main(int argc, char **argv)\n{\n\tputs(argv[0]);\n\treturn bounded(argc);\n}\n' >main.c
		cat new.c main.c >old.c; mv new.c main.c ..; git add -A; git commit -q --no-verify --no-gpg-sign -m 'bound numbers by ten'
		git rm -q old.c; mv ../new.c ../main.c .; git add -A; git commit -q --no-verify --no-gpg-sign -m 'bounded has a file of its own'
		sed -i 's/int most/  int  most/' new.c; git commit -qa --no-verify --no-gpg-sign -m 'indent anew'
		sed -i 's/(n, 10)/(n, upper_limit)/' new.c; git commit -qa --no-verify --no-gpg-sign -m 'keep numbers low'
		cd ..; mkdir -p clones/o; cp -r r clones/o/r`)
	fix, mover = b.git("rev-parse", "HEAD"), b.git("rev-parse", "HEAD~2")
	line, err := json.Marshal(map[string]any{"id": "one", "repo": "o/r", "fix": fix, "bics": []string{b.git("rev-parse", "HEAD~3")}})
	if err != nil {
		b.t.Fatal(err)
	}
	file := filepath.Join(b.home, "arms.jsonl")
	if err := os.WriteFile(file, append(line, '\n'), 0o644); err != nil {
		b.t.Fatal(err)
	}
	return []string{file, "--repos=" + filepath.Join(b.home, "clones"), "--jobs=1"}, fix, mover
}

// A seen is the conversation of one arm, as the model saw it.
type seen struct {
	tools   []string
	first   string   // the body of the first request
	answers []string // of tools
}

// investigates searches for a missing text, asks for one commit twice, and reports the commit
// that only moved the fault until the report is accepted.
func investigates(mover string) func(modeltest.Request) modeltest.Reply {
	return func(req modeltest.Request) modeltest.Reply {
		if len(req.Tools) > 1 && req.Turn() < 3 {
			return []modeltest.Reply{modeltest.Call("git_log_search", `{"pattern":"nowhere_to_be_found"}`),
				modeltest.Call("git_show", `{"commit":"`+mover+`"}`), modeltest.Call("git_show", `{"commit":"`+mover+`"}`)}[req.Turn()]
		}
		return reports(mover)
	}
}

// conversations returns the conversation of each arm.
func conversations(server *modeltest.Server) (list []seen) {
	for _, req := range server.Requests() {
		if req.Turn() == 0 {
			list = append(list, seen{tools: req.Tools, first: string(req.Raw)})
		}
		c := &list[len(list)-1]
		c.answers = nil
		for _, m := range req.Messages {
			if m.Role == "tool" {
				c.answers = append(c.answers, m.Text)
			}
		}
	}
	return list
}

// parts of a conversation, by the feature that they belong to.
var (
	partRanking  = []string{"# Candidates of a ranking", "# What these changed"}
	partOwners   = []string{"(c1, c2, ..."}
	partOrigins  = []string{"# Names of the fix"}
	partAdvice   = []string{"Say to yourself what goes wrong", "blind to causes elsewhere", "To look behind a commit", "finds origins in other files", "best a rare identifier", "\ntry: "}
	partChecks   = []string{"If a check finds"}
	partObjected = []string{"A check of the history found", "Look whether the bug was there before"} // to what the first request does not say
	partShortcut = []string{"the same answer as in turn"}
)

// Each arm omits exactly the parts in its name from the first request, the tools and their
// answers.
func TestEvalSzzArmsLeaveOut(t *testing.T) {
	t.Parallel()
	b := newAgentBench(t)
	args, fix, mover := b.armCase()
	all := slices.Concat(partRanking, partOwners, partOrigins, partAdvice, partChecks, partObjected, partShortcut)
	withTools := slices.Concat([]string{"To look behind a commit", "finds origins in other files", "best a rare identifier", "\ntry: "}, partShortcut)
	without := map[string][]string{
		"agent":                     partObjected,
		"agent-no-tools":            slices.Concat(partRanking, partOwners, partOrigins, partChecks, withTools, partObjected, []string{"blind to causes elsewhere"}),
		"agent-no-domain-knowledge": slices.Concat(partAdvice, partObjected),
		"agent-no-compression":      slices.Concat(partShortcut, partObjected, []string{"\ntry: "}),
		"agent-no-candidates":       slices.Concat(partRanking, partOwners, partOrigins, []string{"blind to causes elsewhere"}),
		"agent-no-ranking":          slices.Concat(partRanking, []string{"blind to causes elsewhere"}),
		"agent-no-claim-check":      slices.Concat(partChecks, partObjected),
		"agent-no-git-tools":        slices.Concat(withTools, partObjected),
	}
	without["agent-no-compression+no-ranking"] = slices.Concat(partShortcut, []string{"\ntry: "}, without["agent-no-ranking"])
	arms := append(szzeval.Arms.Names(), "agent-no-compression+no-ranking")
	server := b.serve(investigates(mover))
	b.run(app.ExitFound, append([]string{"eval", "szz", "--algorithm=" + strings.Join(arms, ",")}, args...)...)
	list := conversations(server)
	if len(list) != len(arms) {
		t.Fatalf("%d conversations for %d arms", len(list), len(arms))
	}
	for i, c := range list {
		name := arms[i]
		first, err := unescaped(c.first)
		if err != nil {
			t.Fatal(err)
		}
		text := first + "\n" + strings.Join(c.answers, "\n")
		for _, part := range all {
			if has := strings.Contains(text, part); has == slices.Contains(without[name], part) {
				t.Errorf("%s: it has %q: %v", name, part, has)
			}
		}
		if bare := name == "agent-no-tools" || name == "agent-no-git-tools"; bare != (len(c.tools) == 1) {
			t.Errorf("%s has the tools %q", name, c.tools)
		}
		plain := strings.Contains(name, "no-compression")
		if n := len(c.answers); len(c.tools) > 1 && (plain != (c.answers[1] == c.answers[2]) || plain != strings.Contains(c.answers[1], "diff --git")) {
			t.Errorf("%s: %d answers %q", name, n, c.answers)
		}
		if name == "agent-no-tools" {
			b.onlyTheFix(first, fix)
		}
	}
}

// unescaped returns all texts of a JSON value, one after the other.
func unescaped(data string) (string, error) {
	var v any
	if err := json.Unmarshal([]byte(data), &v); err != nil {
		return "", err
	}
	var b strings.Builder
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			fmt.Fprintln(&b, v)
		case []any:
			for _, v := range v {
				walk(v)
			}
		case map[string]any:
			for _, v := range v {
				walk(v)
			}
		}
	}
	walk(v)
	return b.String(), nil
}

// onlyTheFix checks that a request has the message and the patch of a fix, and neither a
// hash, a subject nor a date of the history.
func (b *agentBench) onlyTheFix(request, fix string) {
	b.t.Helper()
	for _, want := range []string{"keep numbers low", "-\t  int  most = lowest_of(n, 10);", "+\t  int  most = lowest_of(n, upper_limit);"} {
		if !strings.Contains(request, want) {
			b.t.Errorf("no %q in %s", want, request)
		}
	}
	for line := range strings.Lines(b.git("log", "--format=%h %cs %s", "--abbrev=7", fix)) {
		fields := strings.SplitN(strings.TrimSpace(line), " ", 3)
		for _, secret := range fields[:2] {
			if strings.Contains(request, secret) {
				b.t.Errorf("%q is in %s", secret, request)
			}
		}
		if fields[2] != "keep numbers low" && strings.Contains(request, fields[2]) {
			b.t.Errorf("%q is in %s", fields[2], request)
		}
	}
	if strings.Contains(request, "git_") {
		b.t.Errorf("a tool is named in %s", request)
	}
}
