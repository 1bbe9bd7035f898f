package coverage

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"git-agent/agent/fix"
)

// put writes a file below a directory.
func put(t *testing.T, dir, name, text string) string {
	t.Helper()
	at := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return at
}

const surefireReport = `<?xml version="1.0" encoding="UTF-8"?><testsuite name="com.x.CalcTest"><properties>
<property name="java.class.path" value="/repo/core/target/test-classes:/repo/core/target/classes:/m2/junit/junit/4.13.2/junit-4.13.2.jar:"/>
<property name="surefire.test.class.path" value="/repo/core/target/classes:/m2/org/junit/platform/junit-platform-engine/1.9.3/junit-platform-engine-1.9.3.jar"/>
<property name="basedir" value="/repo/core"/><property name="java.home" value="/opt/jdk"/><property name="user.dir" value="/repo/core"/><property name="calc.mode" value="fast"/>
</properties><testcase classname="com.x.CalcTest" name="larger"><failure/></testcase></testsuite>`

func TestReportsOfSurefireNameTheRun(t *testing.T) {
	// The class path, the module and the project's own properties come from the report of the class
	// of a failing test.
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, "core/target/surefire-reports/TEST-com.x.CalcTest.xml", surefireReport)
	put(t, dir, "core/target/surefire-reports/TEST-com.x.OtherTest.xml", surefireReport)
	j := &job{tree: newTree(dir, nil, false), rep: fix.Reproduction{Failing: []string{"com.x.CalcTest.larger(int)[1]"}}}
	run := ReadSurefire(j.tree.dir, j.rep.Failing, nil)
	if run == nil || run.Module != "core/" || run.BaseDir != "/repo/core" || !slices.Equal(run.Classes, []string{"com.x.CalcTest"}) || !run.Failing["com.x.CalcTest.larger"] {
		t.Fatalf("%+v", run)
	}
	if len(run.ClassPath) != 4 || !slices.Equal(run.Properties, [][2]string{{"calc.mode", "fast"}}) {
		t.Errorf("%q, %q", run.ClassPath, run.Properties)
	}
	if _, platform := run.Launcher(); !platform {
		t.Error("the JUnit Platform is not recognized")
	}
	j.rep.Failing = []string{"com.x.Another.test"}
	if run := ReadSurefire(j.tree.dir, j.rep.Failing, nil); run != nil {
		t.Errorf("a report of another class: %+v", run)
	}
}

func TestSurefirePrintsTheClassPath(t *testing.T) {
	// Reports of old versions have properties of Maven's own process. What surefire prints has the class path of the module.
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	put(t, dir, "core/target/surefire-reports/TEST-com.x.CalcTest.xml", `<?xml version="1.0" encoding="UTF-8"?><testsuite name="com.x.CalcTest"><properties>`+
		`<property name="java.class.path" value="/usr/share/maven/boot/plexus-classworlds-2.x.jar"/><property name="java.home" value="/opt/jdk"/>`+
		`<property name="classworlds.conf" value="/usr/share/maven/bin/m2.conf"/></properties><testcase classname="com.x.CalcTest" name="larger"><failure/></testcase></testsuite>`)
	const jar = "/m2/junit/junit/4.12/junit-4.12.jar"
	own := []string{dir + "/core/target/test-classes", dir + "/core/target/classes", jar}
	for version, said := range map[string]string{
		"2.12.4": "[DEBUG] Adding to surefire test classpath: /m2/a.jar Scope: test\n[DEBUG] test classpath classpath:\n[DEBUG]   " + dir + "/util/target/classes\n" +
			"[DEBUG] provider classpath classpath:\n[DEBUG]   /m2/a.jar\n[DEBUG] test classpath classpath:\n[DEBUG]   " + strings.Join(own, "\n[DEBUG]   ") + "\n" +
			"[DEBUG] provider classpath classpath:\n[DEBUG]   /m2/a.jar\n",
		"2.17": "[DEBUG] test classpath:  " + dir + "/util/target/classes\n[DEBUG] test classpath:  " + strings.Join(own, "  ") + "\n[DEBUG] provider classpath:  /m2/a.jar\n",
	} {
		run := ReadSurefire(dir, []string{"com.x.CalcTest.larger"}, []byte(said))
		if run == nil || run.Module != "core/" || run.BaseDir != dir+"/core" || !slices.Equal(run.ClassPath, own) || len(run.Properties) > 0 || run.javaHome != "/opt/jdk" {
			t.Errorf("%s: %+v", version, run)
		}
	}
	if run := ReadSurefire(dir, []string{"com.x.CalcTest.larger"}, nil); run != nil {
		t.Errorf("without what surefire prints: %+v", run)
	}
}

func TestJaCoCoIsTheNewestOfTheRepository(t *testing.T) {
	// The command line of JaCoCo reads its data, or else the jars that its plugin uses.
	t.Parallel()
	dir := t.TempDir()
	run := &Surefire{ClassPath: []string{filepath.Join(dir, "org/junit/a/1/a-1.jar")}}
	for _, version := range []string{"0.8.9", "0.8.12"} {
		put(t, dir, "org/jacoco/org.jacoco.agent/"+version+"/org.jacoco.agent-"+version+"-runtime.jar", "")
		put(t, dir, "org/jacoco/org.jacoco.core/"+version+"/org.jacoco.core-"+version+".jar", "")
	}
	for _, part := range []string{"asm", "asm-commons", "asm-tree"} {
		put(t, dir, "org/ow2/asm/"+part+"/9.7/"+part+"-9.7.jar", "")
	}
	jars := run.jacoco()
	if jars == nil || filepath.Base(jars.agent) != "org.jacoco.agent-0.8.12-runtime.jar" || len(jars.reader) != 4 || jars.core != "org.jacoco.core" {
		t.Fatalf("%+v", jars)
	}
	put(t, dir, "org/jacoco/org.jacoco.cli/0.8.12/org.jacoco.cli-0.8.12-nodeps.jar", "")
	if jars = run.jacoco(); len(jars.reader) != 1 || jars.core != "org.jacoco.cli.internal.core" {
		t.Errorf("%+v", jars)
	}
}

func TestLinesOfJavaTestsAreCounted(t *testing.T) {
	// Files are found by the package of their class, in the module of the tests first; a failing
	// test counts only if it is one of the problem's.
	t.Parallel()
	dir := t.TempDir()
	paths := []string{"core/src/main/java/com/x/Calc.java", "old/src/main/java/com/x/Calc.java", "core/src/main/kotlin/Text.kt", "core/src/test/java/com/x/CalcTest.java"}
	for _, p := range paths {
		put(t, dir, p, "class X {\n  int a = 1;\n  int b = 2;\n}\n")
	}
	j := &job{tree: newTree(dir, paths, false)}
	run := &Surefire{Module: "core/", Failing: map[string]bool{"com.x.CalcTest.larger": true}}
	count := j.javaTally(run, []byte("test\tfailed\tcom.x.CalcTest.larger\nfile\tcom/x/Calc.java\t2 3 \nfile\tcom/x/CalcTest.java\t1 \n"+
		"test\tpassed\tcom.x.CalcTest.sums\nfile\tcom/x/Calc.java\t3 x 9999999999 \nfile\tText.kt\t2 \ntest\tfailed\tcom.x.CalcTest.flaky\nfile\tcom/x/Calc.java\t2 \n"))
	sp := count.spectrum(j.tree)
	if sp == nil || sp.Failing != 1 || sp.Passing != 1 || len(sp.Files) != 2 {
		t.Fatalf("%+v", sp)
	}
	want := []fix.LineHits{{Line: 2, Failing: 1}, {Line: 3, Failing: 1, Passing: 1}}
	if got := sp.Files["core/src/main/java/com/x/Calc.java"]; !slices.Equal(got, want) {
		t.Errorf("got %+v", got)
	}
}

func TestJavaClassesBeginWithTheFailingOnes(t *testing.T) {
	// The classes of the failing tests run first, then other test classes of their package in the
	// same module.
	t.Parallel()
	paths := []string{
		"core/src/test/java/com/x/AddTest.java", "core/src/test/java/com/x/CalcTest.java", "core/src/test/java/com/x/Helper.java", "core/src/test/java/com/y/FarTest.java",
		"web/src/test/java/com/x/WebTest.java",
	}
	j := &job{tree: newTree(t.TempDir(), paths, false)}
	got := j.javaClasses(&Surefire{Module: "core/", Classes: []string{"com.x.CalcTest"}})
	if !slices.Equal(got, []string{"com.x.CalcTest", "com.x.AddTest"}) {
		t.Errorf("got %q", got)
	}
}
