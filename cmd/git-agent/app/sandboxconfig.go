package app

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

// SandboxSettings define the confinement of a project's commands. Only the user can set them: a
// repository must not choose the access rights of its own code.
type SandboxSettings struct {
	Level    sandbox.Level
	Readable []string
	Writable []string
}

// The keys of SandboxSettings. Paths may be given several times.
const (
	SandboxKey      = "agent.sandbox"
	SandboxReadKey  = "agent.sandboxRead"
	SandboxWriteKey = "agent.sandboxWrite"
)

// SandboxSettings reads the settings. asked is the value of --sandbox, or "".
func (a *App) SandboxSettings(ctx context.Context, asked string) (SandboxSettings, error) {
	config, err := gitext.Settings(ctx)
	if err != nil {
		return SandboxSettings{}, err
	}
	var last gitconfig.Value
	trusted := func(key string) (values []string) {
		for _, v := range config[strings.ToLower(key)] {
			if !v.Trusted() {
				a.WarnUntrusted(key, v.Scope)
				continue
			}
			values, last = append(values, v.Value), v
		}
		return values
	}
	s := SandboxSettings{Level: sandbox.Level(asked)}
	if levels := trusted(SandboxKey); asked == "" && len(levels) > 0 {
		s.Level = sandbox.Level(last.Value) // the last one wins, as in git
		if err := CheckSandboxLevel(last); err != nil {
			return s, err
		}
	}
	s.Level = cmp.Or(s.Level, sandbox.Auto)
	if s.Readable, err = a.sandboxPaths(SandboxReadKey, trusted(SandboxReadKey)); err != nil {
		return s, err
	}
	s.Writable, err = a.sandboxPaths(SandboxWriteKey, trusted(SandboxWriteKey))
	return s, err
}

// ProbeSandbox reads the settings, chooses the sandbox for a project's commands and prints which
// it is; network says that the commands may use the network. It fails if there is no usable sandbox and the
// user has not allowed unconfined commands.
func (a *App) ProbeSandbox(ctx context.Context, asked string, network bool) (SandboxSettings, error) {
	s, err := a.SandboxSettings(ctx, asked)
	if err != nil {
		return s, err
	}
	standing, err := sandbox.Probe(ctx, s.Level)
	var unavailable *sandbox.Unavailable
	if errors.As(err, &unavailable) {
		return s, WithHint(err, "%s", unconfinedHint(unavailable))
	}
	if err != nil {
		return s, err
	}
	a.Say("sandbox: %s", standing.Describe(network))
	return s, nil
}

// CheckSandboxLevel returns an error for an invalid value of agent.sandbox.
func CheckSandboxLevel(v gitconfig.Value) error {
	bad := &gitconfig.BadValueError{Key: SandboxKey, Value: v, Err: errors.New("it must be auto, bwrap, landlock or none")}
	switch {
	case v.Bare:
		bad.Err = gitconfig.ErrNoValue
	case slices.Contains(sandbox.Levels, sandbox.Level(v.Value)):
		return nil
	}
	return bad
}

// sandboxPaths returns the paths of a key as absolute paths. It fails if the sandbox cannot grant
// one of them, because the command would then lack an intended path.
func (a *App) sandboxPaths(key string, values []string) ([]string, error) {
	var paths []string
	for _, path := range values {
		if rel, ok := strings.CutPrefix(path, "~/"); ok {
			path = filepath.Join(a.Env.Get("HOME"), rel)
		}
		if err := sandbox.CheckGrant(path); err != nil {
			return nil, WithHint(fmt.Errorf("%s: %w", key, err), "git config --global --unset %s %s", key, quote.Shell("^"+path+"$"))
		}
		paths = append(paths, filepath.Clean(path))
	}
	return paths, nil
}

// unconfinedHint returns advice for a system without a usable sandbox.
func unconfinedHint(e *sandbox.Unavailable) string {
	none := "--sandbox=none runs the command unconfined, with your rights; 'git config --global agent.sandbox none' makes this the default"
	if command := sandbox.InstallCommand(e.Failed); command != "" {
		return command + "\n" + none
	}
	return none
}

// CompiledFolder returns the folder for compilers' output among the cached data of a repository,
// or "" without a place for such data.
func (a *App) CompiledFolder(ctx context.Context, repo *gitext.Repo) string {
	folders := a.Data.Folders(ctx, repo.CommonDir())
	if folders.CacheErr != nil {
		return ""
	}
	// Earlier versions had caches there that tests could write. A failure only wastes space.
	sandbox.RemoveAll(filepath.Join(folders.Cache.Path, "build"))
	return filepath.Join(folders.Cache.Path, "compiled")
}
