package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	crasheval "git-agent/agent/eval/crash"
	szzeval "git-agent/agent/eval/szz"
	"git-agent/agent/model/modeltest"
	"git-agent/cmd/git-agent/app"
)

// The tests of this file measure models that know the truth, the truth of another case, or
// nothing. The offline engine's answers must not affect a row.

// told is a case whose truth a model knows.
type told struct {
	mark  string                                  // its first request has this text, and no other case's
	truth string                                  // cases with the same truth have the same
	reply func(modeltest.Request) modeltest.Reply // answers with the truth
	line  map[string]any                          // of the case file
}

// knowing answers each case with the truth of the case shift places later.
func knowing(t *testing.T, cases []told, shift int) func(modeltest.Request) modeltest.Reply {
	return func(req modeltest.Request) modeltest.Reply {
		for i, c := range cases {
			if strings.Contains(req.Messages[1].Text, c.mark) {
				return cases[(i+shift)%len(cases)].reply(req)
			}
		}
		t.Errorf("no case is marked in %s", req.Messages[1].Text)
		return modeltest.Say("?")
	}
}

// rightBy counts the cases with the same truth as the case shift places later.
func rightBy(cases []told, shift int) (n int) {
	for i, c := range cases {
		if c.truth == cases[(i+shift)%len(cases)].truth {
			n++
		}
	}
	return n
}

// casesFile writes a file of the cases, and clones the bench's repository beside it.
func (b *agentBench) casesFile(cases []told) (args []string) {
	b.t.Helper()
	b.shell("mkdir -p clones/o && cp -r r clones/o/r")
	var text strings.Builder
	for i, c := range cases {
		c.line["id"], c.line["repo"] = fmt.Sprint(i), "o/r"
		line, err := json.Marshal(c.line)
		if err != nil {
			b.t.Fatal(err)
		}
		text.Write(append(line, '\n'))
	}
	file := filepath.Join(b.home, "known.jsonl")
	if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
		b.t.Fatal(err)
	}
	return []string{file, "--repos=" + filepath.Join(b.home, "clones"), "--jobs=1"}
}

// measured is a row of a report: its name, and its numbers by name. Those of a list are
// named by their place, as in "acc_at_1_3_5/0".
type measured struct {
	name   string
	number map[string]float64
}

// rowsOf returns the rows over all cases of a report in JSON.
func rowsOf(t *testing.T, out string) (rows []measured) {
	t.Helper()
	var r struct {
		Algorithms []struct {
			Name    string
			Overall map[string]any
		}
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	for _, a := range r.Algorithms {
		row := measured{a.Name, map[string]float64{}}
		for name, v := range a.Overall {
			switch v := v.(type) {
			case float64:
				row.number[name] = v
			case map[string]any:
				if x, ok := v["value"].(float64); ok {
					row.number[name] = x
				}
			case []any:
				for i, v := range v {
					if x, ok := v.(float64); ok {
						row.number[fmt.Sprintf("%s/%d", name, i)] = x
					}
				}
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// wantRows checks that each row has this value in all of these numbers.
func wantRows(t *testing.T, what string, rows []measured, n int, want float64, names ...string) {
	t.Helper()
	if len(rows) != n {
		t.Errorf("%s: %d rows, want %d", what, len(rows), n)
	}
	for _, row := range rows {
		for _, name := range names {
			if got, ok := row.number[name]; !ok || got-want > 1e-9 || want-got > 1e-9 {
				t.Errorf("%s: %s of %s is %v, want %v", what, name, row.name, row.number[name], want)
			}
		}
	}
}

// saysNothing are models without an answer: one reports none, one chats, one is silent.
func saysNothing(report string) map[string]modeltest.Reply {
	return map[string]modeltest.Reply{
		"an empty report": modeltest.Call("report", report), "prose": modeltest.Say("I cannot say."), "an empty reply": modeltest.Say(""),
	}
}

// askedCases is how many of n cases a model without an answer is asked: all of them if it makes
// the empty report, else one, because another case would show the same. The offline engine knows
// the truth of each case, as the rows with fallback show.
func askedCases(saying string, n int) int {
	if saying == "an empty report" {
		return n
	}
	return 1
}

// armNames are arms of a verb. All arms show the same, except for their own omissions.
type armNames []string

// someOf returns all arms, or the first two.
func someOf(arms []string, all bool) armNames {
	if all {
		return arms
	}
	return arms[:2]
}

func (a armNames) option() string { return "--algorithm=" + strings.Join(a, ",") }

// knownSzz makes four fixes; two of them mend what one commit broke.
func (b *agentBench) knownSzz() (cases []told) {
	b.shell(`cd r
		for f in p q r s; do printf 'int %s = 1;\nint more_%s;\n' $f $f >$f.c; done; git add -A; git commit -q --no-verify --no-gpg-sign -m 'start p, q, r and s'
		for fs in 'p q' r s; do for f in $fs; do sed -i 's/= 1/= 7/' $f.c; done; git commit -qa --no-verify --no-gpg-sign -m "seven for $fs"; done
		for f in p q r s; do sed -i 's/= 7/= 1/' $f.c; git commit -qa --no-verify --no-gpg-sign -m "mend the $f of all"; done`)
	bugs := []string{"HEAD~6", "HEAD~6", "HEAD~5", "HEAD~4"}
	for i, name := range []string{"p", "q", "r", "s"} {
		bug := b.git("rev-parse", bugs[i])
		cases = append(cases, told{mark: "Message:\nmend the " + name + " of all", truth: bug,
			reply: func(modeltest.Request) modeltest.Reply { return reports(bug) },
			line:  map[string]any{"fix": b.git("rev-parse", fmt.Sprintf("HEAD~%d", 3-i)), "bics": []string{bug}}})
	}
	return cases
}

// In every row of szz, the truth counts 1, nothing counts 0, and the truth of other cases
// counts as often as it is the case's own.
func TestEvalSzzCountsTheModel(t *testing.T) {
	t.Parallel()
	b := newAgentBench(t)
	cases := b.knownSzz()
	arms := append(szzeval.Arms.Names(), "agent-no-tools+no-compression", "agent-no-domain-knowledge+no-claim-check")
	args := append([]string{"eval", "szz", "--json"}, b.casesFile(cases)...)
	voted := append(slices.Clone(args), "--algorithm=agent", "--run=voted", "--runs=3")
	all := []string{"f1", "precision", "recall", "acc_at_1_3_5/0", "acc_at_1_3_5/2"}
	right := 0.0
	for shift := range cases {
		b.serve(knowing(t, cases, shift))
		asked := someOf(arms, shift == 0)
		out, _ := b.run(app.ExitFound, append(args, asked.option(), fmt.Sprintf("--run=shift%d", shift))...)
		want := float64(rightBy(cases, shift)) / float64(len(cases))
		wantRows(t, fmt.Sprintf("shift %d", shift), rowsOf(t, out), len(asked), want, all...)
		if shift > 0 {
			right += want * float64(len(cases))
		}
	}
	if right != 2 { // of the twelve pairs of two cases
		t.Errorf("the truth of other cases is right %v times", right)
	}
	for name, nothing := range saysNothing(`{"commits":[]}`) {
		server := b.serve(always(nothing))
		asked, limit := someOf(arms, name == "an empty report"), askedCases(name, len(cases))
		args := append(slices.Clone(args), asked.option(), "--run="+name, fmt.Sprintf("--limit=%d", limit))
		out, _ := b.run(app.ExitFound, args...)
		wantRows(t, name, rowsOf(t, out), len(asked), 0, "f1", "right", "found", "acc_at_1_3_5/0", "acc_at_1_3_5/2")
		wantRows(t, name, rowsOf(t, out), len(asked), float64(limit), "empty", "fallback")
		n := len(server.Requests())
		out, _ = b.run(app.ExitFound, append(args, "--fallback")...)
		rows := rowsOf(t, out)
		wantRows(t, name+" with fallback", rows, len(asked), float64(limit), "fallback", "right")
		if rows[1].name != "agent-no-tools (with fallback)" || len(server.Requests()) != n {
			t.Errorf("%s: the row is called %q, and %d more requests", name, rows[1].name, len(server.Requests())-n)
		}
	}
	b.serve(always(modeltest.Say("I cannot say.")))
	out, _ := b.run(app.ExitFound, voted...)
	wantRows(t, "three runs", rowsOf(t, out), 1, 0, "f1", "right")
}

// knownCrashes makes three crashes; two of them are mended in one file.
func (b *agentBench) knownCrashes() (cases []told) {
	b.shell(`cd r; for f in p q r; do printf 'int %s(int *at)\n{\n\treturn *at;\n}\n' $f >$f.c; done
		git add -A; git commit -q --no-verify --no-gpg-sign -m 'start p, q and r'`)
	head := b.git("rev-parse", "HEAD")
	for i, f := range []string{"p", "p", "r"} {
		frames := fmt.Sprintf("#0  0x01 in q (at=0x0) at q.c:%d\n#1  0x02 in p (at=0x0) at p.c:3\n#2  0x03 in r (at=0x0) at r.c:3\n", i+1)
		cases = append(cases, told{mark: fmt.Sprintf("#0 q() q.c:%d", i+1), truth: f, // which all arms show
			reply: func(modeltest.Request) modeltest.Reply { return blames(f + ".c") },
			line: map[string]any{"crash_commit": head, "fix_files": []string{f + ".c"}, "intro_commits": []string{head},
				"report": "Program received signal SIGSEGV, Segmentation fault.\n" + frames}})
	}
	return cases
}

// The same for crash: in every row, the truth counts 1 and nothing counts 0.
func TestEvalCrashCountsTheModel(t *testing.T) {
	t.Parallel()
	b := newAgentBench(t)
	cases := b.knownCrashes()
	arms := append(crasheval.Arms.Names(), "agent-no-tools+no-ranking")
	args := append([]string{"eval", "crash", "--json", "--runs=1"}, b.casesFile(cases)...)
	right := 0.0
	for shift := range cases {
		b.serve(knowing(t, cases, shift))
		asked := someOf(arms, shift == 0)
		out, _ := b.run(app.ExitFound, append(args, asked.option(), fmt.Sprintf("--run=shift%d", shift))...)
		want := float64(rightBy(cases, shift)) / float64(len(cases))
		wantRows(t, fmt.Sprintf("shift %d", shift), rowsOf(t, out), len(asked), want, "acc_at_1")
		if shift > 0 {
			right += want * float64(len(cases))
		}
	}
	if right != 2 { // of the six pairs of two cases
		t.Errorf("the truth of other cases is right %v times", right)
	}
	for name, nothing := range saysNothing(`{"explanation":"","files":[]}`) {
		b.serve(always(nothing))
		asked, limit := someOf(arms, name == "an empty report"), askedCases(name, len(cases))
		args := append(slices.Clone(args), asked.option(), "--run="+name, fmt.Sprintf("--limit=%d", limit))
		out, _ := b.run(app.ExitFound, args...)
		wantRows(t, name, rowsOf(t, out), len(asked), 0, "acc_at_1", "acc_at_2", "acc_at_3", "acc_at_5", "acc_at_10", "in_list", "mrr", "mean_files", "suspect_acc_at_1", "suspect_acc_at_10", "mean_suspects")
		wantRows(t, name, rowsOf(t, out), len(asked), float64(limit), "empty", "fallback", "suspect_cases")
		out, _ = b.run(app.ExitFound, append(args, "--fallback")...)
		rows := rowsOf(t, out)
		wantRows(t, name+" with fallback", rows, len(asked), 1, "in_list", "suspect_acc_at_10")
		if rows[0].name != "agent (with fallback)" {
			t.Errorf("the row is called %q", rows[0].name)
		}
	}
	b.serve(always(modeltest.Say("I cannot say.")))
	out, _ := b.run(app.ExitFound, append(args, "--algorithm=agent", "--run=voted", "--runs=3")...)
	wantRows(t, "three runs", rowsOf(t, out), 1, 0, "acc_at_1", "acc_at_10")
}

// knownBugs makes three bugs; two of them are repaired by the same change.
func (b *agentBench) knownBugs() (cases []told) {
	b.shell(`cd r
		printf 'add() { echo $(($1 + $2)); }\n' >add.sh; printf 'sub() { echo $(($1 - $2)); }\n' >sub.sh; git add -A; git commit -q --no-verify --no-gpg-sign -m 'add, sub'
		sed -i 's/1 + /1 x /' add.sh; sed -i 's/1 - /1 x /' sub.sh; git commit -qa --no-verify --no-gpg-sign -m 'x'
		test() { printf '. ./%s.sh\n[ "$(%s %s 2>/dev/null)" = %s ] || { echo "%s.sh:1: wrong %s"; exit 1; }\n' $2 $2 "$3" $4 $2 $1 >$1_test.sh; }
		sed -i 's/1 x /1 + /' add.sh; test one add '1 1' 2; test two add '1 2' 3; git add -A; git commit -q --no-verify --no-gpg-sign -m 'mend add'
		sed -i 's/1 x /1 - /' sub.sh; test three sub '3 1' 2; git add -A; git commit -q --no-verify --no-gpg-sign -m 'mend sub'`)
	for _, c := range []struct{ test, file, op, fix string }{{"one", "add.sh", "+", "HEAD~1"}, {"two", "add.sh", "+", "HEAD~1"}, {"three", "sub.sh", "-", "HEAD"}} {
		edit := fmt.Sprintf(`{"path":%q,"old":"$1 x $2","new":"$1 %s $2"}`, c.file, c.op)
		cases = append(cases, told{mark: "sh " + c.test + "_test.sh", truth: c.file,
			reply: func(req modeltest.Request) modeltest.Reply {
				if req.Turn() == 0 {
					return modeltest.Call("edit", edit)
				}
				return modeltest.Call("finish", `{"status":"success","explanation":"It counts again."}`)
			},
			line: map[string]any{"base": b.git("rev-parse", c.fix+"~"), "fix": b.git("rev-parse", c.fix), "src_files": []string{c.file},
				"test_files": []string{c.test + "_test.sh"}, "test_cmd": "sh " + c.test + "_test.sh"}})
	}
	return cases
}

// The same for fix. Without a server, --fallback counts what the offline engine repairs.
func TestEvalFixCountsTheModel(t *testing.T) {
	t.Parallel()
	b := newAgentBench(t)
	cases := b.knownBugs()
	known := b.casesFile(cases)
	args := append([]string{"eval", "fix", "--json", "--sandbox=none", "--turns=6"}, known...)
	arms := armNames{"agent", "agent-none-given"}
	all := []string{"plausible_at_1", "plausible_at_3", "plausible_at_5", "exact", "same_functions", "same_files"}
	right := 0.0
	for shift := range cases {
		b.serve(knowing(t, cases, shift))
		asked := arms[:1+shift%2]
		out, _ := b.run(app.ExitFound, append(args, asked.option(), fmt.Sprintf("--run=shift%d", shift))...)
		want := float64(rightBy(cases, shift)) / float64(len(cases))
		wantRows(t, fmt.Sprintf("shift %d", shift), rowsOf(t, out), len(asked), want, all...)
		if shift > 0 {
			right += want * float64(len(cases))
		}
	}
	if right != 2 { // of the six pairs of two cases
		t.Errorf("the truth of other cases is right %v times", right)
	}
	for name, nothing := range map[string]modeltest.Reply{"prose": modeltest.Say("I cannot say."), "success": modeltest.Call("finish", `{"status":"success","explanation":"Done."}`)} {
		b.serve(always(nothing))
		// One case, which the offline engine repairs, as the row with fallback below shows.
		out, _ := b.run(app.ExitFound, append(args, arms.option(), "--limit=1", "--run="+name)...)
		wantRows(t, name, rowsOf(t, out), 2, 0, append(all, "fallback")...)
	}
	b.serve(always(modeltest.Status(http.StatusBadRequest, `{"error":{"message":"not now"}}`)))
	args = append([]string{"eval", "fix", "--json", "--sandbox=none", "--limit=1", "--engine=agent"}, known...)
	out, _ := b.run(app.ExitFound, append(args, "--run=gone", "--fallback")...)
	rows := rowsOf(t, out)
	wantRows(t, "with fallback", rows, 1, 1, "plausible_at_1", "fallback")
	if rows[0].name != "agent (with fallback)" {
		t.Errorf("the row is called %q", rows[0].name)
	}
	out, _ = b.run(app.ExitFound, "eval", "fix", "--json", "--run=gone")
	wantRows(t, "the same answer without fallback", rowsOf(t, out), 1, 0, "plausible_at_1", "exact")
}
