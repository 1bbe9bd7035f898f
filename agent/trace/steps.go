package trace

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"git-agent/cache"
	"git-agent/gitext/visible"
)

// StepsSchema names the lossless form of a run: one JSON object on a line for
// the run, then one for each step. Characters that cannot be seen are escaped
// in it, which says the same.
const StepsSchema = "git-agent/steps/1"

type runLine struct {
	Schema  string          `json:"schema"`
	ID      cache.RunID     `json:"id"`
	Kind    string          `json:"kind"`
	Spec    json.RawMessage `json:"spec"`
	State   cache.State     `json:"state"`
	Started time.Time       `json:"started"`
	Ended   *time.Time      `json:"ended,omitempty"`
	Version string          `json:"version"`
}

type stepLine struct {
	Seq     int64           `json:"seq"`
	Kind    cache.StepKind  `json:"kind"`
	Key     string          `json:"key"`
	At      time.Time       `json:"at"`
	Payload json.RawMessage `json:"payload,omitempty"`
	Bytes   []byte          `json:"bytes,omitempty"` // a payload that is no JSON
}

// WriteSteps writes a run as it was recorded. A damaged step is an error.
func WriteSteps(w io.Writer, run cache.Run, steps iter.Seq2[cache.Step, error]) error {
	head := runLine{StepsSchema, run.ID, run.Kind, run.Spec, run.State, run.Started, nil, run.Version}
	if !run.Ended.IsZero() {
		head.Ended = &run.Ended
	}
	if err := writeLine(w, head); err != nil {
		return err
	}
	for s, err := range steps {
		if err != nil {
			return fmt.Errorf("read run %s: %w", run.ID, err)
		}
		line := stepLine{Seq: s.Seq, Kind: s.Kind, Key: s.Key, At: s.At}
		if compact(s.Payload) {
			line.Payload = s.Payload
		} else {
			line.Bytes = s.Payload
		}
		if err := writeLine(w, line); err != nil {
			return err
		}
	}
	return nil
}

// compact reports whether payload is JSON that stays as it is when it is
// written as part of other JSON.
func compact(payload []byte) bool {
	var b bytes.Buffer
	return json.Compact(&b, payload) == nil && bytes.Equal(b.Bytes(), payload)
}

func writeLine(w io.Writer, v any) error {
	b, err := visible.Marshal(v)
	if err == nil {
		_, err = w.Write(append(b, '\n'))
	}
	return err
}

// ReadSteps reads what WriteSteps wrote.
func ReadSteps(r io.Reader) (cache.Run, []cache.Step, error) {
	in := bufio.NewReader(r)
	dec := json.NewDecoder(in)
	var head runLine
	if err := dec.Decode(&head); err != nil || head.Schema != StepsSchema {
		return cache.Run{}, nil, errors.Join(fmt.Errorf("this is no run in the form %q", StepsSchema), err)
	}
	if !head.ID.Valid() {
		return cache.Run{}, nil, fmt.Errorf("%q is no name of a run", head.ID)
	}
	run := cache.Run{ID: head.ID, Kind: head.Kind, Spec: head.Spec, State: head.State, Started: head.Started, Version: head.Version}
	if head.Ended != nil {
		run.Ended = *head.Ended
	}
	var steps []cache.Step
	for {
		var line stepLine
		err := dec.Decode(&line)
		if errors.Is(err, io.EOF) {
			run.Steps = len(steps)
			return run, steps, nil
		}
		if err != nil {
			return run, steps, fmt.Errorf("step %d: %w", len(steps)+1, err)
		}
		s := cache.Step{Seq: int64(len(steps) + 1), Kind: line.Kind, Key: line.Key, At: line.At, Payload: line.Bytes}
		if line.Payload != nil {
			s.Payload = line.Payload
		}
		steps = append(steps, s)
	}
}

// Sequence yields steps that are in memory.
func Sequence(steps []cache.Step) iter.Seq2[cache.Step, error] {
	return func(yield func(cache.Step, error) bool) {
		for _, s := range steps {
			if !yield(s, nil) {
				return
			}
		}
	}
}
