package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"git-agent/agent/sandbox"
	"git-agent/gitext"
	"git-agent/gitext/gitconfig"
	"git-agent/gitext/quote"
)

// sandboxSettings say how the commands of a project are confined. Only the user
// can set them: a repository must not choose what its own code may access.
type sandboxSettings struct {
	Level    sandbox.Level
	Readable []string
	Writable []string
}

// The keys of sandboxSettings. Paths may be given several times.
const (
	sandboxKey      = "agent.sandbox"
	sandboxReadKey  = "agent.sandboxRead"
	sandboxWriteKey = "agent.sandboxWrite"
)

// sandboxSettings reads the settings. asked is the value of --sandbox, or "" if
// that is not given.
func (a *app) sandboxSettings(ctx context.Context, asked string) (sandboxSettings, error) {
	config, err := gitext.Settings(ctx)
	if err != nil {
		return sandboxSettings{}, err
	}
	var last gitconfig.Value
	trusted := func(key string) (values []string) {
		for _, v := range config[strings.ToLower(key)] {
			if !v.Trusted() {
				a.warnUntrusted(key, v.Scope)
				continue
			}
			values, last = append(values, v.Value), v
		}
		return values
	}
	s := sandboxSettings{Level: sandbox.Level(asked)}
	if levels := trusted(sandboxKey); asked == "" && len(levels) > 0 {
		s.Level = sandbox.Level(last.Value) // the last one wins, as in git
		if err := checkSandboxLevel(last); err != nil {
			return s, err
		}
	}
	s.Level = cmp.Or(s.Level, sandbox.Auto)
	if s.Readable, err = a.sandboxPaths(sandboxReadKey, trusted(sandboxReadKey)); err != nil {
		return s, err
	}
	s.Writable, err = a.sandboxPaths(sandboxWriteKey, trusted(sandboxWriteKey))
	return s, err
}

// checkSandboxLevel returns an error for a value that agent.sandbox does not take.
func checkSandboxLevel(v gitconfig.Value) error {
	bad := &gitconfig.BadValueError{Key: sandboxKey, Value: v, Err: errors.New("it must be auto, bwrap, landlock or none")}
	switch {
	case v.Bare:
		bad.Err = gitconfig.ErrNoValue
	case slices.Contains(sandbox.Levels, sandbox.Level(v.Value)):
		return nil
	}
	return bad
}

// sandboxPaths returns the paths of a key as absolute paths. It fails if the
// sandbox cannot grant one of them, because the command would then lack
// something that the user meant it to have.
func (a *app) sandboxPaths(key string, values []string) ([]string, error) {
	var paths []string
	for _, path := range values {
		if rel, ok := strings.CutPrefix(path, "~/"); ok {
			path = filepath.Join(a.env.get("HOME"), rel)
		}
		if err := sandbox.CheckGrant(path); err != nil {
			return nil, withHint(fmt.Errorf("%s: %w", key, err), "git config --global --unset %s %s", key, quote.Shell("^"+path+"$"))
		}
		paths = append(paths, filepath.Clean(path))
	}
	return paths, nil
}

// probeSandbox finds out what will confine --verify-cmd, and prints it, before
// anything else is done. It fails if nothing can confine the command and the user
// has not allowed that.
func (c *szzCmd) probeSandbox(ctx context.Context, a *app) error {
	if c.VerifyCmd == "" {
		return nil
	}
	var err error
	if c.confinement, err = a.sandboxSettings(ctx, c.Sandbox); err != nil {
		return err
	}
	standing, err := sandbox.Probe(ctx, c.confinement.Level)
	var unavailable *sandbox.Unavailable
	if errors.As(err, &unavailable) {
		return withHint(err, "%s", unconfinedHint(unavailable))
	}
	if err != nil {
		return err
	}
	a.say("sandbox: %s", standing)
	return nil
}

// unconfinedHint says what to do if nothing can confine a command.
func unconfinedHint(e *sandbox.Unavailable) string {
	none := "--sandbox=none runs the command unconfined, with your rights; 'git config --global agent.sandbox none' makes this the default"
	if command := sandbox.InstallCommand(e.Failed); command != "" {
		return command + "\n" + none
	}
	return none
}
