package offline

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"git-agent/agent/fix"
	"git-agent/agent/sandbox"
	"git-agent/agent/trial"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

const javaShape = `package p;

public class Shape {
    public static int area(String kind, int n) {
        if (kind.equals("square")) {
            return n * n;
        }
        if (kind.equals("line") && n < 1) {
            return n;
        }
        return 0;
    }
}
`

// plainTests runs methods named test of classes, without a framework.
const plainTests = `import java.io.PrintStream;
import java.util.List;

final class Tests {
    static int run(ClassLoader loader, List<String[]> tests, PrintStream out) throws Exception {
        Report report = new Report(out);
        for (String[] t : tests) {
            Throwable failure = null;
            try {
                loader.loadClass(t[0]).getMethod(t[1]).invoke(null);
            } catch (java.lang.reflect.InvocationTargetException e) {
                failure = e.getCause();
            }
            report.ended(t[0] + "." + t[1], failure);
        }
        return report.end();
    }
}
`

const plainShapeTest = `package p;

public class ShapeTest {
    public static void line() {
        if (Shape.area("line", 1) != 1) {
            throw new AssertionError("line " + Shape.area("line", 1));
        }
    }
}
`

// One process of Java runs the tests with each variant: it tells those that pass, fail, do not
// compile, do not end and end the process apart.
func TestJavaVariants(t *testing.T) {
	t.Parallel()
	if _, err := sandbox.Program("javac"); err != nil {
		t.Skip("javac is not installed")
	}
	h := gittest.New(t)
	h.Commit("c", gittest.Files{"Shape.java": javaShape, "ShapeTest.java": plainShapeTest})
	w, err := trial.Open(t.Context(), h.Open(), options(t))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.Prepare(t.Context(), h.Head(), nil); err != nil {
		t.Fatal(err)
	}
	dir, err := w.Folder("java")
	if err != nil {
		t.Fatal(err)
	}
	programs := map[string]string{"Tests.java": plainTests}
	for _, name := range []string{"Variants.java", "Report.java"} {
		text, err := javaPrograms.ReadFile("inject/java/" + name)
		if err != nil {
			t.Fatal(err)
		}
		programs[name] = string(text)
	}
	settings := "variants\t" + dir + "\nnumbers\t0 0 1 2 3 4 5\nseconds\t5\nbytes\t4000\nmark\t" + mark + "\nclasses\t" + dir + "/classes\ntest\tp.ShapeTest\tline\n"
	programs["settings"] = settings
	for i, text := range []string{"n < 1", "n < 2", "n > > 1", "n < 1 || forever()", "n < 1 || gone()"} {
		body := strings.Replace(javaShape, "n < 1", text, 1)
		body = strings.Replace(body, "public static", "static boolean forever() { while (true) { } }\n    static boolean gone() { System.exit(0); return false; }\n    public static", 1)
		programs[fmt.Sprintf("%d.path", i+1)], programs[fmt.Sprintf("%d.text", i+1)] = "Shape.java", body
	}
	for name, text := range programs {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	now := time.Now().Unix()
	command := fmt.Sprintf("mkdir %[1]s/classes && javac -d %[1]s/classes *.java && javac -d %[1]s %[1]s/*.java && %[2]s",
		dir, repeated(dir, fmt.Sprintf("java -cp %s Variants %[1]s/settings 60 60 %d", dir, now)))
	res, err := w.Exec(t.Context(), command, trial.ExecOptions{Timeout: 2 * time.Minute, MaxOutput: 1 << 20, Writable: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	runs, rejected := readScreened(res.Output, true), readRejected(res.Output)
	if len(runs[0]) != 2 || runs[0][0].outcome != trial.Fails || !strings.Contains(string(runs[0][0].output), "p.ShapeTest.line -- Time elapsed") {
		t.Fatalf("the tree without a change: %+v\n%s", runs[0], res.Output)
	}
	if len(rejected) != 1 || !rejected[3] {
		t.Errorf("rejected: %v", rejected)
	}
	if end, err := os.ReadFile(filepath.Join(dir, "until")); err != nil || string(end) < strconv.FormatInt(now+60, 10) {
		t.Errorf("the variants end at %s, %v; they began after %d", end, err, now)
	}
	for n, want := range map[int]screened{1: {outcome: trial.Fails}, 2: {outcome: trial.Passes}, 4: {outcome: trial.Fails, late: true}, 5: {outcome: trial.Fails}} {
		if got := runs[n]; len(got) != 1 || got[0].outcome != want.outcome || got[0].late != want.late {
			t.Errorf("variant %d: %+v", n, got)
		}
	}
}

// surefire returns the newest version of Maven's runner of JUnit 4 in the local repository. The
// versions before 2.22, which an old Maven uses unless told otherwise, do not report the class path.
func surefire(local string) (version string, found bool) {
	jars, _ := filepath.Glob(filepath.Join(local, "org/apache/maven/surefire/surefire-junit4/*/*.jar"))
	for _, jar := range jars {
		v := filepath.Base(filepath.Dir(jar))
		_, err := os.Stat(filepath.Join(local, "org/apache/maven/plugins/maven-surefire-plugin", v, "maven-surefire-plugin-"+v+".jar"))
		if err == nil && v > version && !strings.HasPrefix(v, "2.1") {
			version, found = v, true
		}
	}
	return version, found
}

// A search repairs code of a project that Maven builds with candidates of one process. It needs
// Maven and JUnit 4 in the local repository.
func TestJavaCandidatesShareAProcess(t *testing.T) {
	t.Parallel()
	home, _ := os.UserHomeDir()
	local := filepath.Join(home, ".m2/repository")
	if _, err := os.Stat(filepath.Join(local, "junit/junit/4.13.2/junit-4.13.2.jar")); err != nil {
		t.Skip("JUnit 4.13.2 is not in Maven's local repository")
	}
	version, found := surefire(local)
	if !found {
		t.Skip("no surefire for JUnit 4 that reports the class path is in Maven's local repository")
	}
	if _, err := sandbox.Program("mvn"); err != nil {
		t.Skip("mvn is not installed")
	}
	test := "package p;\n\nimport org.junit.*;\n\npublic class ShapeTest {\n    @Test public void square() { Assert.assertEquals(9, Shape.area(\"square\", 3)); }\n" +
		"    @Test public void line() { Assert.assertEquals(1, Shape.area(\"line\", 1)); }\n}\n"
	pom := `<project><modelVersion>4.0.0</modelVersion><groupId>g</groupId><artifactId>a</artifactId><version>1</version>
<properties><maven.compiler.source>8</maven.compiler.source><maven.compiler.target>8</maven.compiler.target></properties>
<dependencies><dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.13.2</version><scope>test</scope></dependency></dependencies>
<build><plugins><plugin><artifactId>maven-surefire-plugin</artifactId><version>` + version + `</version></plugin></plugins></build></project>`
	h := gittest.New(t)
	commit := h.Commit("c", gittest.Files{"pom.xml": pom, "src/main/java/p/Shape.java": javaShape, "src/test/java/p/ShapeTest.java": test})
	all, err := Repair(t.Context(), h.Open(), Input{
		Problem: fix.Problem{Tree: fix.Tree{Commit: commit}, Test: "mvn -B -o -q test"},
		Localization: &fix.Localization{Locations: []fix.Location{{
			Path: "src/main/java/p/Shape.java", Function: "area", Lines: gitext.LineRange{Start: 4, End: 12},
		}}},
		Trial: options(t), Jobs: 1, Budget: Budget{Tries: 60, Want: 1, GallopRuns: -1},
	})
	if err != nil {
		t.Fatal(err)
	}
	if first := all.Trials[0]; first.Verdict == fix.Fails && len(first.Failing) == 0 {
		t.Skip("Maven lacks plugins of its version, so no test runs")
	}
	alone := aloneIn(all)
	if len(all.Trials) < 10 || alone > 2 || all.Trials[0].Verdict != fix.Plausible {
		t.Errorf("%d candidates, %d of them with a build of their own, the first %s: %s", len(all.Trials), alone, all.Trials[0].Verdict, all.Trials[0].Patch.Diff)
	}
}
