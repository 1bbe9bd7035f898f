package agent

import "testing"

func TestWhyNone(t *testing.T) {
	// Each reason for a missing answer is given once.
	t.Parallel()
	got := WhyNone([]RunReport{
		{Status: StatusNothing, Reason: "x"}, {Status: StatusNothing, Reason: "y"}, {Status: StatusLimit, Reason: "20 turns"},
		{Status: StatusFailed, Reason: "no such key"}, {Status: StatusFailed},
	}, "the model named no file")
	if want := "the model named no file; the limit was reached without an answer: 20 turns; no such key; the model gave no answer that can be used"; got != want {
		t.Errorf("%q", got)
	}
}
