package testlog

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

func TestReadKeepsWithinItsLimits(t *testing.T) {
	// The kept part of an output is bounded, for any number of tests, places and long names.
	t.Parallel()
	var b strings.Builder
	for i := range maxNames + 500 {
		fmt.Fprintf(&b, "not ok %d - test %d %s\n", i, i, strings.Repeat("é", 255))
		fmt.Fprintf(&b, "a%d.c:%d:1: error: e\n", i, i+1)
	}
	b.WriteString(strings.Repeat("x", 1<<20))
	r := Read([]byte(b.String()))
	if len(r.Failing) != maxNames || len(r.BuildErrors) != maxPlaces || len(r.Failing[0]) > maxName || !strings.HasSuffix(r.Failing[0], "é") {
		t.Errorf("%d failing tests, %d errors, a name of %d bytes", len(r.Failing), len(r.BuildErrors), len(r.Failing[0]))
	}
}

func TestReadOfAPassingRunNamesNoFailure(t *testing.T) {
	// Words about failures in the output of passing programs are no failures.
	t.Parallel()
	for _, output := range []string{
		"ok  \tm/p\t0.1s\nPASS\n", "OK\n", "Error: retrying\nError: again\n", "warning: a.c:1:2: something\n", "1) first\n2) second\n",
		"Failures: 0\n", "FAIL fast mode is on\n", "ERROR: could not reach the server, trying again\n", "test the water ... fine\n", "# not a test\n", "ok then\n",
		"a.go:12: a line of a log\n", "0 failed\n", "100% tests passed, 0 tests failed out of 3\n", "note: 3 tests completed, 0 failed\n",
	} {
		if r := Read([]byte(output)); len(r.Failing)+len(r.Unbuilt)+len(r.BuildErrors) > 0 || r.Build || r.Panicked {
			t.Errorf("%q: %+v", output, r)
		}
	}
}

func TestReadOfColouredOutput(t *testing.T) {
	// Colours and carriage returns do not hide results.
	t.Parallel()
	r := Read([]byte("\x1b[31mnot ok\x1b[0m 1 - \x1b]8;;file://a\x1b\\red\x1b]8;;\a\r\n\x1b[1;32mok 2\x1b[m - green\r\n\x1b[K"))
	if len(r.Failing) != 1 || r.Failing[0] != "red" || len(r.Passing) != 1 || r.Passing[0] != "green" {
		t.Errorf("%+v", r)
	}
}

// FuzzRead checks that Read does not panic, and that its result has the documented properties.
func FuzzRead(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.txtar")
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(txtar.Parse(data).Files[0].Data)
	}
	f.Fuzz(func(t *testing.T, output []byte) {
		r := Read(output)
		seen := map[string]bool{}
		for _, name := range append(r.Failing, r.Passing...) {
			if seen[name] || name == "" || len(name) > maxName {
				t.Fatalf("name %q", name)
			}
			seen[name] = true
		}
		if r.Ran < -1 {
			t.Fatalf("ran %d", r.Ran)
		}
	})
}
