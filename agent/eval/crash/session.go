package crasheval

import (
	"context"
	"errors"
	"strings"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/crash/engine"
	"git-agent/agent/crash/format"
	"git-agent/agent/eval"
	"git-agent/cache"
	"git-agent/gitext"
)

// Options configure the questions to the engine of agent/crash.
type Options struct {
	Opening  eval.Opening
	Suspects int                                              // most suspects in an answer; 0 requests none
	Ask      Investigator                                     // asks the model; nil if none is measured
	Foreign  map[string]*eval.Foreign                         // answers of other programs, by the names of their algorithms
	Cache    func(context.Context, *gitext.Repo) *cache.Cache // opens the shared cache of a model's tools; nil for no cache
}

// Open returns an eval.Opener that opens repositories for the engine of agent/crash.
func Open(opt Options) eval.Opener {
	return func(ctx context.Context, dir string, cases int) (eval.Session, error) {
		repo, err := eval.OpenRepository(ctx, dir, cases, opt.Opening)
		if err != nil {
			return nil, err
		}
		s := &openedRepo{engine: engine.Engine{Repo: repo}, opt: opt}
		if opt.Ask != nil && opt.Cache != nil {
			s.cache = opt.Cache(ctx, repo)
		}
		return s, nil
	}
}

// openedRepo is the eval.Session of one repository.
type openedRepo struct {
	engine engine.Engine
	opt    Options
	cache  *cache.Cache // nil if there is no cache
}

// Close closes the cache and ends the git processes of the repository.
func (s *openedRepo) Close() error {
	s.cache.Close() // an error loses only the last write, which costs time and no answer
	return s.engine.Repo.Close()
}

// Begin checks that the commits of a case exist.
func (s *openedRepo) Begin(ctx context.Context, of eval.Case) (eval.Answerer, []gitext.OID, error) {
	c := of.(Case)
	absent, err := eval.Absent(ctx, s.engine.Repo, c.CrashCommit)
	if err == nil && len(absent) > 0 {
		err = &eval.AbsentError{Commits: absent}
	}
	if err != nil {
		return nil, nil, err
	}
	if c.Report, err = ReportOf(ctx, s.engine.Repo, c); err != nil {
		return nil, nil, err
	}
	absent, err = eval.Absent(ctx, s.engine.Repo, c.IntroCommits...)
	return func(ctx context.Context, algorithm string) (eval.Answer, error) {
		return s.answer(ctx, c, algorithm)
	}, absent, err
}

// answer asks the engine about a case. A report of an unknown format gives an empty answer.
func (s *openedRepo) answer(ctx context.Context, c Case, algorithm string) (eval.Answer, error) {
	if from := s.opt.Foreign[algorithm]; from != nil {
		p, err := readForeign(from.To(c))
		p.NoSuspects = !from.Has("suspects")
		return p, err
	}
	report, err := format.Read(strings.NewReader(c.Report)) // read for each algorithm, because the engine writes into it
	if err != nil {
		return Prediction{Files: []File{}, Notes: []string{err.Error()}}, nil
	}
	q := crash.Question{Report: report, Commit: c.CrashCommit, Algorithm: algorithm, Suspects: s.opt.Suspects}
	if IsAgent(algorithm) {
		return s.investigate(ctx, c, q)
	}
	ranking, err := s.engine.Rank(ctx, q)
	if err != nil {
		return nil, err
	}
	return s.predictionOf(report, ranking), nil
}

func (s *openedRepo) investigate(ctx context.Context, c Case, q crash.Question) (eval.Answer, error) {
	if s.opt.Ask == nil {
		return nil, &eval.StopError{Err: errors.New("no model is configured")}
	}
	algorithm := q.Algorithm
	q.Algorithm, q.Switches = "", SwitchesOf(algorithm)
	offline, err := s.engine.Offline(ctx, q)
	if err != nil {
		return nil, err
	}
	var w eval.Observer
	var reads eval.Reading
	see := func(e agent.Event) {
		w.See(e)
		reads.See(e)
	}
	r, runs, err := s.opt.Ask(
		ctx,
		Inquiry{Case: c, Algorithm: algorithm, Repo: s.engine.Repo, Question: q, Offline: offline, Memory: s.cache, OnEvent: see},
	)
	if err != nil {
		return nil, err
	}
	p := s.predictionOf(q.Report, r)
	work := w.Work(runs, r.Agent.RunReports(), r.Agent.Fallback)
	if r.Agent.Basis != (agent.Basis{}) {
		p.Basis = &r.Agent.Basis
	}
	p.Work, p.Ballots, p.Read = &work, r.Agent.Ballots(), reads.Paths
	return p, nil
}

func (s *openedRepo) predictionOf(report *crash.Report, ranking *crash.Answer) Prediction {
	p := Prediction{
		Traced:     tracedIn(report),
		Failure:    failureIn(report),
		NoSuspects: s.opt.Suspects == 0,
		Formats:    report.Formats,
		Files:      make([]File, len(ranking.Files)),
		Answered:   ranking.Answered,
		Notes:      ranking.Notes,
	}
	for i, f := range ranking.Files {
		p.Files[i] = File{Path: f.Path, Probability: f.Probability, Related: f.Related, Vote: f.Vote}
	}
	for _, of := range ranking.Suspects {
		p.Suspects = append(p.Suspects, Suspect{Commit: of.Commit.OID, Probability: of.Probability})
	}
	return p
}

// tracedIn returns the number of repository files in the stacks of a located report.
func tracedIn(report *crash.Report) int {
	paths := map[string]bool{}
	for _, s := range report.Stacks {
		for _, f := range s.Frames {
			if f.Path != "" {
				paths[f.Path] = true
			}
		}
	}
	return len(paths)
}
