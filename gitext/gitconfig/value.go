// Package gitconfig reads values of git's configuration. It tells the user's own values from
// those of a repository, parses booleans and sizes as git does, and reads the user's preferences
// for output.
package gitconfig

import "strings"

// Value is one value of a setting with its scope.
type Value struct {
	Scope  string // system, global, local, worktree, command
	Origin string // where git read it, such as "file:.git/config" or "command line:"
	Value  string
	Bare   bool // the key has no "=": true for a boolean
}

// Trusted reports whether a value comes from the user's own configuration. Other values may have
// come with the repository, and must not decide on the destination of data or on programs to run.
func (v Value) Trusted() bool {
	return v.Scope == "system" || v.Scope == "global" || v.Scope == "command"
}

// Trusted returns the last value of the user's own configuration, or "".
func Trusted(values []Value) string {
	value := ""
	for _, v := range values {
		if v.Trusted() {
			value = v.Value
		}
	}
	return value
}

// Parse reads "scope NUL origin NUL key newline value NUL"; the newline is missing for a key
// without "=".
func Parse(out string) map[string][]Value {
	settings := map[string][]Value{}
	for out != "" {
		var scope, origin, entry string
		scope, out, _ = strings.Cut(out, "\x00")
		origin, out, _ = strings.Cut(out, "\x00")
		entry, out, _ = strings.Cut(out, "\x00")
		key, value, found := strings.Cut(entry, "\n")
		settings[key] = append(settings[key], Value{Scope: scope, Origin: origin, Value: value, Bare: !found})
	}
	return settings
}

// IsFalse reports whether git reads the value of a setting as false.
func IsFalse(v string) bool {
	yes, err := ParseBool(Value{Value: v})
	return err == nil && !yes
}
