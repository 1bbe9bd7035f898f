package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"git-agent/agent/session"
	"git-agent/cache"
	"git-agent/cache/place"
	"git-agent/gitext"
	"git-agent/gitext/gitconfig"
)

// Folders are the folders for the data about one repository.
type Folders struct {
	Cache, State       place.Folder
	CacheErr, StateErr error // why there is no such folder
}

// Store finds the data of a user, and opens it. It remembers the folders of each
// repository and the agent.* settings.
type Store struct {
	getenv  func(key string) string // "" for a variable that is unset
	warn    func(text string)       // prints a warning, once for each text
	version string                  // the program's, for recorded runs

	mu      sync.Mutex
	folders map[string]*Folders // by common git directory

	once      sync.Once
	config    map[string][]gitconfig.Value
	configErr error
}

// New returns a store that reads the environment with getenv, warns with warn, and records runs
// with the given version of the program.
func New(getenv func(key string) string, warn func(text string), version string) *Store {
	return &Store{getenv: getenv, warn: warn, version: version}
}

// Config returns the agent.* settings, which it reads once.
func (s *Store) Config(ctx context.Context) (map[string][]gitconfig.Value, error) {
	s.once.Do(func() { s.config, s.configErr = gitext.Settings(ctx) })
	return s.config, s.configErr
}

// User returns the user's directories for data. It ignores settings of a repository.
func (s *Store) User(ctx context.Context) place.User {
	u := place.User{Getenv: s.getenv}
	config, _ := s.Config(ctx) // if git cannot read the configuration, git has printed an error
	for _, v := range config["agent.datadir"] {
		if v.Trusted() {
			u.DataDir = v.Value
		}
	}
	return u
}

// Folders returns the folders of a repository, and creates its cache folder.
func (s *Store) Folders(ctx context.Context, commonDir string) *Folders {
	user := s.User(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if k := s.folders[commonDir]; k != nil {
		return k
	}
	k := &Folders{}
	if k.Cache, k.CacheErr = user.Folder(place.Cache, commonDir); k.CacheErr == nil {
		k.CacheErr = k.Cache.Make()
	}
	k.State, k.StateErr = user.Folder(place.State, commonDir)
	if s.folders == nil {
		s.folders = map[string]*Folders{}
	}
	s.folders[commonDir] = k
	return k
}

// Locate returns a function that tells gitext the folder of a repository's shadow.
func (s *Store) Locate(ctx context.Context) func(commonDir string) string {
	return func(commonDir string) string {
		if k := s.Folders(ctx, commonDir); k.CacheErr == nil {
			return k.Cache.Path
		}
		return ""
	}
}

// Hint is the hint for every error about a data folder.
const Hint = "git config --global agent.dataDir <directory> names another place, on a local disk"

// OpenCache returns the cache of a repository. If its folder cannot be used,
// OpenCache warns and returns a cache that stores nothing.
func (s *Store) OpenCache(ctx context.Context, repo *gitext.Repo) *cache.Cache {
	k := s.Folders(ctx, repo.CommonDir())
	if k.CacheErr != nil {
		s.warn(fmt.Sprintf("nothing is kept between commands: %v", k.CacheErr))
	}
	return s.CacheIn(ctx, repo, k)
}

// CacheIn is OpenCache without the warning.
func (s *Store) CacheIn(ctx context.Context, repo *gitext.Repo, k *Folders) *cache.Cache {
	if k.CacheErr != nil {
		return cache.Without(k.CacheErr)
	}
	return cache.Open(ctx, k.Cache.Path, s.cacheOptions(repo))
}

// OpenTraces opens the recorded runs in a folder, and creates the folder. err is the error of
// finding the folder.
func (s *Store) OpenTraces(ctx context.Context, f place.Folder, err error) (*cache.Traces, error) {
	if err == nil {
		err = f.Make()
	}
	if err != nil {
		return nil, session.WithHint(err, Hint)
	}
	if f.Why != "" {
		s.warn(fmt.Sprintf("runs are recorded in %q: %s", f.Path, f.Why))
	}
	traces, err := cache.OpenTraces(ctx, f.Path, s.TraceOptions())
	return traces, Hinted(err)
}

// TraceOptions returns the options for opening recorded runs.
func (s *Store) TraceOptions() cache.Options {
	return cache.Options{Version: s.version, Warn: s.warn}
}

// RunFolders returns the readable folders with recorded runs: the repository's, if repo is not
// nil, and the one for runs without a repository, such as evaluations.
func (s *Store) RunFolders(ctx context.Context, repo *gitext.Repo) []place.Folder {
	var list []place.Folder
	if repo != nil {
		if k := s.Folders(ctx, repo.CommonDir()); k.StateErr == nil {
			list = append(list, k.State)
		}
	}
	if own, err := s.User(ctx).Own(place.State); err == nil {
		list = append(list, own)
	}
	return s.readable(list)
}

// otherFolders returns the folders with recorded runs of all other repositories.
func (s *Store) otherFolders(ctx context.Context, repo *gitext.Repo) []place.Folder {
	all, err := s.User(ctx).Folders(place.State)
	if err != nil {
		s.warn(err.Error())
	}
	own := ""
	if repo != nil {
		own = s.Folders(ctx, repo.CommonDir()).State.Path
	}
	var list []place.Folder
	for _, f := range all {
		if f.Path != own && f.HasRuns() {
			list = append(list, f)
		}
	}
	return s.readable(list)
}

// readable returns the usable folders. It warns about existing but unusable ones.
func (s *Store) readable(list []place.Folder) []place.Folder {
	var good []place.Folder
	for _, f := range list {
		err := f.Check()
		switch {
		case err == nil:
			good = append(good, f)
		case !errors.Is(err, fs.ErrNotExist):
			s.warn(fmt.Sprintf("recorded runs are not read: %v", err))
		}
	}
	return good
}

// cacheOptions returns the options for opening the cache.
func (s *Store) cacheOptions(repo *gitext.Repo) cache.Options {
	return cache.Options{
		Warn:  s.warn,
		Limit: func(ctx context.Context) int64 { return cacheLimit(ctx, repo, s.warn) },
	}
}

// cacheLimit returns the value of agent.cacheLimit, or 0 for the default.
func cacheLimit(ctx context.Context, repo *gitext.Repo, warn func(string)) int64 {
	config, err := repo.Config(ctx)
	values := config["agent.cachelimit"]
	if err != nil || len(values) == 0 {
		return 0 // if git cannot read the configuration, git has printed an error
	}
	value := values[len(values)-1] // the last one wins, as in git
	if err := CheckSize("agent.cacheLimit")(value); err != nil {
		warn(err.Error())
		return 0
	}
	size, _ := gitconfig.ParseSize(value.Value)
	return size
}

// CheckSize returns a function that returns an error unless a value is a size of at least 1 byte.
func CheckSize(key string) func(gitconfig.Value) error {
	return func(v gitconfig.Value) error {
		n, err := gitconfig.ParseInt(v.Value)
		switch {
		case v.Bare:
			err = gitconfig.ErrNoValue
		case err == nil && n < 1:
			err = errors.New("it must be a size such as 512m")
		}
		if err != nil {
			return &gitconfig.BadValueError{Key: key, Value: v, Err: err}
		}
		return nil
	}
}

// Hinted converts the hint in an error of package cache to one that the program prints.
func Hinted(err error) error {
	var hinted *cache.Error
	if errors.As(err, &hinted) && hinted.Hint != "" {
		return session.WithHint(err, "%s", hinted.Hint)
	}
	return err
}
