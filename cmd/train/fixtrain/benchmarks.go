package fixtrain

import (
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"git-agent/cmd/train/heldout"
)

// A benchmarkCase is a line of a case file that `git agent eval fix` reads.
type benchmarkCase struct {
	ID           string   `json:"id"`
	Repo         string   `json:"repo"`
	Base         string   `json:"base"`
	Fix          string   `json:"fix"`
	TestFiles    []string `json:"test_files"`
	SrcFiles     []string `json:"src_files"`
	TestCmd      string   `json:"test_cmd"`
	SuiteCmd     string   `json:"suite_cmd,omitempty"`
	FailingTests []string `json:"failing_tests,omitempty"`
	BugReport    string   `json:"bug_report,omitempty"`
	Lang         string   `json:"lang"`
}

// benchmark makes the cases of a published benchmark from its own metadata: BugsInPy
// (soarsmu/BugsInPy) or Defects4J (rjust/defects4j), which is checked out in a folder.
func benchmark(args []string, projectCases func(fs.FS, string) ([]benchmarkCase, error)) error {
	flags := flag.NewFlagSet("benchmark", flag.ContinueOnError)
	from := flags.String("from", ".", "the checkout of the benchmark")
	if err := flags.Parse(args); err != nil {
		return err
	}
	tree := os.DirFS(*from)
	for _, project := range flags.Args() {
		cases, err := projectCases(tree, project)
		if err != nil {
			return fmt.Errorf("%s: %w", project, err)
		}
		enc := json.NewEncoder(os.Stdout)
		enc.SetEscapeHTML(false)
		for _, c := range cases {
			if err := enc.Encode(c); err != nil {
				return err
			}
		}
		if len(cases) > 0 && heldout.Out("fix", cases[0].Repo) {
			fmt.Fprintf(os.Stderr, "%s is held out: measure on it, and tune nothing with it\n", cases[0].Repo)
		}
	}
	return nil
}

var (
	infoLine  = regexp.MustCompile(`(?m)^\s*(\w+)\s*=\s*"([^"]*)"`)
	patchFile = regexp.MustCompile(`(?m)^diff --git a/(\S+) b/`)
)

// info reads the values of a file with lines like name="value".
func info(tree fs.FS, name string) (map[string]string, error) {
	text, err := fs.ReadFile(tree, name)
	if err != nil {
		return nil, err
	}
	values := map[string]string{}
	for _, m := range infoLine.FindAllStringSubmatch(string(text), -1) {
		values[m[1]] = strings.TrimSpace(m[2])
	}
	return values, nil
}

// bugsInPy returns the cases of a project of BugsInPy. The commands need the packages of the
// bug's requirements.txt.
func bugsInPy(tree fs.FS, project string) ([]benchmarkCase, error) {
	home := path.Join("projects", project)
	about, err := info(tree, path.Join(home, "project.info"))
	if err != nil {
		return nil, err
	}
	repo := strings.TrimSuffix(strings.TrimPrefix(about["github_url"], "https://github.com/"), "/")
	bugs, err := fs.ReadDir(tree, path.Join(home, "bugs"))
	if err != nil {
		return nil, err
	}
	var list []benchmarkCase
	for _, b := range bugs {
		dir := path.Join(home, "bugs", b.Name())
		bug, err := info(tree, path.Join(dir, "bug.info"))
		if err != nil {
			return nil, err
		}
		patch, err := fs.ReadFile(tree, path.Join(dir, "bug_patch.txt"))
		if err != nil {
			return nil, err
		}
		commands, err := fs.ReadFile(tree, path.Join(dir, "run_test.sh"))
		if err != nil {
			return nil, err
		}
		c := benchmarkCase{ID: project + "-" + b.Name(), Repo: repo, Base: bug["buggy_commit_id"], Fix: bug["fixed_commit_id"], Lang: "python"}
		c.TestFiles = strings.FieldsFunc(bug["test_file"], func(r rune) bool { return r == ';' || r == ' ' })
		for _, m := range patchFile.FindAllStringSubmatch(string(patch), -1) {
			c.SrcFiles = append(c.SrcFiles, m[1])
		}
		var lines []string
		for l := range strings.Lines(string(commands)) {
			if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "#") {
				lines = append(lines, l)
			}
		}
		c.TestCmd = strings.Join(lines, " && ")
		list = append(list, c)
	}
	slices.SortFunc(list, byNumber)
	return list, nil
}

// byNumber orders cases by the number at the end of their ids.
func byNumber(a, b benchmarkCase) int { return numberOf(a.ID) - numberOf(b.ID) }

func numberOf(id string) int {
	n, _ := strconv.Atoi(id[strings.LastIndexByte(id, '-')+1:])
	return n
}

// defects4JRepos maps the projects of Defects4J that have a git repository to its name on GitHub.
// Chart's commits are of Subversion.
var defects4JRepos = map[string]string{
	"Cli": "apache/commons-cli", "Closure": "google/closure-compiler", "Codec": "apache/commons-codec", "Collections": "apache/commons-collections",
	"Compress": "apache/commons-compress", "Csv": "apache/commons-csv", "Gson": "google/gson", "JacksonCore": "FasterXML/jackson-core",
	"JacksonDatabind": "FasterXML/jackson-databind", "JacksonXml": "FasterXML/jackson-dataformat-xml", "Jsoup": "jhy/jsoup",
	"JxPath": "apache/commons-jxpath", "Lang": "apache/commons-lang", "Math": "apache/commons-math", "Mockito": "mockito/mockito", "Time": "JodaOrg/joda-time",
}

var trigger = regexp.MustCompile(`(?m)^--- ([\w.$]+)(?:::(\w+))?`)

// defects4J returns the cases of a project of Defects4J, whose tests Maven runs. They need the JDK
// of their time, and the artifacts that one run with the network brings.
func defects4J(tree fs.FS, project string) ([]benchmarkCase, error) {
	repo, ok := defects4JRepos[project]
	if !ok {
		return nil, fmt.Errorf("Defects4J has no project %s with a git repository", project) //nolint:staticcheck // a name
	}
	home := path.Join("framework/projects", project)
	layout, err := layouts(tree, path.Join(home, "dir-layout.csv"))
	if err != nil {
		return nil, err
	}
	bugs, err := table(tree, path.Join(home, "active-bugs.csv"))
	if err != nil {
		return nil, err
	}
	var list []benchmarkCase
	for _, b := range bugs[1:] {
		dirs, known := layout[b[2]]
		if !known {
			dirs = [2]string{"src/main/java", "src/test/java"}
		}
		classes, err := fs.ReadFile(tree, path.Join(home, "modified_classes", b[0]+".src"))
		if err != nil {
			return nil, err
		}
		tests, err := fs.ReadFile(tree, path.Join(home, "trigger_tests", b[0]))
		if err != nil {
			return nil, err
		}
		c := benchmarkCase{ID: project + "-" + b[0], Repo: repo, Base: b[1], Fix: b[2], Lang: "java"}
		for _, class := range strings.Fields(string(classes)) {
			c.SrcFiles = append(c.SrcFiles, classFile(dirs[0], class))
		}
		c.addTriggers(string(tests), dirs[1])
		list = append(list, c)
	}
	return list, nil
}

// addTriggers adds the failing tests, their files and the command that runs them.
func (c *benchmarkCase) addTriggers(text, dir string) {
	methods := map[string][]string{}
	var classes []string
	for _, m := range trigger.FindAllStringSubmatch(text, -1) {
		if methods[m[1]] == nil {
			classes = append(classes, m[1])
			c.TestFiles = append(c.TestFiles, classFile(dir, m[1]))
		}
		methods[m[1]] = append(methods[m[1]], m[2])
		if m[2] != "" {
			c.FailingTests = append(c.FailingTests, m[1]+"."+m[2])
		}
	}
	var chosen []string
	for _, class := range classes {
		if slices.Contains(methods[class], "") {
			chosen = append(chosen, class)
		} else {
			chosen = append(chosen, class+"#"+strings.Join(methods[class], "+"))
		}
	}
	maven := "mvn -B -o test -Drat.skip -DfailIfNoTests=false -Dsurefire.failIfNoSpecifiedTests=false -Dtest="
	c.TestCmd = maven + "'" + strings.Join(chosen, ",") + "'"
	c.SuiteCmd = maven + "'" + strings.Join(classes, ",") + "'"
}

// classFile returns the file of a class.
func classFile(dir, class string) string {
	outer, _, _ := strings.Cut(class, "$")
	return path.Join(dir, strings.ReplaceAll(outer, ".", "/")+".java")
}

// layouts reads the folders of sources and tests by revision; a project without the file has
// those of Maven.
func layouts(tree fs.FS, name string) (map[string][2]string, error) {
	if _, err := fs.Stat(tree, name); err != nil {
		return nil, nil
	}
	rows, err := table(tree, name)
	if err != nil {
		return nil, err
	}
	dirs := map[string][2]string{}
	for _, r := range rows {
		if len(r) >= 3 {
			dirs[r[0]] = [2]string{r[1], r[2]}
		}
	}
	return dirs, nil
}

// table reads a file of comma-separated values with at least one row.
func table(tree fs.FS, name string) ([][]string, error) {
	f, err := tree.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := csv.NewReader(f)
	in.FieldsPerRecord = -1
	rows, err := in.ReadAll()
	if err == nil && len(rows) == 0 {
		err = fmt.Errorf("%s is empty", name)
	}
	return rows, err
}
