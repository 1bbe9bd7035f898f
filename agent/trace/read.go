package trace

import (
	"encoding/json"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"git-agent/agent"
	"git-agent/agent/model"
	"git-agent/cache"
)

// Read builds a Trajectory from the steps of a run, which must be in order. A damaged
// or senseless step is described in Damaged. Read returns an error only if it cannot
// continue.
func Read(run cache.Run, steps iter.Seq2[cache.Step, error]) (*Trajectory, error) {
	t := &Trajectory{Run: run}
	// Other kinds of run have other fields in their specs; missing fields stay empty.
	t.About, _ = decode[About](run.Spec)
	for step, err := range steps {
		if err != nil && step.Seq == 0 {
			return nil, fmt.Errorf("read run %s: %w", run.ID, err)
		}
		if err == nil {
			err = t.add(step)
		}
		if err != nil {
			t.Damaged = append(t.Damaged, fmt.Sprintf("step %d (%s %s): %v", step.Seq, step.Kind, step.Key, err))
		}
		t.Last = step.At
	}
	t.setDeeds()
	return t, nil
}

// setDeeds sets the deeds of the tools from the opening. For a run of an older build, whose
// opening lacks the deeds, it guesses them.
func (t *Trajectory) setDeeds() {
	if o := t.Opening; o != nil && o.Deeds != nil {
		t.deeds, t.needs = o.Deeds, o.Needs
		return
	}
	t.guessOldFields()
}

// add adds one step to the trajectory.
func (t *Trajectory) add(s cache.Step) error {
	if s.Kind == cache.Result {
		t.Results++
	}
	where, numbers := splitKey(s.Key)
	switch {
	case s.Key == agent.StepOpening:
		return decodeInto(&t.Opening, s)
	case s.Key == agent.StepClosing:
		return decodeInto(&t.Closing, s)
	case s.Key == KeyPatch && s.Kind == cache.Note:
		return decodeInto(&t.Patch, s)
	case where == "tool" && len(numbers) == 2:
		return t.addCall(s, numbers[0], numbers[1])
	case len(numbers) == 1:
		switch turn := t.turn(numbers[0]); where {
		case "model":
			return turn.add(s)
		case "limit":
			return decodeInto(&turn.Limit, s)
		case "user":
			return decodeInto(&turn.Said, s)
		case "removed":
			return decodeInto(&turn.Removed, s)
		}
	}
	if s.Kind == cache.Note {
		t.Notes = append(t.Notes, Note{After: len(t.Turns), Key: s.Key, Text: noteText(s.Payload)})
	}
	return nil // results of other kinds of runs are only counted
}

// decodeInto decodes the payload of a step into *to. If a step was recorded twice, the last
// one counts.
func decodeInto[T any](to **T, s cache.Step) error {
	v, err := decode[T](s.Payload)
	if err == nil {
		*to = &v
	}
	return err
}

// splitKey splits a key such as "tool/3/1" into its word and its numbers, which start at
// 1. It returns no numbers for other keys.
func splitKey(key string) (string, []int) {
	parts := strings.Split(key, "/")
	switch parts[0] {
	case "model", "tool", "user", "limit", "removed":
	default:
		return "", nil
	}
	var numbers []int
	for _, p := range parts[1:] {
		n, err := strconv.Atoi(p)
		if err != nil || n < 1 || n > maxNumber {
			return "", nil
		}
		numbers = append(numbers, n)
	}
	return parts[0], numbers
}

// maxNumber is the highest number of a turn or a call. A key with a higher one is
// damaged.
const maxNumber = 10_000

// turn returns the n-th turn, counted from 1. It adds missing turns, which are few
// because steps come in order.
func (t *Trajectory) turn(n int) *Turn {
	for len(t.Turns) < n {
		t.Turns = append(t.Turns, Turn{N: len(t.Turns) + 1})
	}
	return &t.Turns[n-1]
}

// add adds a request or its result to the turn.
func (t *Turn) add(s cache.Step) error {
	switch s.Kind {
	case cache.Intent:
		intent, err := decode[agent.AskIntent](s.Payload)
		t.Intent, t.Asked = intent, s.At
		t.Attempts++
		return err
	case cache.Result:
		if err := decodeInto(&t.Result, s); err != nil {
			return err
		}
		t.Done = s.At
		if r := t.Reply(); r != nil {
			for i, c := range r.Message.Calls {
				t.call(i + 1).Call = c
			}
		}
	}
	return nil
}

func (t *Turn) call(i int) *Call {
	for len(t.Calls) < i {
		t.Calls = append(t.Calls, Call{I: len(t.Calls) + 1})
	}
	return &t.Calls[i-1]
}

func (t *Trajectory) addCall(s cache.Step, n, i int) error {
	call := t.turn(n).call(i)
	switch s.Kind {
	case cache.Intent:
		asked, err := decode[model.Call](s.Payload)
		if call.Name == "" { // the reply that named the call is damaged
			call.Call = asked
		}
		call.Began = s.At
		call.Attempts++
		return err
	case cache.Result:
		result, err := decode[agent.CallResult](s.Payload)
		if err != nil {
			return err
		}
		call.Result, call.Ended = &result, s.At
		if call.Name == "" {
			call.Name, call.ID = result.Name, result.ID
		}
	}
	return nil
}

// noteText returns the text of a note. A payload that is not a JSON string is returned unchanged.
func noteText(payload []byte) string {
	var s string
	if json.Unmarshal(payload, &s) == nil {
		return s
	}
	return string(payload)
}
