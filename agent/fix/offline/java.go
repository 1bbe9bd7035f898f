package offline

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"git-agent/agent/fix/coverage"
	"git-agent/agent/source"
	"git-agent/agent/trial"
)

// javaProcess tries candidates for Java in one process, which compiles each of them in memory and
// loads the project's classes anew. Maven runs once, to build the tree and to report the class
// path. A candidate that the compiler refuses costs no test.
type javaProcess struct{}

//go:embed inject/java
var javaPrograms embed.FS

// mavenCommand matches commands that run tests by Maven, whose reports name the class path.
var mavenCommand = source.Lazy(`(^|[\s;&|(/])(mvn|mvnw|mvnd)\b`)

// javaTests is what the candidates of a search share.
type javaTests struct {
	mu       sync.Mutex
	made     bool
	surefire *coverage.Surefire // nil if candidates cannot share a process
	tree     string             // the work tree of the reports
	dir      string             // compiled programs, and the classes of the project
	library  []string           // the jars of the class path
	classes  []string           // the directories of the class path, copied
}

func (javaProcess) takes(s *search, file string) bool {
	return path.Ext(file) == ".java" && mavenCommand().MatchString(s.in.Problem.Test)
}

func (javaProcess) group(string) string     { return "" }
func (javaProcess) leads() bool             { return true }
func (javaProcess) suites() bool            { return false }
func (javaProcess) name(test string) string { return coverage.JavaMethod(test) }

// run runs the failing tests with each variant. Classes of other files are not compiled again, so
// a variant that changes a constant may be missed.
func (javaProcess) run(ctx context.Context, s *screen, variants map[int]variant) (map[int][]screened, map[int]bool, error) {
	tests, err := s.javaTests(ctx)
	if err != nil || tests == nil {
		return nil, nil, err
	}
	dir, err := s.writeVariants("java-variants", variants)
	if err != nil {
		return nil, nil, err
	}
	limit := min(max(screenSlower*s.baseline.took, leastScreen), screenLimit)
	settings := filepath.Join(dir, "settings")
	if err := os.WriteFile(settings, s.javaSettings(tests, dir, variants, limit), 0o600); err != nil {
		return nil, nil, fmt.Errorf("write the variants: %w", err)
	}
	if err := s.w.Prepare(ctx, s.in.Problem.Tree.Commit, s.in.Problem.Tree.Over); err != nil {
		return nil, nil, err
	}
	res, err := s.exec(ctx, tests.command(s.w.Dir(), settings, s.begun), trial.ExecOptions{
		Timeout: 2*screenMost + s.baseline.limit + 10*limit, MaxOutput: 2 * screenOutput * (len(variants) + 2),
		Writable: []string{dir}, Readable: []string{tests.dir},
	})
	if err != nil {
		return nil, nil, err
	}
	return readScreened(res.Output, true), readRejected(res.Output), nil
}

// javaTests runs Maven once, copies the compiled classes, and compiles the program that runs the
// variants. It returns nil if that is not possible.
func (s *screen) javaTests(ctx context.Context) (*javaTests, error) {
	j := &s.java
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.made {
		if j.surefire == nil {
			return nil, nil
		}
		return j, nil
	}
	run, err := s.built(ctx)
	if err != nil {
		return nil, err
	}
	j.made = true
	if run == nil {
		return nil, nil
	}
	if ok, err := s.compileJava(ctx, j, run); err != nil || !ok {
		return nil, err
	}
	j.surefire, j.tree = run, s.w.Dir()
	return j, nil
}

// built reads the reports of the failing tests in a work tree that Maven has built. The runs that
// measured the tests may have left them in the first workspace, before any candidate was tried.
func (s *screen) built(ctx context.Context) (*coverage.Surefire, error) {
	if err := s.w.Prepare(ctx, s.in.Problem.Tree.Commit, s.in.Problem.Tree.Over); err != nil {
		return nil, err
	}
	s.mu.Lock()
	fresh := !s.touched
	s.mu.Unlock()
	if fresh {
		if run := coverage.ReadSurefire(s.w.Dir(), s.baseline.failing, nil); run != nil {
			return run, nil
		}
	}
	res, err := s.w.Exec(ctx, s.in.Problem.Test, trial.ExecOptions{Timeout: s.baseline.limit, MaxOutput: maxOutput, Maven: coverage.TellClassPath})
	if err != nil || res.Outcome != trial.Fails {
		return nil, err
	}
	return coverage.ReadSurefire(s.w.Dir(), s.baseline.failing, res.Output), nil
}

// compileJava makes the directory of the programs and classes; it reports false if they cannot be
// compiled.
func (s *screen) compileJava(ctx context.Context, j *javaTests, run *coverage.Surefire) (ok bool, err error) {
	if j.dir, err = s.w.Folder("java"); err != nil {
		return false, err
	}
	launcher, platform := run.Launcher()
	if platform && launcher == nil {
		return false, nil
	}
	kind := "junit4"
	if platform {
		kind = "platform"
	}
	var files, copies []string
	for _, name := range []string{"Variants.java", "Report.java", kind + "/Tests.java"} {
		text, err := javaPrograms.ReadFile("inject/java/" + name)
		if err != nil {
			return false, err
		}
		file := filepath.Join(j.dir, path.Base(name))
		if err := os.WriteFile(file, text, 0o600); err != nil {
			return false, fmt.Errorf("write a program: %w", err)
		}
		files = append(files, quoted(file))
	}
	for _, entry := range slices.Concat(run.ClassPath, launcher) {
		switch info, err := os.Stat(entry); {
		case err == nil && info.IsDir():
			to := filepath.Join(j.dir, "classes-"+strconv.Itoa(len(j.classes)))
			copies = append(copies, "cp -R "+quoted(entry)+" "+quoted(to))
			j.classes = append(j.classes, to)
		case strings.HasSuffix(entry, ".jar"):
			j.library = append(j.library, entry)
		}
	}
	if len(copies) == 0 {
		return false, nil
	}
	compile := strings.Join(slices.Concat(copies, []string{
		quoted(run.Program("javac")) + " -nowarn -proc:none -d " + quoted(j.dir) + " -cp " + quoted(strings.Join(j.library, ":")) + " " + strings.Join(files, " "),
	}), " && ")
	res, err := s.w.Exec(ctx, compile, trial.ExecOptions{Timeout: buildLimit, MaxOutput: screenOutput, Writable: []string{j.dir}})
	return res.Outcome == trial.Passes, err
}

// javaSettings returns the settings of the program that runs the variants.
func (s *screen) javaSettings(j *javaTests, dir string, variants map[int]variant, limit time.Duration) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "variants\t%s\nnumbers\t%s\nseconds\t%d\nbytes\t%d\nmark\t%s\n",
		dir, strings.Join(numbersOf(variants), " "), int(math.Ceil(limit.Seconds())), screenOutput, mark)
	for _, at := range j.classes {
		fmt.Fprintf(&b, "classes\t%s\n", at)
	}
	for _, at := range j.library {
		fmt.Fprintf(&b, "library\t%s\n", at)
	}
	for _, p := range j.surefire.Properties {
		fmt.Fprintf(&b, "property\t%s\t%s\n", p[0], strings.ReplaceAll(p[1], j.tree, s.w.Dir()))
	}
	for _, t := range s.baseline.failing {
		name := coverage.JavaMethod(t)
		class, method := name, ""
		if i := strings.LastIndexByte(name, '.'); i > 0 && !slices.Contains(j.surefire.Classes, name) {
			class, method = name[:i], name[i+1:]
		}
		fmt.Fprintf(&b, "test\t%s\t%s\n", class, method)
	}
	return b.Bytes()
}

// opened are packages of Java that libraries of tests look into.
var opened = strings.Fields("lang lang.reflect util text io net time")

// command returns the command that runs the variants in the module's directory of a work tree. The
// program ends when a test does not.
func (j *javaTests) command(tree, settings string, begun time.Time) string {
	start := []string{quoted(j.surefire.Program("java")), "-ea", "-Xss4m -XX:+IgnoreUnrecognizedVMOptions -XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
	for _, name := range opened {
		start = append(start, "--add-opens=java.base/java."+name+"=ALL-UNNAMED")
	}
	start = append(start, "-cp", quoted(strings.Join(slices.Concat([]string{j.dir}, j.library), ":")), "Variants", quoted(settings),
		seconds(screenTime), seconds(screenMost), strconv.FormatInt(begun.Unix(), 10))
	return "cd " + quoted(filepath.Join(tree, filepath.FromSlash(j.surefire.Module))) + " && " + repeated(filepath.Dir(settings), strings.Join(start, " "))
}
