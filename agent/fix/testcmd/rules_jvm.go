package testcmd

import (
	"context"
	"path"
	"slices"
	"strings"

	"git-agent/agent/fix"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// maxModules bounds the modules of Maven that a command names.
const maxModules = 5

// proposeJVM proposes Maven, Gradle and sbt. If test files are in question, it first proposes to
// run only these, because the tests of a whole project may take many minutes. Of a Maven project
// with modules, only their modules and those that these need are built.
func proposeJVM(d directory) []Proposal {
	out := d.proposeMaven()
	for _, name := range []string{"build.gradle", "build.gradle.kts"} {
		if !d.has(name) {
			continue
		}
		program := "gradle"
		if d.has("gradlew") {
			program = d.program("gradlew")
		}
		whole := program + " --offline --continue test"
		if classes := d.testClasses(); len(classes) > 0 {
			narrow := whole
			for _, class := range classes {
				narrow += " --tests " + quote("*"+class)
			}
			out = append(out, Proposal{Test: narrow, Suite: whole, Part: true, ByName: d.byName, From: name})
		}
		out = append(out, Proposal{Test: whole, From: name})
	}
	return append(out, simple("build.sbt", "sbt -Dsbt.offline=true test")(d)...)
}

// CompileModules changes a command of Maven to compile the program and the tests of all modules, and to run none. ok is false
// for another command.
func CompileModules(command string) (compiling string, ok bool) {
	list, ok := words(command)
	if !ok {
		return "", false
	}
	name, at := tool(list)
	goal := slices.IndexFunc(list, func(w word) bool { return w.raw == "test" })
	if name != "mvn" && name != "mvnw" || goal < at {
		return "", false
	}
	out := raws(list)
	out[goal] = "test-compile"
	return strings.Join(out, " "), true
}

// ModulesOf returns the modules of Maven with the failing tests; nil if the file of one is not found or not in a module, and
// for more than a few.
//
// An error means that the repository could not be read.
func ModulesOf(ctx context.Context, repo *gitext.Repo, tree fix.Tree, failing []string) ([]string, error) {
	l, err := newLayout(ctx, repo, tree, "")
	if err != nil {
		return nil, err
	}
	return unitsOf(failing, maxModules, func(test string) string {
		m := javaTest().FindStringSubmatch(test)
		if m == nil {
			return ""
		}
		class, _, _ := strings.Cut(m[1], "$")
		return l.moduleOf(strings.ReplaceAll(class, ".", "/"))
	}), l.err
}

// moduleOf returns the directory of the first module with a test class, "" if there is none.
func (l *layout) moduleOf(class string) string {
	first := ""
	for p := range l.modes {
		stem := strings.TrimSuffix(p, path.Ext(p))
		if module, rest, found := strings.Cut(stem, "/src/test/"); found && strings.HasSuffix(rest, "/"+class) && (first == "" || module < first) {
			first = module
		}
	}
	return first
}

// WithModules changes a command of Maven to build and test only some modules, and those that these need. ok is false for
// another command, and for one that names modules.
func WithModules(command string, modules []string) (narrowed string, ok bool) {
	list, ok := words(command)
	if !ok || len(modules) == 0 {
		return "", false
	}
	name, at := tool(list)
	if name != "mvn" && name != "mvnw" || hasFlag(list[at+1:], "-pl", "--projects", "-f", "--file") {
		return "", false
	}
	return command + onlyModules(modules), true
}

// onlyModules returns the arguments of Maven for some modules, and those that these need.
func onlyModules(modules []string) string {
	return " -pl " + quote(strings.Join(modules, ",")) + " -am"
}

func (d directory) proposeMaven() []Proposal {
	if !d.has("pom.xml") {
		return nil
	}
	programs := []Proposal{{Test: "mvn", From: "pom.xml"}}
	if d.has("mvnw") {
		programs = append(programs, Proposal{Test: d.program("mvnw"), From: "mvnw"})
	}
	goal := " -B -o -fae test" + skippedChecks(d.text("pom.xml"))
	modules, classes := d.testModules(), d.testClasses()
	var out []Proposal
	for _, p := range programs {
		whole := p.Test + goal
		part := whole
		if len(modules) > 0 {
			part += onlyModules(modules)
		}
		if len(classes) > 0 {
			narrow := part + " -Dtest=" + quote(strings.Join(classes, ",")) + selectsNone
			out = append(out, Proposal{Test: narrow, Suite: whole, Part: true, ByName: d.byName, From: p.From})
		}
		suite := ""
		if d.byName {
			part = whole
		} else if part != whole {
			suite = whole
		}
		out = append(out, Proposal{Test: part, Suite: suite, From: p.From})
	}
	return out
}

// selectsNone are the options for modules in which a pattern selects no test.
const selectsNone = " -DfailIfNoTests=false -Dsurefire.failIfNoSpecifiedTests=false"

// maxClasses bounds the test classes that a command names.
const maxClasses = 20

// testClass matches the names of the classes that surefire runs by default.
var testClass = source.Lazy(`^(?:Test\w*|\w+(?:Test|Tests|TestCase))$`)

// testClasses returns the test classes in question.
func (d directory) testClasses() []string {
	var classes []string
	for _, p := range d.tests {
		ext := path.Ext(p)
		class := strings.TrimSuffix(path.Base(p), ext)
		if d.holds(p) && (ext == ".java" || ext == ".kt") && testClass().MatchString(class) && !slices.Contains(classes, class) {
			classes = append(classes, class)
		}
	}
	if len(classes) > maxClasses {
		return nil
	}
	slices.Sort(classes)
	return classes
}

// testModules returns the modules of Maven with the test files in question; nil if one
// of these files belongs to no module below the directory.
func (d directory) testModules() []string {
	if !strings.Contains(d.text("pom.xml"), "<module>") {
		return nil
	}
	return unitsOf(slices.DeleteFunc(slices.Clone(d.tests), func(p string) bool { return !d.holds(p) }), maxModules, func(file string) string {
		dir := d.nearest(file, func(dir string) bool { return d.in[dir]["pom.xml"] })
		switch {
		case dir == d.path || dir == ".":
			return ""
		case d.path != ".":
			return strings.TrimPrefix(dir, d.path+"/")
		}
		return dir
	})
}

// unitsOf returns the parts of a build to which files belong, such as modules, each once; nil if a file
// belongs to none, and if there are more than most.
func unitsOf(files []string, most int, unit func(file string) string) []string {
	var units []string
	for _, file := range files {
		name := unit(file)
		if name == "" {
			return nil
		}
		if !slices.Contains(units, name) {
			units = append(units, name)
		}
	}
	if len(units) > most {
		return nil
	}
	slices.Sort(units)
	return units
}

// nearest returns the closest directory around a file that a function accepts, or the directory itself.
func (d directory) nearest(file string, accepts func(dir string) bool) string {
	dir := path.Dir(file)
	for dir != d.path && dir != "." && !accepts(dir) {
		dir = path.Dir(dir)
	}
	return dir
}
