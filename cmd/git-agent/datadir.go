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
)

// repoFolders is where the data of one repository is.
type repoFolders struct {
	cache, state       place.Folder
	cacheErr, stateErr error // why there is none
}

// dataStore remembers where the data of each repository is. Its zero value is ready.
type dataStore struct {
	mu      sync.Mutex
	folders map[string]*repoFolders // by common git directory

	once      sync.Once
	config    map[string][]gitext.ConfigValue
	configErr error

	given map[string]bool // warnings
}

// config reads the agent.* settings once.
func (a *app) config(ctx context.Context) (map[string][]gitext.ConfigValue, error) {
	a.data.once.Do(func() { a.data.config, a.data.configErr = gitext.Settings(ctx) })
	return a.data.config, a.data.configErr
}

// user is whose directories hold the data. A repository has no say in it.
func (a *app) user(ctx context.Context) place.User {
	u := place.User{Getenv: a.env.get}
	config, _ := a.config(ctx) // a configuration that git cannot read, git has complained about
	for _, v := range config["agent.datadir"] {
		if v.Trusted() {
			u.DataDir = v.Value
		}
	}
	return u
}

// foldersOf finds where the data of a repository is, and makes the folder of its cache.
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

// locate tells gitext where a repository's shadow is.
func (a *app) locate(ctx context.Context) func(commonDir string) string {
	return func(commonDir string) string {
		if k := a.foldersOf(ctx, commonDir); k.cacheErr == nil {
			return k.cache.Path
		}
		return ""
	}
}

// dataDirHint says what helps against every trouble with a place.
const dataDirHint = "git config --global agent.dataDir <directory> names another place, on a local disk"

// openCache returns the cache of a repository. Where there is none, that is said once.
func (a *app) openCache(ctx context.Context, repo *gitext.Repo) *cache.Cache {
	k := a.foldersOf(ctx, repo.CommonDir())
	if k.cacheErr != nil {
		a.warnOnce(fmt.Sprintf("nothing is kept between commands: %v", k.cacheErr))
	}
	return a.cacheOf(ctx, repo, k)
}

func (a *app) cacheOf(ctx context.Context, repo *gitext.Repo, k *repoFolders) *cache.Cache {
	if k.cacheErr != nil {
		return cache.Without(k.cacheErr)
	}
	return cache.Open(ctx, k.cache.Path, a.cacheOptions(repo))
}

// openTraces opens the record of runs in a folder, which it makes.
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

// traceOptions is how every verb opens recorded runs.
func (a *app) traceOptions() cache.Options {
	return cache.Options{Version: versionString(), Warn: a.warnOnce}
}

// runFolders are where recorded runs are that can be read: those of the repository, if
// there is one, and those that belong to none, as evaluations do.
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

// otherFolders are those of all other repositories.
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

// readable leaves out what is not there, and says what is there and refused.
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
