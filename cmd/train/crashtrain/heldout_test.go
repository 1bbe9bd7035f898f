package crashtrain

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Steps that fit or tune refuse a held-out repository, by name.
func TestHeldOutIsRefused(t *testing.T) {
	dir := t.TempDir()
	rows := filepath.Join(dir, "rows.jsonl")
	if err := os.WriteFile(rows, []byte(`{"id":"1","repo":"facebook/buck2"}`+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	steps := [][]string{{"fit", rows}, {"cross", rows}, {"culprits", "fit", rows}, {"culprits", "cross", rows}}
	for _, step := range steps {
		err := Run(t.Context(), step)
		if err == nil || !strings.Contains(err.Error(), "held out for crash") || !strings.Contains(err.Error(), "facebook/buck2") {
			t.Errorf("%s: %v", step, err)
		}
	}
}
