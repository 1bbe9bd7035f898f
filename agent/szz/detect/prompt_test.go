package detect

import (
	"strings"
	"testing"

	"git-agent/agent/szz"
)

func TestStandingPartIsShort(t *testing.T) {
	// Every turn of every case sends these texts again. In characters, they are most
	// of a short conversation's price.
	t.Parallel()
	const most = 7200
	h, origin, _, fix := movedHistory(t)
	_, s := h.detect(fix, Options{}, accuse(string(origin)))
	n := len(s.asked[0].Messages[0].Text)
	for _, tool := range s.asked[0].Tools {
		n += len(tool.Name) + len(tool.Description) + len(tool.Parameters)
	}
	if n > most {
		t.Errorf("the system text and the tools have %d characters, more than %d", n, most)
	}
}

func TestProseIsAnsweredByWhatThereIs(t *testing.T) {
	// A reply that is no verdict is answered. The answer offers tools only where there
	// are some.
	t.Parallel()
	h, origin, _, fix := movedHistory(t)
	for _, without := range []bool{false, true} {
		_, s := h.detect(fix, Options{Switches: szz.Switches{NoTools: without}}, said("I wonder."), accuse(string(origin)))
		if got := s.last(2); !strings.Contains(got, "neither a tool call") || strings.Contains(got, "look further") == without {
			t.Errorf("without tools %v: %q", without, got)
		}
	}
}
