package gitext

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"git-agent/gitext/gitcmd"
	"git-agent/gitext/gitconfig"
)

// Promisors returns the names of the remotes that can supply a partial clone's missing objects,
// in git's order: the order of the configuration, with extensions.partialClone last.
func (r *Repo) Promisors(ctx context.Context) ([]string, error) {
	settings, err := r.settings(ctx, `^(remote\..*\.promisor|extensions\.partialclone)$`)
	if err != nil {
		return nil, err
	}
	var names []string
	for key, values := range settings {
		name, isRemote := strings.CutPrefix(strings.TrimSuffix(key, ".promisor"), "remote.")
		last := values[len(values)-1]
		if isRemote && (last.Bare || !gitconfig.IsFalse(last.Value)) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, v := range settings["extensions.partialclone"] {
		names = append(slices.DeleteFunc(names, func(name string) bool { return name == v.Value }), v.Value)
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == "" || name[0] == '-' }), nil
}

// fetchPins are settings of a fetch of single objects. They keep git from telling the server
// which commits the clone has, and from starting housekeeping that outlasts the fetch. git gives
// up a server that sends nothing for a minute; a working server sends a sign of life every five
// seconds (uploadpack.keepAlive).
var fetchPins = []string{
	"-c", "http.lowSpeedLimit=1",
	"-c", "http.lowSpeedTime=60",
	"-c", "fetch.negotiationAlgorithm=noop",
	"-c", "fetch.writeCommitGraph=false",
	"-c", "maintenance.auto=false",
	"-c", "gc.auto=0",
}

// noPrompts are environment variables that keep git and ssh from asking for a password.
var noPrompts = []string{
	"GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "GCM_INTERACTIVE=never",
	"SSH_ASKPASS_REQUIRE=force", "SSH_ASKPASS=false",
	"GIT_NO_LAZY_FETCH=1", "GIT_OPTIONAL_LOCKS=0",
}

// FetchObjects fetches the objects from a remote with one connection, as git does for a partial
// clone, and stores them in the repository. It needs no terminal, changes no ref, and starts no
// hook. It runs the same programs as git fetch, with the user's credentials, so a caller must have
// been asked to fetch. The fetch ends after limit.
func (r *Repo) FetchObjects(ctx context.Context, remote string, oids []OID, limit time.Duration) error {
	if remote == "" || remote[0] == '-' {
		return fmt.Errorf("%q is not the name of a remote", remote)
	}
	if err := validAll(oids...); err != nil {
		return err
	}
	var input strings.Builder
	for _, oid := range oids {
		input.WriteString(string(oid) + "\n")
	}
	net := gitcmd.Runner{
		Dir: r.opt.Dir, Env: append(gitcmd.OwnEnv(r.opt.Dir != ""), noPrompts...), Pins: slices.Concat(gitcmd.Pinned, fetchPins),
		Timeout: limit, Log: r.opt.Log, Look: r.blockingFile,
	}
	if dir := r.user.Getenv("GIT_DIR"); dir != "" {
		net.Env = append(net.Env, "GIT_DIR="+dir)
	}
	_, err := net.Output(ctx, gitcmd.Call{
		Args: []string{"fetch", "--no-tags", "--no-write-fetch-head", "--recurse-submodules=no",
			"--no-auto-maintenance", "--no-prune", "--filter=blob:none", "--quiet", "--stdin", remote},
		Stdin: strings.NewReader(input.String()), Total: limit, Writes: true,
	})
	return err
}
