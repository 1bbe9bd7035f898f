package testlog

import (
	"strings"

	"git-agent/agent/source"
)

var (
	surefireTest   = source.Lazy(`^(?:\[ERROR\] +)?(\S.*?)\s+(?:-- )?Time elapsed: [\d.,]+ s(?:ec)?\s+<<< (?:FAILURE|ERROR)!`)
	surefireClass  = source.Lazy(`Time elapsed: .* (?:--?|in) +(?:in +)?([\w.$]+)$|^(?:\[\w+\] )?Running ([\w.$]+)$`)
	surefireListed = source.Lazy(`^(\w+\([\w.$]+\)):`)
	surefireTotal  = source.Lazy(`^(?:\[\w+\] +)?Tests run: (\d+), +Failures: \d+(?:, +Errors: \d+, +Skipped: (\d+))?$`)
	classInParens  = source.Lazy(`^([^\s(.]+)\(((?:[\w$]+\.)*[A-Z][\w$]*)\)$`)

	gradleResult = source.Lazy(`^(\S.*? > .+) (FAILED|PASSED)$`)
	gradleTotal  = source.Lazy(`^(\d+) tests? completed(?:, \d+ failed)?(?:, (\d+) skipped)?$`)
	gradlePlace  = source.Lazy(`^\S+(?:Error|Exception|Failure|Failed)\S* at (\w+\.(?:java|kt|groovy|scala)):(\d+)$`)
	gradleBuild  = source.Lazy(`Execution failed for task '\S*:compile\w+'`)

	javaFrame = source.Lazy(`^at (?:[\w.@-]*/+)?([\w.$]+)\.[\w$<>]+\((\w+\.(?:java|kt|groovy|scala)):(\d+)\)`)

	scalaSuite  = source.Lazy(`^(?:\[\w+\] )?([\w.]+):$`)
	scalaFailed = source.Lazy(`^(?:\[\w+\] )?\s*- (.+) \*\*\* FAILED \*\*\*`)
	munitFailed = source.Lazy(`^(?:\[\w+\] )?==> X (\S+.*?)  +[\d.]+m?s`)
	sbtTotal    = source.Lazy(`(?:Passed|Failed|Error): Total (\d+), Failed \d+, Errors \d+, Passed \d+`)
)

// javaLibraries are the packages of assertion libraries.
var javaLibraries = []string{
	"java.",
	"javax.",
	"jdk.",
	"sun.",
	"kotlin.",
	"scala.",
	"groovy.",
	"org.codehaus.groovy.",
	"org.junit.",
	"junit.",
	"org.opentest4j.",
	"org.assertj.",
	"org.hamcrest.",
	"org.mockito.",
	"org.testng.",
	"org.apache.maven.",
	"org.gradle.",
	"com.google.common.truth.",
	"org.scalatest.",
	"munit.",
	"org.spockframework.",
	"worker.org.gradle.",
}

// jvm reads surefire, failsafe, Gradle, and sbt with ScalaTest or MUnit.
type jvm struct {
	*reader
	class  string // class of the following tests
	list   bool   // in a list of failed tests
	wrong  bool   // the lines up to an empty one are Gradle's reason
	reason string // the innermost cause among them
	test   string // the failed test whose stack follows; "" once its place is known
}

func (j *jvm) take(l line) bool {
	switch t := l.text; {
	case strings.Contains(t, "Tests run: "):
		return j.surefireTotal(t)
	case strings.Contains(t, "<<< "):
		return j.surefireTest(t)
	case strings.HasPrefix(t, "Failed tests:"), strings.HasPrefix(t, "Tests in error:"), j.list:
		return j.listed(t)
	case strings.Contains(t, "Running "):
		j.enter(t)
	case l.indent == 0 && (strings.HasSuffix(t, " FAILED") || strings.HasSuffix(t, " PASSED")):
		return j.gradleResult(t)
	case l.has("at "):
		return j.framed(l.bare)
	case l.indent > 0 && strings.Contains(t, " at "):
		return j.gradlePlace(l.bare)
	case strings.Contains(t, "completed"):
		return j.total(gradleTotal().FindStringSubmatch(t))
	case gradleBuild().MatchString(t):
		j.noBuild("")
	case t == "* What went wrong:":
		j.wrong = true
	case j.wrong:
		j.wentWrong(t)
	case strings.Contains(t, "No tests to run."), strings.Contains(t, "No tests were executed"), strings.Contains(t, "No tests matching pattern "), strings.Contains(t, "No tests found for given includes"):
		j.ranNone = true
	default:
		return j.scala(t)
	}
	return false
}

func (j *jvm) end() {
	if j.report.Build && j.reason != "" {
		j.report.Refusal = j.reason
	}
}

// wentWrong reads why Gradle ended: the innermost cause, which is the last sentence before an empty line. Where no
// task was executed, the build failed.
func (j *jvm) wentWrong(text string) {
	if text == "" {
		j.wrong = false
		return
	}
	if j.reason == "" && !strings.HasPrefix(text, "Execution failed for task ") {
		j.noBuild("")
	}
	if text = strings.TrimLeft(text, "> "); strings.Contains(text, " ") { // else only a name
		j.reason = text
	}
}

// enter reads the class of the following tests.
func (j *jvm) enter(text string) {
	if m := surefireClass().FindStringSubmatch(text); m != nil {
		j.class = m[1] + m[2]
	}
}

func (j *jvm) surefireTotal(text string) bool {
	j.enter(text)
	if strings.Contains(text, "Time elapsed") {
		return true // of a class
	}
	return j.total(surefireTotal().FindStringSubmatch(text))
}

// total adds a summary: the numbers of all tests and of skipped ones.
func (j *jvm) total(m []string) bool {
	if m != nil {
		j.count(number(m[1]) - number(m[2]))
	}
	return m != nil
}

func (j *jvm) surefireTest(text string) bool {
	m := surefireTest().FindStringSubmatch(text)
	if m == nil {
		return false
	}
	j.test = j.qualified(m[1])
	j.fail(j.test)
	if m[1] == j.class { // no method of the class ran
		j.inSetUp(j.test)
	}
	return true
}

// listed reads the list at the end. It names tests for which earlier lines may name only the
// class.
func (j *jvm) listed(text string) bool {
	_, rest, isHeading := strings.Cut(text, ": ")
	heading := strings.HasPrefix(text, "Failed tests:") || strings.HasPrefix(text, "Tests in error:")
	if !heading || !isHeading {
		rest = text
	}
	m := surefireListed().FindStringSubmatch(strings.TrimSpace(rest))
	if j.list = heading || m != nil; m != nil {
		j.fail(j.qualified(m[1]))
	}
	return j.list && text != labFailures
}

// qualified returns "com.x.FooTest.bar" for the spellings of all versions of surefire:
// "bar(com.x.FooTest)", "com.x.FooTest.bar", and "bar" below its class.
func (j *jvm) qualified(name string) string {
	if m := classInParens().FindStringSubmatch(name); m != nil {
		return m[2] + "." + m[1]
	}
	method, _, _ := strings.Cut(name, "(")
	if strings.Contains(method, ".") || j.class == "" {
		return name
	}
	return j.class + "." + name
}

func (j *jvm) gradleResult(text string) bool {
	m := gradleResult().FindStringSubmatch(text)
	if m == nil || strings.HasPrefix(text, ">") {
		return false
	}
	j.result(m[1], m[2] == "PASSED")
	if j.test = ""; m[2] == "FAILED" {
		if j.test = m[1]; strings.HasSuffix(m[1], " > initializationError") || strings.HasSuffix(m[1], " > classMethod") {
			j.inSetUp(m[1])
		}
	}
	return true
}

// framed notes the first frame of the project below a failure.
func (j *jvm) framed(text string) bool {
	if j.test == "" {
		return false
	}
	m := javaFrame().FindStringSubmatch(text)
	if m == nil {
		return false
	}
	if strings.HasPrefix(j.test, m[1]) || !hasPrefixOf(m[1], javaLibraries) { // a library may test itself
		j.failedAt(m[1], m[2], m[3])
	}
	return true
}

// failedAt notes a place. The package of the class gives the directory of the file.
func (j *jvm) failedAt(class, file, at string) {
	if i := strings.LastIndexByte(class, '.'); i >= 0 {
		file = strings.ReplaceAll(class[:i], ".", "/") + "/" + file
	}
	j.place(Place{File: file, Line: number(at), Test: j.test})
	j.test = ""
}

func (j *jvm) gradlePlace(text string) bool {
	m := gradlePlace().FindStringSubmatch(text)
	if m == nil || j.test == "" {
		return false
	}
	class, _, _ := strings.Cut(j.test, " > ")
	j.failedAt(class, m[1], m[2])
	return true
}

func (j *jvm) scala(text string) bool {
	switch {
	case strings.HasSuffix(text, ":"):
		if m := scalaSuite().FindStringSubmatch(text); m != nil {
			j.class = m[1]
		}
	case strings.Contains(text, "*** FAILED ***"):
		if m := scalaFailed().FindStringSubmatch(text); m != nil {
			j.fail(j.class + ": " + m[1])
			return true
		}
	case strings.Contains(text, "==> X "):
		if m := munitFailed().FindStringSubmatch(text); m != nil {
			j.fail(m[1])
			return true
		}
	case strings.Contains(text, ": Total "):
		if m := sbtTotal().FindStringSubmatch(text); m != nil {
			j.count(number(m[1]))
			return true
		}
	}
	return false
}
