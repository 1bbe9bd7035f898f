package crashtool

import (
	"context"

	"git-agent/agent"
	"git-agent/agent/gittool"
)

// commitsParams are the parameters of search_commits.
type commitsParams struct {
	Pattern string `json:"pattern" arg:"required"`
	Path    string `json:"path"`
	Max     int    `json:"max" arg:"min=1,max=50"`
}

// newCommits makes search_commits, after Code Researcher (arXiv 2506.11060): a regular expression
// finds commits by their messages. git_log_search finds commits by their changes.
func newCommits(c *Case) (agent.Tool, error) {
	const name = "search_commits"
	return newTool(name, agent.DeedSearch, commitsParams{Max: 15}, func(ctx context.Context, p commitsParams) (agent.Result, error) {
		q := gittool.CommitSearch{Tool: name, Pattern: p.Pattern, Max: p.Max, Mask: c.Mask}
		if p.Path != "" {
			path, err := c.Path(ctx, name, p.Path)
			if err != nil {
				return agent.Result{}, err
			}
			q.Paths = []string{path}
		}
		return c.Scope.SearchMessages(ctx, c.Repo, q)
	})
}
