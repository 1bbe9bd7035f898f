package store

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	"git-agent/agent/lineindex"
	"git-agent/cache"
	"git-agent/gitext"
)

// GrowIndex is Index for an evaluation that builds indexes: it builds or updates the repository's
// index in the background. Until the end of the build, git searches the history.
func (s *Store) GrowIndex(ctx context.Context, repo *gitext.Repo) gitext.ChangeIndex {
	dir, err := s.IndexFolder(ctx, repo)
	if err != nil {
		return nil // there was a warning about the folder
	}
	ctx, cancel := context.WithCancel(ctx)
	g := &growing{cancel: cancel, ended: make(chan struct{})}
	go func() {
		defer close(g.ended)
		err := g.grow(ctx, dir, repo)
		if err != nil && ctx.Err() == nil {
			s.warn(fmt.Sprintf("no index of %q was built: %v", repo.CommonDir(), err))
		}
	}()
	return g
}

// A growing is an index under construction.
type growing struct {
	cancel context.CancelFunc
	ended  chan struct{}

	mu    sync.Mutex
	index *lineindex.Index // nil until it is built
}

// grow builds the index and opens it. If another process builds the index, grow opens the parts
// stored so far.
func (g *growing) grow(ctx context.Context, dir string, repo *gitext.Repo) error {
	_, err := lineindex.Build(ctx, dir, repo, lineindex.BuildOptions{Workers: 1})
	if err != nil && !errors.Is(err, cache.ErrHeld) {
		return err
	}
	x, err := lineindex.Open(ctx, dir, repo)
	if err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.index = x
	return nil
}

func (g *growing) built() *lineindex.Index {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.index
}

// Candidates asks the index if it is built.
func (g *growing) Candidates(ctx context.Context, q gitext.ChangeQuery) (iter.Seq2[gitext.ChangeHit, error], bool) {
	if x := g.built(); x != nil {
		return x.Candidates(ctx, q)
	}
	return nil, false
}

// Covers waits for the index.
func (g *growing) Covers(ctx context.Context, tip gitext.OID) bool {
	x, err := g.wait(ctx)
	return err == nil && x.Covers(ctx, tip)
}

// TextChanges waits for the index.
func (g *growing) TextChanges(ctx context.Context, tip gitext.OID, texts []string) ([]gitext.TextHistory, error) {
	x, err := g.wait(ctx)
	if err != nil {
		return nil, err
	}
	return x.TextChanges(ctx, tip, texts)
}

// wait returns the index after the build: the answers of an evaluation must not depend on the
// speed of the build.
func (g *growing) wait(ctx context.Context) (*lineindex.Index, error) {
	select {
	case <-g.ended:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if x := g.built(); x != nil {
		return x, nil
	}
	return nil, errors.New("the index of changed lines was not built")
}

// Close ends the build. Finished parts are kept.
func (g *growing) Close() error {
	g.cancel()
	<-g.ended
	if g.index != nil {
		return g.index.Close()
	}
	return nil
}
