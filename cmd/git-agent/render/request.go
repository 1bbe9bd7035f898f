package render

import (
	"git-agent/agent/merged"
	"git-agent/cmd/git-agent/ui"
)

// RequestText names a pull or merge request, a change or a mail that brought a commit.
func RequestText(r merged.Request) string {
	text := map[string]string{
		merged.PullRequest: "pull request ", merged.MergeRequest: "merge request ", merged.Change: "change ", merged.Mail: "the mail ",
	}[r.Kind] + ui.OneLine(r.Name)
	if r.Merge != "" {
		text += ", merged by " + r.Merge.Short()
	}
	if r.URL != "" {
		text += ", " + ui.OneLine(r.URL)
	}
	return text
}
