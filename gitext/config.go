package gitext

import (
	"context"
	"errors"
	"strings"
)

// ConfigValue is one value of a setting and the scope that it comes from.
type ConfigValue struct {
	Scope string // system, global, local, worktree, command
	Value string
	Bare  bool // the key stands alone, without "=": true for a boolean
}

// Trusted reports whether a value comes from the user's own configuration.
// Other values may have come with the repository, and must not decide where
// data is sent or which program runs.
func (v ConfigValue) Trusted() bool {
	return v.Scope == "system" || v.Scope == "global" || v.Scope == "command"
}

// trusted returns the last value of the user's own configuration, or "".
func trusted(values []ConfigValue) string {
	value := ""
	for _, v := range values {
		if v.Trusted() {
			value = v.Value
		}
	}
	return value
}

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

// parseConfig reads "scope NUL key newline value NUL"; the newline is missing
// where the key stands alone.
func parseConfig(out string) map[string][]ConfigValue {
	settings := map[string][]ConfigValue{}
	for out != "" {
		var scope, entry string
		scope, out, _ = strings.Cut(out, "\x00")
		entry, out, _ = strings.Cut(out, "\x00")
		key, value, found := strings.Cut(entry, "\n")
		settings[key] = append(settings[key], ConfigValue{Scope: scope, Value: value, Bare: !found})
	}
	return settings
}

// Settings reads the agent.* settings as git in the current directory sees
// them. Outside a repository those are the settings of the user and the system.
func Settings(ctx context.Context) (map[string][]ConfigValue, error) {
	outside := &Repo{}
	outside.user = &runner{env: userEnv(false), pins: pinned, timeout: quickTimeout, look: outside.blockingFile}
	return outside.settings(ctx, `^agent\.`)
}

// IsFalse reports whether git reads the value of a setting as false.
func IsFalse(v string) bool {
	switch strings.ToLower(v) {
	case "", "0", "false", "no", "off":
		return true
	}
	return false
}
