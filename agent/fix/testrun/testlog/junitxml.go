package testlog

import (
	"encoding/xml"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"git-agent/agent/source"
)

// These limits bound the XML reports of a run.
const (
	maxXMLFiles  = 5000
	maxXMLFile   = 32 << 20
	maxXMLVisits = 200_000 // files and directories of the work tree
	maxXMLStack  = 8 << 10 // bytes of the stack of a failed test in an output
	maxXMLStacks = 20
)

// writesXML matches commands of Maven and Gradle, whose plugins write reports in the XML form of
// JUnit.
var writesXML = source.Lazy(`(?:^|[\s;&|(/])(?:mvn|mvnw|mvnd|gradle|gradlew)(?:\s|$)`)

// An xmlCase is a test in an XML report.
type xmlCase struct {
	Class   string     `xml:"classname,attr"`
	Name    string     `xml:"name,attr"`
	Failure *xmlDefect `xml:"failure"`
	Error   *xmlDefect `xml:"error"`
	Skipped *struct{}  `xml:"skipped"`
}

// An xmlDefect says why a test failed. Its text is the stack of the exception.
type xmlDefect struct {
	Message string `xml:"message,attr"`
	Stack   string `xml:",chardata"`
}

// AddXML replaces the names of tests in a report by those of the XML files that a command of Maven
// or Gradle wrote into the directory dir since a time: the output of the command names no passing
// tests, and shortens names and stacks. The report stays as it is if the command is another one, or if
// the files have fewer tests than the output counts. AddXML returns the output, with the stacks
// that it lacks at its end.
func (r *Report) AddXML(command, dir string, since time.Time, output []byte) []byte {
	if !writesXML().MatchString(command) {
		return output
	}
	read := &xmlReports{since: since, reader: newReader()}
	tree, err := os.OpenRoot(dir)
	if err != nil {
		return output
	}
	defer tree.Close()
	read.find(tree)
	got := read.reader.finish()
	if read.late || got.Ran <= 0 || max(got.Ran, read.cases) < r.Ran || len(got.Failing) < len(r.Failing) {
		return output
	}
	places := r.Places
	r.Failing, r.Passing, r.SetUp, r.Ran = got.Failing, got.Passing, got.SetUp, got.Ran
	r.Cut = false
	if r.Places = got.Places; len(got.Places) == 0 {
		r.Places = places
	}
	for _, stack := range read.stacks[:min(len(read.stacks), maxXMLStacks)] {
		if !strings.Contains(string(output), firstFrame(stack.text)) {
			output = append(output, "\n"+stack.test+"\n"+stack.text+"\n"...)
		}
	}
	return output
}

// firstFrame returns the first frame of a Java stack, "" if it has none.
func firstFrame(stack string) string {
	for l := range strings.Lines(stack) {
		if l = strings.TrimSpace(l); strings.HasPrefix(l, "at ") {
			return l
		}
	}
	return ""
}

// xmlReports reads the XML reports of a work tree.
type xmlReports struct {
	*reader
	since  time.Time
	stacks []testStack
	cases  int  // tests that ran; several may have one name, such as those of parameters
	late   bool // the reports are too many, or one is damaged
}

// A testStack is the stack of a failed test.
type testStack struct{ test, text string }

// find reads the reports of surefire, failsafe and Gradle. It follows no links, because the code
// of the repository may have made them.
func (x *xmlReports) find(tree *os.Root) {
	visits, files := 0, 0
	err := fs.WalkDir(tree.FS(), ".", func(p string, d fs.DirEntry, err error) error {
		if visits++; visits > maxXMLVisits || files > maxXMLFiles {
			x.late = true
			return fs.SkipAll
		}
		switch name := path.Base(p); {
		case err != nil && d != nil && d.IsDir():
			return fs.SkipDir
		case err != nil:
			return nil
		case d.IsDir() && (name == "node_modules" || name == "src" || strings.HasPrefix(name, ".") && p != "."):
			return fs.SkipDir
		case !d.Type().IsRegular() || !strings.HasPrefix(name, "TEST-") || path.Ext(name) != ".xml" || !ofTests(p):
			return nil
		}
		if info, err := d.Info(); err == nil && !info.ModTime().Before(x.since) {
			files++
			x.late = x.late || info.Size() > maxXMLFile || x.readFile(tree, p) != nil
		}
		return nil
	})
	x.late = x.late || err != nil
}

// ofTests reports whether a file is in a directory for reports of tests.
func ofTests(p string) bool {
	dir := path.Dir(p)
	return slices.Contains([]string{"surefire-reports", "failsafe-reports"}, path.Base(dir)) || isGradles(p)
}

// isGradles reports whether a report is Gradle's.
func isGradles(p string) bool {
	return strings.HasSuffix(path.Dir(path.Dir(p)), "build/test-results")
}

// readFile reads one report.
func (x *xmlReports) readFile(tree *os.Root, p string) error {
	f, err := tree.Open(p)
	if err != nil {
		return err
	}
	defer f.Close()
	in := xml.NewDecoder(io.LimitReader(f, maxXMLFile))
	for {
		token, err := in.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "testcase" {
			continue
		}
		var c xmlCase
		if err := in.DecodeElement(&c, &start); err != nil {
			return err
		}
		x.takeCase(c, isGradles(p))
	}
}

// takeCase notes one test under the name that its tool prints.
func (x *xmlReports) takeCase(c xmlCase, gradle bool) {
	if c.Skipped != nil {
		return
	}
	x.cases++
	separator := "."
	if gradle {
		separator = " > "
	}
	name := c.Class + separator + c.Name
	whole := c.Name == "" || c.Name == c.Class || c.Name == "initializationError" || c.Name == "classMethod"
	if whole && !gradle {
		name = c.Class
	}
	defect := c.Failure
	if defect == nil {
		defect = c.Error
	}
	if defect == nil {
		x.pass(name)
		return
	}
	x.fail(name)
	if whole {
		x.inSetUp(name)
	}
	j := &jvm{reader: x.reader, class: c.Class, test: clip(name)}
	for l := range strings.Lines(defect.Stack) {
		j.framed(strings.TrimSpace(l))
	}
	if x.stacks = append(x.stacks, testStack{name, source.FirstBytes(defect.Stack, maxXMLStack)}); len(x.stacks) > maxXMLStacks {
		x.stacks = x.stacks[:maxXMLStacks]
	}
}
