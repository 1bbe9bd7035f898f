package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"git-agent/agent"
	"git-agent/agent/lineindex"
	"git-agent/cache"
	"git-agent/cmd/git-agent/store"
	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext"
)

// checkRepository checks the repository, its configuration and the stored data about it.
func checkRepository(ctx context.Context, v *visit, repo *gitext.Repo) []finding {
	list := []finding{checkKind(repo), checkHistory(repo), checkObjects(ctx, repo), checkData(ctx, v, repo), checkSpeed(ctx, repo)}
	if index, found := checkIndex(ctx, v, repo); found {
		list = append(list, index)
	}
	if half, found := checkDelivery(ctx, repo); found {
		list = append(list, half)
	}
	if old, found := checkOldData(repo); found {
		list = append(list, old)
	}
	if top := repo.WorkTree(); top != "" {
		list = append(list, checkClients(v, top)...)
	}
	list = append(list, checkConfig(ctx, v, repo)...)
	return append(list, checkCache(ctx, v, repo))
}

func checkKind(repo *gitext.Repo) finding {
	kind := "work tree " + repo.WorkTree()
	switch {
	case repo.Bare():
		kind = "bare repository " + repo.GitDir()
	case repo.GitDir() != repo.CommonDir():
		kind = "linked work tree " + repo.WorkTree()
	}
	return ok("repository", "%s, %s", kind, repo.ObjectFormat())
}

func checkHistory(repo *gitext.Repo) finding {
	if repo.Shallow() {
		return fail(
			"history",
			"git fetch --unshallow",
			"shallow: cut off at %s; git charges all that is older to the commits where it is cut",
			agent.Plural(len(repo.ShallowBoundary()), "commit"),
		)
	}
	return ok("history", "complete")
}

// objectSearchTime limits the search for missing objects. It is enough for about
// a million objects.
const objectSearchTime = 10 * time.Second

// checkObjects looks for missing objects, but only if git says that objects may be missing, as in
// a partial clone. A complete partial clone is no problem.
func checkObjects(ctx context.Context, repo *gitext.Repo) finding {
	if lost := repo.LostAlternates(); len(lost) > 0 {
		return warn("objects", "git fsck", "%s", gitext.LostAdvice(lost))
	}
	if !repo.Partial() {
		return ok("objects", "no partial clone")
	}
	limited, cancel := context.WithTimeout(ctx, objectSearchTime)
	defer cancel()
	err := repo.CheckConnectivity(limited)
	var missing *gitext.MissingObjectError
	switch {
	case errors.As(err, &missing):
		return warn(
			"objects",
			gitext.FetchAll,
			"partial clone: object %s is missing, and perhaps others; lines that need them are left out of answers",
			missing.OID.Short(),
		)
	case err != nil && limited.Err() != nil:
		return ok("objects", "partial clone; none was found missing in %s, and then the search ended", objectSearchTime)
	case err != nil:
		return warn("objects", "git fsck", "partial clone; whether objects are missing is unknown: %s", ui.FatalText(err))
	}
	return ok("objects", "partial clone, and no object is missing")
}

// checkData reports the place of the data about this repository.
func checkData(ctx context.Context, v *visit, repo *gitext.Repo) finding {
	k := v.Data.Folders(ctx, repo.CommonDir())
	err := k.StateErr
	if err == nil {
		if err = k.State.Check(); errors.Is(err, fs.ErrNotExist) {
			err = nil // nothing has been recorded yet
		}
	}
	switch {
	case k.CacheErr != nil:
		return warn("data", store.Hint, "nothing is kept between commands: %v", k.CacheErr)
	case err != nil:
		return warn("data", store.Hint, "answers are in %s, and no run is recorded: %v", k.Cache.Path, err)
	}
	where := fmt.Sprintf("answers are in %s, recorded runs in %s", k.Cache.Path, k.State.Path)
	if why := cmp.Or(k.State.Why, k.Cache.Why); why != "" {
		return warn("data", store.Hint, "%s, because %s", where, why)
	}
	return ok("data", "%s", where)
}

// bloomCheckTime limits the comparison of the changed-path filters with the
// history. It is enough for about 100,000 commits.
const bloomCheckTime = 5 * time.Second

func checkSpeed(ctx context.Context, repo *gitext.Repo) finding {
	switch {
	case repo.HasBloom():
		limited, cancel := context.WithTimeout(ctx, bloomCheckTime)
		defer cancel()
		switch err := repo.CheckBloom(limited); {
		case err == nil:
			return ok("speed", "changed-path filters are built, and agree with the history")
		case limited.Err() != nil || repo.Partial():
			return ok("speed", "changed-path filters are built")
		default:
			return warn("speed", "git agent doctor --fix", "the changed-path filters do not agree with the history: %s", ui.FatalText(err))
		}
	case repo.BloomDropped():
		return warn("speed", "git agent doctor --fix", "the changed-path filters were damaged and have been removed")
	case repo.Shallow():
		return ok("speed", "a shallow clone takes no changed-path filters")
	}
	if _, err := repo.Resolve(ctx, "HEAD"); errors.As(err, new(*gitext.MissingObjectError)) {
		return ok("speed", "the commit of HEAD is not in this clone, so there is no history to read")
	} else if err != nil {
		return ok("speed", "HEAD has no commit, so there is no history to read")
	}
	return warn("speed", "git agent doctor --fix", "no changed-path filters: reading a long history takes several times longer")
}

// checkIndex looks at the index of changed lines. Without an index, there is a finding only after
// a slow search of the history.
func checkIndex(ctx context.Context, v *visit, repo *gitext.Repo) (finding, bool) {
	dir, err := v.Data.IndexFolder(ctx, repo)
	if err != nil {
		return finding{}, false // checkData reports it
	}
	x, err := lineindex.Open(ctx, dir, repo)
	if errors.Is(err, cache.ErrNoIndex) {
		took := v.Data.SlowSearch(ctx, repo)
		return warn(
			"index",
			"git agent index build",
			"git took %s to search the history once; with an index of changed lines, such a search takes less than a second",
			took,
		), took > 0
	}
	if err != nil {
		return warn("index", "git agent index build", "the index of changed lines cannot be used: %v", err), true
	}
	newer, err := x.Newer(ctx)
	if err = errors.Join(err, x.Close()); err != nil {
		return warn("index", "git agent index build", "the index of changed lines cannot be used: %v", err), true
	}
	if newer > manyNewer {
		return warn(
			"index",
			"git agent index update",
			"%s of branches and tags are not in the index of changed lines; each search has to look at them",
			agent.Plural(newer, "commit"),
		), true
	}
	return ok("index", "%s are in the index of changed lines", agent.Plural(x.Header.Commits, "commit")), true
}

// manyNewer is the number of commits that git compares in about a second.
const manyNewer = 1000

func checkCache(ctx context.Context, v *visit, repo *gitext.Repo) finding {
	k := v.Data.Folders(ctx, repo.CommonDir())
	if k.CacheErr != nil {
		return warn("cache", "", "there is none")
	}
	store := v.Data.CacheIn(ctx, repo, k)
	defer store.Close() // nothing was written
	report, err := store.Verify(ctx)
	var traces cache.Report
	if err == nil && len(report.Problems) == 0 {
		for _, f := range v.Data.RunFolders(ctx, repo) {
			one, failed := cache.VerifyTraces(ctx, f.Path)
			err = errors.Join(err, failed)
			traces.Problems = append(traces.Problems, one.Problems...)
		}
	}
	switch {
	case err != nil:
		return fail("cache", hintOf(err), "%v", err)
	case len(report.Problems) > 0:
		return fail("cache", "git agent cache clear", "%s", strings.Join(report.Problems, "; "))
	case len(traces.Problems) > 0:
		return fail("runs", "git agent trace list", "recorded runs are damaged: %s", strings.Join(traces.Problems, "; "))
	}
	return ok("cache", "%s, all sound", agent.Plural(int(report.Entries), "answer"))
}
