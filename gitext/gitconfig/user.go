package gitconfig

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"git-agent/gitext/gitcmd"
)

// Bool reads a boolean setting. It returns otherwise if the setting is
// unset or unreadable.
func Bool(ctx context.Context, key string, otherwise bool) bool {
	out, err := gitcmd.AsUser(ctx, "config", "--type=bool", "--get", key)
	if err != nil {
		return otherwise // exit 1 means unset; git's own commands report a broken file
	}
	return out == "true"
}

// ColorBool decides whether to colour by git's rule: the key, then color.ui,
// then the terminal, TERM and GIT_PAGER_IN_USE.
func ColorBool(ctx context.Context, key string, tty bool) bool {
	out, err := gitcmd.AsUser(ctx, "config", "--get-colorbool", key, fmt.Sprint(tty))
	return err == nil && out == "true"
}

// Colors resolves the colour slots below prefix to escape sequences. It changes
// and returns slots, whose values are the defaults in git's spelling. Only
// configured slots cost a process.
func Colors(ctx context.Context, prefix string, slots map[string]string) map[string]string {
	for slot, spelled := range slots {
		slots[slot] = escapeOf(spelled)
	}
	out, err := gitcmd.AsUser(ctx, "config", "--null", "--name-only", "--get-regexp", "^"+strings.ReplaceAll(prefix, ".", `\.`)+`\.`)
	if err != nil {
		return slots // none is configured
	}
	for name := range strings.SplitSeq(out, "\x00") {
		slot := strings.TrimPrefix(name, prefix+".")
		if _, known := slots[slot]; !known {
			continue
		}
		if code, err := gitcmd.AsUser(ctx, "config", "--get-color", name); err == nil {
			slots[slot] = code
		}
	}
	return slots
}

// attributes maps the words of the defaults to SGR numbers.
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

// UserValue returns the value of a key in the user's own configuration. foreign
// reports whether the repository also sets the key; its value does not count.
func UserValue(ctx context.Context, key string) (value string, set, foreign bool) {
	out, err := gitcmd.AsUser(ctx, "config", "--null", "--show-scope", "--show-origin", "--get-regexp", "^"+regexp.QuoteMeta(key)+"$")
	var gitErr *gitcmd.Error
	if err != nil {
		unset := errors.As(err, &gitErr) && gitErr.Exit == 1
		return "", false, !unset // the configuration could not be read: the repository may set it
	}
	for _, v := range Parse(out)[key] {
		if v.Trusted() {
			value, set = v.Value, true
		} else {
			foreign = true
		}
	}
	return value, set, foreign
}
