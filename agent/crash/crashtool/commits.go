package crashtool

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"git-agent/agent"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// extentOf returns the last line of the function that starts at or around a line.
func extentOf(path string, all [][]byte, line int) (last int, ok bool) {
	e, ok := source.FunctionAround(path, all, line)
	return e.End, ok
}

// commitsParams are the parameters of search_commits.
type commitsParams struct {
	Pattern string `json:"pattern" arg:"required"`
	In      string `json:"in" arg:"enum=messages|changes"`
	Path    string `json:"path"`
	Max     int    `json:"max" arg:"min=1,max=50"`
}

// maxWalked bounds the commits whose messages are searched.
const maxWalked = 50_000

// newCommits makes search_commits, which Code Researcher has (arXiv 2506.11060): a
// regular expression finds commits by their messages or by the lines they changed.
func newCommits(c *Case) (agent.Tool, error) {
	const name = "search_commits"
	return newTool(name, agent.DeedSearch, commitsParams{In: "messages", Max: 15}, func(ctx context.Context, p commitsParams) (agent.Result, error) {
		pattern, err := regexp.Compile("(?i)" + p.Pattern)
		if err != nil || strings.Contains(p.Pattern, "\n") {
			return agent.Result{}, refuse(name, "%q is not a regular expression of one line", agent.Shorten(agent.CleanLine(p.Pattern), 100))
		}
		var paths []string
		if p.Path != "" {
			path, err := c.Path(ctx, name, p.Path)
			if err != nil {
				return agent.Result{}, err
			}
			paths = []string{path}
		}
		if p.In == "changes" {
			return c.byChanges(ctx, p, paths)
		}
		return c.byMessages(ctx, p, pattern, paths)
	})
}

// byMessages lists the newest commits whose message matches.
func (c *Case) byMessages(ctx context.Context, p commitsParams, pattern *regexp.Regexp, paths []string) (agent.Result, error) {
	var b strings.Builder
	shown, walked := 0, 0
	var batch []gitext.OID
	flush := func() error {
		commits, err := c.Repo.Commits(ctx, batch)
		batch = batch[:0]
		for _, m := range commits {
			if shown == p.Max || !pattern.MatchString(m.Message) {
				continue
			}
			shown++
			writeCommit(&b, m.OID, m.Committer.Time, m.Subject())
			if line := matching(m.Body(), pattern); line != "" {
				fmt.Fprintf(&b, "    %s\n", line)
			}
		}
		return err
	}
	for entry, err := range c.Repo.Log(ctx, gitext.LogOptions{Tip: c.Scope.Tip, Paths: paths, Max: maxWalked}) {
		if err != nil {
			return agent.Result{}, err
		}
		walked++
		if batch = append(batch, entry.OID); len(batch) == 500 {
			if err := flush(); err != nil {
				return agent.Result{}, err
			}
		}
		if shown == p.Max {
			break
		}
	}
	if err := flush(); err != nil {
		return agent.Result{}, err
	}
	if shown == p.Max {
		fmt.Fprintf(&b, "(the newest %d; there may be more: raise max, or give path)\n", p.Max)
	} else if walked == maxWalked {
		fmt.Fprintf(&b, "(only the newest %d commits were searched)\n", maxWalked)
	}
	if shown == 0 {
		return agent.Result{Text: fmt.Sprintf("no message of %s matches\n%s", agent.Plural(walked, "commit"), b.String()), Nothing: true}, nil
	}
	return agent.Result{Text: b.String()}, nil
}

// byChanges lists the newest commits that added or removed a matching line.
func (c *Case) byChanges(ctx context.Context, p commitsParams, paths []string) (agent.Result, error) {
	var b strings.Builder
	shown := 0
	opt := gitext.PickaxeOptions{Needle: p.Pattern, LogOptions: gitext.LogOptions{Tip: c.Scope.Tip, Paths: paths, Max: p.Max}}
	for entry, err := range c.Repo.LogG(ctx, opt) {
		if err != nil {
			return agent.Result{}, err
		}
		shown++
		writeCommit(&b, entry.OID, entry.CommitTime, entry.Subject)
	}
	if shown == 0 {
		return agent.Result{Text: "no commit changed a line that matches\n", Nothing: true}, nil
	}
	if shown == p.Max {
		fmt.Fprintf(&b, "(the newest %d; there may be more: raise max, or give path)\n", p.Max)
	}
	return agent.Result{Text: b.String()}, nil
}

func writeCommit(b *strings.Builder, oid gitext.OID, when time.Time, subject string) {
	fmt.Fprintf(b, "%s %s %s\n", oid.Short(), when.UTC().Format(time.DateOnly), cmp.Or(agent.Shorten(agent.CleanLine(subject), 120), "(no subject)"))
}

// matching returns the first line of a text that matches.
func matching(text string, pattern *regexp.Regexp) string {
	for line := range strings.Lines(text) {
		if pattern.MatchString(line) {
			return agent.Shorten(agent.CleanLine(strings.TrimSpace(line)), 200)
		}
	}
	return ""
}
