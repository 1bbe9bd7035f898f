package testcmd

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"git-agent/agent/source"
)

// commandCures say how to change a command, by its error line; the first match counts.
var commandCures = []struct {
	line   source.Pattern
	advice string
}{
	{source.Lazy(`^Task '`), "name a task that the build has, such as test"},
	{source.Lazy(`^Project '`), "name a project that the build has"},
	{source.Lazy(`Unknown lifecycle phase`), "name a phase that Maven has, such as test"},
	{source.Lazy(`^The task "`), "name a task that mix has, such as test"},
	{source.Lazy(`error TS5058`), "-p must name a tsconfig.json of the tree"},
	{source.Lazy("Unknown option `|Unrecognized option \""), "leave the option out"},
	{source.Lazy(`import statement outside`), "its configuration must translate the file (jest: transform), or package.json must have \"type\": \"module\""},
	{source.Lazy(`['"][@~#]/`), "no package has such a name: its configuration must say what the alias stands for (vitest: resolve.alias; jest: moduleNameMapper)"},
}

// A buildFile is a file without which a tool has nothing to do.
type buildFile struct {
	lacked source.Pattern // matches the error lines of a tool in a directory without it
	names  []string
}

var (
	pomFile     = buildFile{source.Lazy(`there is no POM in this directory|^POM file |in the reactor`), []string{"pom.xml"}}
	gradleFile  = buildFile{source.Lazy(`does not contain a Gradle build|^Task '`), []string{"build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"}}
	mixFile     = buildFile{source.Lazy(`Could not find a Mix\.Project`), []string{"mix.exs"}}
	packageFile = buildFile{source.Lazy(`package\.json|IMPORTER_MANIFEST`), []string{"package.json"}}
)

// noFile matches what Python, Perl, Ruby, PHP, a shell or Node.js says of the file that a command names.
var noFile = source.Lazy(`can't open file '|: cannot open |file or directory -- |Can't open perl script|Could not open input file|^Error: Cannot find module '`)

// commandCure says how to change a command that names what is not there, such as a directory.
func (d directory) commandCure(line string) Cure {
	for _, b := range []buildFile{pomFile, gradleFile, mixFile, packageFile} {
		if b.lacked().MatchString(line) && !d.has(b.names...) {
			return d.projectCure(b)
		}
	}
	for _, c := range commandCures {
		if c.line().MatchString(line) {
			return Cure{Advice: c.advice}
		}
	}
	if noFile().MatchString(line) {
		return Cure{Advice: "this file is not there: name one of the tree, from its top"}
	}
	return Cure{
		Advice: "commands begin at the top of the work tree: let this one begin with cd and a directory of the tree; ignored ones are not copied",
	}
}

// projectCure names the directory with a build file.
func (d directory) projectCure(b buildFile) Cure {
	var found []string
	for dir, names := range d.in {
		if slices.ContainsFunc(b.names, func(name string) bool { return names[name] }) {
			found = append(found, dir)
		}
	}
	if len(found) == 0 {
		return Cure{Advice: "no directory of the tree has a " + b.names[0], Test: ", so name another command with --test"}
	}
	slices.SortFunc(found, func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")), cmp.Compare(a, b))
	})
	if found[0] == "." {
		return Cure{Advice: "it runs in " + d.path + ", and the build file is at the top of the tree"}
	}
	return Cure{Advice: "begin the command with cd " + quote(path.Clean(found[0])) + " &&"}
}
