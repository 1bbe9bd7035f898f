package coverage

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/agent/source"
	"git-agent/agent/trial"
)

// java measures each test of JUnit 3, 4 and 5 in one process with JaCoCo. Maven itself does not run
// again: the XML report of a failing test names the class path that surefire used. A small program
// is compiled against it, which runs the classes of the failing tests and those around them with
// JaCoCo's agent, and writes the lines of each test. The project's languages are all that compile
// to class files with line numbers, such as Kotlin.
//
// JaCoCo counts the lines between two of its probes only if the second is reached, so the frames
// of the exception of a failing test are added to its lines.
type java struct{}

//go:embed inject/java/*.java
var javaPrograms embed.FS

var javaCommand = source.Lazy(`(^|[\s;&|(/])(mvn|mvnw|mvnd|gradle|gradlew)\b`)

// mavenCommand matches commands that run tests by Maven.
var mavenCommand = source.Lazy(`(^|[\s;&|(/])(mvn|mvnw|mvnd)\b`)

func (java) name() string             { return "Java" }
func (java) runs(command string) bool { return javaCommand().MatchString(command) }
func (java) has(t *tree) bool         { return t.has("pom.xml") && (t.has("*.java") || t.has("*.kt")) }

// WithoutCommand reports whether the coverage of a test command is measured without running the
// command again, so that it may take less time than the command.
func WithoutCommand(command string) bool { return java{}.runs(command) }

const (
	javaNeedsJaCoCo = "Coverage of Java needs JaCoCo, which is not in Maven's local repository (mvn dependency:get -Dartifact=org.jacoco:org.jacoco.agent:0.8.12:jar:runtime and " +
		"mvn dependency:get -Dartifact=org.jacoco:org.jacoco.cli:0.8.12:jar:nodeps bring it)."
	maxJavaClasses = 60 // test classes of one measurement
	javaShare      = 3  // of the time, two parts of this many are for the tests
)

func (java) measure(ctx context.Context, j *job) (*fix.Spectrum, string, error) {
	run := ReadSurefire(j.tree.dir, j.rep.Failing, nil)
	switch {
	case run == nil && !mavenCommand().MatchString(j.p.Test):
		return nil, "Coverage of Java and Kotlin is measured only where Maven runs the tests.", nil
	case run == nil && (&Surefire{}).jacoco() == nil:
		return nil, javaNeedsJaCoCo, nil
	case run == nil:
		j.progress("coverage: the test command, with the class path of the tests")
		out, err := j.w.Exec(ctx, j.p.Test, trial.ExecOptions{Timeout: j.left(), MaxOutput: maxTold, Maven: TellClassPath})
		if err != nil {
			return nil, "", err
		}
		run = ReadSurefire(j.tree.dir, j.rep.Failing, out.Output)
	}
	if run == nil {
		return nil, "Coverage of Java is measured with Maven: no report of surefire names a failing test and its class path.", nil
	}
	jars := run.jacoco()
	if jars == nil {
		return nil, javaNeedsJaCoCo, nil
	}
	classes := j.javaClasses(run)
	command, note, err := j.javaProgram(ctx, run, jars, classes)
	if err != nil || note != "" {
		return nil, note, err
	}
	j.progress("coverage: the test classes with JaCoCo's agent")
	res, err := j.sh(ctx, j.opt.Budget, command)
	if err != nil {
		return nil, "", err
	}
	count := j.javaTally(run, j.profile("java.tsv"))
	if count.failing == 0 {
		return nil, "No failing test failed again under JaCoCo, outside of Maven" + lastLine(res.Output) + ".", nil
	}
	sp := count.spectrum(j.tree)
	if sp == nil {
		return nil, "The failing tests execute no line of the repository that JaCoCo can measure.", nil
	}
	return sp, fmt.Sprintf("Measured with JaCoCo: %s and %s, in one process outside of Maven.",
		agent.Plural(count.failing, "failing test"), agent.Plural(count.passing, "passing test")), nil
}

// javaClasses lists the classes of the failing tests, and then other test classes of their
// packages.
func (j *job) javaClasses(run *Surefire) []string {
	classes := slices.Clone(run.Classes)
	for _, class := range run.Classes {
		outer, _, _ := strings.Cut(class, "$")
		within := path.Dir(strings.ReplaceAll(outer, ".", "/") + ".java")
		for _, p := range j.sortedTests() {
			base := strings.TrimSuffix(path.Base(p), path.Ext(p))
			other := strings.ReplaceAll(within, "/", ".") + "." + base
			if within == "." {
				other = base
			}
			if !strings.HasSuffix(path.Dir(p), "/"+within) && within != "." || !strings.HasPrefix(p, run.Module) || slices.Contains(classes, other) {
				continue
			}
			if strings.HasPrefix(base, "Test") || strings.HasSuffix(base, "Test") || strings.HasSuffix(base, "Tests") ||
				strings.HasSuffix(base, "TestCase") {
				classes = append(classes, other)
			}
		}
	}
	return classes[:min(len(classes), max(maxJavaClasses, len(run.Classes)))]
}

// sortedTests lists the test files in Java and Kotlin, in order.
func (j *job) sortedTests() []string {
	var list []string
	for p := range j.tree.tracked {
		if ext := path.Ext(p); (ext == ".java" || ext == ".kt") && source.IsTestPath(p) {
			list = append(list, p)
		}
	}
	slices.Sort(list)
	return list
}

// javaProgram compiles the program that runs the tests, and returns the command that starts it; a
// note says why this was not possible.
func (j *job) javaProgram(ctx context.Context, run *Surefire, jars *jacocoJars, classes []string) (command, note string, err error) {
	main, own := "RunJUnit4", run.ClassPath
	if launcher, platform := run.Launcher(); platform {
		if launcher == nil {
			return "", "Coverage of JUnit 5 needs the launcher of the JUnit Platform, which is not in Maven's local repository.", nil
		}
		main, own = "RunPlatform", slices.Concat(run.ClassPath, launcher)
	}
	var files []string
	for _, name := range []string{"Recorder.java", main + ".java"} {
		text, err := javaPrograms.ReadFile("inject/java/" + name)
		if err != nil {
			return "", "", err
		}
		at, err := j.make(filepath.Join("java", name), 0o600, bytes.ReplaceAll(text, []byte("@CORE@"), []byte(jars.core)))
		if err != nil {
			return "", "", err
		}
		files = append(files, at)
	}
	dir := filepath.Dir(files[0])
	classPath := strings.Join(slices.Concat([]string{dir}, own, jars.reader), ":")
	compile := slices.Concat([]string{run.Program("javac"), "-nowarn", "-proc:none", "-d", dir, "-cp", classPath + ":" + jars.agent}, files)
	res, err := j.sh(ctx, j.opt.Budget, words(compile))
	if err != nil {
		return "", "", err
	}
	if res.Exit != 0 {
		return "", "The program that measures Java's tests could not be compiled" + lastLine(res.Output) + ".", nil
	}
	settings, err := j.make("java.settings", 0o600, j.javaSettings(run, classes))
	if err != nil {
		return "", "", err
	}
	start := []string{run.Program("java"), "-ea", "-XX:+IgnoreUnrecognizedVMOptions", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"}
	for _, opened := range []string{"lang", "lang.reflect", "util", "text", "io", "net", "time"} {
		start = append(start, "--add-opens=java.base/java."+opened+"=ALL-UNNAMED")
	}
	start = append(start, "-javaagent:"+jars.agent+"=output=none", "-cp", classPath, main, settings)
	return "cd " + quote(run.BaseDir) + " && " + words(start), "", nil
}

// javaSettings returns the settings of the program.
func (j *job) javaSettings(run *Surefire, classes []string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "out\t%s\nmost\t%d\nseconds\t%d\n", filepath.Join(j.dir, "java.tsv"), j.opt.MaxPassing, int(j.left().Seconds())*2/javaShare)
	for _, p := range run.Properties {
		fmt.Fprintf(&b, "property\t%s\t%s\n", p[0], p[1])
	}
	for _, class := range classes {
		fmt.Fprintf(&b, "class\t%s\n", class)
	}
	return b.Bytes()
}

// javaTally reads what the program wrote. Failing tests count only if they are those of the
// problem.
func (j *job) javaTally(run *Surefire, text []byte) *tally {
	var count tally
	files := j.javaFiles(run)
	var lines executed
	failed, counts := false, false
	flush := func() {
		if counts {
			count.add(failed, lines)
		}
	}
	for l := range strings.Lines(string(text)) {
		field := strings.SplitN(strings.TrimRight(l, "\r\n"), "\t", 3)
		switch {
		case len(field) < 3:
		case field[0] == "test":
			flush()
			lines, failed = executed{}, field[1] == "failed"
			counts = !failed || run.Failing[JavaMethod(field[2])]
		case field[0] == "file" && lines != nil && files[field[1]] != "":
			for _, n := range strings.Fields(field[2]) {
				if at, err := strconv.Atoi(n); err == nil {
					lines.add(files[field[1]], at, at)
				}
			}
		}
	}
	flush()
	return &count
}

// javaFiles maps the file of a class, with the directories of its package, to the path in the
// tree. Kotlin leaves out directories, so its files also have their names alone. Of several files,
// one of the failing tests' module counts.
func (j *job) javaFiles(run *Surefire) map[string]string {
	files := map[string]string{}
	for p := range j.tree.tracked {
		ext := path.Ext(p)
		if !slices.Contains([]string{".java", ".kt", ".groovy", ".scala"}, ext) || !j.tree.counts(p) {
			continue
		}
		for at := p; at != ""; {
			if old, known := files[at]; !known || !strings.HasPrefix(old, run.Module) && strings.HasPrefix(p, run.Module) ||
				len(p) < len(old) && strings.HasPrefix(p, run.Module) {
				files[at] = p
			}
			_, at, _ = strings.Cut(at, "/")
		}
	}
	return files
}

// JavaMethod returns the class and method of a test, without parameters.
func JavaMethod(test string) string {
	if i := strings.IndexAny(test, "([{"); i >= 0 {
		test = test[:i]
	}
	return strings.TrimSpace(test)
}
