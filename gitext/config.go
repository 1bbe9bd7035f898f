package gitext

import (
	"context"
	"errors"
	"strings"

	"git-agent/gitext/gitcmd"
	"git-agent/gitext/gitconfig"
)

// Config reads all agent.* settings at once. Keys are in git's form: lower case
// except for the middle part. If a key has several values, the last one counts.
func (r *Repo) Config(ctx context.Context) (map[string][]gitconfig.Value, error) {
	return r.settings(ctx, `^agent\.`)
}

// settings reads the settings whose keys match pattern.
func (r *Repo) settings(ctx context.Context, pattern string) (map[string][]gitconfig.Value, error) {
	out, err := r.user.Output(
		ctx,
		gitcmd.Call{Timeout: gitcmd.QuickTimeout, Args: []string{"config", "--null", "--show-scope", "--show-origin", "--get-regexp", pattern}},
	)
	var gitErr *gitcmd.Error
	if errors.As(err, &gitErr) && gitErr.Exit == 1 {
		return map[string][]gitconfig.Value{}, nil
	}
	if gitErr != nil && gitErr.Exit == 128 {
		return nil, &gitcmd.Error{Exit: 128, Err: errors.New(gitcmd.WholeComplaint(gitErr.Stderr))} // a broken file, with its line
	}
	if err != nil {
		return nil, err
	}
	return gitconfig.Parse(string(out)), nil
}

// Settings reads the agent.* settings that git sees in the current directory.
// Outside a repository, only the settings of the user and the system count.
func Settings(ctx context.Context) (map[string][]gitconfig.Value, error) {
	outside := &Repo{}
	outside.user = &gitcmd.Runner{Env: gitcmd.UserEnv(false), Pins: gitcmd.Pinned, Timeout: gitcmd.QuickTimeout, Look: outside.blockingFile}
	return outside.settings(ctx, `^agent\.`)
}

// readLimits reads agent.gitMemory while Open continues; the first read of an
// object waits for the value. The first call that depends on the configuration
// reports an unreadable one.
func (r *Repo) readLimits(ctx context.Context) *gitcmd.Limits {
	read := r.opt.Settings
	if read == nil {
		read = func(ctx context.Context) (map[string][]gitconfig.Value, error) {
			return r.settings(ctx, "^"+strings.ToLower(strings.ReplaceAll(gitcmd.MemorySetting, ".", `\.`))+"$")
		}
	}
	return gitcmd.NewLimits(func() (int64, bool) {
		settings, err := read(ctx)
		n, ok := gitconfig.ParseSize(gitconfig.Trusted(settings[strings.ToLower(gitcmd.MemorySetting)]))
		return n, ok && err == nil
	})
}
