package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"git-agent/agent/lineindex"
	"git-agent/cache"
	"git-agent/gitext"
)

// Index opens the index of the changed lines of a repository. Without one it returns
// nil. If there is one that cannot be used, it warns and returns nil.
func (s *Store) Index(ctx context.Context, repo *gitext.Repo) gitext.ChangeIndex {
	k := s.Folders(ctx, repo.CommonDir())
	if k.CacheErr != nil {
		return nil
	}
	x, err := lineindex.Open(ctx, k.Cache.Path, repo)
	switch {
	case err == nil:
		return x
	case !errors.Is(err, cache.ErrNoIndex):
		s.warn(fmt.Sprintf("the index of changed lines is not used: %v; 'git agent index build' builds it anew", err))
	}
	return nil
}

// slowSearch is how long git may search a history before an index is proposed.
const slowSearch = 3 * time.Second

// slowName is the name of the file that holds how long the slowest search took.
const slowName = "slow-search"

// Searched notes that git has searched the whole history of a repository, if that took
// long. SlowSearch returns the longest time.
func (s *Store) Searched(repo *gitext.Repo, took time.Duration) {
	if took < slowSearch || took <= s.SlowSearch(context.Background(), repo) {
		return
	}
	if k := s.Folders(context.Background(), repo.CommonDir()); k.CacheErr == nil {
		// The note serves a proposal only, so it may fail.
		_ = os.WriteFile(filepath.Join(k.Cache.Path, slowName), []byte(took.Round(time.Second/10).String()+"\n"), 0o600)
	}
}

// SlowSearch returns the longest time that git has taken to search the history of the
// repository, 0 if no search was slow.
func (s *Store) SlowSearch(ctx context.Context, repo *gitext.Repo) time.Duration {
	k := s.Folders(ctx, repo.CommonDir())
	if k.CacheErr != nil {
		return 0
	}
	text, err := os.ReadFile(filepath.Join(k.Cache.Path, slowName))
	if err != nil {
		return 0
	}
	took, _ := time.ParseDuration(strings.TrimSpace(string(text))) // what cannot be read is no search
	return took
}

// IndexFolder returns the directory of the repository's index.
func (s *Store) IndexFolder(ctx context.Context, repo *gitext.Repo) (string, error) {
	k := s.Folders(ctx, repo.CommonDir())
	if k.CacheErr != nil {
		return "", k.CacheErr
	}
	return k.Cache.Path, nil
}
