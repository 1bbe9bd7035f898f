package investigate

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestMessageText(t *testing.T) {
	// The beginning of a long message, the sentences that name the cause and the end
	// are kept.
	t.Parallel()
	filler := strings.Repeat("Some words on what one sees then. ", 60)
	message := "relay: count from one\n\n" + filler + "\n\nIt regressed when the base became signed. " + filler +
		"\n\nSo count from one, as before.\n\nSigned-off-by: Ada <ada@example.org>\n"
	got := messageText(message, 600)
	for _, want := range []string{"relay: count from one\n\nSome words", "It regressed when the base became signed.", "So count from one, as before.", "… (+"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in %q", want, got)
		}
	}
	if strings.Contains(got, "Signed-off") || utf8.RuneCountInString(got) > 600+40 {
		t.Errorf("%d runes: %q", utf8.RuneCountInString(got), got)
	}
	if got := messageText(" short\n\nSigned-off-by: Ada\n", 600); got != "short\n\nSigned-off-by: Ada" {
		t.Errorf("got %q", got)
	}
	table := strings.Repeat("é|", 2000)
	if got := messageText(table, 600); utf8.RuneCountInString(got) > 640 || !strings.HasPrefix(got, "é|é|") {
		t.Errorf("a table becomes %q", got)
	}
}

func TestSentencesLoseNothing(t *testing.T) {
	// The pieces of a message together are the message.
	t.Parallel()
	for _, m := range []string{"", "a", "a.b c. d\n\n\ne\n\nf! ", strings.Repeat("ü", 1000), "x\n\n"} {
		if got := strings.Join(sentences(m), ""); got != m {
			t.Errorf("%q became %q", m, got)
		}
	}
}
