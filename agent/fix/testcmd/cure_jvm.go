package testcmd

import (
	"strconv"
	"strings"

	"git-agent/agent/source"
)

// checks are plugins of Maven that check something else than behaviour, with the option that skips
// them.
var checks = []struct{ plugin, skip string }{
	{"apache-rat-plugin", "-Drat.skip"},
	{"maven-enforcer-plugin", "-Denforcer.skip"},
	{"maven-checkstyle-plugin", "-Dcheckstyle.skip"},
	{"japicmp-maven-plugin", "-Djapicmp.skip"},
	{"animal-sniffer-maven-plugin", "-Danimal.sniffer.skip"},
	{"spotbugs-maven-plugin", "-Dspotbugs.skip"},
	{"findbugs-maven-plugin", "-Dfindbugs.skip"},
	{"maven-pmd-plugin", "-Dpmd.skip -Dcpd.skip"},
	{"spotless-maven-plugin", "-Dspotless.check.skip"},
	{"license-maven-plugin", "-Dlicense.skip"},
	{"formatter-maven-plugin", "-Dformatter.skip"},
	{"impsort-maven-plugin", "-Dimpsort.skip"},
	{"sortpom-maven-plugin", "-Dsort.skip"},
	{"forbiddenapis", "-Dforbiddenapis.skip"},
	{"revapi-maven-plugin", "-Drevapi.skip"},
	{"clirr-maven-plugin", "-Dclirr.skip"},
	{"modernizer-maven-plugin", "-Dmodernizer.skip"},
}

// mavenCheckCure returns the option that skips a check of Maven.
func mavenCheckCure(line string) Cure {
	for _, c := range checks {
		if strings.Contains(line, ":"+c.plugin+":") {
			return Cure{Advice: "add " + c.skip + " to the command"}
		}
	}
	return Cure{Advice: "leave it out of the command"}
}

// skippedChecks returns the options that skip the checks of a pom.xml, each with a space before
// it. Those that run before the tests count, and the parent of Apache Commons brings such a check.
func skippedChecks(pom string) string {
	out := ""
	for _, c := range checks {
		if strings.Contains(pom, c.plugin) || c.plugin == "apache-rat-plugin" && strings.Contains(pom, "<artifactId>commons-parent</artifactId>") {
			out += " " + c.skip
		}
	}
	return out
}

var (
	wantedRelease = source.Lazy(`(?:release version |invalid (?:target|source) release: )(\d+)`)
	classRelease  = source.Lazy(`class file version (\d+)\.`)
	tooNew        = source.Lazy(`Unsupported class file major version (\d+)`)
)

// javaOf returns the version of Java for a version of class files.
func javaOf(classFile string) string {
	n, _ := strconv.Atoi(classFile) // digits, as the patterns match them
	return strconv.Itoa(n - 44)
}

// setsLevel matches the level of the compiler in a pom.xml that no property sets.
var setsLevel = source.Lazy(`<(?:source|target|release)>\s*\d`)

// jdkCure says which JDK a command needs, which ended with a line.
func (d directory) jdkCure(command, line string) Cure {
	const named = ", and let JAVA_HOME name it"
	switch m := wantedRelease().FindStringSubmatch(line); {
	case m != nil:
		return Cure{Advice: "install JDK " + m[1] + " or later" + named}
	case strings.Contains(line, " is no longer supported. Use ") &&
		(strings.Contains(command, "-Dmaven.compiler.source=") || setsLevel().MatchString(d.text("pom.xml"))):
		return Cure{Advice: "the pom.xml sets the level itself, so that no option changes it: let JAVA_HOME name an older JDK, or raise the level there"}
	case strings.Contains(line, " is no longer supported. Use "):
		return Cure{Advice: "add -Dmaven.compiler.source=8 -Dmaven.compiler.target=8 to the command, or let JAVA_HOME name an older JDK"}
	case strings.Contains(line, "No compiler is provided"), strings.Contains(line, "tools.jar not found"):
		return Cure{Advice: "this is a JRE: install a JDK, which has javac" + named}
	case strings.Contains(line, "JAVA_HOME"):
		return Cure{Advice: "let JAVA_HOME name the directory of a JDK, or unset it"}
	}
	if m := classRelease().FindStringSubmatch(line); m != nil {
		return Cure{Advice: "install JDK " + javaOf(m[1]) + " or later" + named}
	}
	if m := tooNew().FindStringSubmatch(line); m != nil {
		return Cure{Advice: "let JAVA_HOME name a JDK older than " + javaOf(m[1]) + ", or update the tool that reads the classes"}
	}
	return Cure{Advice: "install the version that it asks for" + named}
}

// processCure says why the process of the tests may have ended.
func processCure(line string) Cure {
	if strings.HasPrefix(line, "Unrecognized ") {
		return Cure{Advice: "use a JDK that knows the option, or take it out of argLine"}
	}
	if strings.HasPrefix(line, "TestEngine ") {
		return Cure{Advice: "the versions of JUnit's engine, API and platform on the class path must fit each other; target/surefire-reports/*.dump says what is missing"}
	}
	return Cure{Advice: "a test called System.exit, or the JVM crashed; target/surefire-reports/*.dumpstream says more"}
}
