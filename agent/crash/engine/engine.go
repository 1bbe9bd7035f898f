// Package engine answers questions about crashes. The offline engine ranks the files
// and the commits; the agent engine lets a model investigate what that found.
//
// The command line, the MCP server, evaluations, and the commands that resume and
// replay recorded runs call this package. It prints nothing.
package engine

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"git-agent/agent"
	"git-agent/agent/backfill"
	"git-agent/agent/crash"
	"git-agent/agent/crash/culprit"
	"git-agent/agent/crash/investigate"
	"git-agent/agent/crash/locate"
	"git-agent/agent/crash/rank"
	"git-agent/agent/source"
	"git-agent/cache"
	"git-agent/gitext"
)

// An Engine answers questions about crashes of one repository. It is safe for
// concurrent use.
type Engine struct {
	Repo  *gitext.Repo
	Agent *Agent       // nil if the offline engine answers
	Cache *cache.Cache // of a model's answers; nil if they are not cached
	Build string       // identifies the build of the program; two builds may give different answers
	// Fetch fetches objects that a partial clone lacks; nil fetches nothing. After an
	// answer, its method Err says why not all could be fetched.
	Fetch *backfill.Fetcher
}

// Cacheable reports whether a model's answers for the repository may be cached. In a
// shallow repository they may not: there a commit does not determine its history.
func Cacheable(repo *gitext.Repo) bool { return !repo.Shallow() }

// A Result is the answer to a question about one crash.
type Result struct {
	Ranking *crash.Answer
	// End records that the runs of the model have ended. Call it when the answer was
	// printed. It is never nil.
	End func(context.Context)
}

// Answer maps the frames of a question's report to files, which it stores in the
// report, and ranks files and commits. It passes the events of a model's work to
// listen, in order.
func (e *Engine) Answer(ctx context.Context, q crash.Question, listen func(agent.Event)) (*Result, error) {
	ans := &Result{End: func(context.Context) {}}
	var err error
	if e.Agent == nil {
		ans.Ranking, err = e.Rank(ctx, q)
		return ans, err
	}
	offline, err := e.Offline(ctx, q)
	if err != nil {
		return nil, err
	}
	in := Inquiry{Repo: e.Repo, Question: q, Offline: offline, Memory: e.Cache, OnEvent: listen}
	key, err := e.key(in)
	if err != nil {
		return nil, err
	}
	if kept, ok := e.Cache.Get(ctx, key); ok && json.Unmarshal(kept, &ans.Ranking) == nil && ans.Ranking != nil {
		return ans, nil
	}
	found, err := e.Agent.Investigate(ctx, in)
	if err != nil {
		return nil, err
	}
	ans.Ranking, ans.End = found.Answer, found.End
	if value, err := json.Marshal(found.Answer); err == nil && !Unanswered(found.Answer) && len(offline.Incomplete) == 0 { // next time, the model may answer, or see more
		e.Cache.Put(ctx, key, value)
	}
	return ans, nil
}

// key returns the cache key of an inquiry: everything that determines its answer.
func (e *Engine) key(in Inquiry) (cache.Key, error) {
	spec, err := specOf(in)
	spec.Content = nil // its hash is in the spec
	data, bad := json.Marshal(spec)
	parts := append([]string{e.Build, string(data)}, e.Agent.Session.Identity(e.Agent.method(in.Question))...)
	if c := e.Agent.Calibration; c != nil {
		parts = append(parts, c.ID())
	}
	return cache.Key{Kind: "crash", Parts: parts}, cmp.Or(err, bad)
}

// Offline ranks as Rank does, for the agent engine: it names at least as many suspects
// as that shows to a model. In the report, U+FFFD takes the place of bytes that are no
// text, because a recorded run has the report as JSON.
func (e *Engine) Offline(ctx context.Context, q crash.Question) (*crash.Answer, error) {
	if err := makeText(q.Report); err != nil {
		return nil, err
	}
	q.Suspects = max(q.Suspects, investigate.Suspects)
	return e.Rank(ctx, q)
}

// makeText puts U+FFFD in the place of a report's bytes that are no text.
func makeText(r *crash.Report) error {
	data, err := json.Marshal(r)
	if err != nil || !bytes.Contains(data, []byte(`\ufffd`)) {
		return err
	}
	var text crash.Report
	err = json.Unmarshal(data, &text)
	*r = text
	return err
}

// Rank maps the frames of a question's report to files, which it stores in the
// report, and ranks files and commits without a model. The answer says what the clone
// lacked for it.
func (e *Engine) Rank(ctx context.Context, q crash.Question) (ranking *crash.Answer, err error) {
	u, err := e.Fetch.Complete(ctx, func(ctx context.Context) (err error) {
		ranking, err = e.rank(ctx, q)
		return err
	})
	if err != nil {
		return nil, err
	}
	if u.Missing > 0 {
		ranking.Incomplete = append(ranking.Incomplete, agent.LacksObjects)
		ranking.Notes = append(ranking.Notes, agent.LacksObjectsNote)
	}
	return ranking, nil
}

// rank is Rank from the objects that are there.
func (e *Engine) rank(ctx context.Context, q crash.Question) (*crash.Answer, error) {
	commit, from, notes, err := e.commitOf(ctx, q)
	if err != nil {
		return nil, err
	}
	located := crash.Answer{Notes: notes}
	files, err := locate.Locate(ctx, e.Repo, commit, q.Report)
	if files == nil {
		return nil, err
	}
	if err := located.Unread("not all functions were looked up", err); err != nil {
		return nil, err
	}
	algorithm := rank.Algorithm(q.Algorithm)
	if algorithm == "" {
		algorithm = rank.Ours
	}
	ranking, err := rank.Rank(ctx, e.Repo, commit, q.Report, algorithm)
	if err != nil {
		return nil, err
	}
	ranking.CommitFrom, ranking.Since = from, q.Since
	ranking.Notes = append(located.Notes, ranking.Notes...)
	if err := e.checkSince(ctx, ranking); err != nil {
		return nil, err
	}
	if q.Suspects > 0 {
		found, err := culprit.Find(ctx, e.Repo, commit, q.Report, ranking.Files, culprit.Options{Since: q.Since, Max: q.Suspects})
		if err != nil {
			return nil, err
		}
		ranking.Suspects = found.Suspects
		ranking.Notes = append(ranking.Notes, found.Notes...)
	}
	return ranking, nil
}

// checkSince notes that a commit that did not crash comes after the one that crashed,
// and takes it out of the answer, because there is nothing to bisect.
func (e *Engine) checkSince(ctx context.Context, ranking *crash.Answer) error {
	if ranking.Since == "" {
		return nil
	}
	after, err := e.Repo.IsAncestor(ctx, ranking.Commit, ranking.Since)
	if err != nil || !after {
		return err
	}
	ranking.Notes = append(ranking.Notes, fmt.Sprintf("%s, which did not crash, contains the commit that crashed: no commit is between them", ranking.Since.Short()))
	ranking.Since = ""
	return nil
}

// commitOf returns the commit that crashed, and how it was found.
func (e *Engine) commitOf(ctx context.Context, q crash.Question) (commit gitext.OID, from string, notes []string, err error) {
	if q.Commit != "" {
		return q.Commit, "given", nil, nil
	}
	build := q.Report.Build
	if oid, ok := e.buildCommit(ctx, build.Commit); ok {
		return oid, "the report's build", nil, nil
	}
	for _, tag := range []string{build.Version, versionTag(build.Version)} {
		if tag == "" {
			continue
		}
		if oid, err := e.Repo.ResolveName(ctx, "refs/tags/"+tag); err == nil {
			return oid, "the report's version", nil, nil
		}
	}
	if said := cmp.Or(build.Commit, build.Version); said != "" {
		notes = append(notes, fmt.Sprintf("the report is of %.60q, which this repository does not have; give the commit that crashed with --at", said))
	}
	oid, err := e.Repo.Resolve(ctx, "HEAD")
	return oid, "HEAD", notes, err
}

// digits matches the id of a commit, maybe abbreviated.
var digits = source.Lazy(`^[0-9a-f]{7,64}$`)

// buildCommit returns the commit that a report says was built. Whoever writes a report
// must not choose a branch, or what the user has stashed: those may have the repair, and
// what nobody else is to see.
func (e *Engine) buildCommit(ctx context.Context, said string) (gitext.OID, bool) {
	said = strings.ToLower(said)
	if !digits().MatchString(said) {
		return "", false
	}
	oid, err := e.Repo.ResolveName(ctx, said)
	return oid, err == nil && strings.HasPrefix(string(oid), said) // a branch may have the name of a hash
}

// versionTag returns the tag that projects give to a version, "" if there is none.
func versionTag(version string) string {
	if version == "" || version[0] < '0' || version[0] > '9' {
		return ""
	}
	return "v" + version
}
