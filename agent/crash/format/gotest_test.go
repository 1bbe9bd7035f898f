package format

import (
	"fmt"
	"strings"
	"testing"
)

// The failure is of a commit's message of letsencrypt/boulder, b4c13ce6c7d9; the text of the second is
// that of a message of several lines.
func TestFailedTestsOfGo(t *testing.T) {
	t.Parallel()
	const reused = "=== RUN   TestNewOrderAuthzReuseDisabled\n--- FAIL: TestNewOrderAuthzReuseDisabled (0.24s)\n" +
		"    ra_test.go:2477: \"reused-valid-authz\" == \"reused-valid-authz\"\n"
	for text, want := range map[string]string{
		reused + "    FAIL\n    FAIL        github.com/letsencrypt/boulder/ra       0.270s\n":                                   `ra_test.go:2477 TestNewOrderAuthzReuseDisabled "reused-valid-authz" == "reused-valid-authz"`,
		"--- FAIL: TestX (0.00s)\n    x_test.go:7: the answer:\n        got  \"a\"\n        want \"b\"\n    other text\nFAIL\n": `x_test.go:7 TestX the answer: got  "a" want "b"`,
		"--- PASS: TestX (0.00s)\n    x_test.go:7: all is well\nok  \tx\t0.1s\n":                                                "",
		"x_test.go:7: no test failed\n": "",
		reused + "panic: no such thing\n\ngoroutine 7 [running]:\nmain.f(0x1)\n\t/src/main.go:3 +0x1d\n": "/src/main.go:3  no such thing",
	} {
		report, err := Read(strings.NewReader(text))
		got := ""
		if err == nil {
			f := report.Stacks[0].Frames[0]
			title := report.Stacks[0].Test
			if report.Stacks[0].Format != GoTest {
				title = ""
			}
			got = fmt.Sprintf("%s:%d %s %s", f.File, f.Line, title, report.Problems[0].Message)
		}
		if got != want {
			t.Errorf("%s: %q, want %q; %v", text, got, want, err)
		}
	}
}
