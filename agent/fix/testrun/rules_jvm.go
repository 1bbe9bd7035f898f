package testrun

import (
	"path"
	"slices"
	"strings"
)

// maxModules bounds the modules of Maven that a command names.
const maxModules = 5

// proposeJVM proposes Maven, Gradle and sbt. Of a Maven project with modules, it first proposes
// those with the test files that are not committed, together with the modules that they need.
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
		out = append(out, Proposal{Test: program + " --offline --continue test", From: name})
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
	modules := d.laidModules()
	var out []Proposal
	for _, p := range programs {
		whole := Proposal{Test: p.Test + goal, From: p.From}
		if len(modules) > 0 {
			out = append(out, Proposal{
				Test:  whole.Test + " -pl " + quote(strings.Join(modules, ",")) + " -am",
				Suite: whole.Test, From: p.From,
			})
			continue
		}
		out = append(out, whole)
	}
	return out
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
