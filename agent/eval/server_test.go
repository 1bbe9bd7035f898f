package eval

import (
	"errors"
	"testing"

	"git-agent/agent/model"
)

// An evaluation stops at the third consecutive failure of the server, and at a refusal that would
// affect all cases.
func TestServerStopsAnEvaluation(t *testing.T) {
	t.Parallel()
	stops := func(err error) bool { return errors.As(err, new(*StopError)) }
	var s Server
	down := &model.Error{Class: model.ClassServer}
	for i, want := range []bool{false, false, true, true} {
		if err := s.Failed(down); stops(err) != want || !errors.Is(err, down) {
			t.Errorf("failure %d: %v, want a stop: %v", i+1, err, want)
		}
	}
	s.Worked()
	if stops(s.Failed(down)) {
		t.Error("the first failure after an answer stops the evaluation")
	}
	if !stops(s.Refused(&model.Error{Class: model.ClassAuth})) || stops(s.Refused(down)) || stops(s.Refused(errors.New("a missing commit"))) {
		t.Error("only a refusal that all cases would meet stops the evaluation")
	}
}
