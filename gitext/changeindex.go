package gitext

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"git-agent/gitext/gitcmd"
)

// ChangeQuery asks for the commits that changed a text.
type ChangeQuery struct {
	Text         string
	Regexp       bool // Text is an extended regular expression of a line, as for LogG; otherwise a text, as for LogS
	Tip          OID
	Since, Until time.Time
}

// ChangeHit is a commit that may answer a ChangeQuery.
type ChangeHit struct {
	OID     OID
	Certain bool // it does; otherwise git must check
}

// A ChangeIndex knows the changed lines of each commit of a history.
type ChangeIndex interface {
	// Candidates lists all commits that answer the question, and perhaps others, in
	// the order of git log. An error comes last. It returns false if it cannot judge
	// the question.
	Candidates(ctx context.Context, q ChangeQuery) (iter.Seq2[ChangeHit, error], bool)
	// Covers reports whether TextChanges knows all commits reachable from tip.
	Covers(ctx context.Context, tip OID) bool
	// TextChanges lists, for each text, the commits reachable from tip that change lines with the
	// text as a word, newest first.
	TextChanges(ctx context.Context, tip OID, texts []string) ([]TextHistory, error)
	// Close is called when the repository is closed.
	Close() error
}

// TextHistory lists the commits that changed lines with a text, newest first.
type TextHistory struct {
	Text    string
	Changes []TextChange
	Common  bool // the text is too short or occurs almost everywhere, and was not searched for
}

// TextChange counts the occurrences of a text in the changed lines of one file and commit. If
// Removed and Added are equal, the commit changed another part of a line, such as the arguments
// of a call, or moved the line.
type TextChange struct {
	OID            OID
	OldPath, Path  string // Path "" for a deleted file; OldPath differs from Path after a rename
	Removed, Added int    // occurrences in removed and added lines
	Place          int    // position of the commit in git log, from 1
}

// HasIndex reports whether TextChanges can answer. The first call opens the index;
// OpenOptions.Index may begin to build one.
func (r *Repo) HasIndex(ctx context.Context) bool { return r.changeIndex(ctx) != nil }

// Indexed reports whether TextChanges knows all commits reachable from tip. Answers based on the
// index are then reproducible.
func (r *Repo) Indexed(ctx context.Context, tip OID) bool {
	index := r.changeIndex(ctx)
	return index != nil && index.Covers(ctx, tip)
}

// TextChanges asks the index which commits changed each of the texts. It returns false if
// there is no index.
func (r *Repo) TextChanges(ctx context.Context, tip OID, texts []string) ([]TextHistory, bool, error) {
	index := r.changeIndex(ctx)
	if index == nil {
		return nil, false, nil
	}
	list, err := index.TextChanges(ctx, tip, texts)
	return list, err == nil, err
}

// wholeHistory reports whether an index can answer: only times may limit the walk.
func (o PickaxeOptions) wholeHistory() bool {
	return len(o.Not) == 0 && len(o.Paths) == 0 && !o.Follow && o.Grep == "" && o.GrepLine == "" && o.Object == ""
}

// The first batch of candidates is small, because most callers want few entries.
const (
	firstCandidates = 24
	mostCandidates  = 2048
)

// changeIndex returns the index of the repository, nil if there is none.
func (r *Repo) changeIndex(ctx context.Context) ChangeIndex {
	r.indexOnce.Do(func() {
		if r.opt.Index != nil {
			r.index = r.opt.Index(context.WithoutCancel(ctx), r)
		}
	})
	return r.index
}

// searchAll is pickaxe over a whole history. An index gives the candidates, and git checks them,
// so the answer is the same as without an index. Without an index, or if the index fails, git
// searches the history.
func (r *Repo) searchAll(ctx context.Context, opt PickaxeOptions, letter, needle string) iter.Seq2[LogEntry, error] {
	v := verifier{repo: r, opt: opt.LogOptions, more: []string{"-M", needle}, left: opt.Max}
	if err := validAll(opt.Tip); err != nil {
		return failed[LogEntry](err)
	}
	var hits iter.Seq2[ChangeHit, error]
	ok := false
	if index := r.changeIndex(ctx); index != nil {
		hits, ok = index.Candidates(ctx, ChangeQuery{Text: opt.Needle, Regexp: letter == "G", Tip: opt.Tip, Since: opt.Since, Until: opt.Until})
	}
	return func(yield func(LogEntry, error) bool) {
		v := v
		v.yield = yield
		switch {
		case !ok:
			v.search(ctx)
		case opt.Last > 0 && opt.Max == 0 && opt.Skipped != nil:
			v.last(ctx, hits, opt)
		default:
			v.all(ctx, hits)
		}
	}
}

// A verifier lists the candidates that git confirms.
type verifier struct {
	repo  *Repo
	opt   LogOptions
	more  []string
	left  int // how many entries to yield; 0 or less is all
	count int // number of yielded entries
	yield func(LogEntry, error) bool
}

// all verifies the candidates, few at first.
func (v *verifier) all(ctx context.Context, hits iter.Seq2[ChangeHit, error]) {
	var batch []ChangeHit
	size := firstCandidates
	for hit, err := range hits {
		if err != nil {
			v.search(ctx)
			return
		}
		if batch = append(batch, hit); len(batch) == size {
			if !v.verify(ctx, batch) {
				return
			}
			batch, size = batch[:0], min(4*size, mostCandidates)
		}
	}
	v.verify(ctx, batch)
}

// last verifies the candidates that are not certain, without their files, and lists the
// last entries.
func (v *verifier) last(ctx context.Context, hits iter.Seq2[ChangeHit, error], opt PickaxeOptions) {
	var list, open []ChangeHit
	for hit, err := range hits {
		if err != nil {
			v.search(ctx)
			return
		}
		list = append(list, hit)
		if !hit.Certain {
			open = append(open, hit)
		}
	}
	confirmed := map[OID]bool{}
	brief := v.opt
	brief.Files = false
	for _, batch := range slices.Collect(slices.Chunk(open, mostCandidates)) {
		for entry, err := range v.repo.logAmong(ctx, brief, batch, v.more...) {
			if err != nil {
				v.search(ctx)
				return
			}
			confirmed[entry.OID] = true
		}
	}
	list = slices.DeleteFunc(list, func(h ChangeHit) bool { return !h.Certain && !confirmed[h.OID] })
	skip := max(len(list)-opt.Last, 0)
	*opt.Skipped += skip
	v.verify(ctx, list[skip:])
}

// verify yields the entries of a batch. It returns false if no more are wanted.
func (v *verifier) verify(ctx context.Context, batch []ChangeHit) bool {
	if len(batch) == 0 {
		return true
	}
	for entry, err := range v.repo.logAmong(ctx, v.opt, batch, v.more...) {
		v.count++
		if !v.yield(entry, err) || err != nil {
			return false
		}
		if v.left--; v.left == 0 {
			return false
		}
	}
	return true
}

// search lets git search the whole history, and leaves out yielded entries.
func (v *verifier) search(ctx context.Context) {
	began := time.Now()
	defer func() {
		if v.repo.opt.Searched != nil {
			v.repo.opt.Searched(v.repo, time.Since(began))
		}
	}()
	skip := v.count
	for entry, err := range v.repo.log(ctx, v.opt, v.more...) {
		if skip--; skip >= 0 && err == nil {
			continue
		}
		if !v.yield(entry, err) {
			return
		}
	}
}

// logAmong lists the given commits that git log would list too, in the given order.
func (r *Repo) logAmong(ctx context.Context, opt LogOptions, among []ChangeHit, more ...string) iter.Seq2[LogEntry, error] {
	opt.Since, opt.Until, opt.Max = time.Time{}, time.Time{}, 0
	return func(yield func(LogEntry, error) bool) {
		args, err := opt.args()
		if err != nil {
			yield(LogEntry{}, err)
			return
		}
		var list strings.Builder
		for _, hit := range among {
			fmt.Fprintln(&list, hit.OID)
		}
		args = append(append(append([]string{"log"}, args...), more...), "--no-walk=unsorted", "--stdin", "--")
		call := gitcmd.Call{Args: args, Stdin: strings.NewReader(list.String())}
		err = r.entries(ctx, call, opt.MaxFiles, func(e LogLEntry) bool { return yield(e.LogEntry, nil) })
		if err != nil {
			yield(LogEntry{}, err)
		}
	}
}
