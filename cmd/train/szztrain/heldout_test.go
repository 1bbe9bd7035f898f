package szztrain

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Steps that fit or tune refuse a held-out repository, by name; judging accepts it.
func TestHeldOutIsRefused(t *testing.T) {
	dir := t.TempDir()
	rows := filepath.Join(dir, "rows.jsonl")
	if err := os.WriteFile(rows, []byte(`{"id":"1","repo":"apache/accumulo","truth":1}`+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	steps := map[string][]string{
		"mine": {"-repos", dir, "apache/accumulo"}, "fit": {rows}, "cross": {rows}, "fixlike": {rows}, "floor": {"-repos", dir, rows}, "confirm": {"-repos", dir, rows},
	}
	for step, args := range steps {
		err := Run(t.Context(), append([]string{step}, args...))
		if err == nil || !strings.Contains(err.Error(), "held out for szz") || !strings.Contains(err.Error(), "apache/accumulo") {
			t.Errorf("%s: %v", step, err)
		}
	}
	if err := Run(t.Context(), []string{"judge", rows}); err != nil && strings.Contains(err.Error(), "held out") {
		t.Errorf("judge: %v", err)
	}
}
