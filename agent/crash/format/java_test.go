package format

import (
	"strings"
	"testing"
)

// A failed test of Surefire heads the stack that comes next, but not that of another program or far below.
func TestStackIsNotOfAnEarlierTest(t *testing.T) {
	t.Parallel()
	const failed = "testBar(org.Foo)  Time elapsed: 0.1 sec  <<< FAILURE!\n"
	for between, want := range map[string]string{
		"java.lang.IllegalStateException: full\n":                                      "org.Foo.testBar",
		"Exception in thread \"main\" java.lang.IllegalStateException: full\n":         "",
		strings.Repeat("[INFO] log\n", 50) + "java.lang.IllegalStateException: full\n": "",
	} {
		report, err := Read(strings.NewReader(failed + between + "\tat org.Shop.sell(Shop.java:7)\n\tat org.Shop.main(Shop.java:3)\n"))
		if err != nil || len(report.Stacks) != 1 {
			t.Fatalf("%+v, %v", report, err)
		}
		if got := report.Stacks[0].Test; got != want {
			t.Errorf("%.60q: test %q, want %q", between, got, want)
		}
	}
}
