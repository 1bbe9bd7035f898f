package gitext

import (
	"bytes"
	"context"
	"os"
	"strings"
	"time"
)

// settingTimeout bounds a look at the configuration.
const settingTimeout = 2 * time.Second

// userGit runs git as the user would and returns its output without the final
// newline.
func userGit(ctx context.Context, args ...string) (string, error) {
	r := runner{env: withoutKeys(os.Environ()), timeout: settingTimeout}
	out, err := r.output(ctx, call{args: args})
	return string(bytes.TrimSuffix(out, []byte("\n"))), err
}

// UserGitVersion returns the version of the git in PATH. It needs no
// repository.
func UserGitVersion(ctx context.Context) (string, error) {
	// Ignore the configuration: if it is broken, that is a finding of its own.
	r := runner{env: append(withoutKeys(os.Environ()), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull), timeout: settingTimeout}
	text, err := r.output(ctx, call{args: []string{"version"}})
	out := string(bytes.TrimSuffix(text, []byte("\n")))
	return strings.TrimPrefix(out, "git version "), err
}
