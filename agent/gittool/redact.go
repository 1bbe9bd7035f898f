package gittool

import (
	"fmt"

	"git-agent/agent/secret"
)

// The contents of a file like .env or id_rsa are never shown. Tools show the existence of
// the file, and the commits that changed it with the numbers of changed lines.

// redactedKind describes a redacted file in a list of changes.
const redactedKind = "contents withheld"

// redacted reports whether the contents of a file must not be shown, by any of its names.
func redacted(names ...string) bool {
	for _, name := range names {
		if secret.MustRedact(name) {
			return true
		}
	}
	return false
}

// refuseRedacted refuses a call for the contents of a redacted file.
func (b *scopedRepo) refuseRedacted(path string) error {
	if !redacted(path) {
		return nil
	}
	advice := ""
	if b.scope.has("git_show") && b.scope.has("git_log_search") {
		advice = "; git_show and git_log_search tell which commits changed it"
	}
	return refusef("the contents of %q are withheld: by its name it holds secrets%s", path, advice)
}

// redactedNote returns the note about hidden lines.
func redactedNote(lines int) string {
	if lines == 0 {
		return ""
	}
	return fmt.Sprintf("\nnote: %d line(s) withheld, of files that by their name hold secrets", lines)
}
