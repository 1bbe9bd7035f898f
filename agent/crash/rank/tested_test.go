package rank

import (
	"testing"

	"git-agent/agent/crash"
	"git-agent/gitext/gittest"
)

func TestTestedFile(t *testing.T) {
	// As in accumulo 523ec44b61 and qutebrowser 8c227324feca: an assertion fails, only the test is in
	// the stack, and the fix changes the file that it is named after.
	t.Parallel()
	h := gittest.New(t)
	h.Commit("import", gittest.Files{
		"base/src/main/java/auth/SecretManager.java": "class SecretManager {}\n", "base/src/test/java/auth/SecretManagerTest.java": "class SecretManagerTest {}\n",
		"base/src/test/java/auth/SecretManager.txt": "\n", "utils/urls.py": "", "tests/utils/test_urls.py": "", "a/main.py": "", "b/main.py": "", "tests/test_main.py": "",
		"tests/unittest.py": "", "tests/test_gone.py": "", "vendor/gone.py": "",
		"quote/shell.go": "", "quote/shell_test.go": "", "ui/shell.go": "",
		"x/src/main/java/p/Line.java": "", "x/src/test/java/p/LineTest.java": "", "y/src/main/java/q/Line.java": "",
	})
	for test, want := range map[string]string{
		"base/src/test/java/auth/SecretManagerTest.java": "base/src/main/java/auth/SecretManager.java",
		"tests/utils/test_urls.py":                       "utils/urls.py",
		"tests/test_main.py":                             "",               // two files have the name
		"quote/shell_test.go":                            "quote/shell.go", // of two, the one beside it
		"x/src/test/java/p/LineTest.java":                "x/src/main/java/p/Line.java",
		"tests/test_gone.py":                             "", // a copy of the code of others
		"tests/unittest.py":                              "",
		"utils/urls.py":                                  "", // no test
	} {
		report := &crash.Report{Stacks: []crash.Stack{{Kind: crash.StackCrash, Format: "python", Frames: []crash.Frame{frame(test, 1, "check")}}}}
		answer, err := Rank(t.Context(), h.Open(), h.Head(), report, Ours)
		if err != nil {
			t.Fatal(err)
		}
		first := answer.Files[0]
		switch {
		case want == "" && (first.Path != test || first.Related):
			t.Errorf("%s: %s is first, and the test is not named after one file", test, first.Path)
		case want != "" && (first.Path != want || !first.Related || answer.Files[1].Path != test):
			t.Errorf("%s: %v", test, pathsOf(answer.Files))
		}
	}
}

func TestTestedFileInAStackKeepsItsPlace(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("import", gittest.Files{"utils/urls.py": "", "tests/test_urls.py": ""})
	ranked := []crash.File{{Path: "tests/test_urls.py"}, {Path: "utils/urls.py"}}
	if f, err := testedFile(t.Context(), h.Open(), h.Head(), ranked); f != nil || err != nil {
		t.Error(f, err)
	}
}
