package gitcmd

import (
	"bytes"
	"context"
	"os"
	"strings"
	"time"
)

// settingTimeout bounds a read of the configuration.
const settingTimeout = 2 * time.Second

// AsUser runs git as the user would and returns its output without the final
// newline.
func AsUser(ctx context.Context, args ...string) (string, error) {
	r := Runner{Env: WithoutKeys(os.Environ()), Timeout: settingTimeout}
	out, err := r.Output(ctx, Call{Args: args})
	return string(bytes.TrimSuffix(out, []byte("\n"))), err
}

// UserVersion returns the version of the git in PATH. It needs no
// repository.
func UserVersion(ctx context.Context) (string, error) {
	// Ignore the configuration: a broken one is a separate finding.
	r := Runner{Env: append(WithoutKeys(os.Environ()), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull), Timeout: settingTimeout}
	text, err := r.Output(ctx, Call{Args: []string{"version"}})
	out := string(bytes.TrimSuffix(text, []byte("\n")))
	return strings.TrimPrefix(out, "git version "), err
}
