package crashtool

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"regexp/syntax"
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

// Bounds of a search.
const (
	maxWalked   = 50_000   // commits
	maxSearched = 16 << 10 // bytes of each message
	maxPattern  = 500      // bytes of an expression
	maxProgram  = 600      // instructions that it becomes
)

// newCommits makes search_commits, after Code Researcher (arXiv 2506.11060): a regular
// expression finds commits by their messages. By what they changed, git_log_search
// finds them.
func newCommits(c *Case) (agent.Tool, error) {
	const name = "search_commits"
	return newTool(name, agent.DeedSearch, commitsParams{Max: 15}, func(ctx context.Context, p commitsParams) (agent.Result, error) {
		pattern, err := expression(name, p.Pattern)
		if err != nil {
			return agent.Result{}, err
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

// expression compiles a regular expression of a model. Each character of a message may
// cost a step for each instruction that the expression becomes.
func expression(tool, pattern string) (*regexp.Regexp, error) {
	if len(pattern) > maxPattern {
		return nil, refuse(tool, "the pattern has %d bytes, and at most %d are searched for; look for its rarest part", len(pattern), maxPattern)
	}
	parsed, err := syntax.Parse("(?i)"+pattern, syntax.Perl)
	if err != nil || strings.ContainsAny(pattern, "\n\r") {
		return nil, refuse(tool, "%q is not a regular expression of one line", agent.Shorten(agent.CleanLine(pattern), 100))
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil || len(program.Inst) > maxProgram {
		return nil, refuse(tool, "the pattern repeats too much: write * or + in place of large numbers such as {1,1000}, or look for a shorter part")
	}
	return regexp.Compile("(?i)" + pattern)
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
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			m.Message = m.Message[:min(len(m.Message), maxSearched)]
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
