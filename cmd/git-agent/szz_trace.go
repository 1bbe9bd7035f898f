package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"git-agent/agent"
	"git-agent/agent/szz"
	"git-agent/agent/szz/detect"
	"git-agent/agent/szz/offline"
	"git-agent/agent/szz/verify"
	"git-agent/agent/trial"
	"git-agent/cache"
	"git-agent/gitext"
)

// szzTracer answers one fix after the other, from the cache where it can.
type szzTracer struct {
	repo  *gitext.Repo
	cmd   *szzCmd
	paths []string
	cache *cache.Cache // nil keeps nothing
	build string
	who   *detective // nil: the offline engine answers
	// several: a fix that cannot be traced is one of several, and costs itself.
	several bool
}

// reporter is told what happens while a fix is in work.
type reporter func(fix szzFix, e agent.Event)

func newSzzTracer(ctx context.Context, a *app, repo *gitext.Repo, c *szzCmd, paths []string, who *detective) *szzTracer {
	t := &szzTracer{repo: repo, cmd: c, paths: paths, build: buildIdentity(), who: who}
	if c.cacheable(repo) {
		t.cache = a.openCache(ctx, repo)
	}
	return t
}

// cacheable: the object id of a fix stands for all of its history, unless that
// ends early here. A verified answer depends on the machine. Whether objects
// are missing shows only while an answer is worked out.
func (c *szzCmd) cacheable(repo *gitext.Repo) bool {
	return c.Cache && c.VerifyCmd == "" && !repo.Shallow()
}

func (t *szzTracer) close() {
	t.cache.Close() // losing the last write loses time only
}

// all answers for fixes in their order, working on several at once. An answer
// is handed out as soon as those before it are.
func (t *szzTracer) all(ctx context.Context, fixes iter.Seq2[szzFix, error], report reporter) iter.Seq2[szzAnswer, error] {
	type result struct {
		ans szzAnswer
		err error
	}
	return func(yield func(szzAnswer, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		var work sync.WaitGroup
		defer work.Wait()
		defer cancel()
		queue := make(chan chan result, t.workers()-1)
		work.Go(func() {
			defer close(queue)
			for fix, err := range fixes {
				slot := make(chan result, 1)
				select {
				case queue <- slot:
				case <-ctx.Done():
					return
				}
				if err != nil {
					slot <- result{err: err}
					return
				}
				work.Go(func() {
					ans, err := t.trace(ctx, fix, report)
					if t.several && unreadFix(ctx, err) {
						ans, err = failedAnswer(fix, cmp.Or(t.cmd.Algorithm, szz.Algorithms[0]), err), nil
					}
					slot <- result{ans, err}
				})
			}
		})
		for slot := range queue {
			r := <-slot
			if !yield(r.ans, r.err) || r.err != nil {
				return
			}
		}
		if err := context.Cause(ctx); err != nil {
			yield(szzAnswer{}, err)
		}
	}
}

// unreadFix is true for an error that is about one fix: git or we could not
// read what it needs.
func unreadFix(ctx context.Context, err error) bool {
	return err != nil && ctx.Err() == nil && (gitext.Unreadable(err) || errors.As(err, new(*gitext.Error)) || errors.As(err, new(*readError)))
}

// A readError is the failure to read what a fix needs, whatever it comes of.
type readError struct{ err error }

func (e *readError) Error() string { return e.err.Error() }
func (e *readError) Unwrap() error { return e.err }

// failedAnswer stands in the place of a fix that could not be traced.
func failedAnswer(fix szzFix, algorithm string, err error) szzAnswer {
	return szzAnswer{Source: fix.source, Fix: gitext.Commit{OID: fix.oid}, failed: err, Verdict: &szz.Verdict{
		Fix: fix.oid, Engine: "offline", Algorithm: algorithm, Notes: []string{"not traced: " + fatalText(err)},
	}}
}

// workers is how many fixes are in work at once. A command that runs the
// project's code gets the machine for itself.
func (t *szzTracer) workers() int {
	switch {
	case t.cmd.VerifyCmd != "":
		return 1
	case t.cmd.Jobs > 0:
		return t.cmd.Jobs
	case t.who != nil:
		return t.cmd.modelFlags.jobs()
	}
	return runtime.GOMAXPROCS(0)
}

// trace answers for one fix.
func (t *szzTracer) trace(ctx context.Context, fix szzFix, report reporter) (szzAnswer, error) {
	ans, err := t.answer(ctx, fix, report)
	if err == nil && ans.end != nil {
		ans.end(ctx)
	}
	return ans, err
}

// answer gives a kept answer, or finds one and keeps it.
func (t *szzTracer) answer(ctx context.Context, fix szzFix, report reporter) (szzAnswer, error) {
	if fix.source != szz.SourceCommit {
		return t.compute(ctx, fix, report)
	}
	key := t.key(fix)
	if kept, ok := t.cache.Get(ctx, key); ok {
		var ans szzAnswer
		if err := json.Unmarshal(kept, &ans); err == nil && ans.Verdict != nil {
			return ans, nil
		}
	}
	counted, unread := gitext.CountUnread(ctx)
	ans, err := t.compute(counted, fix, report)
	if err != nil {
		return ans, err
	}
	if u := unread(); u.Any() { // the objects may come, the bounds may change
		ans.Verdict.Notes = append(ans.Verdict.Notes, unreadNotes(u)...)
		return ans, nil
	}
	if value, err := json.Marshal(ans); err == nil && ans.complete() {
		t.cache.Put(ctx, key, value)
	}
	return ans, nil
}

// unreadNotes say that an answer is of a part only: not all that was left out
// has a note of its own.
func unreadNotes(u gitext.Unread) []string {
	var notes []string
	if u.Missing > 0 {
		notes = append(notes, "this clone lacks objects that were needed: what depends on them was left out")
	}
	if u.Cut > 0 {
		notes = append(notes, "not all of the history could be read, and what depends on the rest was left out: "+strings.Join(u.Bounds, "; "))
	}
	return notes
}

func (t *szzTracer) compute(ctx context.Context, fix szzFix, report reporter) (szzAnswer, error) {
	fc, err := szz.NewContext(ctx, t.repo, fix.oid, szz.ContextOptions{
		NoAnnotations: !t.cmd.Annotations, Paths: t.paths, Source: fix.source,
	})
	if err != nil {
		return szzAnswer{}, &readError{err}
	}
	if len(fc.Patch.Files) == 0 && fix.source != szz.SourceCommit {
		return szzAnswer{}, nothingToTrace(fix.source, t.paths)
	}
	tell := func(e agent.Event) { report(fix, e) }
	ans := szzAnswer{Source: fix.source, Fix: fc.Commit}
	if t.who == nil {
		ans.Verdict, err = offline.Trace(ctx, t.repo, fc, szz.Options{Algorithm: t.cmd.Algorithm, Max: t.cmd.most(), OnEvent: tell})
		if err != nil {
			err = &readError{err}
		}
	} else {
		var found *investigation
		if found, err = t.investigate(ctx, fc, tell); err == nil {
			ans.Verdict, ans.Runs, ans.end = found.verdict, found.runs, found.end
		}
	}
	if err != nil {
		return szzAnswer{}, err
	}
	if fix.source == szz.SourceCommit {
		// What an engine must not see, a reader may.
		if ans.Fix, err = t.repo.Commit(ctx, fix.oid); err != nil {
			return szzAnswer{}, err
		}
	}
	if t.cmd.VerifyCmd == "" {
		return ans, nil
	}
	return ans, verify.Suspects(ctx, t.repo, fc, ans.Verdict, verify.Options{Bisect: t.cmd.Bisect, Options: trial.Options{
		Command: t.cmd.VerifyCmd, Timeout: t.cmd.VerifyTimeout, Memory: t.cmd.memory(),
		Sandbox: t.cmd.confined.Level, Readable: t.cmd.confined.Readable, Writable: t.cmd.confined.Writable, OnEvent: tell,
	}})
}

// nothingToTrace says that a fix which is not committed is not there either.
func nothingToTrace(source szz.Source, paths []string) error {
	below := ""
	if len(paths) > 0 {
		below = " below the paths given"
	}
	if source == szz.SourceStaged {
		return withHint(errors.New("nothing is staged"+below), "git add <path>\nor --worktree for what is not staged")
	}
	return withHint(errors.New("no tracked file is changed"+below), "git add --intent-to-add <path> lets git see a new file")
}

// investigate lets the model look.
func (t *szzTracer) investigate(ctx context.Context, fc *szz.FixContext, tell func(agent.Event)) (*investigation, error) {
	q := inquiry{repo: t.repo, fix: fc, memory: t.cache, onEvent: tell, about: detectiveSpec{Paths: t.paths, Annotations: t.cmd.Annotations}}
	q.adjust = func(opt *detect.Options) { opt.Max = t.cmd.most() }
	return t.who.investigate(ctx, q)
}

// key is everything that determines an answer.
func (t *szzTracer) key(fix szzFix) cache.Key {
	parts := []string{
		t.build, string(fix.oid), cmp.Or(t.cmd.Algorithm, szz.Algorithms[0]),
		strconv.FormatBool(t.cmd.Annotations), strconv.Itoa(t.cmd.most()),
	}
	if t.who != nil {
		parts = append(parts, t.who.identity()...)
	}
	return cache.Key{Kind: "szz", Parts: append(parts, t.paths...)}
}

// buildIdentity tells two builds of the program apart, so that an answer of
// yesterday's build is not taken for one of today's. git's version is no part
// of it: what is read is pinned to mean the same in every version.
func buildIdentity() string {
	id := versionString()
	exe, err := os.Executable()
	if err != nil {
		return id
	}
	info, err := os.Stat(exe)
	if err != nil {
		return id
	}
	return fmt.Sprintf("%s %d %d", id, info.Size(), info.ModTime().UnixNano())
}
