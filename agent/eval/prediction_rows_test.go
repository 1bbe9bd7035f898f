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
	lines := rowsOf(t, p, res)
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

// An interrupted run has no row of a case that only some of its algorithms have answered.
func TestRowsOfAnInterruptedRun(t *testing.T) {
	e := &engine{}
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	e.trace = func(ctx context.Context, c question, algorithm string) (reply, error) {
		if c.ID == "case-05" && algorithm == "b" {
			interrupt()
			return reply{}, ctx.Err()
		}
		return reply{Words: []string{"a"}}, nil
	}
	p := plan(t, e)
	p.Algorithms, p.Jobs = []string{"a", "b"}, 1
	res, err := Run(ctx, p)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("the run ended with %v", err)
	}
	rows := strings.Join(rowsOf(t, p, res), "\n")
	if strings.Count(rows, `"algorithm":"a"`) != strings.Count(rows, `"algorithm":"b"`) || strings.Contains(rows, "case-05") || rows == "" {
		t.Errorf("rows:\n%s", rows)
	}
}

// rowsOf returns the lines that WriteRows writes.
func rowsOf(t *testing.T, p Plan, res *Results) []string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteRows(t.Context(), &b, p.Journal, res); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(b.String()), "\n")
}
