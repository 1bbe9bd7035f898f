package trace

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"reflect"
	"time"

	"git-agent/cache"
	"git-agent/gitext/quote"
)

// StepsSchema identifies the lossless format of a run. It has one line of JSON for the
// run and one for each step. Invisible characters are escaped, which does not change
// their meaning in JSON.
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
	Bytes   []byte          `json:"bytes,omitempty"` // a payload that is not compact JSON
}

// LineTypes are the types of the first line and of the others, for the schema of the format.
func LineTypes() (first, others reflect.Type) {
	return reflect.TypeFor[runLine](), reflect.TypeFor[stepLine]()
}

// WriteSteps writes a run as recorded. It returns an error if a step is damaged.
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

// compact reports whether payload is JSON that can be embedded in other JSON unchanged.
func compact(payload []byte) bool {
	var b bytes.Buffer
	return json.Compact(&b, payload) == nil && bytes.Equal(b.Bytes(), payload)
}

func writeLine(w io.Writer, v any) error {
	b, err := quote.Marshal(v)
	if err == nil {
		_, err = w.Write(append(b, '\n'))
	}
	return err
}

// ReadSteps reads a run written by WriteSteps.
func ReadSteps(r io.Reader) (cache.Run, []cache.Step, error) {
	in := bufio.NewReader(r)
	dec := json.NewDecoder(in)
	var head runLine
	if err := dec.Decode(&head); err != nil || head.Schema != StepsSchema {
		return cache.Run{}, nil, errors.Join(fmt.Errorf("this is not a run in the format %q", StepsSchema), err)
	}
	if !head.ID.Valid() {
		return cache.Run{}, nil, fmt.Errorf("%q is not a valid run id", head.ID)
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
			return run, steps, fmt.Errorf("read step %d: %w", len(steps)+1, err)
		}
		s := cache.Step{Seq: int64(len(steps) + 1), Kind: line.Kind, Key: line.Key, At: line.At, Payload: line.Bytes}
		if line.Payload != nil {
			s.Payload = line.Payload
		}
		steps = append(steps, s)
	}
}

// Sequence returns an iterator over steps in memory.
func Sequence(steps []cache.Step) iter.Seq2[cache.Step, error] {
	return func(yield func(cache.Step, error) bool) {
		for _, s := range steps {
			if !yield(s, nil) {
				return
			}
		}
	}
}
