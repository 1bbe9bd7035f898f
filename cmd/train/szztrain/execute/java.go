package execute

import (
	"context"
	_ "embed"
	"path"
	"slices"
	"strings"

	"git-agent/gitext"
	"git-agent/gitext/quote"
)

// tapRunner is a program that runs tests of JUnit 3, 4 and 5 and prints one line for each.
//
//go:embed testdata/Tap.java
var tapRunner []byte

// These are the places of the runner and of compiled classes in the work tree.
const (
	tapFile  = ".executed/Tap.java"
	javaInto = ".executed/classes"
)

// javaSources is an argument of javac: the sources of all modules. It is evaluated at each
// commit, because modules come and go.
const javaSources = `-sourcepath "$(find . -path '*/src/main/java' -o -path '*/src/test/java' -o -path './src/java' -o -path './src/test' -o -path './java' -o -path './javatests' | tr '\n' ':')"`

// javaResources are the directories of resources in the class path of the tests.
const javaResources = `"` + javaInto + `:$(find . -path '*/src/main/resources' -o -path '*/src/test/resources' | tr '\n' ':')$CLASSPATH"`

// JavaRunner returns the file of the runner that commands of cases in Java name.
func JavaRunner() gitext.Overlay {
	return gitext.Overlay{Path: tapFile, Mode: 0o100644, Content: tapRunner}
}

// javaQuick are options for a virtual machine that runs only seconds.
const javaQuick = "-J-XX:TieredStopAtLevel=1 -J-XX:+UseSerialGC "

// forJava compiles the tests and their dependencies with javac, and runs them with our own
// program. This takes seconds; Maven takes half a minute. CLASSPATH names the jars: JUnit with
// its launcher, and the project's dependencies.
func (s *suite) forJava() error {
	var files, classes []string
	for _, p := range s.fix.tests {
		if class := javaClass(p); class != "" {
			files = append(files, quote.Shell(p))
			classes = append(classes, quote.Shell(class))
		}
	}
	if len(files) == 0 {
		return none("no test file of Java is changed")
	}
	const javac = "javac " + javaQuick + "-nowarn -proc:none -encoding UTF-8 -implicit:class -d " + javaInto + " " + javaSources + " "
	const clean = "rm -rf " + javaInto + " && mkdir -p " + javaInto + " && "
	s.build = clean + javac + tapFile + " " + strings.Join(files, " ")
	s.command = "java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp " + javaResources + " Tap " + strings.Join(classes, " ")
	var sources []string
	for _, p := range s.fix.sources {
		if strings.HasSuffix(p, ".java") {
			sources = append(sources, quote.Shell(p))
		}
	}
	if len(sources) > 0 {
		s.control = clean + javac + strings.Join(sources, " ")
	}
	return nil
}

// javaClass returns the name of the class in a test file, "" if the file is none.
func javaClass(p string) string {
	stem, ok := strings.CutSuffix(p, ".java")
	if !ok || path.Base(p) == "package-info.java" {
		return ""
	}
	for _, root := range []string{"src/test/java/", "src/test/", "javatests/"} {
		if i := strings.Index("/"+stem, "/"+root); i >= 0 {
			return strings.ReplaceAll(stem[i+len(root):], "/", ".")
		}
	}
	return ""
}

// overJava adds the runner to a commit. It removes the declaration of a module, because the tests
// do not belong to the module.
func (s *suite) overJava(ctx context.Context, commit gitext.OID) ([]gitext.Overlay, error) {
	over := []gitext.Overlay{JavaRunner()}
	entries, err := s.repo.Tree(ctx, commit)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if path.Base(e.Path) == "module-info.java" {
			over = append(over, gitext.Overlay{Path: e.Path})
		}
	}
	return over, nil
}

// narrowJava makes the suite run only these tests, with names "package.Class.method", and removes
// the other tests from their files.
func (s *suite) narrowJava(tests []string) bool {
	var methods, selected, files []string
	for _, t := range tests {
		i := strings.LastIndexByte(t, '.')
		if i < 0 {
			return false
		}
		methods = append(methods, t[i+1:])
		selected = append(selected, quote.Shell(t[:i]+"#"+t[i+1:]))
		for _, p := range s.fix.tests {
			if javaClass(p) == t[:i] && !slices.Contains(files, p) {
				files = append(files, p)
			}
		}
	}
	head, _, _ := strings.Cut(s.command, " Tap ")
	s.command = head + " Tap " + strings.Join(selected, " ")
	if len(files) > 0 { // else the tests are in a superclass of the changed class
		head, _, _ = strings.Cut(s.build, " "+tapFile)
		s.build = head + " " + tapFile
		for _, p := range files {
			s.build += " " + quote.Shell(p)
		}
	}
	return s.reduceFiles(methods)
}
