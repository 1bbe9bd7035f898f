package verify

import "testing"

func TestReasonsThatNoSandboxMakes(t *testing.T) {
	t.Parallel()
	for how, want := range map[string]bool{
		"fails (exit 1)":          false,
		"does not build (exit 1)": false,
		"runs no test":            true,
		"needs Go modules that are not downloaded (exit 1): go: a":                            false,
		"needs another go.mod, go.sum or vendor folder (exit 1): go: cannot find main module": true,
	} {
		if ownReason(how) != want {
			t.Errorf("%s: %v", how, !want)
		}
	}
}
