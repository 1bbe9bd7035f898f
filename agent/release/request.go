package release

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"git-agent/agent/source"
	"git-agent/gitext"
	"git-agent/gitext/commitmsg"
)

// The kinds of requests that bring commits.
const (
	PullRequest  = "pull-request"
	MergeRequest = "merge-request"
	Change       = "change" // of Gerrit or Phabricator
	Mail         = "mail"   // the message in an archive of a mailing list
)

// A Request is what brought a commit: a pull or merge request, a change or a mail.
type Request struct {
	Kind  string     `json:"kind"`
	Name  string     `json:"name"`  // "#12", "group/project!12", a Change-Id, the id of a mail
	URL   string     `json:"url"`   // "" if the message has none
	Merge gitext.OID `json:"merge"` // the merge whose message names it; "" if the commit's own does
}

// These patterns match the names that forges write into messages.
var (
	mergedPull    = source.Lazy(`^(?:Merge pull request|Auto merge of|Rollup merge of|Merged? PR|Merge PR) (#\d+)\b`) // GitHub and its bots
	bitbucketPull = source.Lazy(`^(?:Merged in .*\(pull request (#\d+)\)|Pull request (#\d+):)`)
	squashed      = source.Lazy(`\((#\d+)\)$`)
	seeMerge      = source.Lazy(`(?m)^See merge request ([\w./-]*!\d+)\s*$`)
	pullURL       = source.Lazy(`^<?(https?://\S+/(?:pull|pulls|pull-requests)/(\d+))>?$`)
	mergeURL      = source.Lazy(`^<?(https?://\S+/([\w.-]+/[\w.-]+)/-/merge_requests/(\d+))>?$`)
	gerritURL     = source.Lazy(`^<?(https?://\S+/\+/(\d+))>?$|^<?(https?://[^\s/]*(?:review|gerrit)[^\s/]*/(\d+))>?$`)
	phabricator   = source.Lazy(`(?m)^Differential Revision: (https?://\S+/(D\d+))\s*$`)
	mailURL       = source.Lazy(
		`^<?(https?://(?:lore\.kernel\.org|patch\.msgid\.link|lkml\.kernel\.org|inbox\.\S+?)/(?:\S*/)?([^/\s>]+@[^/\s>]+)/?)>?$`,
	)
)

// RequestOf returns the request that a message names as its own. It believes a number in one of the
// forms that forges and mailing-list tools write, and ignores all other numbers, such as those of tickets.
func RequestOf(message string) (Request, bool) {
	subject, body := commitmsg.Split(message)
	subject = strings.TrimSpace(subject)
	for _, pattern := range []func() *regexp.Regexp{mergedPull, bitbucketPull, squashed} {
		if m := pattern().FindStringSubmatch(subject); len(m) > 0 {
			return Request{Kind: PullRequest, Name: strings.Join(m[1:], "")}, true
		}
	}
	if m := seeMerge().FindStringSubmatch(body); m != nil {
		return Request{Kind: MergeRequest, Name: m[1]}, true
	}
	if m := phabricator().FindStringSubmatch(body); m != nil {
		return Request{Kind: Change, Name: m[2], URL: m[1]}, true
	}
	_, trailers := commitmsg.Trailers(message)
	slices.SortStableFunc(trailers, func(a, b commitmsg.Trailer) int { return keyRank(a.Key) - keyRank(b.Key) })
	for _, t := range trailers {
		if r, ok := requestIn(strings.ToLower(t.Key), strings.TrimSpace(t.Value)); ok {
			return r, true
		}
	}
	return Request{}, false
}

// requestKeys are the trailers that name requests, those with an address first.
var requestKeys = []string{"pr-url", "pull-request", "part-of", "reviewed-on", "link", "change-id"}

// keyRank orders trailers; those that name nothing come last.
func keyRank(key string) int {
	if i := slices.Index(requestKeys, strings.ToLower(key)); i >= 0 {
		return i
	}
	return len(requestKeys)
}

// requestIn reads a trailer.
func requestIn(key, value string) (Request, bool) {
	if !slices.Contains(requestKeys, key) {
		return Request{}, false
	}
	if m := mergeURL().FindStringSubmatch(value); m != nil {
		return Request{Kind: MergeRequest, Name: m[2] + "!" + m[3], URL: m[1]}, true
	}
	if m := pullURL().FindStringSubmatch(value); m != nil && key != "link" {
		return Request{Kind: PullRequest, Name: "#" + m[2], URL: m[1]}, true
	}
	if m := gerritURL().FindStringSubmatch(value); m != nil && key == "reviewed-on" {
		return Request{Kind: Change, Name: m[2] + m[4], URL: m[1] + m[3]}, true
	}
	if m := mailURL().FindStringSubmatch(value); m != nil && key == "link" {
		return Request{Kind: Mail, Name: m[2], URL: m[1]}, true
	}
	if key == "change-id" && changeID().MatchString(value) {
		return Request{Kind: Change, Name: value}, true
	}
	return Request{}, false
}

var changeID = source.Lazy(`^I[0-9a-f]{40}$`)

// BroughtBy returns the request that brought a commit into the history of tip: the one that its own
// message names, else that of the innermost merge on its way into the first parents.
func BroughtBy(ctx context.Context, repo *gitext.Repo, commit gitext.Commit, tip gitext.OID) (Request, bool, error) {
	if r, ok := RequestOf(commit.Message); ok {
		return r, true, nil
	}
	merges, err := mergesOnto(ctx, repo, commit.OID, tip)
	if err != nil {
		return Request{}, false, err
	}
	commits, err := repo.Commits(ctx, merges)
	if err != nil {
		return Request{}, false, err
	}
	for _, m := range slices.Backward(commits) {
		if r, ok := RequestOf(m.Message); ok {
			r.Merge = m.OID
			return r, true, nil
		}
	}
	return Request{}, false, nil
}

// mergesOnto returns the merges that brought a commit into the first parents of tip, outermost first.
func mergesOnto(ctx context.Context, repo *gitext.Repo, commit, tip gitext.OID) ([]gitext.OID, error) {
	parents := map[gitext.OID][]gitext.OID{} // of the descendants of commit, and of commit
	parents[commit] = nil
	for a, err := range repo.Ancestry(ctx, []gitext.OID{tip}, []gitext.OID{commit}) {
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(a.Parents, func(p gitext.OID) bool { _, ok := parents[p]; return ok }) {
			parents[a.OID] = a.Parents
		}
	}
	var merges []gitext.OID
	at := tip
	for at != commit {
		list, descends := parents[at]
		if !descends {
			return nil, nil // the commit is not in the history of tip
		}
		next := slices.IndexFunc(list, func(p gitext.OID) bool { _, ok := parents[p]; return ok })
		if next > 0 {
			merges = append(merges, at)
		}
		at = list[next]
	}
	return merges, nil
}
