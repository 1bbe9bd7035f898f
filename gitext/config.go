package gitext

import (
	"context"
	"errors"
	"strings"
)

// Config reads all agent.* settings at once. Keys are spelled as git prints
// them: lower case except for the middle part. If a key has several values, the
// last one counts.
func (r *Repo) Config(ctx context.Context) (map[string][]ConfigValue, error) {
	return r.settings(ctx, `^agent\.`)
}

// settings reads the settings whose keys match pattern.
func (r *Repo) settings(ctx context.Context, pattern string) (map[string][]ConfigValue, error) {
	out, err := r.user.output(ctx, call{timeout: quickTimeout, args: []string{"config", "--null", "--show-scope", "--get-regexp", pattern}})
	var gitErr *Error
	if errors.As(err, &gitErr) && gitErr.Exit == 1 {
		return map[string][]ConfigValue{}, nil
	}
	if gitErr != nil && gitErr.Exit == 128 {
		return nil, &Error{Exit: 128, Err: errors.New(wholeComplaint(gitErr.Stderr))} // a broken file, with its line
	}
	if err != nil {
		return nil, err
	}
	return parseConfig(string(out)), nil
}

// Settings reads the agent.* settings as git in the current directory sees
// them. Outside a repository those are the settings of the user and the system.
func Settings(ctx context.Context) (map[string][]ConfigValue, error) {
	outside := &Repo{}
	outside.user = &runner{env: userEnv(false), pins: pinned, timeout: quickTimeout, look: outside.blockingFile}
	return outside.settings(ctx, `^agent\.`)
}

// readLimits reads agent.gitMemory while Open goes on; the first read of an
// object waits for it. An unreadable configuration is not reported here but by
// the first call that depends on it.
func (r *Repo) readLimits(ctx context.Context) *limits {
	read := r.opt.Settings
	if read == nil {
		read = func(ctx context.Context) (map[string][]ConfigValue, error) {
			return r.settings(ctx, "^"+strings.ToLower(strings.ReplaceAll(MemorySetting, ".", `\.`))+"$")
		}
	}
	return newLimits(func() (int64, bool) {
		settings, err := read(ctx)
		n, ok := ParseSize(trusted(settings[strings.ToLower(MemorySetting)]))
		return n, ok && err == nil
	})
}
