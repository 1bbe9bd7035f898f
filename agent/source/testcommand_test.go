package source

import "testing"

// A script belongs to the tests if the command names it and its name suggests a check.
func TestIsTestOf(t *testing.T) {
	for _, c := range []struct {
		path, command string
		want          bool
	}{
		{"a_test.go", "", true},
		{"check.sh", "sh check.sh", true},
		{"check.sh", "sh ./check.sh --all", true},
		{"dir/repro.py", "cd dir && python3 'repro.py'", true},
		{"tools/check.sh", "make", false},
		{"app.py", "python3 app.py", false},
		{"checkout.go", "go test ./...", false},
		{"mycheck.sh", "sh check.sh", false},
	} {
		if got := IsTestOf(c.path, c.command); got != c.want {
			t.Errorf("%s of %q: %v", c.path, c.command, got)
		}
	}
}
