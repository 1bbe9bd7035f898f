package testrun

import (
	"reflect"
	"testing"

	"git-agent/agent/fix/testrun/testlog"
)

func ending(exit int, r testlog.Report) Ending { return Ending{Exit: exit, Report: r} }

func failing(names ...string) testlog.Report { return testlog.Report{Failing: names, Ran: -1} }

func TestCompare(t *testing.T) {
	// Tests that fail after and did not before make it worse. Where there are no names
	// the exit codes decide.
	for _, c := range []struct {
		what          string
		before, after Ending
		known         []string
		want          Comparison
	}{
		{"all tests pass now", ending(1, failing("A", "B")), ending(0, failing()), nil, Comparison{Fixed: []string{"A", "B"}}},
		{"one of two passes now", ending(1, failing("A", "B")), ending(1, failing("B")), nil, Comparison{Fixed: []string{"A"}}},
		{"another test fails", ending(1, failing("A")), ending(1, failing("B")), nil, Comparison{Worse: true, Why: "makes B fail", New: []string{"B"}, Fixed: []string{"A"}}},
		{"two other tests fail", ending(0, failing()), ending(1, failing("B", "C")), nil, Comparison{Worse: true, Why: "makes B and 1 more fail", New: []string{"B", "C"}}},
		{"a known one fails", ending(1, failing("A")), ending(1, failing("K")), []string{"K"}, Comparison{Fixed: []string{"A"}}},
		{"a known one is named without its package", ending(1, failing("m/p:A")), ending(1, failing("m/p:K")), []string{"K"}, Comparison{Fixed: []string{"m/p:A"}}},
		{"the package is missing in one run", ending(1, failing("m/p:A")), ending(1, failing("A")), nil, Comparison{}},
		{"the same name in another package", ending(1, failing("m/p:A")), ending(1, failing("m/q:A")), nil, Comparison{Worse: true, Why: "makes m/q:A fail", New: []string{"m/q:A"}, Fixed: []string{"m/p:A"}}},
		{"no names, exit 0 before", ending(0, failing()), ending(2, failing()), nil, Comparison{Worse: true, Why: "makes the command fail (exit 2)"}},
		{"no names, it failed before", ending(2, failing()), ending(1, failing()), nil, Comparison{}},
		{"no names, it passes now", ending(2, failing()), ending(0, failing()), nil, Comparison{}},
		{"names before, none after", ending(1, failing("A")), ending(139, failing()), nil, Comparison{Worse: true, Why: "makes the command fail without the name of a test (exit 139)", Fixed: []string{"A"}}},
		{"it does not build now", ending(1, failing("A")), ending(1, testlog.Report{Build: true}), nil, Comparison{Worse: true, Why: "breaks the build", Fixed: []string{"A"}}},
		{"a package does not build now", ending(1, failing("A")), ending(1, testlog.Report{Build: true, Unbuilt: []string{"m/p"}, Failing: []string{"A"}}), nil, Comparison{Worse: true, Why: "makes m/p fail", New: []string{"m/p"}}},
		{"a package never built", ending(1, testlog.Report{Build: true, Unbuilt: []string{"m/p"}, Failing: []string{"A"}}), ending(1, testlog.Report{Build: true, Unbuilt: []string{"m/p"}}), nil, Comparison{Fixed: []string{"A"}}},
		{"the same test crashes now", ending(1, failing("A")), ending(2, testlog.Report{Failing: []string{"A"}, Panicked: true}), nil, Comparison{Worse: true, Why: "makes a test process crash"}},
		{"it crashed before, so that little is known", ending(2, testlog.Report{Failing: []string{"A"}, Panicked: true}), ending(1, failing("B")), nil, Comparison{Fixed: []string{"A"}, Unclear: []string{"B"}}},
		{"it crashed before, but B had passed", ending(2, testlog.Report{Failing: []string{"A"}, Passing: []string{"B"}, Panicked: true}), ending(1, failing("B")), nil, Comparison{Worse: true, Why: "makes B fail", New: []string{"B"}, Fixed: []string{"A"}}},
		{"names are printed though it exits 0", ending(1, failing("A")), ending(0, failing("B")), nil, Comparison{Fixed: []string{"A"}}},
	} {
		if got := Compare(c.before, c.after, c.known); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %+v, want %+v", c.what, got, c.want)
		}
	}
}
