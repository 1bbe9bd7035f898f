package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"git-agent/agent"
	"git-agent/agent/sandbox"
	"git-agent/agent/session"
	"git-agent/cache"
	"git-agent/cmd/git-agent/datadir"
	"git-agent/gitext"
	"git-agent/gitext/gitcmd"
	"git-agent/gitext/gitconfig"
	"git-agent/gitext/quote"
)

// oldestGit is the oldest version that is supported and tested, that of Ubuntu
// 22.04.
const oldestGit = "2.34"

// checkInstallation runs the checks that need no repository.
func checkInstallation(ctx context.Context, a *app) []finding {
	return []finding{
		checkGit(ctx),
		checkProgram(a),
		checkManual(a),
		checkCompletion(a),
		checkSandbox(ctx, a),
	}
}

func checkGit(ctx context.Context) finding {
	version, err := gitcmd.UserVersion(ctx)
	if err != nil {
		return fail("git", "install git", "git cannot be run: %v", err)
	}
	if older(version, oldestGit) {
		return fail("git", "install git "+oldestGit+" or newer", "git %s is older than %s", version, oldestGit)
	}
	return ok("git", "version %s", version)
}

// older reports whether version is older than floor. It compares only the major
// and minor numbers.
func older(version, floor string) bool {
	var major, minor, wantMajor, wantMinor int
	if n, _ := fmt.Sscanf(version, "%d.%d", &major, &minor); n < 2 {
		return false // a version in an unknown form may be new enough
	}
	fmt.Sscanf(floor, "%d.%d", &wantMajor, &wantMinor)
	return major < wantMajor || major == wantMajor && minor < wantMinor
}

// checkProgram checks that git finds this program, and not another copy of it.
func checkProgram(a *app) finding {
	exe, err := os.Executable()
	if err != nil {
		return warn("program", "", "version %s; its place is unknown: %v", versionString(), err)
	}
	found := findInPath(a.env.get("PATH"), "git-agent")
	switch {
	case found == "":
		return warn("program", "export PATH="+quote.Shell(filepath.Dir(exe))+`:"$PATH"`,
			"version %s at %s, where git does not find it", versionString(), exe)
	case !sameFile(found, exe):
		return warn("program", "rm "+quote.Shell(found), "version %s runs from %s, but git finds %s", versionString(), exe, found)
	}
	return ok("program", "version %s at %s", versionString(), exe)
}

func findInPath(path, name string) string {
	for _, dir := range filepath.SplitList(path) {
		file := filepath.Join(dir, name)
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return file
		}
	}
	return ""
}

func sameFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

func checkManual(a *app) finding {
	dir, err := defaultManDir(a.env)
	if err != nil {
		return warn("manual", "git agent man --install <dir>", "%v", err)
	}
	places := append([]string{dir}, filepath.SplitList(a.env.get("MANPATH"))...)
	places = append(places, "/usr/local/share/man", "/usr/share/man")
	for _, place := range places {
		for _, suffix := range []string{"", ".gz"} {
			file := filepath.Join(place, "man1", "git-agent.1"+suffix)
			if _, err := os.Stat(file); err == nil {
				return ok("manual", "%s", file)
			}
		}
	}
	return warn("manual", "git agent man --install", "the pages are not installed, so that 'git agent --help' finds none")
}

// completionFiles are the files in which bash, zsh and fish look for a completion
// script, below a data directory.
var completionFiles = []string{
	"bash-completion/completions/git-agent",
	"zsh/site-functions/_git-agent",
	"fish/vendor_completions.d/git-agent.fish",
}

// checkCompletion looks for the completion script of the user's shell.
func checkCompletion(a *app) finding {
	shell := filepath.Base(a.env.get("SHELL"))
	i := slices.Index([]string{"bash", "zsh", "fish"}, shell)
	if i < 0 {
		return ok("completion", "not looked for: the shell %q has none", shell)
	}
	file := completionFiles[i]
	places := []string{a.env.get("XDG_DATA_HOME"), filepath.Join(a.env.get("HOME"), ".local", "share"), "/usr/local/share", "/usr/share"}
	if exe, err := os.Executable(); err == nil {
		places = append(places, filepath.Join(filepath.Dir(filepath.Dir(exe)), "share"))
	}
	for _, place := range places {
		if full := filepath.Join(place, file); place != "" && exists(full) {
			return ok("completion", "%s", full)
		}
	}
	return warn("completion", "git agent completion "+shell+" --help", "there is none for %s", shell)
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// checkRepository checks the repository, its configuration and the data that is
// stored about it.
func checkRepository(ctx context.Context, a *app, repo *gitext.Repo) []finding {
	list := []finding{checkKind(repo), checkHistory(repo), checkObjects(ctx, repo), checkData(ctx, a, repo), checkSpeed(ctx, repo)}
	if old, found := checkOldData(repo); found {
		list = append(list, old)
	}
	list = append(list, checkConfig(ctx, repo)...)
	return append(list, checkCache(ctx, a, repo))
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
		return fail("history", "git fetch --unshallow", "shallow: cut off at %d commits, to which git charges all that is older", len(repo.ShallowBoundary()))
	}
	return ok("history", "complete")
}

// objectSearchTime limits the search for missing objects. It is enough for about
// a million objects.
const objectSearchTime = 10 * time.Second

// checkObjects looks for missing objects, but only if git says that there may be
// some, as in a partial clone. A partial clone that misses none is no problem.
func checkObjects(ctx context.Context, repo *gitext.Repo) finding {
	if !repo.Partial() {
		return ok("objects", "no partial clone")
	}
	limited, cancel := context.WithTimeout(ctx, objectSearchTime)
	defer cancel()
	err := repo.CheckConnectivity(limited)
	var missing *gitext.MissingObjectError
	switch {
	case errors.As(err, &missing):
		return warn("objects", fetchAllHint, "partial clone: object %s is missing, and perhaps others; lines that need them are left out of answers", missing.OID.Short())
	case err != nil && limited.Err() != nil:
		return ok("objects", "partial clone; none was found missing in %s, and then the search ended", objectSearchTime)
	case err != nil:
		return warn("objects", "git fsck", "partial clone; whether objects are missing is unknown: %s", fatalText(err))
	}
	return ok("objects", "partial clone, and no object is missing")
}

// checkData says where the data about this repository is stored.
func checkData(ctx context.Context, a *app, repo *gitext.Repo) finding {
	k := a.data.Folders(ctx, repo.CommonDir())
	err := k.StateErr
	if err == nil {
		if err = k.State.Check(); errors.Is(err, fs.ErrNotExist) {
			err = nil // nothing has been recorded yet
		}
	}
	switch {
	case k.CacheErr != nil:
		return warn("data", datadir.Hint, "nothing is kept between commands: %v", k.CacheErr)
	case err != nil:
		return warn("data", datadir.Hint, "answers are in %s, and no run is recorded: %v", k.Cache.Path, err)
	}
	where := fmt.Sprintf("answers are in %s, recorded runs in %s", k.Cache.Path, k.State.Path)
	if why := cmp.Or(k.State.Why, k.Cache.Why); why != "" {
		return warn("data", datadir.Hint, "%s, because %s", where, why)
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
			return warn("speed", "git agent doctor --fix", "the changed-path filters do not agree with the history: %s", fatalText(err))
		}
	case repo.BloomDropped():
		return warn("speed", "git agent doctor --fix", "the changed-path filters were damaged and have been removed")
	case repo.Shallow():
		return ok("speed", "a shallow clone takes no changed-path filters")
	}
	return warn("speed", "git agent doctor --fix", "no changed-path filters: reading a long history takes several times longer")
}

// checkConfig lists each agent.* setting and where it comes from.
func checkConfig(ctx context.Context, repo *gitext.Repo) []finding {
	config, err := repo.Config(ctx)
	if err != nil {
		return []finding{fail("config", "", "%s", fatalText(err))}
	}
	if len(config) == 0 {
		return []finding{ok("config", "nothing is set")}
	}
	var keys []string
	for key := range config {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	var list []finding
	for _, key := range keys {
		for _, v := range config[key] {
			list = append(list, checkSetting(key, v))
		}
	}
	return list
}

func checkSetting(key string, v gitconfig.Value) finding {
	value := v.Value
	if strings.Contains(key, "key") || strings.Contains(key, "token") || strings.Contains(key, "secret") {
		value = "(hidden)"
	}
	if isIgnored(key, v) {
		return warn("config", "git config --global "+quote.Shell(key)+" <value>", "%s (%s) is ignored: a repository may not set it", key, v.Scope)
	}
	if !isSetting(key) {
		return warn("config", "see CONFIGURATION in 'git agent --help'", "%s = %s (%s) is no setting and does nothing", key, value, v.Scope)
	}
	return ok("config", "%s = %s (%s)", key, value, v.Scope)
}

// isSetting reports whether the program reads the key.
func isSetting(key string) bool {
	return strings.EqualFold(key, "agent.cacheLimit") || strings.EqualFold(key, gitcmd.MemorySetting) || strings.EqualFold(key, "agent.dataDir") || isSandboxSetting(key) || slices.ContainsFunc(session.Table, func(row session.Setting) bool {
		return strings.EqualFold(key, row.Key)
	})
}

func checkCache(ctx context.Context, a *app, repo *gitext.Repo) finding {
	k := a.data.Folders(ctx, repo.CommonDir())
	if k.CacheErr != nil {
		return warn("cache", "", "there is none")
	}
	store := a.data.CacheIn(ctx, repo, k)
	defer store.Close() // nothing was written
	report, err := store.Verify(ctx)
	var traces cache.Report
	if err == nil && len(report.Problems) == 0 {
		for _, f := range a.data.RunFolders(ctx, repo) {
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

// checkSandbox tries the sandbox that would confine --verify-cmd, and reports
// what it does not confine.
func checkSandbox(ctx context.Context, a *app) finding {
	const check = "sandbox"
	settings, err := a.sandboxSettings(ctx, "")
	if err != nil {
		return fail(check, hintOf(err), "%v", err)
	}
	standing, err := sandbox.Probe(ctx, settings.Level)
	var unavailable *sandbox.Unavailable
	switch {
	case errors.As(err, &unavailable):
		return warn(check, cmp.Or(installBwrap(unavailable.Failed), "git config --global agent.sandbox none"),
			"%v; so --verify-cmd runs nothing unless --sandbox=none lets it run with your rights", err)
	case err != nil:
		return fail(check, "", "%v", err)
	case standing.Level == sandbox.None:
		return warn(check, "git config --global --unset agent.sandbox", "agent.sandbox is none, so --verify-cmd runs with your rights")
	}
	text := fmt.Sprintf("%s; its self-test tried %d ways out", standing, standing.Tried)
	if len(standing.Failed) == 0 {
		return ok(check, "%s", text)
	}
	return warn(check, installBwrap(standing.Failed), "%s; not better, because %s", text, strings.Join(standing.Failed, "; "))
}
