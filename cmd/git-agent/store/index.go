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

// Index opens the index of the changed lines of a repository. Without an index, it returns nil;
// for an unusable index, it also warns.
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

// slowSearch is the duration of a search of the history from which an index is proposed.
const slowSearch = 3 * time.Second

// slowName is the name of the file with the duration of the slowest search.
const slowName = "slow-search"

// Searched notes the duration of a slow search of a whole history. SlowSearch returns the longest
// one.
func (s *Store) Searched(repo *gitext.Repo, took time.Duration) {
	if took < slowSearch || took <= s.SlowSearch(context.Background(), repo) {
		return
	}
	if k := s.Folders(context.Background(), repo.CommonDir()); k.CacheErr == nil {
		// The note serves only for a proposal, so an error is ignored.
		_ = os.WriteFile(filepath.Join(k.Cache.Path, slowName), []byte(took.Round(time.Second/10).String()+"\n"), 0o600)
	}
}

// SlowSearch returns the duration of git's slowest search of the repository's history, 0 if no
// search was slow.
func (s *Store) SlowSearch(ctx context.Context, repo *gitext.Repo) time.Duration {
	k := s.Folders(ctx, repo.CommonDir())
	if k.CacheErr != nil {
		return 0
	}
	text, err := os.ReadFile(filepath.Join(k.Cache.Path, slowName))
	if err != nil {
		return 0
	}
	took, _ := time.ParseDuration(strings.TrimSpace(string(text))) // an unreadable note counts as none
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
