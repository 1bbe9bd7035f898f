package bisecteval

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"git-agent/agent/bisect"
	"git-agent/agent/bisect/engine"
	"git-agent/agent/eval"
	"git-agent/agent/sandbox"
	"git-agent/agent/trial"
	"git-agent/gitext"
)

// Options configure the questions to the searches.
type Options struct {
	Locate func(commonDir string) string // returns the folder of a clone's shadow, see gitext
	// Trial has the sandbox and the limits for all commands. Its cache and its command are not
	// used.
	Trial    trial.Options
	Simulate bool                     // run the command only at the bad commit; the known culprit says the outcome elsewhere
	Flaky    float64                  // with Simulate, the rate of wrong outcomes, which are to one side
	Foreign  map[string]*eval.Foreign // answers of other programs, by the names of their algorithms
}

// Open returns an eval.Opener that opens repositories for the searches.
func Open(opt Options) eval.Opener {
	return func(ctx context.Context, dir string, cases int) (eval.Session, error) {
		repo, err := eval.OpenRepository(ctx, dir, 1, eval.Opening{Locate: opt.Locate}) // nothing is blamed
		if err != nil {
			return nil, err
		}
		s := &session{repo: repo, opt: opt}
		if repo.Shallow() {
			err = errors.New("it is shallow: its history is cut short; git fetch --unshallow completes it")
		} else {
			s.scratch, err = sandbox.NewScratch(opt.Trial.Scratch)
		}
		if err != nil {
			return nil, errors.Join(err, repo.Close())
		}
		return s, nil
	}
}

type session struct {
	repo    *gitext.Repo
	opt     Options
	scratch *sandbox.Scratch
}

// Close removes the files of the session and ends the git processes of the repository.
func (s *session) Close() error { return errors.Join(s.repo.Close(), s.scratch.Close()) }

// prepared is a case with its question.
type prepared struct {
	*frame
	c        Case
	question engine.Question
	tip      *engine.Tip
}

// describe adds the facts about a case to a prediction.
func (p *prepared) describe(out *Prediction) {
	out.Bad, out.Good, out.Range, out.Newer = p.bad, p.good, p.count, p.newer
	out.Halvings = bisect.Halvings(p.count)
}

// Begin chooses the range of a case, and checks that the command fails where it should.
func (s *session) Begin(ctx context.Context, of eval.Case) (eval.Answerer, []gitext.OID, error) {
	c := of.(Case)
	var named []gitext.OID
	for _, oid := range append([]gitext.OID{c.Fix, c.Bad, c.Good}, c.BICs...) {
		if oid != "" {
			named = append(named, oid)
		}
	}
	absent, err := eval.Absent(ctx, s.repo, named...)
	if err == nil && len(absent) > 0 {
		err = &eval.AbsentError{Commits: absent}
	}
	if err != nil {
		return nil, nil, err
	}
	f, err := frameOf(ctx, s.repo, c)
	if err != nil {
		return nil, nil, err
	}
	p := &prepared{frame: f, c: c, question: engine.Question{
		Question: bisect.Question{Tip: f.bad, Old: []gitext.OID{f.good}}, Test: c.Test, Build: c.Build, Over: f.over,
	}}
	if err := s.check(ctx, p); err != nil {
		return nil, nil, err
	}
	return func(ctx context.Context, algorithm string) (eval.Answer, error) {
		return s.answer(ctx, p, algorithm)
	}, nil, nil
}

// check runs the command at the ends of the range. If it does not pass at a good commit that was
// drawn, check moves that towards the culprit. It returns an error if the case cannot be measured
// here.
func (s *session) check(ctx context.Context, p *prepared) error {
	e, err := s.engine("check")
	if err != nil {
		return err
	}
	ends := []gitext.OID{p.good}
	if p.c.Good == "" {
		ends = p.nearer
	}
	if s.opt.Simulate {
		ends = nil
	}
	found, tip, err := e.Check(ctx, p.question, ends...)
	p.tip = tip
	last := len(found) - 1
	switch {
	case err != nil:
		return err
	case found[0].Outcome != trial.Fails:
		how, _, _ := strings.Cut(found[0].How, ":")
		return &eval.UnfitError{Reason: "not reproduced, at the bad commit the command " + how}
	case last == 0:
		return nil
	case p.c.Good != "" && found[last].Outcome == trial.Fails:
		return &eval.UnfitError{Reason: "at the good commit the command " + found[last].How + ", too"}
	case p.c.Good == "" && (found[last].Outcome != trial.Passes || found[last].Exit != 0):
		return &eval.UnfitError{Reason: "the command passes at none of the good commits that were tried"}
	case last == 1:
		return nil
	}
	p.good = ends[last-1]
	p.question.Old = []gitext.OID{p.good}
	return p.measure(ctx, s.repo)
}

// engine returns the engine of an algorithm. Algorithms share no compiled files, so that none is
// faster because of another one.
func (s *session) engine(algorithm string) (e *engine.Engine, err error) {
	e = &engine.Engine{Repo: s.repo, Trial: s.opt.Trial, Uniform: algorithm == Uniform}
	if e.Trial.Command = ""; !s.opt.Simulate {
		e.Trial.Compiled, err = s.scratch.Dir("compiled." + algorithm)
	}
	return e, err
}

// answer lets an algorithm search.
func (s *session) answer(ctx context.Context, p *prepared, algorithm string) (eval.Answer, error) {
	if from := s.opt.Foreign[algorithm]; from != nil {
		return s.foreign(from, p)
	}
	var w *stand
	if s.opt.Simulate {
		var err error
		if w, err = s.newStand(ctx, p); err != nil {
			return nil, err
		}
	}
	out, err := s.search(ctx, p, algorithm, w)
	if err != nil {
		return nil, err
	}
	p.describe(out)
	if w != nil && s.opt.Flaky > 0 {
		out.Side = w.side()
	}
	return *out, nil
}

// search finds the commit. w is nil if the command runs.
func (s *session) search(ctx context.Context, p *prepared, algorithm string, w *stand) (*Prediction, error) {
	q := p.question
	switch {
	case algorithm == Git && w != nil:
		return w.halve(ctx, s.repo, p.frame)
	case algorithm == Git:
		return s.bisectRun(ctx, p)
	case algorithm == NoGood:
		q.Old = nil
	}
	q.Flaky = w != nil && s.opt.Flaky > 0
	e, err := s.engine(algorithm)
	if err != nil {
		return nil, err
	}
	if w != nil {
		w.runs[p.bad] = 1
		e.Tip, e.Outcome = p.tip, w.outcome
	}
	found, err := e.Answer(ctx, q, engine.Memory{}, nil)
	if err != nil {
		return nil, err
	}
	return &Prediction{
		Status: string(found.Status), First: found.First, Proved: found.Status == bisect.Proved, Probability: found.Probability,
		Runs: len(found.Runs), Notes: append(found.Notes, lostOf(found)...),
	}, nil
}

// lostOf says how many runs could not be judged, and how the first of them ended.
func lostOf(found *engine.Result) []string {
	n, how := 0, ""
	for _, r := range found.Runs {
		if r.Outcome == bisect.Unknown {
			if n++; how == "" {
				how = "at " + r.Commit.Short() + " it " + r.How
			}
		}
	}
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%d of %d runs could not be judged; %s", n, len(found.Runs), how)}
}
