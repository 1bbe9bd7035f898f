package eval

import (
	"context"
	"fmt"
	"io"

	"git-agent/gitext/quote"
)

// rowSchema identifies the format of a line by WriteRows.
const rowSchema = "git-agent/eval-row/1"

// predictionRow is a record with its score. It lets a reader trace a metric back
// to single predictions.
type predictionRow struct {
	Record
	score any
}

// MarshalJSON writes the fields of the score after those of the record.
func (r predictionRow) MarshalJSON() ([]byte, error) {
	var o object
	o.field("schema", rowSchema)
	o.fields(r.Record)
	o.fields(r.score)
	return o.bytes()
}

// WriteRows writes each prediction behind the results as one JSON object on one line, in the
// order of storing. If a case has several answers, only the last one counts and is written. A case that
// some algorithms have not answered yet, because the run was interrupted, is not in the results.
func WriteRows(ctx context.Context, w io.Writer, j Journal, res *Results) error {
	type question struct{ id, algorithm string }
	cases := map[string]int{}
	for i, c := range res.Cases {
		cases[c.Head().ID] = i
	}
	last, n := map[question]int{}, 0
	for rec, err := range j.Kept(ctx) {
		if err != nil {
			return fmt.Errorf("read kept predictions: %w", err)
		}
		last[question{rec.Case.Head().ID, rec.Algorithm}] = n
		n++
	}
	n = 0
	out := quote.NewEncoder(w)
	for rec, err := range j.Kept(ctx) {
		if err != nil {
			return fmt.Errorf("read kept predictions: %w", err)
		}
		at := last[question{rec.Case.Head().ID, rec.Algorithm}]
		n++
		i, ok := cases[rec.Case.Head().ID]
		if !ok || at != n-1 || res.Outcomes[rec.Algorithm] == nil {
			continue
		}
		score := res.Outcomes[rec.Algorithm][i].Row
		if score == nil {
			continue
		}
		if err := out.Encode(predictionRow{rec, score}); err != nil {
			return fmt.Errorf("write rows: %w", err)
		}
	}
	return nil
}
