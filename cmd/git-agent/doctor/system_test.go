package doctor

import (
	"strings"
	"testing"

	"git-agent/man"
)

// What does not work on a system is said by the doctor and in the manual; on Linux everything works.
func TestSystem(t *testing.T) {
	if list := missingOn("linux"); list != nil {
		t.Errorf("missing on Linux: %q", list)
	}
	page, err := man.Page("git-agent-compatibility")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(strings.Join(strings.Fields(man.Text(page, 200, nil)), " "), "SYSTEMS ")
	section = strings.ToLower(strings.ReplaceAll(section, "git-agent-", ""))
	for _, goos := range []string{"darwin", "windows"} {
		list := missingOn(goos)
		for _, word := range []string{"--sandbox=none", "core files", "memory of git", "files that they open"} {
			if !strings.Contains(strings.Join(list, "\n"), word) || !strings.Contains(section, word) {
				t.Errorf("%s: the doctor or the manual does not speak of %q", goos, word)
			}
		}
	}
	windows := strings.Join(missingOn("windows"), "\n")
	for _, word := range []string{"sh in path", "same time", "temporary folders"} {
		if !strings.Contains(strings.ToLower(windows), word) || !strings.Contains(section, word) {
			t.Errorf("windows: the doctor or the manual does not speak of %q", word)
		}
	}
}
