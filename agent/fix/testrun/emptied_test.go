package testrun

import (
	"testing"

	"git-agent/agent/fix/testrun/testlog"
	"git-agent/gitext"
)

func TestWhatRefusesTheTestsOfTheFailure(t *testing.T) {
	// Before uuid's b35aa6a, which adds what TestNew uses, a compiler names what another test lacks first. What the
	// tests of the failure lack tells since when they can run.
	t.Parallel()
	const (
		goTest = "go test ."
		tests  = "package p\n\nfunc TestOther(t *testing.T) {\n\tValidate()\n}\n\nfunc TestNew(t *testing.T) {\n\tNewV7()\n}\n"
		head   = "# p [p.test]\n"
		tail   = "FAIL\tp [build failed]\nFAIL\n"
	)
	f := FailureOf(endOf(t, goTest, "--- FAIL: TestNew (0.00s)\nFAIL\nFAIL\tp\t0.1s\nFAIL\n"), nil)
	over := []gitext.Overlay{{Path: "p_test.go", Content: []byte(tests)}}
	for output, want := range map[string]string{
		"./p_test.go:4:2: undefined: Validate\n./p_test.go:8:2: undefined: NewV7\n":                      "NewV7",
		"./p_test.go:4:2: cannot use 1 as string value in argument\n./p_test.go:8:2: undefined: NewV7\n": "NewV7",
		"./p_test.go:4:2: undefined: Validate\n./p.go:3:1: undefined: x\n":                               "",
	} {
		got, ok, err := f.WithoutOthers(over, endOf(t, goTest, head+output+tail), func([]gitext.Overlay) (Ending, error) {
			t.Errorf("%q: the command runs", output)
			return Ending{}, nil
		})
		if lack := f.Like(got).Lack; ok || err != nil || lack != want {
			t.Errorf("%q: lacks %q, want %q; %v %v", output, lack, want, ok, err)
		}
	}

	// Python refuses no file for a name in a body: without its import, a test fails for another reason.
	over = []gitext.Overlay{{Path: "test_n.py", Content: []byte("import pkg.n\n")}}
	if _, _, ok := emptyTests(over, []testlog.Place{{File: "test_n.py", Line: 1}}); ok {
		t.Error("a Python import is left out")
	}
}

func TestReasonsThatNoSandboxMakes(t *testing.T) {
	t.Parallel()
	for how, want := range map[string]bool{
		"fails (exit 1)":          false,
		"does not build (exit 1)": false,
		"runs no test":            true,
		"needs Go modules that are not downloaded (exit 1): go: a":                            false,
		"needs another go.mod, go.sum or vendor folder (exit 1): go: cannot find main module": true,
	} {
		if InTree(how) != want {
			t.Errorf("%s: %v", how, !want)
		}
	}
}
