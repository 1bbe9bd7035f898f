package evalcmd

import (
	"context"

	"git-agent/agent/eval"
	"git-agent/agent/session"
	"git-agent/cache"
	"git-agent/cmd/git-agent/app"
)

// openEvalModel opens a session with the model of an evaluation.
func openEvalModel(ctx context.Context, a *app.App, s session.Settings, traces *cache.Traces) (*session.Session, error) {
	if _, err := a.ChooseEngine(app.EngineChoice{Named: "agent"}, s); err != nil {
		return nil, err
	}
	opened, err := a.NewSession(ctx, s, traces, false)
	if err != nil {
		return nil, err
	}
	opened.Say = func(string) {} // resumed cases are not announced
	return opened, nil
}

// judgeInvestigation closes the recorded runs of a model's investigation of one case, and returns
// the answer and the ids of the runs. It returns an error if the answer does not count, because
// the server failed or the budget is spent. unanswered means that the answer is the offline
// engine's instead of the model's.
func judgeInvestigation[A any](
	ctx context.Context,
	server *eval.Server,
	s *session.Session,
	found *session.Investigation[A],
	unanswered bool,
) (ans A, runs []string, err error) {
	found.End(ctx)
	if found.Failed != nil && unanswered {
		return ans, nil, server.Failed(found.Failed)
	}
	server.Worked()
	if unanswered && s.Ledger.Refused() {
		return ans, nil, &eval.StopError{Err: s.Spent()}
	}
	for _, id := range found.Runs {
		runs = append(runs, string(id))
	}
	return found.Answer, runs, nil
}
