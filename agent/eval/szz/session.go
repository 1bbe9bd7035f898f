package szzeval

import (
	"context"
	"errors"
	"time"

	"git-agent/agent/eval"
	"git-agent/agent/szz"
	"git-agent/agent/szz/offline"
	"git-agent/cache"
	"git-agent/gitext"
	"git-agent/gitext/gitcmd"
)

// Options configure the questions to the engines of agent/szz.
type Options struct {
	Context szz.ContextOptions
	Opening eval.Opening
	Ask     Investigator                                     // asks the model; nil if none is measured
	Foreign map[string]*eval.Foreign                         // answers of other programs, by the names of their algorithms
	Cache   func(context.Context, *gitext.Repo) *cache.Cache // opens the shared cache of a model's tools; nil for no cache
}

// Open returns an eval.Opener that opens repositories for the engines of agent/szz.
func Open(opt Options) eval.Opener {
	return func(ctx context.Context, dir string, cases int) (eval.Session, error) {
		repo, err := eval.OpenRepository(ctx, dir, cases, opt.Opening)
		if err != nil {
			return nil, err
		}
		if repo.Shallow() {
			return nil, errors.Join(errors.New("it is shallow: its history is cut short; git fetch --unshallow completes it"), repo.Close())
		}
		s := &session{repo: repo, opt: opt}
		if opt.Ask != nil && opt.Cache != nil {
			s.cache = opt.Cache(ctx, repo)
		}
		return s, nil
	}
}

type session struct {
	repo  *gitext.Repo
	opt   Options
	cache *cache.Cache // nil if there is no cache
}

// Close closes the cache and ends the git processes of the repository.
func (s *session) Close() error {
	s.cache.Close() // an error loses only the last write, which costs time and no answer
	return s.repo.Close()
}

// Begin checks that the commits of a case exist and reads the fix once.
func (s *session) Begin(ctx context.Context, of eval.Case) (eval.Answerer, []gitext.OID, error) {
	c := of.(Case)
	absent, err := s.absent(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	counted, readingFix := gitcmd.CountUnread(ctx)
	fix, err := szz.NewContext(counted, s.repo, c.Fix, s.opt.Context)
	if err != nil {
		return nil, absent, err
	}
	facts, err := factsOf(ctx, s.repo, c, fix, absent)
	if err != nil {
		return nil, absent, err
	}
	return func(ctx context.Context, algorithm string) (eval.Answer, error) {
		p, err := s.answer(ctx, c, fix, algorithm, readingFix)
		if err != nil {
			return nil, err
		}
		p.Facts, p.FirstDate = facts, s.firstDate(ctx, p)
		return p, nil
	}, absent, nil
}

// answer asks an engine about a case. readingFix describes the unreadable parts of the fix.
func (s *session) answer(
	ctx context.Context,
	c Case,
	fix *szz.FixContext,
	algorithm string,
	readingFix func() gitcmd.Unread,
) (p Prediction, err error) {
	if from := s.opt.Foreign[algorithm]; from != nil {
		return readForeign(from.To(c))
	}
	if IsAgent(algorithm) {
		if err := incomplete(readingFix()); err != nil {
			return p, err // before it is paid for
		}
		return s.investigate(ctx, c, fix, algorithm)
	}
	counted, tracing := gitcmd.CountUnread(ctx)
	v, err := offline.Trace(counted, s.repo, fix, algorithm, 0)
	if err == nil && v.Algorithm != szz.ByAnnotation {
		err = errors.Join(incomplete(readingFix()), incomplete(tracing()))
	}
	if err != nil {
		return p, err
	}
	return predictionOf(v, algorithm), nil
}

// firstDate returns the commit time of the first suspect. It is nil if there is no suspect, or if
// the clone lacks it.
func (s *session) firstDate(ctx context.Context, p Prediction) *time.Time {
	if len(p.Suspects) == 0 {
		return nil
	}
	commit, err := s.repo.Commit(ctx, p.Suspects[0].Commit)
	if err != nil {
		return nil
	}
	return &commit.Committer.Time
}

// incomplete returns an *eval.IncompleteError if objects that an answer needs are
// missing.
func incomplete(u gitcmd.Unread) error {
	if u.Missing == 0 {
		return nil
	}
	return &eval.IncompleteError{Object: gitext.OID(u.Objects[0])}
}

func (s *session) investigate(ctx context.Context, c Case, fix *szz.FixContext, algorithm string) (p Prediction, err error) {
	if s.opt.Ask == nil {
		return p, &eval.StopError{Err: errors.New("no model is configured")}
	}
	var w eval.Observer
	v, runs, err := s.opt.Ask(ctx, Inquiry{Case: c, Algorithm: algorithm, Repo: s.repo, Fix: fix, Memory: s.cache, OnEvent: w.See})
	if err != nil {
		return p, err
	}
	p = predictionOf(v, algorithm)
	if v.Algorithm == "agent" {
		p.Answered = ""
	}
	p.Work = workOf(&w, v, runs)
	return p, nil
}

// absent returns the BICs that the repository lacks. It returns an *AbsentError if
// no answer could be right, because the fix or all of its BICs are absent.
func (s *session) absent(ctx context.Context, c Case) ([]gitext.OID, error) {
	absent, err := eval.Absent(ctx, s.repo, c.Fix)
	if err == nil && len(absent) > 0 {
		err = &eval.AbsentError{Commits: absent}
	}
	if err != nil {
		return nil, err
	}
	absent, err = eval.Absent(ctx, s.repo, c.BICs...)
	if err == nil && len(absent) == len(c.BICs) {
		err = &eval.AbsentError{Commits: absent}
	}
	return absent, err
}

func predictionOf(v *szz.Answer, algorithm string) Prediction {
	p := Prediction{Suspects: make([]Suspect, len(v.Suspects)), Candidates: v.Candidates, Ranked: v.Algorithm == "rank"}
	for i, s := range v.Suspects {
		p.Suspects[i] = Suspect{s.Commit.OID, s.Probability, s.Vote}
	}
	if v.Algorithm != algorithm {
		p.Answered = v.Algorithm
	}
	return p
}
