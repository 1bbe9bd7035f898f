package model

import (
	"net/url"
	"slices"
	"strings"

	"git-agent/agent/secret"
)

// keys takes out of what a server says what it was sent to prove who asks.
type keys struct {
	masker *secret.Masker
	short  []string // too short for the masker, and never part of a word in an error
}

// minShort is the length from which on a short key is taken out of errors.
const minShort = 4

// Secrets are the keys that a client with this configuration sends: its key,
// those in its headers, and those in the base URL.
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

// secretWord is in the names of headers and parameters that hold a secret.
var secretWord = lazy(`(?i)auth|key|token|secret|passw|cookie|credential|^sig$|signature|^code$`)

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

// mask masks the keys in what the model said, of which short ones may be words.
func (k keys) mask(s string) string {
	if k.masker == nil {
		return s
	}
	return k.masker.MaskKnown(s)
}

// PublicURL spells a base URL without the secrets in it.
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
