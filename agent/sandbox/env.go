package sandbox

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"git-agent/gitext/pattern"
)

// passed lists the variables that a build may need and that hold no secrets.
// All others, above all keys and tokens, are not passed on.
var passed = strings.Fields(`
PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TMPDIR XDG_CACHE_HOME
CC CXX CPP LD AR CFLAGS CXXFLAGS CPPFLAGS LDFLAGS MAKEFLAGS PKG_CONFIG_PATH LD_LIBRARY_PATH ARCH CROSS_COMPILE
GOROOT GOPATH GOCACHE GOMODCACHE GOTOOLCHAIN GOFLAGS CGO_ENABLED CARGO_HOME CARGO_TARGET_DIR RUSTUP_HOME RUSTFLAGS
JAVA_HOME M2_HOME MAVEN_HOME GRADLE_HOME GRADLE_USER_HOME ANT_HOME
PYTHONPATH VIRTUAL_ENV PYENV_ROOT NVM_DIR COREPACK_HOME NODE_PATH NODE_OPTIONS GEM_HOME GEM_PATH RBENV_ROOT
PYENV_VERSION RBENV_VERSION NODENV_VERSION RUSTUP_TOOLCHAIN
CCACHE_DIR SCCACHE_DIR SOURCE_DATE_EPOCH NIX_PATH`)

// secretName matches names of variables that usually hold secrets.
var secretName = pattern.Lazy(`(?i)(key|token|secret|passw|credential|auth)`)

// variable matches the names that a shell can use.
var variable = pattern.Lazy(`^[A-Za-z_][A-Za-z0-9_]*$`)

// environ returns the environment of a command: the allow-list, the names that the user added,
// the caller's values, and a few values of this package. No git variable is passed on: inside a
// hook such variables point at the user's index, and a `git add` of the command would change
// this index.
func environ(lookup func(string) (string, bool), all []string, s Spec, level Level) ([]string, error) {
	env := map[string]string{}
	for _, name := range passed {
		if v, ok := lookup(name); ok {
			env[name] = v
		}
	}
	for _, kv := range all {
		if name, v, _ := strings.Cut(kv, "="); strings.HasPrefix(name, "LC_") {
			env[name] = v
		}
	}
	for _, name := range s.Env {
		if !variable().MatchString(name) {
			return nil, fmt.Errorf("%q is not the name of an environment variable", name)
		}
		if secretName().MatchString(name) {
			return nil, fmt.Errorf("environment variable %q is named like a secret: not given to a command", name)
		}
		if v, ok := lookup(name); ok {
			env[name] = v
		}
	}
	if level == Bwrap || level == Landlock {
		confinedVariables(env, s, level)
	}
	env["TERM"], env["PWD"], env["GIT_TERMINAL_PROMPT"] = "dumb", s.Dir, "0"
	// This keeps git from finding a repository above the scratch directory.
	env["GIT_CEILING_DIRECTORIES"] = filepath.Dir(s.Dir)
	for _, kv := range s.Set {
		name, v, _ := strings.Cut(kv, "=")
		env[name] = v
	}
	out := make([]string, 0, len(env))
	for name, v := range env {
		out = append(out, name+"="+v)
	}
	slices.Sort(out)
	return out, nil
}

// confinedVariables sets the variables with paths for a command that sees only part of the file
// system.
func confinedVariables(env map[string]string, s Spec, level Level) {
	env["GIT_CONFIG_NOSYSTEM"] = "1" // the command cannot see this file
	delete(env, "TMPDIR")            // the command cannot see the user's directory; the caller may set another one
	if home := homeDir(); home != "" && level == Bwrap {
		env["HOME"] = home // the real path, because the directory is mounted there
	}
	// Cargo builds in the work tree if it cannot write the user's directory for builds.
	if dir := env["CARGO_TARGET_DIR"]; filepath.IsAbs(dir) && !slices.ContainsFunc(writable(s), func(w string) bool { return holds(w, dir) }) {
		delete(env, "CARGO_TARGET_DIR")
	}
	if s.Cache == "" {
		return
	}
	if _, set := env["COREPACK_HOME"]; !set { // it holds the downloaded package managers, and no cache of a build
		env["COREPACK_HOME"] = filepath.Join(cmp.Or(env["XDG_CACHE_HOME"], filepath.Join(env["HOME"], ".cache")), "node", "corepack")
	}
	env["XDG_CACHE_HOME"] = s.Cache
	env["GOCACHE"] = filepath.Join(s.Cache, "go-build")
	env["CCACHE_DIR"] = filepath.Join(s.Cache, "ccache")
	if level == Landlock {
		env["HOME"] = freshHome(s)
	}
}
