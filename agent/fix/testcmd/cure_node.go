package testcmd

import (
	"path"
	"regexp"

	"git-agent/agent/source"
)

var (
	// nodeLacked matches the name of a package in an error line about a package of Node.js, which may
	// name a file of it.
	nodeLacked = source.Lazy(`(?:Cannot find (?:module|package|dependency) |Failed to resolve import |The package |Test environment |Module |Preset |npm i --save-dev )` +
		`['"]?(?:node_modules/)?((?:@[\w.-]+/)?\w[\w.-]*)`)
	typesLacked = source.Lazy(`type definition file for '([\w.-]+)'`)
)

// nodeLocks are the lock files whose names of packages can be read. They also name the packages that other
// packages need.
var nodeLocks = []string{"package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock"}

// nodeAdds are the commands that add a package to a package.json.
var nodeAdds = map[string]string{"npm": "npm install --save-dev ", "pnpm": "pnpm add --save-dev ", "yarn": "yarn add --dev ", "bun": "bun add --dev "}

// nodeCure returns the cure for packages that are not installed: it installs what package.json names, or
// says which package it does not name.
func (d directory) nodeCure(line string) Cure {
	if !d.within("package.json") {
		return d.projectCure(packageFile)
	}
	name := ""
	if m := nodeLacked().FindStringSubmatch(line); m != nil {
		name = m[1]
	} else if m := typesLacked().FindStringSubmatch(line); m != nil {
		name = "@types/" + m[1]
	}
	if c, ok := d.siblingCure(name); ok {
		return c
	}
	if name == "" || d.namesPackage(name) {
		return Cure{Install: d.nodeInstall()}
	}
	run, _ := d.nodeManager()
	return Cure{Advice: "package.json does not name it: " + nodeAdds[run] + name + " adds it"}
}

// unbuilt matches a file that Node.js does not find, in an error line.
var unbuilt = source.Lazy(`Cannot find module '([^']+)' imported from `)

// builtCure returns the cure for a file that is not there: a build makes it, unless the commit has other files
// of its directory.
func (d directory) builtCure(line string) Cure {
	m := unbuilt().FindStringSubmatch(line)
	if m == nil {
		return d.buildCure()
	}
	for _, ext := range []string{".js", ".cjs", ".mjs"} {
		if _, ok := d.modes[m[1]+ext]; ok {
			return Cure{Advice: "there is " + m[1] + ext + ": this version of the tool wants the name with its ending"}
		}
	}
	if at := path.Dir(m[1]); at != "." && len(d.in[at]) > 0 {
		return Cure{Advice: "the other files of " + at + " are there: add this one", Test: anotherTest}
	}
	return d.buildCure()
}

// within reports whether the directory or one around it has the file.
func (d directory) within(name string) bool {
	for at, ok := d, true; ok; at, ok = at.up() {
		if at.has(name) {
			return true
		}
	}
	return false
}

// namesPackage reports whether a package.json or a lock file of the directory, or of one around it, names a
// package. A lock file that is too large to be read is supposed to.
func (d directory) namesPackage(name string) bool {
	names := regexp.MustCompile(`(?m)(?:^|["' /])` + regexp.QuoteMeta(name) + `(?:["'@/:]|$)`)
	for at, ok := d, true; ok; at, ok = at.up() {
		if at.nodeBrings(name) {
			return true
		}
		for _, lock := range nodeLocks {
			if text := at.text(lock); at.has(lock) && (text == "" || names.MatchString(text)) {
				return true
			}
		}
	}
	return false
}

// toolCures say which version of a tool helps, by its error line; the first match counts.
var toolCures = []struct {
	line   source.Pattern
	advice string
}{
	{source.Lazy(`Unknown file extension "\.ts"`), "Node.js reads TypeScript since 22.18; node --import tsx does in older ones, with the package tsx"},
	{source.Lazy(`defines "packageManager": "yarn@`), "corepack enable lets yarn be the version that package.json names; npm install --global corepack brings it"},
	{source.Lazy(`Unknown (?:JVM target|language) version`), "use a Kotlin that knows the version, or name one that this Kotlin supports"},
	{
		source.Lazy(`Fatal Python error: init`),
		"Python does not start in the sandbox: a virtual environment must be .venv at the top, the one that VIRTUAL_ENV names, or one whose bin is on PATH",
	},
	{source.Lazy(`PluginValidationError`), "its conftest.py was written for an older pytest"},
	{source.Lazy(`error TS`), "use a version of typescript that knows the option, or leave the option out"},
}

// toolCure returns the cure for a tool of another version.
func toolCure(line string) Cure {
	for _, c := range toolCures {
		if c.line().MatchString(line) {
			return Cure{Advice: c.advice}
		}
	}
	return Cure{Advice: "install the version that it asks for, and put it first on PATH"}
}
