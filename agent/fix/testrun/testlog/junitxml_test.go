package testlog

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// An ending is an output with its report.
type ending struct {
	Report Report
	Output []byte
}

func (e *ending) addXML(command, dir string, since time.Time) {
	e.Output = e.Report.AddXML(command, dir, since, e.Output)
}

// writeReport writes an XML report that is changed at a time.
func writeReport(t *testing.T, dir, name, cases string, changed time.Time) {
	t.Helper()
	at := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		t.Fatal(err)
	}
	text := `<?xml version="1.0" encoding="UTF-8"?><testsuite name="x"><properties><property name="a" value="b"/></properties>` + cases + `</testsuite>`
	if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(at, changed, changed); err != nil {
		t.Fatal(err)
	}
}

const failedCase = `<testcase classname="com.x.ATest" name="larger" time="0.1"><failure message="m" type="java.lang.AssertionError">java.lang.AssertionError: m
	at org.junit.Assert.fail(Assert.java:89)
	at com.x.Calc.max(Calc.java:14)
	at com.x.ATest.larger(ATest.java:10)
</failure></testcase><testcase classname="com.x.ATest" name="sums"/><testcase classname="com.x.ATest" name="later"><skipped/></testcase>`

func TestXMLReportsNameWhatAnOutputDoesNot(t *testing.T) {
	// The reports of the run name passing tests, and bring the stacks that Gradle's output lacks;
	// reports of earlier runs, of other files and of commands without Maven do not count.
	t.Parallel()
	now := time.Now()
	dir := t.TempDir()
	writeReport(t, dir, "core/target/surefire-reports/TEST-com.x.ATest.xml", failedCase, now)
	writeReport(t, dir, "core/target/surefire-reports/TEST-com.x.Old.xml", `<testcase classname="com.x.Old" name="old"><error/></testcase>`, now.Add(-time.Minute))
	writeReport(t, dir, "core/target/other/TEST-com.x.Other.xml", `<testcase classname="com.x.Other" name="o"><error/></testcase>`, now)
	e := ending{Report: Report{Ran: 2, Failing: []string{"com.x.ATest.larger"}}, Output: []byte("Tests run: 2\n")}
	same := e
	same.addXML("make test", dir, now.Add(-time.Second))
	if same.Report.Passing != nil {
		t.Errorf("make: %+v", same.Report)
	}
	e.addXML("cd core && mvn -B test", dir, now.Add(-time.Second))
	r := e.Report
	if !slices.Equal(r.Failing, []string{"com.x.ATest.larger"}) || !slices.Equal(r.Passing, []string{"com.x.ATest.sums"}) || r.Ran != 2 {
		t.Errorf("%+v", r)
	}
	if len(r.Places) != 1 || r.Places[0].File != "com/x/Calc.java" || r.Places[0].Line != 14 {
		t.Errorf("places %+v", r.Places)
	}
	if !strings.Contains(string(e.Output), "at com.x.Calc.max(Calc.java:14)") {
		t.Errorf("output %q", e.Output)
	}
	before := len(e.Output)
	if e.addXML("mvn test", dir, now.Add(-time.Second)); len(e.Output) != before {
		t.Error("a stack that the output has is put behind it again")
	}
}

func TestXMLReportsWithTestsOfOneName(t *testing.T) {
	// Surefire writes the tests of JUnit's parameters without a name (cron-utils), so that there are fewer
	// names than Maven counts tests. The names of the others stay known.
	t.Parallel()
	dir := t.TempDir()
	unnamed := `<testcase classname="com.x.ATest" name=""/>`
	writeReport(t, dir, "target/surefire-reports/TEST-com.x.ATest.xml", unnamed+unnamed+unnamed+`<testcase classname="com.x.ATest" name="sums"/>`, time.Now())
	e := ending{Report: Report{Ran: 4}}
	e.addXML("mvn -B test", dir, time.Now().Add(-time.Minute))
	if !slices.Contains(e.Report.Passing, "com.x.ATest.sums") {
		t.Errorf("%+v", e.Report)
	}
	e = ending{Report: Report{Ran: 5}}
	if e.addXML("mvn -B test", dir, time.Now().Add(-time.Minute)); e.Report.Passing != nil {
		t.Errorf("a report is missing: %+v", e.Report)
	}
}

func TestXMLReportsOfGradle(t *testing.T) {
	// Names have the form of Gradle's output, with the package of the class, and a class that died
	// before its tests is known as such.
	t.Parallel()
	dir := t.TempDir()
	writeReport(t, dir, "app/build/test-results/test/TEST-com.x.ATest.xml", strings.ReplaceAll(failedCase, `name="larger"`, `name="larger()"`)+
		`<testcase classname="com.x.BTest" name="initializationError"><error>java.lang.Exception: e</error></testcase>`, time.Now())
	e := ending{Report: Report{Ran: 3, Failing: []string{"ATest > larger()"}}}
	e.addXML("./gradlew --offline test", dir, time.Now().Add(-time.Minute))
	want := []string{"com.x.ATest > larger()", "com.x.BTest > initializationError"}
	if !slices.Equal(e.Report.Failing, want) || !slices.Equal(e.Report.SetUp, want[1:]) {
		t.Errorf("%+v", e.Report)
	}
}

func TestXMLReportsThatAreIncompleteDoNotCount(t *testing.T) {
	// A damaged report, and reports of fewer tests than the output counts, leave what the output
	// says.
	t.Parallel()
	now := time.Now()
	for name, cases := range map[string]string{"damaged": failedCase + "<testcase", "few": `<testcase classname="com.x.ATest" name="larger"><error/></testcase>`} {
		dir := t.TempDir()
		writeReport(t, dir, "target/surefire-reports/TEST-com.x.ATest.xml", cases, now)
		e := ending{Report: Report{Ran: 2, Failing: []string{"com.x.ATest.larger"}}}
		if e.addXML("mvn test", dir, now.Add(-time.Second)); e.Report.Ran != 2 || e.Report.Passing != nil {
			t.Errorf("%s: %+v", name, e.Report)
		}
	}
}
