package testcmd

import (
	"path"
	"slices"
	"strings"

	"git-agent/agent/source"
)

// maxModules bounds the modules of Maven that a command names.
const maxModules = 5

// proposeJVM proposes Maven, Gradle and sbt. If test files are not committed, it first proposes to
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
		if classes := d.laidClasses(); len(classes) > 0 {
			narrow := whole
			for _, class := range classes {
				narrow += " --tests " + quote("*"+class)
			}
			out = append(out, Proposal{Test: narrow, Suite: whole, Part: true, From: name})
		}
		out = append(out, Proposal{Test: whole, From: name})
	}
	return append(out, simple("build.sbt", "sbt -Dsbt.offline=true test")(d)...)
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
	modules, classes := d.laidModules(), d.laidClasses()
	var out []Proposal
	for _, p := range programs {
		whole := p.Test + goal
		part := whole
		if len(modules) > 0 {
			part += " -pl " + quote(strings.Join(modules, ",")) + " -am"
		}
		if len(classes) > 0 {
			out = append(out, Proposal{Test: part + " -Dtest=" + quote(strings.Join(classes, ",")) + selectsNone, Suite: whole, Part: true, From: p.From})
		}
		suite := ""
		if part != whole {
			suite = whole
		}
		out = append(out, Proposal{Test: part, Suite: suite, From: p.From})
	}
	return out
}

// selectsNone are the options for modules in which a pattern selects no test.
const selectsNone = " -DfailIfNoTests=false -Dsurefire.failIfNoSpecifiedTests=false"

// maxLaid bounds the test classes that a command names.
const maxLaid = 20

// testClass matches the names of the classes that surefire runs by default.
var testClass = source.Lazy(`^(?:Test\w*|\w+(?:Test|Tests|TestCase))$`)

// laidClasses returns the test classes that are not committed.
func (d directory) laidClasses() []string {
	var classes []string
	for _, p := range d.laid {
		ext := path.Ext(p)
		class := strings.TrimSuffix(path.Base(p), ext)
		if d.holds(p) && (ext == ".java" || ext == ".kt") && testClass().MatchString(class) && !slices.Contains(classes, class) {
			classes = append(classes, class)
		}
	}
	if len(classes) > maxLaid {
		return nil
	}
	slices.Sort(classes)
	return classes
}

// laidModules returns the modules of Maven with the test files that are not committed; nil if one
// of these files belongs to no module below the directory.
func (d directory) laidModules() []string {
	if !strings.Contains(d.text("pom.xml"), "<module>") {
		return nil
	}
	var modules []string
	for _, p := range d.laid {
		if !d.holds(p) {
			continue
		}
		dir := path.Dir(p)
		for dir != d.path && dir != "." && !d.in[dir]["pom.xml"] {
			dir = path.Dir(dir)
		}
		if dir == d.path || dir == "." {
			return nil
		}
		if d.path != "." {
			dir = strings.TrimPrefix(dir, d.path+"/")
		}
		if !slices.Contains(modules, dir) {
			modules = append(modules, dir)
		}
	}
	if len(modules) > maxModules {
		return nil
	}
	slices.Sort(modules)
	return modules
}
