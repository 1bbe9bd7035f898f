package testcmd

import (
	"cmp"
	"context"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"git-agent/agent/fix"
	"git-agent/agent/fix/testrun/testlog"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// A Cure tells a user how to provide a missing requirement of a command.
type Cure struct {
	// Install is a shell command, for the top of the tree, that installs the requirement; "" if
	// there is none.
	Install string
	// Advice is a clause about other necessary steps; "" if Install is enough.
	Advice string
	// Option is the option that Advice tells to give; "" if it tells of none that only some commands have.
	Option Option
	// Test goes behind Advice, or stands alone: it tells of fix's option for another command. "" if that is no cure.
	Test string
	// Instead is a sentence about another way than Install, "" if there is none.
	Instead string
}

// An Option is an option of fix that other verbs lack.
type Option string

// These are the options that a cure may tell to give.
const (
	Build Option = "--build"
	Setup Option = "--setup"
)

// anotherTest is the Test of a cure beside which another command helps.
const anotherTest = ", or name another command with --test"

// Text returns the steps that fix tells, all but Install.
func (c Cure) Text() string { return c.Advice + c.Test }

// Note returns a cure as a sentence about a command that runs at commits, for a verb that has some of the options and
// no --test; "" if nothing is left. where is the place of Install, such as "at the top of the work tree".
func (c Cure) Note(where string, options ...Option) string {
	switch {
	case c.Install != "":
		return "this gets what is missing, " + where + ": " + c.Install
	case c.Option != "" && !slices.Contains(options, c.Option):
		return ""
	}
	return c.Advice
}

// CureOf returns the cure for the lack of a reproduction, judged by the files of the tree. It
// is the zero Cure if there is no lack.
//
// An error means that the repository could not be read.
func CureOf(ctx context.Context, repo *gitext.Repo, tree fix.Tree, rep fix.Reproduction) (Cure, error) {
	if rep.Lacks == "" && rep.State != fix.Broken {
		return Cure{}, nil
	}
	l, err := newLayout(ctx, repo, tree, "")
	if err != nil {
		return Cure{}, err
	}
	dir, command := ".", rep.Command
	if m := changedTo().FindStringSubmatch(command); m != nil {
		dir, command = path.Clean(strings.Trim(m[1], "'")), m[2]
	}
	d := directory{l, dir}
	c := d.cure(rep, command)
	if c.Install != "" && dir != "." {
		c.Install = "cd " + quote(dir) + " && " + c.Install
	}
	return c, l.err
}

// changedTo matches a command of Propose that first enters another directory.
var changedTo = source.Lazy(`^cd ('[^']+'|[\w./-]+) && (.+)$`)

// cures has the cures that do not depend on the tree or on what exactly is lacking.
var cures = map[fix.Lack]Cure{
	fix.LackNetwork:  {Advice: "--network lets the commands use it"},
	fix.LackStep:     {Advice: "see what the whole output says; an old plugin may need an older JDK, which JAVA_HOME names"},
	fix.LackTests:    {Advice: "name tests that exist"},
	fix.LackScript:   {Test: "name another command with --test"},
	fix.LackGo:       {Install: "go mod download"},
	fix.LackCargo:    {Install: "cargo fetch"},
	fix.LackComposer: {Install: "composer install"},
	fix.LackMix:      {Install: "mix local.hex --force && mix deps.get"},
	fix.LackNuGet:    {Install: "dotnet restore"},
}

// cure returns the cure for a command that runs in the directory.
func (d directory) cure(rep fix.Reproduction, command string) Cure {
	if c, ok := d.cargoCure(rep.Lacks, rep.Lacking); ok {
		return c
	}
	if c, ok := cures[rep.Lacks]; ok {
		return c
	}
	switch rep.Lacks {
	case fix.LackCommand:
		return d.commandCure(rep.Lacking)
	case fix.LackProgram:
		return d.programCure(rep.Lacking, command)
	case fix.LackJDK:
		return d.jdkCure(rep.Command, rep.Lacking)
	case fix.LackTool:
		return toolCure(rep.Lacking)
	case fix.LackCheck:
		if strings.HasPrefix(rep.Lacking, fix.VetFinds) {
			return Cure{Advice: "add -vet=off to go test"}
		}
		return mavenCheckCure(rep.Lacking)
	case fix.LackCoverage:
		return coverageCure(rep.Lacking)
	case fix.LackProcess:
		return processCure(rep.Lacking)
	case fix.LackGoMod:
		return goModCure(rep.Lacking)
	case fix.LackBuilt:
		return d.builtCure(rep.Lacking)
	case fix.LackNode:
		return d.nodeCure(rep.Lacking)
	case fix.LackPython:
		return d.pythonCure(rep.Lacking)
	case fix.LackRuby:
		return d.gemCure(rep.Lacking)
	case fix.LackMaven:
		return Cure{Install: d.mavenInstall(command)}
	case fix.LackGradle:
		program := "gradle"
		if d.has("gradlew") {
			program = d.program("gradlew")
		}
		return Cure{Install: program + " testClasses"}
	}
	return d.brokenCure(rep.How)
}

// rubyLacked matches the file that Ruby does not find: the first name of its path, and the rest.
var rubyLacked = source.Lazy(`cannot load such file -- ([\w.-]+)((?:/[\w.-]+)*)`)

// gemCure returns the cure for a gem that is missing. Without a Gemfile, bundle has nothing to install, and
// most gems have the name of their first file: a/b is of the gem a, or of the gem a-b, which extends it
// (RubyGems' guide, "Name your gem").
func (d directory) gemCure(line string) Cure {
	m := rubyLacked().FindStringSubmatch(line)
	if d.has("Gemfile", "gems.rb") || m == nil {
		return Cure{Install: "bundle install"}
	}
	setup := "--setup=" + quote("gem install "+m[1])
	if m[2] != "" {
		setup += " or --setup=" + quote("gem install "+m[1]+strings.ReplaceAll(m[2], "/", "-"))
	}
	return Cure{Advice: "no Gemfile names its gems: " + setup + " installs the gem, if it is named like its file", Option: Setup}
}

// goLacked matches the package without a module in an error line of go.
var goLacked = source.Lazy(`no required module provides package ([^\s;]+)`)

// withoutGoMod matches what go says where there is no go.mod.
var withoutGoMod = source.Lazy(`cannot find main module|go\.mod file not found|cannot find package "`)

// makesGoMod is the advice for a repository that is older than modules.
const makesGoMod = "go mod init and go mod tidy make a go.mod"

// goModCure returns the cure for incomplete go.mod and go.sum files. They are tracked, so the
// user has to change them.
func goModCure(line string) Cure {
	if m := goLacked().FindStringSubmatch(line); m != nil {
		return Cure{Advice: "go get " + quote(m[1]) + " adds it to go.mod"}
	}
	if strings.Contains(line, "vendoring") {
		return Cure{Advice: "go mod vendor makes them agree"}
	}
	if withoutGoMod().MatchString(line) {
		return Cure{Advice: makesGoMod}
	}
	return Cure{Advice: "go mod tidy completes them"}
}

// nodeInstall returns the command that installs the packages of package.json. In a workspace,
// it installs those of all packages.
func (d directory) nodeInstall() string {
	run, at := d.nodeManager()
	switch {
	case run == "pnpm" && at.has("pnpm-lock.yaml"):
		return "pnpm install --frozen-lockfile"
	case run == "yarn" && at.has("yarn.lock") && at.has(".yarnrc.yml"):
		return "yarn install --immutable"
	case run == "yarn" && at.has("yarn.lock"):
		return "yarn install --frozen-lockfile"
	case run == "bun" && at.has("bun.lock", "bun.lockb"):
		return "bun install --frozen-lockfile"
	case run == "npm" && at.has("package-lock.json", "npm-shrinkwrap.json"):
		return "npm ci"
	}
	return run + " install"
}

// buildCure says how the packages of a project in Node.js are built. What they are built to is
// ignored by git, so that it is not in the scratch work tree.
func (d directory) buildCure() Cure {
	run, at := d.nodeManager()
	build := ""
	switch own, _ := d.manifest(); {
	case at.hasBuildScript():
		build = run + " run build"
		d = at
	case own.Scripts["build"] != "":
		build = run + " run build"
	case run == "pnpm":
		build = "pnpm --recursive run build"
		d = at
	default:
		return Cure{Advice: "--build takes the command that builds it", Option: Build}
	}
	if d.path != "." {
		build = "cd " + quote(d.path) + " && " + build
	}
	return Cure{Advice: "--build=" + quote(build) + " builds it", Option: Build}
}

func (d directory) hasBuildScript() bool {
	m, _ := d.manifest()
	return m.Scripts["build"] != ""
}

// mavenInstall returns the command that downloads Maven's dependencies. Surefire chooses its
// test runner only when it has test classes, so dependency:go-offline does not fetch the
// runner. Therefore this command selects all classes, and no methods. With a wrapper, the command
// also downloads Maven. Where there are modules, it goes on behind one that does not build, as a module that needs the
// jar of another does not before the phase package: what the others need is downloaded, and the test says what is lacking.
func (d directory) mavenInstall(command string) string {
	program := "mvn"
	if strings.Contains(command, "mvnw") && d.has("mvnw") {
		program = d.program("mvnw")
	}
	goOn := ""
	if strings.Contains(d.text("pom.xml"), "<module>") {
		goOn = " -fn"
	}
	return program + " -B" + goOn + " test -Dtest='*#none' -DfailIfNoTests=false -Dsurefire.failIfNoSpecifiedTests=false"
}

// pinned returns the version of pnpm that the project asks for, as "@8.10.2", and "" for others: later
// versions of yarn have another package.
func (d directory) pinned(manager string) string {
	_, at := d.nodeManager()
	m, _ := at.manifest()
	if found := pinnedVersion().FindStringSubmatch(m.PackageManager); found != nil && found[1] == manager && manager == "pnpm" {
		return found[2]
	}
	return ""
}

// pinnedVersion matches a package manager with its version; a hash may follow.
var pinnedVersion = source.Lazy(`^(\w+)(@\d[\w.-]*)(?:\+.*)?$`)

// lackedProgram matches the missing program in an error of a shell, env or make.
var lackedProgram = source.Lazy(`(?:^|: )(?:/usr/bin/env: )?['"‘]?([^\s:'"’]+)['"’]?: (?:command )?(?:not found|No such file or directory)$`)

// programIn returns the missing program that a line of a shell names, or "".
func programIn(line string) string {
	if m := lackedProgram().FindStringSubmatch(line); m != nil {
		return path.Base(m[1])
	}
	return ""
}

// installers are the commands that install the programs which install packages and are not part of a language.
var installers = map[string]string{
	"uv": "python3 -m pip install uv", "poetry": "python3 -m pip install poetry", "pdm": "python3 -m pip install pdm",
	"pipenv": "python3 -m pip install pipenv", "hatch": "python3 -m pip install hatch", "pnpm": "npm install --global pnpm",
	"yarn": "npm install --global yarn", "bun": "npm install --global bun", "bundle": "gem install bundler",
	"meson": "python3 -m pip install meson ninja",
}

// Installer returns the command that installs the program for packages which a command did not find, as its output
// says; "" if it found all, or how to install the program is not known.
func Installer(output []byte) string {
	report := testlog.Read(output)
	return installers[programIn(report.NotThere())]
}

// packageRunners are the programs that run or install the packages of a package.json.
var packageRunners = map[string]bool{"npm": true, "npx": true, "yarn": true, "pnpm": true, "bun": true, "bunx": true}

// programCure returns the cure for a missing program: the packages of a project may contain it.
func (d directory) programCure(line, command string) Cure {
	if c, hidden := hiddenCure(line); hidden {
		return c
	}
	name := programIn(line)
	list, _ := words(command)
	if d.has("package.json") &&
		(d.nodeBrings(name) || len(list) > 0 && packageRunners[list[0].value] && name != "node" && !packageRunners[name]) {
		return Cure{Install: d.nodeInstall()}
	}
	switch name {
	case "node", "npm", "npx":
		return Cure{Advice: "install Node.js, and put it on PATH"}
	case "pnpm", "yarn", "meson", "poetry", "pdm", "pipenv", "hatch", "uv":
		return Cure{Advice: "install it with " + installers[name] + d.pinned(name), Test: anotherTest}
	case "bun", "bunx":
		return Cure{Advice: "install Bun, with " + installers["bun"] + ", and the packages with bun install", Test: ";" + anotherTest[1:]}
	case "pytest", "py.test", "tox", "nose2", "nosetests":
		return d.pythonCure("No module named pytest")
	case "rspec", "rake", "minitest":
		if d.has("Gemfile") {
			return Cure{Install: "bundle install"}
		}
	case "phpunit":
		if d.has("composer.json") {
			return Cure{Install: "composer install"}
		}
	}
	if m := relativePath().FindStringSubmatch(line); m != nil {
		return Cure{Advice: "there is no " + m[1] + "; commands start at the top of the work tree"}
	}
	return Cure{Advice: "install " + cmp.Or(name, "it"), Test: anotherTest}
}

// relativePath matches the path of a missing program that a command names by a directory of the tree.
var relativePath = source.Lazy(`: ((?:\.{1,2}/|[^\s:/'"]+/)[^\s:'"]+)['"]?: (?:not found|No such file or directory)$`)

// nodeBrings reports whether package.json depends on a package with this name.
func (d directory) nodeBrings(name string) bool {
	var m struct {
		Dependencies, DevDependencies, OptionalDependencies, PeerDependencies map[string]string
	}
	if name == "" || json.Unmarshal([]byte(d.text("package.json")), &m) != nil {
		return false
	}
	return cmp.Or(m.Dependencies[name], m.DevDependencies[name], m.OptionalDependencies[name], m.PeerDependencies[name]) != ""
}
