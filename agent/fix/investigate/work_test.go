package investigate

import (
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/gitext"
)

// mavenOutput is what a failing test of commons-validator prints, and mavenShown its form in the
// prompt.
const (
	mavenOutput = `[INFO] Scanning for projects...
[INFO]
[INFO] --------------------------------[ jar ]---------------------------------
[INFO] Running org.apache.commons.validator.routines.RegexValidatorTest
[ERROR] Tests run: 1, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 9.211 s <<< FAILURE! -- in org.apache.commons.validator.routines.RegexValidatorTest
org.opentest4j.AssertionFailedError: validate() ==> expected: <> but was: <null>
	at org.junit.jupiter.api.AssertionFailureBuilder.build(AssertionFailureBuilder.java:151)
	at org.junit.jupiter.api.Assertions.assertEquals(Assertions.java:1156)
	at org.apache.commons.validator.routines.RegexValidatorTest.testValidateOptionalGroup(RegexValidatorTest.java:235)
	at java.base/java.lang.reflect.Method.invoke(Method.java:569)
	at java.base/java.util.ArrayList.forEach(ArrayList.java:1511)

[INFO] Results:
[ERROR] Failures:
[ERROR]   RegexValidatorTest.testValidateOptionalGroup:235 validate() ==> expected: <> but was: <null>
[INFO] BUILD FAILURE
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:3.5.6:test (default-test) on project commons-validator: There are test failures.
[ERROR]
[ERROR] See target/surefire-reports for the individual test results.
[ERROR] -> [Help 1]
[ERROR] To see the full stack trace of the errors, re-run Maven with the -e switch.
[ERROR] [Help 1] http://cwiki.apache.org/confluence/display/MAVEN/MojoFailureException
`
	mavenShown = `[ERROR] Tests run: 1, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 9.211 s <<< FAILURE! -- in org.apache.commons.validator.routines.RegexValidatorTest
org.opentest4j.AssertionFailedError: validate() ==> expected: <> but was: <null>
(2 lines of test tools)
	at org.apache.commons.validator.routines.RegexValidatorTest.testValidateOptionalGroup(RegexValidatorTest.java:235)
(2 lines of test tools)`

	// surefireOutput is what Surefire 3.2.5 prints of a test in Kotlin, and surefireShown its form in the prompt.
	surefireOutput = `[INFO] Running calc.CalcTest
[ERROR] Tests run: 1, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.095 s <<< FAILURE! -- in calc.CalcTest
[ERROR] calc.CalcTest.sums -- Time elapsed: 0.057 s <<< FAILURE!
org.opentest4j.AssertionFailedError: expected: <3> but was: <-3>
	at org.junit.jupiter.api.AssertionUtils.fail(AssertionUtils.java:55)
	at kotlin.test.junit5.JUnit5Asserter.assertEquals(JUnitSupport.kt:32)
	at kotlin.test.AssertionsKt.assertEquals(Unknown Source)
	at calc.CalcTest.sums(CalcTest.kt:9)

[INFO]
[INFO] Results:
[INFO]
[ERROR] Failures:
[ERROR]   CalcTest.sums:9 expected: <3> but was: <-3>
[INFO]
[ERROR] Tests run: 1, Failures: 1, Errors: 0, Skipped: 0
`
	surefireShown = `[ERROR] calc.CalcTest.sums -- Time elapsed: 0.057 s <<< FAILURE!
org.opentest4j.AssertionFailedError: expected: <3> but was: <-3>
(3 lines of test tools)
	at calc.CalcTest.sums(CalcTest.kt:9)

[ERROR] Tests run: 1, Failures: 1, Errors: 0, Skipped: 0`

	// erringOutput is what a test of commons-text prints that ends by an exception, and erringShown its
	// form in the prompt.
	erringOutput = `[WARNING] Cannot get the branch information from the git repository:
[WARNING] src/test/java/org/apache/commons/text/RandomStringGeneratorTest.java:[306,30] non-varargs call of varargs method with inexact argument type
  cast to char[] for a varargs call
  cast to char[][] for a non-varargs call and to suppress this warning
[ERROR] org.apache.commons.text.WordUtilsTest.testContainsAllWords_StringString -- Time elapsed: 6.919 s <<< ERROR!
java.util.regex.PatternSyntaxException:
Illegal/unsupported escape sequence near index 6
.*\b[\b.*
      ^
	at java.base/java.util.regex.Pattern.error(Pattern.java:2028)
	at java.base/java.util.regex.Pattern.escape(Pattern.java:2608)
	at java.base/java.util.regex.Pattern.range(Pattern.java:2798)
	at org.apache.commons.text.WordUtils.containsAllWords(WordUtils.java:284)
[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:3.2.2:test (default-test) on project commons-text:
[ERROR]
[ERROR] Please refer to target/surefire-reports for the individual test results.
[ERROR] Please refer to dump files (if any exist) [date].dump, [date]-jvmRun[N].dump and [date].dumpstream.
[ERROR] See core/target/surefire-reports for the individual test results.
[ERROR] After correcting the problems, you can resume the build with the command
[ERROR]   mvn <args> -rf :core
`
	erringShown = `[ERROR] org.apache.commons.text.WordUtilsTest.testContainsAllWords_StringString -- Time elapsed: 6.919 s <<< ERROR!
java.util.regex.PatternSyntaxException:
Illegal/unsupported escape sequence near index 6
.*\b[\b.*
      ^
	at java.base/java.util.regex.Pattern.error(Pattern.java:2028)
(2 lines of the JDK)
	at org.apache.commons.text.WordUtils.containsAllWords(WordUtils.java:284)`
)

// Lines about tests that pass are counted, and lines about the build left out; failures stay with
// their headings, at any place of a long output.
func TestOutputWithoutPassingTests(t *testing.T) {
	t.Parallel()
	w := &work{}
	for name, c := range map[string][2]string{
		"tap":   {"TAP version 13\n# one\nok 1 should be strictly equal\nok 2 equal\n# two\nnot ok 3 equal\n  ---\n    expected: 1\n# three\nok 4 x\n\n1..4\n", "TAP version 13\n(2 lines of tests that pass)\n# two\nnot ok 3 equal\n  ---\n    expected: 1\nok 4 x\n\n1..4"},
		"go":    {"=== RUN   TestA\n--- PASS: TestA (0.00s)\n=== RUN   TestB\n    b_test.go:3: no\n--- FAIL: TestB (0.00s)\nFAIL\n", "(3 lines of tests that pass)\n    b_test.go:3: no\n--- FAIL: TestB (0.00s)\nFAIL"},
		"make":  {"[ 50%] Building C object a.o\nmake[1]: Entering directory '/x'\nSegmentation fault\n", "Segmentation fault"},
		"rustc": {"warning: unused `x`\n  --> src/lib.rs:45:13\n   |\n45 | let x = 1;\n   |     ^\n   = note: on by default\n\nwarning: `p` (lib) generated 1 warning\nwarning: my own\ntest b ... FAILED\n", "warning: my own\ntest b ... FAILED"},
		"cargo": {"warning: csv-core/Cargo.toml: no edition set: defaulting to the 2015 edition while the latest is 2024\nwarning: no edition set: defaulting to the 2015 edition while the latest is 2024\ntest b ... FAILED\n", "test b ... FAILED"},
		"libtest": {
			"    Finished `test` profile [unoptimized + debuginfo] target(s) in 4.21s\n     Running tests/t.rs (/scratch/run-1/cache/cargo-target/debug/deps/t-67dc)\n\nrunning 1 test\n" +
				"test b ... FAILED\n\nfailures:\n\n---- b stdout ----\n\nthread 'b' panicked at tests/t.rs:5:5:\nassertion `left == right` failed\n" +
				"  left: 1\n right: 2\nnote: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n\n\nfailures:\n    b\n\n" +
				"test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 352 filtered out; finished in 0.01s\n\nerror: test failed, to rerun pass `--test t`\n",
			"test b ... FAILED\n\nfailures:\n\n---- b stdout ----\n\nthread 'b' panicked at tests/t.rs:5:5:\nassertion `left == right` failed\n  left: 1\n right: 2\n\n" +
				"failures:\n    b\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 352 filtered out; finished in 0.01s",
		},
		"maven":    {mavenOutput, mavenShown},
		"surefire": {surefireOutput, surefireShown},
		"error":    {erringOutput, erringShown},
		"plain":    {"it began\n\nwrong\nwrong\nwrong\n", "it began\n\nwrong\nwrong\nwrong"},
		"often":    {"it began\n\n" + strings.Repeat("wrong\n", 9), "it began\n\nwrong\n(the same line 8 more times)"},
	} {
		if got := w.outputText([]byte(c[0])); got != c[1] {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c[1])
		}
	}
}

// The difference that an assertion prints is shown whole and without colours, however long the
// output is.
func TestColouredDifference(t *testing.T) {
	t.Parallel()
	var diff strings.Builder
	for range 20 {
		diff.WriteString("         \"first\",\n")
	}
	text := "assertion failed: `(left == right)`\n\nDiff < left / right > :\n List {\n" + diff.String() + "<        \"third 3\",\n>        \"third\",\n>        \"3\",\n     ],\n }\n"
	out := strings.Repeat("a line that says little\nand another one\n", 500) + "assertion failed: `(left == right)`\n\n\x1b[1mDiff\x1b[0m \x1b[31m< left\x1b[0m / \x1b[32mright >\x1b[0m :\n" +
		strings.TrimPrefix(strings.Replace(text, "<  ", "\x1b[31m<  ", 1), "assertion failed: `(left == right)`\n\nDiff < left / right > :\n") + strings.Repeat("a line that says little\nand another one\n", 500)
	if got := new(work).outputText([]byte(out)); !strings.Contains(got, text) {
		t.Errorf("%s", got)
	}
}

// A failure in the middle of a long output is shown.
func TestFailureInALongOutput(t *testing.T) {
	t.Parallel()
	noise := strings.Repeat("a line that says little\nand another one\n", 500)
	if got := new(work).outputText([]byte(noise + "not ok 33 sums\n  expected: 6\n" + noise)); !strings.Contains(got, "not ok 33 sums\n  expected: 6") || len(got) > 2*maxOutput {
		t.Errorf("%d bytes:\n%s", len(got), got)
	}
}

// Of a long function, the lines that the failing tests do not execute are left out first.
func TestShownLines(t *testing.T) {
	t.Parallel()
	var lines [][]byte
	for range 40 {
		lines = append(lines, []byte(strings.Repeat("x", 13)))
	}
	l := fix.Location{Lines: gitext.LineRange{Start: 1, End: 40}}
	if got := shownLines(lines, l, nil, 40*20); len(got) != 40 {
		t.Errorf("all: %v", got)
	}
	idle := map[int]bool{}
	for n := 5; n <= 12; n++ {
		idle[n] = true
	}
	l.Hot = []gitext.LineRange{{Start: 20, End: 20}}
	got := shownLines(lines, l, idle, 20*20)
	if len(got) != 20 {
		t.Errorf("%v", got)
	}
	for _, n := range got {
		if idle[n] {
			t.Errorf("line %d is not executed: %v", n, got)
		}
	}
}
