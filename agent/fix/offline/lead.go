package offline

import (
	"context"
	"slices"
	"time"

	"git-agent/agent/fix/generate"
	"git-agent/agent/trial"
)

const (
	// leastLeads and mostLeads bound the newest changes that are undone before all other
	// candidates. More than leastLeads are undone only within 1/leadShare of the time.
	leastLeads = 3
	mostLeads  = 10
	leadShare  = 4
	// laterLead is the weight of the remaining newest changes among the other candidates.
	laterLead = 0.1
)

// lead undoes the newest changes of suspected code, one after the other, in the already built
// workspace. If this repairs a regression, the search is over, because other passing patches
// would be guesses. The remaining changes join the other candidates.
func (s *search) lead(ctx context.Context, w *trial.Workspace, list []generate.Candidate) error {
	s.leads = len(list)
	s.wholeFirst(ctx, list)
	start, most := time.Now(), min(len(list), mostLeads)
	if err := s.shareLeads(ctx, w, list[:most]); err != nil || s.over() {
		return err
	}
	tried := len(list) - s.leads - s.returned() // changes that one process has undone
	for _, c := range list[:most] {
		if s.over() {
			break
		}
		if tried >= leastLeads && late(ctx, start, c) {
			continue
		}
		lead, ok := s.takeLead(c)
		if !ok {
			continue
		}
		tried++
		if err := s.tryAll(ctx, w, []waiting{lead}); err != nil {
			s.lost(lead)
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range list {
		s.put(c, laterLead)
	}
	s.leads = 0
	return nil
}

// wholeFirst puts the candidates that undo all uncommitted changes of a file first where the time is too short for all uncommitted
// changes: what a part of them repairs, the whole does, too. The one that undoes those of all files comes behind them, or before them
// where there are too many to be sure that it is tried.
func (s *search) wholeFirst(ctx context.Context, list []generate.Candidate) {
	uncommitted, parts := 0, map[string]int{} // candidates by file
	for uncommitted < len(list) && list[uncommitted].Commit == "" {
		if files := list[uncommitted].Files; len(files) == 1 {
			parts[files[0].Path]++
		}
		uncommitted++
	}
	took := s.baseline.took
	if s.quick.command != "" {
		took = s.quick.took
	}
	end, bounded := ctx.Deadline()
	if !bounded || time.Until(end)/leadShare > time.Duration(uncommitted)*took {
		return
	}
	place := func(c generate.Candidate) int {
		switch {
		case len(c.Files) >= leastLeads:
			return 0
		case len(c.Files) > 1:
			return 2
		case c.Kind == generate.FileHunks, len(c.Files) == 1 && parts[c.Files[0].Path] == 1:
			return 1
		}
		return 3
	}
	slices.SortStableFunc(list[:uncommitted], func(a, b generate.Candidate) int { return place(a) - place(b) })
}

// shareLeads tries the newest changes that one process can share, and then those as patches
// with which the failing test passes, in their order.
func (s *search) shareLeads(ctx context.Context, w *trial.Workspace, list []generate.Candidate) error {
	var batch []waiting
	for _, c := range list {
		one := &waiting{Candidate: c}
		if way := s.sharing(one); s.unscreened || way == nil || !way.leads() || len(batch) > 0 && !s.shares(&batch[0], one) {
			continue
		}
		if lead, ok := s.takeLead(c); ok {
			batch = append(batch, lead)
		}
	}
	if len(batch) == 0 {
		return nil
	}
	var err error
	if len(batch) == 1 {
		err = s.tryAll(ctx, w, batch)
	} else {
		err = (&screen{search: s, w: w}).run(ctx, batch)
	}
	if err != nil {
		s.lost(batch...)
		return err
	}
	for !s.over() {
		s.mu.Lock()
		c, ok := s.best(func(c *waiting) bool { return c.direct && c.passed })
		if ok {
			s.started++
		}
		s.mu.Unlock()
		if !ok {
			return nil
		}
		if err := s.tryAll(ctx, w, []waiting{c}); err != nil {
			s.lost(c)
			return err
		}
	}
	return nil
}

// newest returns the candidates that undo the newest changes.
func (s *search) newest(ctx context.Context) (list []generate.Candidate, err error) {
	read := func(ctx context.Context) error {
		list = generate.Newest(ctx, s.repo, s.generate())
		return ctx.Err()
	}
	if s.in.Complete != nil {
		err = s.in.Complete(ctx, read)
	} else {
		err = read(ctx)
	}
	return list, err
}

// late reports whether the share of the time for the newest changes is used up for a candidate. One that undoes the uncommitted
// changes of several files is always worth its only run.
func late(ctx context.Context, start time.Time, c generate.Candidate) bool {
	if c.Commit == "" && len(c.Files) > 1 {
		return false
	}
	end, bounded := ctx.Deadline()
	return bounded && time.Since(start) > end.Sub(start)/leadShare
}

// takeLead takes a candidate for an immediate trial; it reports false if the candidate is not
// new, unless a process that several share could not try it.
func (s *search) takeLead(c generate.Candidate) (waiting, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := slices.IndexFunc(s.window, func(w waiting) bool { return w.returned() && w.changes(c) })
	if at < 0 {
		s.leads--
		if !s.put(c, 1) {
			return waiting{}, false
		}
		at = len(s.window) - 1
	}
	lead := s.window[at]
	s.window = slices.Delete(s.window, at, at+1)
	lead.direct = true
	s.order.begin(&lead)
	s.started++
	s.progress(c)
	return lead, true
}

// returned counts the newest changes that several were to share a process for, and that need one of their own.
func (s *search) returned() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.window {
		n += number(s.window[i].returned())
	}
	return n
}

func (w *waiting) returned() bool { return w.direct && w.alone && !w.passed }

// changes reports whether a waiting candidate was made of another one, and so changes the same files.
func (w *waiting) changes(c generate.Candidate) bool {
	return len(w.Files) > 0 && len(w.Files) == len(c.Files) && &w.Files[0] == &c.Files[0]
}
