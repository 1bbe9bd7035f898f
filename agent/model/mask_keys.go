package model

import (
	"net/url"
	"slices"
	"strings"

	"git-agent/agent/secret"
	"git-agent/gitext/pattern"
)

// keys masks the secrets that were sent to a server in that server's texts. Package session chooses
// the key (api_key.go).
type keys struct {
	masker *secret.Masker
	short  []string // too short for the masker; masked in errors only
}

// minShort is the least length of a short key that is masked in errors.
const minShort = 4

// Secrets returns the keys that a client with this configuration sends: its key
// and those in the base URL.
func (cfg Config) Secrets() []string {
	list := []string{cfg.Key}
	if u, err := url.Parse(cfg.BaseURL); err == nil {
		if password, ok := u.User.Password(); ok {
			list = append(list, password)
		}
		for name, values := range u.Query() {
			if secretWord().MatchString(name) {
				list = append(list, values...)
			}
		}
	}
	list = slices.DeleteFunc(list, func(s string) bool { return s == "" })
	slices.Sort(list)
	return slices.Compact(list)
}

// secretWord matches the names of URL parameters that hold a secret.
var secretWord = pattern.Lazy(`(?i)auth|key|token|secret|passw|cookie|credential|^sig$|signature|^code$`)

func newKeys(list []string) keys {
	k := keys{masker: secret.New(list...)}
	for _, s := range list {
		if len(s) < secret.MinKnown && len(s) >= minShort {
			k.short = append(k.short, s)
		}
	}
	return k
}

// hide masks the keys in an error's text.
func (k keys) hide(s string) string {
	s = k.mask(s)
	for _, short := range k.short {
		s = strings.ReplaceAll(s, short, "[key]")
	}
	return s
}

// mask masks the keys in the model's text, but not short ones, which may be
// ordinary words.
func (k keys) mask(s string) string {
	if k.masker == nil {
		return s
	}
	return k.masker.MaskKnown(s)
}

// PublicURL returns a base URL without its secrets.
func PublicURL(u *url.URL) string {
	shown := *u
	query := shown.Query()
	for name := range query {
		if secretWord().MatchString(name) {
			query.Set(name, "xxxxx")
			shown.RawQuery = query.Encode()
		}
	}
	return shown.Redacted()
}
