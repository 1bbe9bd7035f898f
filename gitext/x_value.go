package gitext

import "strings"

// ConfigValue is one value of a setting and the scope that it comes from.
type ConfigValue struct {
	Scope string // system, global, local, worktree, command
	Value string
	Bare  bool // the key stands alone, without "=": true for a boolean
}

// Trusted reports whether a value comes from the user's own configuration.
// Other values may have come with the repository, and must not decide where
// data is sent or which program runs.
func (v ConfigValue) Trusted() bool {
	return v.Scope == "system" || v.Scope == "global" || v.Scope == "command"
}

// trusted returns the last value of the user's own configuration, or "".
func trusted(values []ConfigValue) string {
	value := ""
	for _, v := range values {
		if v.Trusted() {
			value = v.Value
		}
	}
	return value
}

// parseConfig reads "scope NUL key newline value NUL"; the newline is missing
// where the key stands alone.
func parseConfig(out string) map[string][]ConfigValue {
	settings := map[string][]ConfigValue{}
	for out != "" {
		var scope, entry string
		scope, out, _ = strings.Cut(out, "\x00")
		entry, out, _ = strings.Cut(out, "\x00")
		key, value, found := strings.Cut(entry, "\n")
		settings[key] = append(settings[key], ConfigValue{Scope: scope, Value: value, Bare: !found})
	}
	return settings
}

// IsFalse reports whether git reads the value of a setting as false.
func IsFalse(v string) bool {
	switch strings.ToLower(v) {
	case "", "0", "false", "no", "off":
		return true
	}
	return false
}
