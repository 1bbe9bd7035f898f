package coverage

import (
	"cmp"
	"encoding/xml"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"git-agent/agent/trial"
)

// A Surefire is what the XML reports of surefire say about the run of the failing tests.
type Surefire struct {
	BaseDir    string          // of the module, absolute
	Module     string          // the same below the tree, with a slash at its end; "" for the top
	ClassPath  []string        // absolute
	Properties [][2]string     // system properties of the project
	Classes    []string        // classes with failing tests
	Failing    map[string]bool // failing tests of the problem, without parameters
	javaHome   string          // of the JDK or JRE that ran the tests
}

// maxReportVisits bounds the entries of the work tree that are looked at for reports.
const maxReportVisits = 200_000

// TellClassPath are options for Maven with which surefire prints the class path of the tests. Before version 2.19,
// its reports do not have it; Maven 3.8 takes 2.12.4 where the pom.xml names none.
const TellClassPath = "-Dorg.slf4j.simpleLogger.log.org.apache.maven.plugin.surefire.SurefirePlugin=debug"

// maxTold bounds the output with the class path, in bytes at each end.
const maxTold = 1 << 20

// ReadSurefire finds the reports of the failing tests' classes in a work tree; nil if there are
// none. Classes of other modules than the first are left out. output is that of a run with [TellClassPath], or nil; reports
// without a class path count only with it.
func ReadSurefire(tree string, failing []string, output []byte) *Surefire {
	fails, classes := map[string]bool{}, map[string]bool{}
	for _, name := range failing {
		name = JavaMethod(name)
		fails[name] = true
		if i := strings.LastIndexByte(name, '.'); i > 0 {
			classes[name[:i]] = true
		}
	}
	root, err := os.OpenRoot(tree)
	if err != nil {
		return nil
	}
	defer root.Close()
	real, err := filepath.EvalSymlinks(tree) // as Maven prints it
	if err != nil {
		return nil
	}
	var run *Surefire
	visits := 0
	_ = fs.WalkDir(root.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		if visits++; visits > maxReportVisits {
			return fs.SkipAll
		}
		name := path.Base(p)
		switch {
		case err != nil || d.IsDir() && (name == "node_modules" || name == "src" || strings.HasPrefix(name, ".") && p != "."):
			return skipDirectory(d)
		case !d.Type().IsRegular() || path.Base(path.Dir(p)) != "surefire-reports":
			return nil
		}
		class := strings.TrimSuffix(strings.TrimPrefix(name, "TEST-"), ".xml")
		if !classes[class] || name != "TEST-"+class+".xml" {
			return nil
		}
		read := readSurefire(readBounded(root, p, maxProfile))
		module := path.Dir(path.Dir(path.Dir(p)))
		read.Module = strings.TrimPrefix(module+"/", "./")
		if read.BaseDir == "" {
			read.told(filepath.Join(real, module), output)
		}
		switch {
		case run == nil && read.BaseDir != "" && len(read.ClassPath) > 0:
			run = read
			run.Failing = fails
			fallthrough
		case run != nil && run.Module == read.Module:
			run.Classes = append(run.Classes, class)
		}
		return nil
	})
	return run
}

func skipDirectory(d fs.DirEntry) error {
	if d != nil && d.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// ownProperties are beginnings of the names of properties that Java, Maven and surefire set.
var ownProperties = strings.Fields(`java. javax. sun. jdk. os. user. file. path. line. awt. surefire. native. stdout. stderr. basedir localRepository test maven. env. sun env`)

// readSurefire reads the properties of a report.
func readSurefire(report []byte) *Surefire {
	run := &Surefire{}
	in := xml.NewDecoder(strings.NewReader(string(report)))
	for {
		token, err := in.Token()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				return &Surefire{}
			}
			return run
		}
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "property" {
			continue
		}
		var name, value string
		for _, a := range start.Attr {
			switch a.Name.Local {
			case "name":
				name = a.Value
			case "value":
				value = a.Value
			}
		}
		run.property(name, value)
	}
}

func (run *Surefire) property(name, value string) {
	switch name {
	case "basedir":
		run.BaseDir = value
	case "java.home":
		run.javaHome = value
	case "surefire.test.class.path", "java.class.path", "jdk.module.path":
		for _, entry := range strings.Split(value, ":") {
			if filepath.IsAbs(entry) && !slices.Contains(run.ClassPath, entry) && !strings.Contains(path.Base(entry), "surefirebooter") {
				run.ClassPath = append(run.ClassPath, entry)
			}
		}
	default:
		if !slices.ContainsFunc(ownProperties, func(p string) bool { return strings.HasPrefix(name, p) }) && !strings.ContainsAny(name+value, "\t\r\n") {
			run.Properties = append(run.Properties, [2]string{name, value})
		}
	}
}

// told takes the class path of a module from the output of a run with TellClassPath, if the report does not have it.
// The report then has properties of Maven's own process, and none of the tests.
func (run *Surefire) told(dir string, output []byte) {
	run.ClassPath, run.Properties = nil, nil
	for _, entries := range classPathsIn(output) {
		if strings.HasPrefix(entries[0], dir+"/") {
			run.BaseDir, run.ClassPath = dir, entries
			return
		}
	}
}

// classPathsIn returns the class paths that surefire prints: version 2.12 prints an entry on each line, and later ones
// the whole path on one line, with two spaces before each entry.
func classPathsIn(output []byte) [][]string {
	const debug = "[DEBUG] "
	var paths [][]string
	var last []string
	end := func() {
		if len(last) > 0 {
			paths = append(paths, last)
		}
		last = nil
	}
	listed := false
	for line := range strings.Lines(string(output)) {
		text, isDebug := strings.CutPrefix(strings.TrimRight(line, "\r\n"), debug)
		entry, indented := strings.CutPrefix(text, "  ")
		switch {
		case isDebug && text == "test classpath classpath:":
			end()
			listed = true
		case isDebug && strings.HasPrefix(text, "test classpath:  "):
			end()
			last = strings.Split(strings.TrimPrefix(text, "test classpath:  "), "  ")
			end()
		case listed && isDebug && indented && filepath.IsAbs(entry):
			last = append(last, entry)
		default:
			end()
			listed = false
		}
	}
	end()
	return paths
}

// Program returns the path of a program of the JDK. A JRE of Java 8 is inside its JDK.
func (run *Surefire) Program(name string) string {
	for _, dir := range []string{run.javaHome, filepath.Dir(run.javaHome)} {
		if at := filepath.Join(dir, "bin", name); isFile(at) {
			return at
		}
	}
	return name
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// repositories lists the local repositories of Maven that may have files for the run.
func (run *Surefire) repositories() []string {
	var list []string
	for _, entry := range run.ClassPath {
		for _, group := range []string{"/org/", "/junit/", "/com/", "/io/"} {
			if i := strings.LastIndex(entry, group); i > 0 && strings.HasSuffix(entry, ".jar") && !slices.Contains(list, entry[:i]) {
				list = append(list, entry[:i])
			}
		}
	}
	return append(list, trial.Maven.Downloads()...)
}

// jacocoJars are the files of JaCoCo.
type jacocoJars struct {
	agent  string   // the agent that instruments classes
	reader []string // what maps its data to lines
	core   string   // the package of the reader
}

// jacoco finds the newest files of JaCoCo in a repository; nil if there are none. The reader is in
// the jar of JaCoCo's command line, or in the jars that its plugin for Maven uses.
func (run *Surefire) jacoco() *jacocoJars {
	for _, repository := range run.repositories() {
		agents := newest(repository, "org/jacoco/org.jacoco.agent", "-runtime.jar")
		if len(agents) == 0 {
			continue
		}
		if cli := newest(repository, "org/jacoco/org.jacoco.cli", "-nodeps.jar"); len(cli) > 0 {
			return &jacocoJars{agents[0], cli[:1], "org.jacoco.cli.internal.core"}
		}
		core := newest(repository, "org/jacoco/org.jacoco.core", ".jar")
		if len(core) == 0 {
			continue
		}
		reader := core[:1]
		for _, part := range []string{"asm", "asm-commons", "asm-tree"} {
			jars := newest(repository, "org/ow2/asm/"+part, ".jar")
			reader = append(reader, jars[:min(len(jars), 1)]...)
		}
		if len(reader) == 4 {
			return &jacocoJars{agents[0], reader, "org.jacoco.core"}
		}
	}
	return nil
}

// Launcher finds the launcher of the JUnit Platform, which surefire adds by itself. platform is
// false if the tests do not use the platform.
func (run *Surefire) Launcher() (jars []string, platform bool) {
	for _, entry := range run.ClassPath {
		base := path.Base(entry)
		if strings.HasPrefix(base, "junit-platform-launcher-") {
			return []string{}, true
		}
		version, ok := strings.CutPrefix(strings.TrimSuffix(base, ".jar"), "junit-platform-engine-")
		if !ok {
			continue
		}
		platform = true
		for _, repository := range run.repositories() {
			at := filepath.Join(repository, "org/junit/platform/junit-platform-launcher", version, "junit-platform-launcher-"+version+".jar")
			if isFile(at) {
				return []string{at}, true
			}
		}
	}
	return nil, platform
}

// newest lists the jars of an artifact in a repository, the newest version first. suffix follows
// the version.
func newest(repository, artifact, suffix string) []string {
	dirs, err := os.ReadDir(filepath.Join(repository, filepath.FromSlash(artifact)))
	if err != nil {
		return nil
	}
	slices.SortFunc(dirs, func(a, b fs.DirEntry) int { return compareVersions(b.Name(), a.Name()) })
	var jars []string
	for _, d := range dirs {
		if at := filepath.Join(repository, filepath.FromSlash(artifact), d.Name(), path.Base(artifact)+"-"+d.Name()+suffix); isFile(at) {
			jars = append(jars, at)
		}
	}
	return jars
}

// compareVersions compares versions by their numbers.
func compareVersions(a, b string) int {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(x), len(y)) {
		m, errM := strconv.Atoi(x[i])
		n, errN := strconv.Atoi(y[i])
		if errM != nil || errN != nil {
			return cmp.Compare(x[i], y[i])
		}
		if m != n {
			return cmp.Compare(m, n)
		}
	}
	return cmp.Compare(len(x), len(y))
}
