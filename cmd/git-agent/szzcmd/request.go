package szzcmd

import (
	"context"

	"git-agent/agent/release"
	"git-agent/cmd/git-agent/render"
	"git-agent/gitext"
)

// withRequests adds the pull and merge requests that brought the suspects, where the form of the
// answer has a place for them. Merges are looked for only for the first suspect of a single fix or
// of --cc, because that reads the history since the suspect.
func (o *output) withRequests(ctx context.Context, ans render.Answer) (render.Answer, error) {
	if !o.cmd.JSON && !o.cmd.Cc && o.a.Flags.Verbose == 0 {
		return ans, nil
	}
	ans.Requests = map[gitext.OID]release.Request{}
	for i, s := range ans.Answer.Suspects {
		r, ok := release.RequestOf(s.Commit.Message)
		if tip := ans.Answer.Parent; !ok && i == 0 && tip != "" && (o.cmd.Cc || o.total == 1) {
			var err error
			if r, ok, err = release.BroughtBy(ctx, o.repo, s.Commit, tip); err != nil && !gitext.Unreadable(err) {
				return ans, err
			}
		}
		if ok {
			ans.Requests[s.Commit.OID] = r
		}
	}
	return ans, nil
}

// tellRequest says for --cc which request brought the first suspect.
func (o *output) tellRequest(ans render.Answer) {
	if !o.cmd.Cc || len(ans.Answer.Suspects) == 0 {
		return
	}
	first := ans.Answer.Suspects[0].Commit.OID
	if r, ok := ans.Requests[first]; ok {
		o.a.Say("note: %s came with %s", first.Short(), render.RequestText(r))
	}
}
