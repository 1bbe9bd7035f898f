package render

import (
	"git-agent/agent/release"
	"git-agent/cmd/git-agent/ui"
)

// RequestText names a pull or merge request, a change or a mail that brought a commit.
func RequestText(r release.Request) string {
	text := map[string]string{
		release.PullRequest: "pull request ", release.MergeRequest: "merge request ", release.Change: "change ", release.Mail: "the mail ",
	}[r.Kind] + ui.OneLine(r.Name)
	if r.Merge != "" {
		text += ", merged by " + r.Merge.Short()
	}
	if r.URL != "" {
		text += ", " + ui.OneLine(r.URL)
	}
	return text
}
