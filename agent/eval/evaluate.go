package eval

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"git-agent/gitext"
)

// evaluate asks the engine about one case with every algorithm without an answer. It records an
// error or panic of the engine as the result of that case. A journal that cannot be written ends
// the run, because going on would lose answers that were paid for; a StopError ends it too.
func (r *runner) evaluate(ctx context.Context, g *group, index int) {
	c := r.Cases[index]
	session, err := g.open(ctx, r.Open)
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		r.skip(ctx, index, fmt.Sprintf("repository %q is not readable: %v", c.Head().Repo, err))
		return
	}
	answer, absent, err := r.begin(ctx, session, c)
	if ctx.Err() != nil {
		return
	}
	var missing *AbsentError
	var unfit *UnfitError
	if errors.As(err, &missing) || errors.As(err, &unfit) {
		r.skip(ctx, index, err.Error())
		return
	}
	if e, ok := session.(Ender); ok {
		defer e.End(c)
	}
	if err != nil {
		answer = func(context.Context, string) (Answer, error) { return nil, err }
	}
	for _, algorithm := range r.unanswered(index) {
		rec, stop := r.ask(ctx, answer, c, algorithm)
		var incomplete *IncompleteError
		if errors.As(stop, &incomplete) && ctx.Err() == nil {
			r.skip(ctx, index, incomplete.Error())
			return
		}
		if stop != nil {
			r.fail(stop)
			return
		}
		if ctx.Err() != nil && rec.Answer == nil {
			return // the run was interrupted; the next one asks again
		}
		for _, oid := range absent {
			rec.Absent = append(rec.Absent, string(oid))
		}
		r.keep(ctx, index, rec)
	}
	r.finish(index, absent)
}

// IncompleteError is returned for a case whose answer needs objects that the clone lacks. Such a
// case is skipped, because its answer would count as the engine's mistake. The next run asks it
// again.
type IncompleteError struct{ Object gitext.OID }

func (e *IncompleteError) Error() string {
	return fmt.Sprintf(
		"incomplete: the clone lacks objects that the answer needs, such as %s; %s fetches all of them",
		e.Object.Short(),
		gitext.FetchAll,
	)
}

// unanswered lists the algorithms without a record of a case.
func (r *runner) unanswered(index int) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var algorithms []string
	for _, a := range r.Algorithms {
		if _, ok := r.records[index][a]; !ok {
			algorithms = append(algorithms, a)
		}
	}
	return algorithms
}

func (r *runner) begin(ctx context.Context, s Session, c Case) (t Answerer, absent []gitext.OID, err error) {
	defer recoverPanic(&err)
	return s.Begin(ctx, c)
}

func (r *runner) ask(ctx context.Context, answer Answerer, c Case, algorithm string) (Record, error) {
	rec := r.record(c, algorithm)
	if r.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, r.Timeout, errTimeout)
		defer cancel()
	}
	start := r.Now()
	a, err := call(ctx, answer, algorithm)
	rec.Seconds = r.Now().Sub(start).Seconds()
	if stop := stops(err); stop != nil {
		return rec, stop
	}
	if errors.As(err, new(*IncompleteError)) {
		return rec, err
	}
	switch {
	case err != nil && context.Cause(ctx) == errTimeout:
		rec.Error = fmt.Sprintf("%v after %s", errTimeout, r.Timeout)
	case err != nil:
		rec.Error = err.Error()
	default:
		rec.Answer = a
	}
	return rec, nil
}

func call(ctx context.Context, answer Answerer, algorithm string) (a Answer, err error) {
	defer recoverPanic(&err)
	return answer(ctx, algorithm)
}

// recoverPanic turns a panic into an error with a stack trace. It must be deferred.
func recoverPanic(err *error) {
	if v := recover(); v != nil {
		*err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
	}
}

func (r *runner) keep(ctx context.Context, index int, rec Record) {
	// An answer that has arrived is kept even if ctx has ended.
	if err := r.Journal.Keep(context.WithoutCancel(ctx), rec); err != nil {
		r.fail(fmt.Errorf("keep the prediction for %q: %w", rec.Case.Head().ID, err))
		return
	}
	o := outcome(r.Task, index, rec.Case, rec)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.records[index][rec.Algorithm] = o
	r.addVersion(rec)
	if rec.Error != "" {
		r.prog.Failed++
		r.res.Failed = append(r.res.Failed, Failed{rec.Case.Head().ID, rec.Case.Head().Repo, rec.Algorithm, rec.Error})
	}
}

// skip records that a case cannot be evaluated. The journal stores the reason, so that a report
// made from the journal still lists the case.
func (r *runner) skip(ctx context.Context, index int, reason string) {
	c, h := r.Cases[index], r.Cases[index].Head()
	for _, algorithm := range r.unanswered(index) {
		rec := r.record(c, algorithm)
		rec.Skip = reason
		r.keep(ctx, index, rec)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.prog.Skipped++
	r.res.Skipped = append(r.res.Skipped, Skipped{h.ID, h.Repo, reason})
	r.advance()
}

func (r *runner) finish(index int, absent []gitext.OID) {
	h := r.Cases[index].Head()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fresh++
	if len(absent) > 0 {
		names := make([]string, len(absent))
		for i, oid := range absent {
			names[i] = string(oid)
		}
		r.addPartial(Partial{h.ID, h.Repo, names})
	}
	r.advance()
}

// addPartial lists a case once, even if a resumed run adds it again.
func (r *runner) addPartial(p Partial) {
	for _, old := range r.res.Partial {
		if old.ID == p.ID {
			return
		}
	}
	r.res.Partial = append(r.res.Partial, p)
}

// advance counts a case as done and reports progress. It estimates the remaining time from the
// cases for which an engine was asked, because cases from the journal take no time.
func (r *runner) advance() {
	r.prog.Done++
	if r.OnProgress == nil {
		return
	}
	p := r.prog
	p.Elapsed = r.Now().Sub(r.start)
	if r.fresh > 0 {
		p.Left = time.Duration(float64(p.Elapsed) / float64(r.fresh) * float64(p.Total-p.Done))
	}
	r.OnProgress(p)
}
