package trace

import (
	"encoding/json"
	"errors"
	"fmt"
)

// ReadSpec reads what a run was about, as the engine of its kind recorded it. It returns an error if
// the run cannot be replayed.
func (t *Trajectory) ReadSpec(into any) error {
	if t.Opening == nil {
		return errors.New("it holds no conversation")
	}
	if err := json.Unmarshal(t.Run.Spec, into); err != nil {
		return fmt.Errorf("read the question of the run: %w", err)
	}
	return nil
}
