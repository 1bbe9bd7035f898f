package eval

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// Each question has one row with its score, even if it was asked twice. Questions outside the
// results are left out.
func TestRows(t *testing.T) {
	e := &engine{}
	broken := true
	e.trace = func(_ context.Context, c question, _ string) (reply, error) {
		if broken && c.ID == "case-05" {
			return reply{}, errors.New("boom")
		}
		return reply{Words: []string{"x", "a"}}, nil
	}
	p := plan(t, e)
	for range 2 {
		if _, err := Run(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		broken = false
	}
	p.Algorithms = []string{"b"}
	res, err := Run(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WriteRows(t.Context(), &b, p.Journal, res); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	if len(lines) != len(p.Cases) {
		t.Fatalf("%d rows for %d cases", len(lines), len(p.Cases))
	}
	for _, line := range lines {
		var row struct {
			Algorithm, Error string
			Rank             int
		}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(line, `{"schema":"git-agent/eval-row/1",`) || row.Algorithm != "b" || row.Rank != 2 || row.Error != "" {
			t.Errorf("row %s", line)
		}
	}
}
