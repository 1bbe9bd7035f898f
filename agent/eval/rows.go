package eval

import (
	"context"
	"fmt"
	"io"

	"git-agent/gitext/visible"
)

// RowSchema names the shape of one prediction in WriteRows.
const RowSchema = "git-agent/eval-row/1"

// predictionRow is a record with its score, for whoever wants to see why a
// number is what it is.
type predictionRow struct {
	Schema string `json:"schema"`
	Record
	Rank      int `json:"rank"`      // place of the first true suspect, 0 = none
	Found     int `json:"found"`     // BICs in the answer
	Reachable int `json:"reachable"` // BICs among the candidates
}

// WriteRows writes every prediction behind the results as one JSON object on
// one line, in the order in which they were kept. Of a case that was asked
// about more than once only the last answer is written, the one that counts.
func WriteRows(ctx context.Context, w io.Writer, j Journal, res *Results) error {
	type question struct{ id, algorithm string }
	cases := map[string]int{}
	for i, c := range res.Cases {
		cases[c.ID] = i
	}
	last, n := map[question]int{}, 0
	for rec, err := range j.Kept(ctx) {
		if err != nil {
			return fmt.Errorf("read kept predictions: %w", err)
		}
		last[question{rec.Case.ID, rec.Algorithm}] = n
		n++
	}
	n = 0
	out := visible.NewEncoder(w)
	for rec, err := range j.Kept(ctx) {
		if err != nil {
			return fmt.Errorf("read kept predictions: %w", err)
		}
		at := last[question{rec.Case.ID, rec.Algorithm}]
		n++
		i, ok := cases[rec.Case.ID]
		if !ok || at != n-1 || res.Outcomes[rec.Algorithm] == nil {
			continue
		}
		o := res.Outcomes[rec.Algorithm][i]
		if err := out.Encode(predictionRow{RowSchema, rec, o.Rank, o.Found, o.Reachable}); err != nil {
			return fmt.Errorf("write rows: %w", err)
		}
	}
	return nil
}
