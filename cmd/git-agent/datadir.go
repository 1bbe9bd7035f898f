package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"git-agent/cache"
	"git-agent/cache/place"
	"git-agent/gitext"
	"git-agent/gitext/gitconfig"
)

// repoFolders are the folders that hold the data about one repository.
type repoFolders struct {
	cache, state       place.Folder
	cacheErr, stateErr error // why there is no such folder
}

// dataStore remembers the folders of each repository, the agent.* settings, and
// which warnings were printed. Its zero value is ready to use.
type dataStore struct {
	mu      sync.Mutex
	folders map[string]*repoFolders // by common git directory

	once      sync.Once
	config    map[string][]gitconfig.Value
	configErr error

	given map[string]bool // warnings that were printed, by their text
}

// config returns the agent.* settings, which it reads once.
func (a *app) config(ctx context.Context) (map[string][]gitconfig.Value, error) {
	a.data.once.Do(func() { a.data.config, a.data.configErr = gitext.Settings(ctx) })
	return a.data.config, a.data.configErr
}

// user says in which of the user's directories data is stored. It ignores
// settings of a repository.
func (a *app) user(ctx context.Context) place.User {
	u := place.User{Getenv: a.env.get}
	config, _ := a.config(ctx) // if git cannot read the configuration, git has printed an error
	for _, v := range config["agent.datadir"] {
		if v.Trusted() {
			u.DataDir = v.Value
		}
	}
	return u
}

// foldersOf returns the folders of a repository, and creates the one of its cache.
func (a *app) foldersOf(ctx context.Context, commonDir string) *repoFolders {
	user := a.user(ctx)
	a.data.mu.Lock()
	defer a.data.mu.Unlock()
	if k := a.data.folders[commonDir]; k != nil {
		return k
	}
	k := &repoFolders{}
	if k.cache, k.cacheErr = user.Folder(place.Cache, commonDir); k.cacheErr == nil {
		k.cacheErr = k.cache.Make()
	}
	k.state, k.stateErr = user.Folder(place.State, commonDir)
	if a.data.folders == nil {
		a.data.folders = map[string]*repoFolders{}
	}
	a.data.folders[commonDir] = k
	return k
}

// locate returns a function that tells gitext in which folder a repository's
// shadow is.
func (a *app) locate(ctx context.Context) func(commonDir string) string {
	return func(commonDir string) string {
		if k := a.foldersOf(ctx, commonDir); k.cacheErr == nil {
			return k.cache.Path
		}
		return ""
	}
}

// dataDirHint is the hint for every error about a data folder.
const dataDirHint = "git config --global agent.dataDir <directory> names another place, on a local disk"

// openCache returns the cache of a repository. If its folder cannot be used,
// openCache warns and returns a cache that stores nothing.
func (a *app) openCache(ctx context.Context, repo *gitext.Repo) *cache.Cache {
	k := a.foldersOf(ctx, repo.CommonDir())
	if k.cacheErr != nil {
		a.warnOnce(fmt.Sprintf("nothing is kept between commands: %v", k.cacheErr))
	}
	return a.cacheOf(ctx, repo, k)
}

// cacheOf is openCache without the warning.
func (a *app) cacheOf(ctx context.Context, repo *gitext.Repo, k *repoFolders) *cache.Cache {
	if k.cacheErr != nil {
		return cache.Without(k.cacheErr)
	}
	return cache.Open(ctx, k.cache.Path, a.cacheOptions(repo))
}

// openTraces opens the recorded runs in a folder, and creates the folder. err is
// the error of finding it.
func (a *app) openTraces(ctx context.Context, f place.Folder, err error) (*cache.Traces, error) {
	if err == nil {
		err = f.Make()
	}
	if err != nil {
		return nil, withHint(err, dataDirHint)
	}
	if f.Why != "" {
		a.warnOnce(fmt.Sprintf("runs are recorded in %q: %s", f.Path, f.Why))
	}
	traces, err := cache.OpenTraces(ctx, f.Path, a.traceOptions())
	return traces, cacheError(err)
}

// traceOptions returns the options with which every verb opens recorded runs.
func (a *app) traceOptions() cache.Options {
	return cache.Options{Version: versionString(), Warn: a.warnOnce}
}

// runFolders returns the folders with recorded runs that can be read: that of the
// repository, if repo is not nil, and that of runs which belong to no repository,
// such as evaluations.
func (a *app) runFolders(ctx context.Context, repo *gitext.Repo) []place.Folder {
	var list []place.Folder
	if repo != nil {
		if k := a.foldersOf(ctx, repo.CommonDir()); k.stateErr == nil {
			list = append(list, k.state)
		}
	}
	if own, err := a.user(ctx).Own(place.State); err == nil {
		list = append(list, own)
	}
	return a.readable(list)
}

// otherFolders returns the folders with recorded runs of all other repositories.
func (a *app) otherFolders(ctx context.Context, repo *gitext.Repo) []place.Folder {
	all, err := a.user(ctx).Folders(place.State)
	if err != nil {
		a.warnOnce(err.Error())
	}
	own := ""
	if repo != nil {
		own = a.foldersOf(ctx, repo.CommonDir()).state.Path
	}
	var list []place.Folder
	for _, f := range all {
		if f.Path != own && f.HasRuns() {
			list = append(list, f)
		}
	}
	return a.readable(list)
}

// readable returns the folders that exist and can be used. It warns about those
// that exist and cannot.
func (a *app) readable(list []place.Folder) []place.Folder {
	var good []place.Folder
	for _, f := range list {
		err := f.Check()
		switch {
		case err == nil:
			good = append(good, f)
		case !errors.Is(err, fs.ErrNotExist):
			a.warnOnce(fmt.Sprintf("recorded runs are not read: %v", err))
		}
	}
	return good
}
