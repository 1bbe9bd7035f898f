package crasheval

import (
	"context"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/crash/engine"
	"git-agent/agent/crash/format"
	"git-agent/agent/eval"
	"git-agent/gitext"
)

// Options configure how the engine of agent/crash is asked.
type Options struct {
	Locate   func(commonDir string) string // returns the folder of a clone's shadow, see gitext
	Suspects int                           // most suspect commits of an answer; 0 asks for none
}

// Open returns an eval.Opener that opens repositories for the engine of agent/crash.
func Open(opt Options) eval.Opener {
	return func(ctx context.Context, dir string, cases int) (eval.Session, error) {
		repo, err := eval.OpenRepository(ctx, dir, cases, opt.Locate)
		if err != nil {
			return nil, err
		}
		return &session{engine: engine.Engine{Repo: repo}, opt: opt}, nil
	}
}

type session struct {
	engine engine.Engine
	opt    Options
}

// Close ends the git processes of the repository.
func (s *session) Close() error { return s.engine.Repo.Close() }

// Begin checks that the commits of a case exist.
func (s *session) Begin(ctx context.Context, of eval.Case) (eval.Answerer, []gitext.OID, error) {
	c := of.(Case)
	absent, err := eval.Absent(ctx, s.engine.Repo, c.CrashCommit)
	if err == nil && len(absent) > 0 {
		err = &eval.AbsentError{Commits: absent}
	}
	if err != nil {
		return nil, nil, err
	}
	absent, err = eval.Absent(ctx, s.engine.Repo, c.IntroCommits...)
	return func(ctx context.Context, algorithm string) (eval.Answer, error) {
		return s.answer(ctx, c, algorithm)
	}, absent, err
}

// answer asks the engine about a case. A report that holds no known format is an
// answer that names nothing.
func (s *session) answer(ctx context.Context, c Case, algorithm string) (eval.Answer, error) {
	report, err := format.Read(strings.NewReader(c.Report)) // read for each algorithm, because the engine writes into it
	if err != nil {
		return Prediction{Files: []File{}, Notes: []string{err.Error()}}, nil
	}
	ranking, err := s.engine.Answer(ctx, crash.Question{Report: report, Commit: c.CrashCommit, Algorithm: algorithm, Suspects: s.opt.Suspects})
	if err != nil {
		return nil, err
	}
	return predictionOf(report, ranking), nil
}

func predictionOf(report *crash.Report, ranking *crash.Ranking) Prediction {
	p := Prediction{Formats: report.Formats, Files: make([]File, len(ranking.Files)), Answered: ranking.Answered, Notes: ranking.Notes}
	for i, f := range ranking.Files {
		p.Files[i] = File{Path: f.Path, Probability: f.Probability, Related: f.Related}
	}
	for _, s := range ranking.Suspects {
		p.Suspects = append(p.Suspects, Suspect{Commit: s.Commit.OID, Probability: s.Probability})
	}
	return p
}
