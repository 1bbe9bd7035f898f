// Package engine answers questions about fixes. An answer comes from the cache,
// from an annotation, from the offline engine, or from the agent engine, which
// asks a model. If a command is given, it then confirms the answer.
//
// The command line, the MCP server, evaluations, and the commands that resume
// and replay recorded runs call this package. It prints nothing.
package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"git-agent/agent"
	"git-agent/agent/backfill"
	"git-agent/agent/session"
	"git-agent/agent/suspect"
	"git-agent/agent/szz"
	"git-agent/agent/szz/fixlike"
	"git-agent/agent/szz/investigate"
	"git-agent/agent/szz/offline"
	"git-agent/agent/szz/verify"
	"git-agent/agent/trial"
	"git-agent/cache"
	"git-agent/gitext"
	"git-agent/gitext/gitcmd"
	"git-agent/gitext/quote"
)

// Engine answers questions about the fixes of one repository. It is safe for
// concurrent use.
type Engine struct {
	Repo   *gitext.Repo
	Agent  *Agent          // nil if the offline engine answers
	Cache  *cache.Cache    // nil if answers are not cached
	Build  string          // identifies the build of the program; two builds may give different answers
	Verify *verify.Options // the command that confirms suspects; nil for none
	// Fetch fetches objects that a partial clone lacks; nil fetches nothing. After an
	// answer, its method Err returns the reason for unfetched objects.
	Fetch *backfill.Fetcher
}

// Result is the answer to a question about one fix. Its exported fields are
// stored in the cache.
type Result struct {
	Source szz.Source
	Fix    gitext.Commit // zero for an uncommitted fix
	Answer *szz.Answer
	Runs   []cache.RunID // the recorded runs of a model; none if no model was asked

	failed error
	end    func(context.Context) // closes the recorded runs, after the answer is cached; may be nil
}

// Failed returns the error that prevented tracing the fix, or nil. The answer of such a
// fix names no suspect.
func (a Result) Failed() error { return a.failed }

// Complete reports whether the answer is final. It is not final if the offline engine
// answered instead of a model: the next time, the model may answer.
func (a Result) Complete() bool { return !a.Answer.Unanswered() }

// readError says that the repository data of a fix cannot be read.
type readError struct{ Err error }

func (e *readError) Error() string { return e.Err.Error() }
func (e *readError) Unwrap() error { return e.Err }

// Answer answers one question. It passes the events of the work to listen, in order.
func (e *Engine) Answer(ctx context.Context, q szz.Question, listen func(agent.Event)) (*Result, error) {
	ans, err := e.answerCached(ctx, q, listen)
	if err == nil && ans.end != nil {
		ans.end(ctx)
	}
	return ans, err
}

// answerCached returns the cached answer, or computes one and caches it.
func (e *Engine) answerCached(ctx context.Context, q szz.Question, listen func(agent.Event)) (*Result, error) {
	if !q.Committed() {
		ans, _, err := e.attempt(ctx, q, listen)
		return ans, err
	}
	if ans := e.cached(ctx, q); ans != nil {
		return ans, nil
	}
	ans, whole, err := e.attempt(ctx, q, listen)
	if err != nil || !whole { // not cached: objects may be fetched, and limits may be raised
		return ans, err
	}
	if ans.Answer.Algorithm != szz.ByAnnotation {
		q.Opinion = szz.OpinionNever
	}
	if value, err := json.Marshal(ans); err == nil && ans.Complete() {
		e.Cache.Put(ctx, e.key(q), value)
	}
	return ans, nil
}

// cached returns the cached answer, or nil. Only annotations are cached once for each
// Opinion, because no other answer depends on it.
func (e *Engine) cached(ctx context.Context, q szz.Question) *Result {
	for _, opinion := range []szz.Opinion{q.Opinion, szz.OpinionNever} {
		asked := q
		asked.Opinion = opinion
		kept, ok := e.Cache.Get(ctx, e.key(asked))
		var ans Result
		if !ok || json.Unmarshal(kept, &ans) != nil || ans.Answer == nil {
			continue
		}
		if opinion == q.Opinion || ans.Answer.Algorithm != szz.ByAnnotation {
			return &ans
		}
	}
	return nil
}

// compute computes an answer: it reads the fix, asks an engine and lets the command, if
// there is one, confirm the suspects.
func (e *Engine) compute(ctx context.Context, q szz.Question, listen func(agent.Event)) (*Result, error) {
	fc, err := szz.NewContext(ctx, e.Repo, q.Fix, q.Context())
	if err != nil {
		return nil, &readError{err}
	}
	if len(fc.Patch.Files) == 0 && !q.Committed() {
		return nil, nothingToTrace(q)
	}
	check, err := e.openCheck(ctx, fc, listen)
	if err != nil {
		return nil, err
	}
	if check != nil {
		defer check.Close()
	}
	ans := &Result{Source: q.Source, Fix: fc.Commit}
	if err := e.trace(ctx, ans, fc, q, check, listen); err != nil {
		return nil, err
	}
	ans.Answer.NotePointed(q.Hint)
	if ans.Answer.Algorithm == szz.ByAnnotation && q.Opinion.Asks(fc.Annotations) {
		if err := opine(ctx, e.Repo, q, ans.Answer); err != nil {
			return nil, err
		}
	}
	if q.Committed() {
		// The engine's context may hide parts of the message; a reader sees the whole
		// message.
		if ans.Fix, err = e.Repo.Commit(ctx, q.Fix); err != nil {
			return nil, err
		}
	}
	if q.Max == 0 && ans.Answer.Agent != nil && !ans.Answer.Unanswered() {
		ans.Answer.Shorten() // evaluations and calibrations see all that the model named
	}
	if check == nil {
		return ans, nil
	}
	err = check.Suspects(ctx, ans.Answer)
	if q.Max == 0 && slices.ContainsFunc(ans.Answer.Suspects, confirmed) {
		ans.Answer.Shorten()
	}
	return ans, err
}

// confirmed reports whether a command confirmed a suspect.
func confirmed(s szz.Suspect) bool {
	return s.Confirmation != nil && s.Confirmation.Status == suspect.Confirmed
}

// openCheck prepares the command that confirms suspects. It returns nil if there is none.
func (e *Engine) openCheck(ctx context.Context, fc *szz.FixContext, listen func(agent.Event)) (*verify.Check, error) {
	if e.Verify == nil {
		return nil, nil
	}
	opt := *e.Verify
	opt.OnEvent = listen
	return verify.Open(ctx, e.Repo, fc, opt)
}

// testOf returns the function that runs the test of the fix for a model, or nil if no command
// shows the bug.
func testOf(ctx context.Context, check *verify.Check) (investigate.Test, error) {
	if check == nil {
		return nil, nil
	}
	switch usable, err := check.Ready(ctx); {
	case errors.Is(err, trial.ErrMaxRuns):
		return nil, nil // said when the suspects are tried
	case err != nil || !usable:
		return nil, err
	}
	return func(ctx context.Context, commit gitext.Commit) (string, error) {
		found, err := check.Confirm(ctx, commit)
		if errors.Is(err, trial.ErrMaxRuns) {
			err = &agent.CallError{Tool: investigate.TestName, Err: err, Text: "no more runs are allowed by the user"}
		}
		return investigate.TestText(commit, found), err
	}, nil
}

// trace sets ans.Answer to the answer of the agent engine or the offline
// engine.
func (e *Engine) trace(
	ctx context.Context,
	ans *Result,
	fc *szz.FixContext,
	q szz.Question,
	check *verify.Check,
	listen func(agent.Event),
) (err error) {
	if e.Agent == nil {
		if ans.Answer, err = offline.Trace(ctx, e.Repo, fc, q.Algorithm, q.Max); err != nil {
			return &readError{err}
		}
		return nil
	}
	test, err := testOf(ctx, check)
	if err != nil {
		return err
	}
	found, err := e.Agent.Investigate(ctx, Inquiry{Repo: e.Repo, Fix: fc, Question: q, Memory: e.Cache, OnEvent: listen, Test: test})
	if err != nil {
		return err
	}
	ans.Answer, ans.Runs, ans.end = found.Answer, found.Runs, found.End
	fixlike.Temper(fc, ans.Answer)
	return nil
}

// nothingToTrace returns the error for an uncommitted fix that changes nothing.
func nothingToTrace(q szz.Question) error {
	below := ""
	if len(q.Paths) > 0 {
		below = " below the paths given"
	}
	if q.Source == szz.SourceStaged {
		return session.WithHint(errors.New("nothing is staged"+below), "git add <path>\nor use --worktree for changes that are not staged")
	}
	if q.Source == szz.SourcePatch {
		return errors.New("the patch changes nothing" + below)
	}
	return session.WithHint(errors.New("no tracked file is changed"+below), "git add --intent-to-add <path> lets git see a new file")
}

// key returns the cache key of a question, made of all inputs of its answer.
func (e *Engine) key(q szz.Question) cache.Key {
	parts := []string{
		e.Build,
		string(q.Fix),
		cmp.Or(q.Algorithm, szz.Algorithms[0]),
		strconv.FormatBool(q.Annotations),
		strconv.Itoa(int(q.Opinion)),
		strconv.Itoa(q.Max),
		strconv.FormatBool(q.Index),
	}
	for _, oid := range q.Not {
		parts = append(parts, "not "+string(oid))
	}
	if hint, err := json.Marshal(q.Hint); err == nil && !q.Hint.Empty() {
		parts = append(parts, "hint "+string(hint))
	}
	if e.Agent != nil {
		parts = append(parts, e.Agent.identity(q)...)
	}
	return cache.Key{Kind: "szz", Parts: append(parts, q.Paths...)}
}

// failedAnswer returns the answer for a fix that could not be traced.
func (e *Engine) failedAnswer(q szz.Question, err error) *Result {
	var incomplete []string
	if e.Repo.Partial() && errors.As(err, new(*gitext.MissingObjectError)) {
		incomplete = []string{agent.LacksObjects}
	}
	text := quote.Text(strings.TrimPrefix(strings.TrimSpace(err.Error()), "fatal: "))
	return &Result{Source: q.Source, Fix: gitext.Commit{OID: q.Fix}, failed: err, Answer: &szz.Answer{
		Fix: q.Fix, Engine: "offline", Algorithm: cmp.Or(q.Algorithm, szz.Algorithms[0]), Notes: []string{"not traced: " + text}, Incomplete: incomplete,
	}}
}

// isReadFailure reports whether an error concerns one fix only: its data could not be
// read.
func isReadFailure(ctx context.Context, err error) bool {
	return err != nil && ctx.Err() == nil && (gitext.Unreadable(err) || errors.As(err, new(*gitcmd.Error)) || errors.As(err, new(*readError)))
}
