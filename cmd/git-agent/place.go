package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"git-agent/cache"
	"git-agent/cache/place"
	"git-agent/cmd/git-agent/layout"
	"git-agent/gitext"
)

// kept is where the data of one repository is.
type kept struct {
	cache, state     place.Folder
	noCache, noState error // why there is none
}

// keeper remembers where the data of each repository is. Its zero value is ready.
type keeper struct {
	mu      sync.Mutex
	folders map[string]*kept // by common git directory

	asked  sync.Once
	config map[string][]gitext.ConfigValue
	err    error

	said map[string]bool // warnings
}

// config reads the agent.* settings once.
func (a *app) config(ctx context.Context) (map[string][]gitext.ConfigValue, error) {
	a.kept.asked.Do(func() { a.kept.config, a.kept.err = gitext.Settings(ctx) })
	return a.kept.config, a.kept.err
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

// keptOf finds where the data of a repository is, and makes the folder of its cache.
func (a *app) keptOf(ctx context.Context, commonDir string) *kept {
	user := a.user(ctx)
	a.kept.mu.Lock()
	defer a.kept.mu.Unlock()
	if k := a.kept.folders[commonDir]; k != nil {
		return k
	}
	k := &kept{}
	if k.cache, k.noCache = user.Folder(place.Cache, commonDir); k.noCache == nil {
		k.noCache = k.cache.Make()
	}
	k.state, k.noState = user.Folder(place.State, commonDir)
	if a.kept.folders == nil {
		a.kept.folders = map[string]*kept{}
	}
	a.kept.folders[commonDir] = k
	return k
}

// locate tells gitext where a repository's shadow is.
func (a *app) locate(ctx context.Context) func(commonDir string) string {
	return func(commonDir string) string {
		if k := a.keptOf(ctx, commonDir); k.noCache == nil {
			return k.cache.Path
		}
		return ""
	}
}

// placeHint says what helps against every trouble with a place.
const placeHint = "git config --global agent.dataDir <directory> names another place, on a local disk"

// openCache returns the cache of a repository. Where there is none, that is said once.
func (a *app) openCache(ctx context.Context, repo *gitext.Repo) *cache.Cache {
	k := a.keptOf(ctx, repo.CommonDir())
	if k.noCache != nil {
		a.warnOnce(fmt.Sprintf("nothing is kept between commands: %v", k.noCache))
	}
	return a.cacheOf(ctx, repo, k)
}

func (a *app) cacheOf(ctx context.Context, repo *gitext.Repo, k *kept) *cache.Cache {
	if k.noCache != nil {
		return cache.Without(k.noCache)
	}
	return cache.Open(ctx, k.cache.Path, a.cacheOptions(repo))
}

// openTraces opens the record of runs in a folder, which it makes.
func (a *app) openTraces(ctx context.Context, f place.Folder, err error) (*cache.Traces, error) {
	if err == nil {
		err = f.Make()
	}
	if err != nil {
		return nil, withHint(err, placeHint)
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

// warnOnce is for what goes wrong beside the answer.
func (a *app) warnOnce(text string) {
	a.kept.mu.Lock()
	defer a.kept.mu.Unlock()
	if a.kept.said == nil {
		a.kept.said = map[string]bool{}
	}
	if !a.kept.said[text] {
		a.kept.said[text] = true
		fmt.Fprintf(a.stderr, "warning: %s\n", layout.Printable(text))
	}
}

// runFolders are where recorded runs are that can be read: those of the repository, if
// there is one, and those that belong to none, as evaluations do.
func (a *app) runFolders(ctx context.Context, repo *gitext.Repo) []place.Folder {
	var list []place.Folder
	if repo != nil {
		if k := a.keptOf(ctx, repo.CommonDir()); k.noState == nil {
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
		own = a.keptOf(ctx, repo.CommonDir()).state.Path
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
