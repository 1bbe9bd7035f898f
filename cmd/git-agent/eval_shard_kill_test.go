//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"git-agent/cmd/git-agent/app"
)

// manyCases writes a case file of n fixes.
func (b *agentBench) manyCases(n int) (file, clones string) {
	b.t.Helper()
	b.shell(fmt.Sprintf(`mkdir -p clones/o && git init -q clones/o/r && cd clones/o/r
		for c in $(seq %d); do
			echo "int limit = $((c %% 2));" >f.c; git add f.c
			GIT_AUTHOR_DATE="$((100000000 + c * 86400)) +0000" GIT_COMMITTER_DATE="$((100000000 + c * 86400)) +0000" git commit -q --no-verify --no-gpg-sign -m "limit: version $c"
		done
		git log --format='{"id":"%%h","repo":"o/r","fix":"%%H","bics":["%%P"]}' --max-count=%d >../../../cases.jsonl`, n+1, n))
	return filepath.Join(b.home, "cases.jsonl"), filepath.Join(b.home, "clones")
}

// The same command continues a shard killed at any moment, and the report of all shards equals
// that of one run.
func TestEvalShardIsKilled(t *testing.T) {
	t.Parallel()
	b := newAgentBench(t)
	file, clones := b.manyCases(12)
	args := []string{"eval", "szz", file, "--repos=" + clones, "--algorithm=b,r", "--no-times", "--jobs=2"}
	want, _ := b.run(app.ExitFound, args...)
	var journals []string
	for i := 1; i <= 3; i++ {
		journal := filepath.Join(b.home, fmt.Sprint(i, ".jsonl"))
		journals = append(journals, journal)
		own := append(args, fmt.Sprintf("--shard=%d/3", i), "--journal="+journal)
		cmd := b.launch(own...)
		for began := time.Now(); time.Since(began) < 20*time.Second; time.Sleep(time.Millisecond) {
			if text, err := os.ReadFile(journal); err == nil && bytes.Count(text, []byte("\n")) >= i {
				break
			}
		}
		b.murder(cmd)
		b.run(app.ExitFound, own...)
	}
	got, errs := b.run(app.ExitFound, append([]string{"eval", "merge", "--no-times"}, journals...)...)
	if got != want {
		t.Errorf("the report is\n%s\nwant\n%s\n%s", got, want, errs)
	}
	// The predictions of one run, dealt to shards, give the same report with the same times.
	whole := filepath.Join(b.home, "whole.jsonl")
	want, _ = b.run(app.ExitFound, append(args[:len(args)-2], "--json", "--journal="+whole)...)
	if got, _ := b.run(app.ExitFound, "eval", "merge", "--json", whole); got != want {
		t.Errorf("the report is\n%s\nwant\n%s", got, want)
	}
	dealt := b.redeal(whole, journals)
	if got, errs := b.run(app.ExitFound, append([]string{"eval", "merge", "--json"}, dealt...)...); got != want {
		t.Errorf("the report is\n%s\nwant\n%s\n%s", got, want, errs)
	}
}

// redeal replaces the entries of the journals of shards by those that the journal of one
// run has for the same questions.
func (b *agentBench) redeal(whole string, journals []string) (dealt []string) {
	b.t.Helper()
	lines := func(path string) []string {
		text, err := os.ReadFile(path)
		if err != nil {
			b.t.Fatal(err)
		}
		return strings.SplitAfter(strings.TrimSpace(string(text))+"\n", "\n")
	}
	id := func(line string) string {
		_, rest, _ := strings.Cut(line, `"id":"`)
		rest, _, _ = strings.Cut(rest, `"`)
		return rest
	}
	entries := map[string]string{}
	for _, line := range lines(whole)[1:] {
		entries[id(line)] = line
	}
	for _, path := range journals {
		list := lines(path)
		text := list[0]
		for _, line := range list[1:] {
			if e := entries[id(line)]; e != "" && !strings.Contains(text, e) {
				text += e
			}
		}
		if err := os.WriteFile(path+".dealt", []byte(text), 0o644); err != nil {
			b.t.Fatal(err)
		}
		dealt = append(dealt, path+".dealt")
	}
	return dealt
}
