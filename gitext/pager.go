package gitext

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"
)

// The functions of this file ask the user's own git how the user wants to see
// things. They run with the user's environment and configuration, pinned
// settings left out, because the user's settings are the answer. The pager is
// the one process here that is not git: it belongs to the terminal, gets its
// signals, and nobody waits for it but its reader.

// settingTimeout bounds a look at the configuration.
const settingTimeout = 2 * time.Second

// ConfigBool reads a boolean setting; unset and unreadable give otherwise.
func ConfigBool(ctx context.Context, key string, otherwise bool) bool {
	out, err := userGit(ctx, "config", "--type=bool", "--get", key)
	if err != nil {
		return otherwise // exit 1 is unset; a broken file is reported by git's own commands
	}
	return out == "true"
}

// ColorBool is git's rule for whether to colour: the key, then color.ui, then
// the terminal, TERM and GIT_PAGER_IN_USE.
func ColorBool(ctx context.Context, key string, tty bool) bool {
	out, err := userGit(ctx, "config", "--get-colorbool", key, fmt.Sprint(tty))
	return err == nil && out == "true"
}

// Colors resolves the colour slots below prefix to escape sequences. It
// changes and returns slots, whose values are the defaults in git's spelling.
// Only slots that are configured cost a process.
func Colors(ctx context.Context, prefix string, slots map[string]string) map[string]string {
	for slot, spelled := range slots {
		slots[slot] = escapeOf(spelled)
	}
	out, err := userGit(ctx, "config", "--null", "--name-only", "--get-regexp", "^"+strings.ReplaceAll(prefix, ".", `\.`)+`\.`)
	if err != nil {
		return slots // none is configured
	}
	for name := range strings.SplitSeq(out, "\x00") {
		slot := strings.TrimPrefix(name, prefix+".")
		if _, known := slots[slot]; !known {
			continue
		}
		if code, err := userGit(ctx, "config", "--get-color", name); err == nil {
			slots[slot] = code
		}
	}
	return slots
}

// attributes are the SGR numbers of the words that defaults use.
var attributes = map[string]string{
	"bold": "1", "dim": "2", "italic": "3", "ul": "4", "reverse": "7",
	"red": "31", "green": "32", "yellow": "33", "blue": "34", "magenta": "35", "cyan": "36",
}

func escapeOf(spelled string) string {
	var codes []string
	for word := range strings.FieldsSeq(spelled) {
		codes = append(codes, attributes[word])
	}
	if codes == nil {
		return ""
	}
	return "\x1b[" + strings.Join(codes, ";") + "m"
}

// usualPager is git's own default, for when asking git would give a pager that
// the repository names.
const usualPager = "less"

// PagerCommand is the user's pager as a shell command, "" for none. It follows
// GIT_PAGER, core.pager and PAGER as git does, but for a core.pager of the
// repository's own configuration, or of what that includes: it came with the
// repository, and a pager is a program.
func PagerCommand(ctx context.Context) string {
	command, set := os.LookupEnv("GIT_PAGER")
	foreign := false
	if !set {
		command, set, foreign = ownSetting(ctx, "core.pager")
	}
	if !set {
		command, set = os.LookupEnv("PAGER")
	}
	switch {
	case set:
	case foreign:
		command = usualPager
	default:
		command, _ = userGit(ctx, "var", "GIT_PAGER") // "" on failure: no pager
	}
	if command == "cat" {
		return ""
	}
	return command
}

// ownSetting is what the user's own configuration says of a key; foreign, that
// the repository's says something too, which does not count.
func ownSetting(ctx context.Context, key string) (value string, set, foreign bool) {
	out, err := userGit(ctx, "config", "--null", "--show-scope", "--get-regexp", "^"+regexp.QuoteMeta(key)+"$")
	var gitErr *Error
	if err != nil {
		unset := errors.As(err, &gitErr) && gitErr.Exit == 1
		return "", false, !unset // else nobody knows what is set
	}
	for _, v := range parseConfig(out)[key] {
		if v.Trusted() {
			value, set = v.Value, true
		} else {
			foreign = true
		}
	}
	return value, set, foreign
}

// A Pager is a running pager; what is written to it, it shows.
type Pager struct {
	in  io.WriteCloser
	cmd *exec.Cmd
}

// StartPager runs a pager's shell command on the terminal, with git's
// defaults for less and lv where the user has not set them.
func StartPager(command string, out, errs *os.File) (*Pager, error) {
	cmd := exec.Command("sh", "-c", command)
	cmd.Stdout, cmd.Stderr = out, errs
	cmd.Env = append(withoutKeys(os.Environ()), "GIT_PAGER_IN_USE=true")
	for _, preset := range []string{"LESS=FRX", "LV=-c"} {
		if name, _, _ := strings.Cut(preset, "="); os.Getenv(name) == "" {
			cmd.Env = append(cmd.Env, preset)
		}
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start pager %q: %w", command, err)
	}
	return &Pager{in: in, cmd: cmd}, nil
}

// Write hands p to the pager. A reader who has left shows as EPIPE.
func (p *Pager) Write(b []byte) (int, error) { return p.in.Write(b) }

// Close ends the text and waits until the reader leaves. How the pager exits
// is the reader's matter.
func (p *Pager) Close() error {
	err := p.in.Close()
	var exit *exec.ExitError
	if werr := p.cmd.Wait(); werr != nil && !errors.As(werr, &exit) {
		return fmt.Errorf("pager: %w", werr)
	}
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}

// userGit runs git as the user would and returns its output without the final
// newline.
func userGit(ctx context.Context, args ...string) (string, error) {
	r := runner{env: withoutKeys(os.Environ()), timeout: settingTimeout}
	out, err := r.output(ctx, call{args: args})
	return string(bytes.TrimSuffix(out, []byte("\n"))), err
}

// UserGitVersion is the number that the git in PATH prints, where no
// repository is needed.
func UserGitVersion(ctx context.Context) (string, error) {
	// A broken configuration is another finding: this one is about git.
	r := runner{env: append(withoutKeys(os.Environ()), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull), timeout: settingTimeout}
	text, err := r.output(ctx, call{args: []string{"version"}})
	out := string(bytes.TrimSuffix(text, []byte("\n")))
	return strings.TrimPrefix(out, "git version "), err
}
