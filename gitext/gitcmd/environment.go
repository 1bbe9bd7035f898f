package gitcmd

import (
	"os"
	"slices"
	"strings"
)

// Pinned lists the settings of every call. They override any configuration: without them, the
// configuration of a user could change the output of git that this program reads.
var Pinned = []string{
	"--no-pager",
	"-c", "core.quotePath=false",
	"-c", "core.fsmonitor=false",
	"-c", "core.hooksPath=/dev/null",
	"-c", "core.useReplaceRefs=false", // true in a configuration beats GIT_NO_REPLACE_OBJECTS (2.39)
	"-c", "advice.graftFileDeprecated=false",
	"-c", "diff.suppressBlankEmpty=false",
	"-c", "diff.indentHeuristic=true",
	"-c", "diff.algorithm=myers",
	"-c", "log.showSignature=false",
	"-c", "i18n.logOutputEncoding=UTF-8",
}

// pinnedEnv is the part of a child's environment that is the same for every
// call.
var pinnedEnv = []string{
	"LC_ALL=C.UTF-8",
	"LANGUAGE=C",
	"TZ=UTC",
	"TERM=dumb",
	"GIT_PAGER=cat",
	"GIT_OPTIONAL_LOCKS=0",
	"GIT_TERMINAL_PROMPT=0",
	"GIT_NO_LAZY_FETCH=1",
	"GIT_ALLOW_PROTOCOL=",
	"GIT_NO_REPLACE_OBJECTS=1",
	"GIT_GRAFT_FILE=/dev/null",
	"GIT_ADVICE=0",
	"GIT_LITERAL_PATHSPECS=1",
}

// baseEnv returns the variables that any git process needs from the caller's
// environment.
func baseEnv() []string {
	var env []string
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "SystemRoot"} {
		if value, set := os.LookupEnv(name); set {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// elsewhere has the variables that point git at the caller's repository. They would mislead a git
// process in another repository. git rev-parse --local-env-vars lists them; git exports them to
// hooks.
var elsewhere = map[string]bool{
	"GIT_DIR": true, "GIT_WORK_TREE": true, "GIT_COMMON_DIR": true, "GIT_INDEX_FILE": true,
	"GIT_OBJECT_DIRECTORY": true, "GIT_ALTERNATE_OBJECT_DIRECTORIES": true, "GIT_SHALLOW_FILE": true,
	"GIT_PREFIX": true, "GIT_NAMESPACE": true, "GIT_INTERNAL_SUPER_PREFIX": true,
	"GIT_CONFIG": true, "GIT_IMPLICIT_WORK_TREE": true, "GIT_REPLACE_REF_BASE": true, "GIT_QUARANTINE_PATH": true,
}

// UserEnv returns the environment for calls in the user's repository. UserEnv passes on variables
// with the place of the repository and git's configuration, but not those that change output or
// enable tracing, nor GIT_AGENT_API_KEY. If other is true, the repository is not the one that the
// environment describes.
func UserEnv(other bool) []string {
	env := baseEnv()
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		switch {
		case name == "GIT_DIFF_OPTS", name == "GIT_EXTERNAL_DIFF", strings.HasPrefix(name, "GIT_TRACE"),
			strings.HasSuffix(name, "_PATHSPECS"), secretVariable(name), other && elsewhere[name]:
		case strings.HasPrefix(name, "GIT_"), name == "XDG_CONFIG_HOME", name == "SUDO_UID":
			env = append(env, entry)
		}
	}
	return append(env, pinnedEnv...) // later entries win
}

// Getenv returns the value of a variable in the runner's environment.
func (r *Runner) Getenv(name string) string {
	for _, entry := range slices.Backward(r.Env) {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// ShadowEnv returns the environment for calls in the shadow directory.
func ShadowEnv(dir string, alternates string) []string {
	env := append(baseEnv(), pinnedEnv...)
	env = append(env, "GIT_DIR="+dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_ATTR_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull)
	if alternates != "" {
		env = append(env, "GIT_ALTERNATE_OBJECT_DIRECTORIES="+alternates)
	}
	return env
}

// ourKeys lists the variables with keys for this program.
var ourKeys = []string{"GIT_AGENT_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"}

// WithoutKeys removes the variables with keys of this program. It serves the user's own programs,
// which may need other secrets from the environment.
func WithoutKeys(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains(ourKeys, name)
	})
}

// OwnEnv returns the whole environment of this process without our keys, for a git command as the
// user would type it, such as git commit with its hooks. If other is true, the repository is not
// the one that the environment describes.
func OwnEnv(other bool) []string {
	return slices.DeleteFunc(WithoutKeys(os.Environ()), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return other && elsewhere[name]
	})
}

// secretVariable reports whether a variable's name suggests a secret. GIT_CONFIG_KEY_<n> has the
// name of a setting and does not count.
func secretVariable(name string) bool {
	name = strings.ToUpper(name)
	for _, part := range []string{"TOKEN", "SECRET", "PASSWORD", "PASSWD", "API_KEY", "APIKEY", "CREDENTIAL"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return strings.HasSuffix(name, "_KEY")
}
