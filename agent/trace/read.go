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

// Read puts the steps of a run, in their order, together. A step that is
// damaged or makes no sense is named in Damaged; the error is for trouble that
// ends the reading.
func Read(run cache.Run, steps iter.Seq2[cache.Step, error]) (*Trajectory, error) {
	t := &Trajectory{Run: run}
	// A spec of another kind has other fields; what is not there stays empty.
	t.About, _ = decode[About](run.Spec)
	for step, err := range steps {
		if err != nil && step.Seq == 0 {
			return nil, fmt.Errorf("read run %s: %w", run.ID, err)
		}
		if err == nil {
			err = t.take(step)
		}
		if err != nil {
			t.Damaged = append(t.Damaged, fmt.Sprintf("step %d (%s %s): %v", step.Seq, step.Kind, step.Key, err))
		}
		t.Last = step.At
	}
	t.settle()
	return t, nil
}

// settle takes what the opening says of the tools. Of a run of an older build,
// which does not say it, it is guessed.
func (t *Trajectory) settle() {
	if o := t.Opening; o != nil && o.Deeds != nil {
		t.deeds, t.needs = o.Deeds, o.Needs
		return
	}
	t.guessOldFields()
}

// take files one step.
func (t *Trajectory) take(s cache.Step) error {
	if s.Kind == cache.Result {
		t.Results++
	}
	where, numbers := place(s.Key)
	switch {
	case s.Key == agent.StepOpening:
		return fill(&t.Opening, s)
	case s.Key == agent.StepClosing:
		return fill(&t.Closing, s)
	case where == "tool" && len(numbers) == 2:
		return t.takeCall(s, numbers[0], numbers[1])
	case len(numbers) == 1:
		switch turn := t.turn(numbers[0]); where {
		case "model":
			return turn.take(s)
		case "limit":
			return fill(&turn.Limit, s)
		case "user":
			return fill(&turn.Said, s)
		case "removed":
			return fill(&turn.Removed, s)
		}
	}
	if s.Kind == cache.Note {
		t.Notes = append(t.Notes, Note{After: len(t.Turns), Key: s.Key, Text: noteText(s.Payload)})
	}
	return nil // results of other kinds of runs are counted only
}

// fill decodes the payload of a step that stands alone. The last one counts.
func fill[T any](to **T, s cache.Step) error {
	v, err := decode[T](s.Payload)
	if err == nil {
		*to = &v
	}
	return err
}

// place splits "tool/3/1" into its word and its numbers from 1; a key of
// another form has no numbers.
func place(key string) (string, []int) {
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

// maxNumber of a turn or a call: beyond it a key is damaged.
const maxNumber = 10_000

// turn returns the n-th turn. Turns come in order, so that a gap is small.
func (t *Trajectory) turn(n int) *Turn {
	for len(t.Turns) < n {
		t.Turns = append(t.Turns, Turn{N: len(t.Turns) + 1})
	}
	return &t.Turns[n-1]
}

// take files a request or its result.
func (t *Turn) take(s cache.Step) error {
	switch s.Kind {
	case cache.Intent:
		intent, err := decode[agent.AskIntent](s.Payload)
		t.Intent, t.Asked = intent, s.At
		t.Asks++
		return err
	case cache.Result:
		if err := fill(&t.Result, s); err != nil {
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

func (t *Trajectory) takeCall(s cache.Step, n, i int) error {
	call := t.turn(n).call(i)
	switch s.Kind {
	case cache.Intent:
		asked, err := decode[model.Call](s.Payload)
		if call.Name == "" { // the reply is damaged
			call.Call = asked
		}
		call.Began = s.At
		call.Asks++
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

// noteText is a note in words: a string as it is, all else as JSON.
func noteText(payload []byte) string {
	var s string
	if json.Unmarshal(payload, &s) == nil {
		return s
	}
	return string(payload)
}
