package agent_test

import (
	"testing"

	"git-agent/agent"
)

// A line is cut between words, and a name at one of its parts. The lines are of the reports PS3Tools 42 and rethink-app 2372.
func TestNamesAreNotCut(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text string
		max  int
		want string
	}{
		{`a.pdb: has "client_DownloadFileCompleted", "SettingsWindow" of the report`, 56, `a.pdb: has "client_DownloadFileCompleted"…(+32)`},
		{"short", 5, "short"},
		{"anArgumentWithoutAnySpaceThatIsLong", 10, "anArgument…(+25)"},
		{"ä ö ü ä ö ü", 6, "ä ö ü…(+6)"},
	} {
		if got := agent.ShortenWords(test.text, test.max); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
	for _, test := range []struct {
		name string
		max  int
		want string
	}{
		{"com.celzero.bravedns.ui.activity.AppInfoActivity.setupClickListeners", 44, "…AppInfoActivity.setupClickListeners"},
		{"core::iter::Map::next", 12, "…Map::next"},
		{"lib/reader.c", 12, "lib/reader.c"},
		{"aNameOfOnePartThatIsTooLong", 10, "…IsTooLong"},
		{`C:\build\src\reader.c`, 12, `…reader.c`},
	} {
		if got := agent.LastParts(test.name, test.max); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}
