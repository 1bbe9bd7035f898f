// Package engine answers questions about crashes, by the offline engine or by the agent engine.
// In the agent engine, a model investigates the offline engine's results.
//
// The command line, the MCP server, evaluations, and the commands that resume and
// replay recorded runs call this package. It prints nothing.
package engine

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"

	"git-agent/agent"
	"git-agent/agent/backfill"
	"git-agent/agent/crash"
	"git-agent/agent/crash/investigate"
	"git-agent/agent/crash/offline"
	"git-agent/cache"
	"git-agent/gitext"
)

// An Engine answers questions about crashes of one repository. It is safe for
// concurrent use.
type Engine struct {
	Repo  *gitext.Repo
	Agent *Agent       // nil if the offline engine answers
	Cache *cache.Cache // of a model's answers; nil if they are not cached
	Build string       // identifies the build of the program, because two builds may give different answers
	// Fetch fetches objects missing from a partial clone; nil fetches nothing. After an answer,
	// its method Err says why some objects could not be fetched.
	Fetch *backfill.Fetcher
}

// A Result is the answer to a question about one crash.
type Result struct {
	Answer *crash.Answer
	// End records that the runs of the model have ended. Call it after printing the answer. It is
	// never nil.
	End func(context.Context)
}

// Answer ranks files and commits. It maps the frames of a question's report to files, and stores
// these in the report. It passes the events of a model's work to listen, in order.
func (e *Engine) Answer(ctx context.Context, q crash.Question, listen func(agent.Event)) (*Result, error) {
	ans := &Result{End: func(context.Context) {}}
	var err error
	if e.Agent == nil {
		ans.Answer, err = e.Rank(ctx, q)
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
	if kept, ok := e.Cache.Get(ctx, key); ok && json.Unmarshal(kept, &ans.Answer) == nil && ans.Answer != nil {
		return ans, nil
	}
	found, err := e.Agent.Investigate(ctx, in)
	if err != nil {
		return nil, err
	}
	ans.Answer, ans.End = found.Answer, found.End
	if found.Answer.Unanswered() || len(offline.Incomplete) > 0 {
		return ans, nil // next time, the model may answer, or see more
	}
	if value, err := json.Marshal(found.Answer); err == nil {
		e.Cache.Put(ctx, key, value)
	}
	return ans, nil
}

// key returns the cache key of an inquiry. It covers everything that determines the answer.
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

// Offline ranks as Rank does, for the agent engine: it names at least as many suspects as the
// agent engine shows to a model. It replaces invalid UTF-8 in the report by U+FFFD, because a
// recorded run stores the report as JSON.
func (e *Engine) Offline(ctx context.Context, q crash.Question) (*crash.Answer, error) {
	if err := makeText(q.Report); err != nil {
		return nil, err
	}
	q.Suspects = max(q.Suspects, investigate.Suspects)
	return e.Rank(ctx, q)
}

// makeText replaces invalid UTF-8 in a report by U+FFFD.
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

// Rank ranks files and commits without a model. It maps the frames of a question's report to
// files, and stores these in the report. The answer says which objects the clone lacked.
func (e *Engine) Rank(ctx context.Context, q crash.Question) (answer *crash.Answer, err error) {
	u, err := e.Fetch.Complete(ctx, func(ctx context.Context) (err error) {
		answer, err = offline.Rank(ctx, e.Repo, q)
		return err
	})
	if err != nil {
		return nil, err
	}
	if u.Missing > 0 {
		answer.Incomplete = append(answer.Incomplete, agent.LacksObjects)
		answer.Notes = append(answer.Notes, agent.LacksObjectsNote)
	}
	return answer, nil
}
