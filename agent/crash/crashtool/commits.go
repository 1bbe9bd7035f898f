package crashtool

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"git-agent/agent"
	"git-agent/gitext"
)

// commitsParams are the parameters of search_commits.
type commitsParams struct {
	Pattern string `json:"pattern" arg:"required"`
	Path    string `json:"path"`
	Max     int    `json:"max" arg:"min=1,max=50"`
}

// maxWalked bounds the commits whose messages are searched.
const maxWalked = 50_000

// newCommits makes search_commits, after Code Researcher (arXiv 2506.11060): a regular
// expression finds commits by their messages. By what they changed, git_log_search
// finds them.
func newCommits(c *Case) (agent.Tool, error) {
	const name = "search_commits"
	return newTool(name, agent.DeedSearch, commitsParams{Max: 15}, func(ctx context.Context, p commitsParams) (agent.Result, error) {
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
			c.writeCommit(&b, m.OID, m.Committer.Time, m.Subject())
			if line := c.matching(m.Body(), pattern); line != "" {
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

func (c *Case) writeCommit(b *strings.Builder, oid gitext.OID, when time.Time, subject string) {
	fmt.Fprintf(b, "%s %s %s\n", oid.Short(), when.UTC().Format(time.DateOnly), cmp.Or(c.Shorten(subject, 120), "(no subject)"))
}

// matching returns the first line of a text that matches.
func (c *Case) matching(text string, pattern *regexp.Regexp) string {
	for line := range strings.Lines(text) {
		if pattern.MatchString(line) {
			return c.Shorten(strings.TrimSpace(line), 200)
		}
	}
	return ""
}
