package eval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"
)

// Journal stores predictions. Keep returns when the record is safely stored, and
// Kept yields all stored records.
type Journal interface {
	Kept(ctx context.Context) iter.Seq2[Record, error]
	Keep(ctx context.Context, r Record) error
}

// Plan describes a run. Zero Jobs means one job; zero Timeout means no time limit.
type Plan struct {
	Task       Task
	Cases      []Case
	Algorithms []string
	Version    string            // version of the engine; part of every key
	Setting    string            // settings of the engine other than the algorithm; part of every key
	Settings   map[string]string // further settings by algorithm, such as the model; they also apply to its repetitions
	// Foreign has the answers of other programs, by the names of their algorithms. The sessions
	// opened by Open answer with them.
	Foreign    map[string]*Foreign
	Reuse      []string // algorithms whose stored predictions are used regardless of their version
	Repos      Finder
	Open       Opener
	Journal    Journal
	Jobs       int
	Timeout    time.Duration // limit for one case with one algorithm
	OnProgress func(Progress)
	Now        func() time.Time // nil means time.Now
}

// SetForeign makes the keys of other programs' answers depend on the content of their files.
func (p *Plan) SetForeign() {
	if len(p.Foreign) > 0 && p.Settings == nil {
		p.Settings = map[string]string{}
	}
	for name, from := range p.Foreign {
		p.Settings[name] = from.setting()
	}
}

// Progress is reported after every case.
type Progress struct {
	Done, Total int // counts cases
	Reused      int // counts predictions that the journal already had
	Failed      int // counts predictions
	Skipped     int // counts cases
	Elapsed     time.Duration
	Left        time.Duration // estimate; 0 if not known yet
}

// Skipped is a case that could not be evaluated.
type Skipped struct {
	ID     string `json:"id"`
	Repo   string `json:"repo"`
	Reason string `json:"reason"`
}

// Failed is a case that an engine could not answer.
type Failed struct {
	ID        string `json:"id"`
	Repo      string `json:"repo"`
	Algorithm string `json:"algorithm"`
	Error     string `json:"error"`
}

// Partial is a case with some commits of its truth absent from the repository. The
// absent commits count as missed.
type Partial struct {
	ID     string   `json:"id"`
	Repo   string   `json:"repo"`
	Absent []string `json:"absent"`
}

// Results are the outcomes of a run. Outcomes has a slice for each algorithm, with
// one outcome for each case in the order of Cases.
type Results struct {
	Cases      []Case
	Algorithms []string
	Outcomes   map[string][]Outcome
	Skipped    []Skipped
	Failed     []Failed
	Partial    []Partial
	Versions   map[string][]string // engine versions by algorithm; several if older predictions were reused
	Reused     int
	Unfinished int // cases that an interrupted run did not reach
}

// Only returns the results of the cases that keep selects.
func (res *Results) Only(keep func(Case) bool) *Results {
	part := *res
	part.Cases, part.Outcomes = nil, map[string][]Outcome{}
	kept := map[string]bool{}
	for i, c := range res.Cases {
		if !keep(c) {
			continue
		}
		for name, rows := range res.Outcomes {
			o := rows[i]
			o.Case = len(part.Cases)
			part.Outcomes[name] = append(part.Outcomes[name], o)
		}
		part.Cases = append(part.Cases, c)
		kept[c.Head().ID] = true
	}
	part.Skipped = slices.DeleteFunc(slices.Clone(res.Skipped), func(s Skipped) bool { return !kept[s.ID] })
	part.Failed = slices.DeleteFunc(slices.Clone(res.Failed), func(f Failed) bool { return !kept[f.ID] })
	part.Partial = slices.DeleteFunc(slices.Clone(res.Partial), func(p Partial) bool { return !kept[p.ID] })
	return &part
}

// Run evaluates the cases of a plan. If ctx ends early, Run returns the results so far, which are
// also stored, together with the error of ctx.
func Run(ctx context.Context, p Plan) (*Results, error) {
	r, err := newRunner(ctx, p)
	if err != nil {
		return nil, err
	}
	queue := make(chan *group)
	var workers sync.WaitGroup
	for range max(1, p.Jobs) {
		workers.Go(func() {
			for g := range queue {
				r.work(ctx, g)
			}
		})
	}
	r.feed(ctx, queue)
	close(queue)
	workers.Wait()
	for _, g := range r.groups {
		r.fail(g.close())
	}
	return r.results(), cmp.Or(r.err, ctx.Err())
}

// runner is the state of Run. The workers share the fields below mu.
type runner struct {
	Plan
	groups []*group
	start  time.Time

	mu      sync.Mutex
	records []map[string]Outcome // by index of the case, then by algorithm
	res     Results
	prog    Progress
	fresh   int   // cases for which an engine was asked
	err     error // the first error that ends the run
}

// group holds the cases of one repository. They share an open session.
type group struct {
	dir  string
	todo []int // indices of cases; workers take them from the front

	once    sync.Once
	session Session
	openErr error

	mu      sync.Mutex
	next    int
	pending int
}

func newRunner(ctx context.Context, p Plan) (*runner, error) {
	if p.Now == nil {
		p.Now = time.Now
	}
	r := &runner{Plan: p, start: p.Now(), records: make([]map[string]Outcome, len(p.Cases))}
	r.res.Cases, r.res.Algorithms = p.Cases, p.Algorithms
	r.res.Versions = map[string][]string{}
	r.prog.Total = len(p.Cases)
	for i := range r.records {
		r.records[i] = map[string]Outcome{}
	}
	if err := r.recall(ctx); err != nil {
		return nil, err
	}
	r.arrange(ctx)
	return r, nil
}

// recall reads the answers in the journal. It ignores failures, which are tried again because the
// machine may have caused them.
func (r *runner) recall(ctx context.Context) error {
	type place struct {
		index     int
		algorithm string
	}
	wanted := map[string]place{}
	for i, c := range r.Cases {
		for _, a := range r.Algorithms {
			wanted[r.recallKey(r.record(c, a))] = place{i, a}
		}
	}
	partial := map[int]bool{}
	for rec, err := range r.Journal.Kept(ctx) {
		if err != nil {
			return fmt.Errorf("read kept predictions: %w", err)
		}
		at, ok := wanted[r.recallKey(rec)]
		if !ok || rec.Answer == nil {
			continue
		}
		if _, again := r.records[at.index][at.algorithm]; !again {
			r.prog.Reused++
		}
		r.records[at.index][at.algorithm] = outcome(r.Task, at.index, r.Cases[at.index], rec)
		r.addVersion(rec)
		if len(rec.Absent) > 0 && !partial[at.index] {
			partial[at.index] = true
			r.res.Partial = append(r.res.Partial, Partial{rec.Case.Head().ID, rec.Case.Head().Repo, rec.Absent})
		}
	}
	return nil
}

// record returns a record for a case without an answer.
func (r *runner) record(c Case, algorithm string) Record {
	rec := Record{Case: c, Algorithm: algorithm, Version: r.Version, Setting: r.Setting}
	name, _ := RepetitionOf(algorithm)
	if more := r.Settings[name]; more != "" {
		rec.Setting = strings.TrimSpace(rec.Setting + " " + more)
	}
	rec.Key = rec.key()
	return rec
}

// recallKey returns the key by which recall matches records. For algorithms in
// Plan.Reuse it leaves out the version.
func (r *runner) recallKey(rec Record) string {
	if name, _ := RepetitionOf(rec.Algorithm); slices.Contains(r.Reuse, name) {
		rec.Version = ""
	}
	return rec.key()
}

func (r *runner) addVersion(rec Record) {
	if !slices.Contains(r.res.Versions[rec.Algorithm], rec.Version) {
		r.res.Versions[rec.Algorithm] = append(r.res.Versions[rec.Algorithm], rec.Version)
	}
}

// arrange groups the unanswered cases by repository and skips cases whose
// repository is not found. The largest group comes first, so that workers do not
// wait for a large one at the end.
func (r *runner) arrange(ctx context.Context) {
	byDir := map[string]*group{}
	for i, c := range r.Cases {
		if len(r.records[i]) == len(r.Algorithms) {
			r.prog.Done++
			continue
		}
		h := c.Head()
		// A case names a mirror if the repository itself lacks the commits.
		dir, ok := r.Repos.Find(h.Mirror, h.Repo)
		if !ok {
			r.skip(ctx, i, fmt.Sprintf("no repository %q under %s", h.Repo, r.Repos.Dir))
			continue
		}
		g := byDir[dir]
		if g == nil {
			g = &group{dir: dir}
			byDir[dir] = g
			r.groups = append(r.groups, g)
		}
		g.todo = append(g.todo, i)
		g.pending++
	}
	slices.SortFunc(r.groups, func(a, b *group) int {
		return cmp.Or(cmp.Compare(len(b.todo), len(a.todo)), cmp.Compare(a.dir, b.dir))
	})
}

// feed sends each group to the queue once for each of its cases. It finishes a group before the
// next one, so there are never more open groups than workers.
func (r *runner) feed(ctx context.Context, queue chan<- *group) {
	for _, g := range r.groups {
		for range g.todo {
			if r.stopped() {
				return
			}
			select {
			case queue <- g:
			case <-ctx.Done():
				return
			}
		}
	}
}

func (r *runner) stopped() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err != nil
}

// fail stores the first error that concerns the whole run.
func (r *runner) fail(err error) {
	if err == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = err
	}
}

func (r *runner) work(ctx context.Context, g *group) {
	index := g.take()
	if !r.stopped() {
		r.evaluate(ctx, g, index)
	}
	r.fail(g.done())
}

func (g *group) take() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.next++
	return g.todo[g.next-1]
}

func (g *group) open(ctx context.Context, open Opener) (Session, error) {
	g.once.Do(func() { g.session, g.openErr = open(ctx, g.dir, len(g.todo)) })
	return g.session, g.openErr
}

// done counts a case of the group as done. After the last case it closes the session.
func (g *group) done() error {
	g.mu.Lock()
	g.pending--
	last := g.pending == 0
	g.mu.Unlock()
	if last {
		return g.close()
	}
	return nil
}

// close closes the session. Run calls it again at the end, for groups left open by an
// interruption.
func (g *group) close() error {
	session := g.session
	g.session = nil
	if session == nil {
		return nil
	}
	if err := session.Close(); err != nil {
		return fmt.Errorf("close %s: %w", g.dir, err)
	}
	return nil
}

// results returns the results in a fixed order. They were collected in the order of completion.
func (r *runner) results() *Results {
	res := &r.res
	res.Reused = r.prog.Reused
	res.Outcomes = map[string][]Outcome{}
	for _, a := range r.Algorithms {
		rows := make([]Outcome, len(r.Cases))
		for i := range r.Cases {
			rows[i] = Outcome{Case: i}
			// A case counts only if every algorithm has answered it, so
			// that all algorithms are measured on the same cases.
			if len(r.records[i]) == len(r.Algorithms) {
				rows[i] = r.records[i][a]
			}
		}
		res.Outcomes[a] = rows
	}
	res.Unfinished = r.prog.Total - r.prog.Done
	res.sortLists()
	return res
}

// errTimeout is the cancellation cause of a prediction that took longer than
// Plan.Timeout.
var errTimeout = errors.New("timed out")
