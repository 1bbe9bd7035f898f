package testlog

import (
	"strings"

	"git-agent/agent/fix"
	"git-agent/agent/source"
)

// A sign is a text in an error line about a lack of a command.
type sign struct {
	what fix.Lack
	has  string         // occurs in the line
	says source.Pattern // must match the line, too; nil if has is enough
}

// signs are tried in order, and the first counts. Each has a sample in lack_test.go, or in testdata/broken of
// testcmd.
var signs = []sign{
	{fix.LackCommand, "cd: ", source.Lazy(`^(?:\S*/)?(?:sh|bash|dash|zsh|ksh)(?:: line \d+|: \d+|\[\d+\])?: cd: (?:can't cd to |\S.*: No such file or directory$)`)},
	{fix.LackCommand, "can't open file '", source.Lazy(`^\S*python[\d.]*: can't open file '`)},
	{fix.LackCommand, ": cannot open ", source.Lazy(`^(?:\S*/)?(?:sh|dash|ash): \d+: cannot open \S+: No such file$`)},
	{fix.LackCommand, "No such file or directory -- ", source.Lazy(`^\S*ruby[\d.]*: No such file or directory -- `)},
	{fix.LackCommand, "Can't open perl script \"", nil},
	{fix.LackCommand, "Could not open input file: ", source.Lazy(`^Could not open input file: \S+\.php$`)},

	{fix.LackGoMod, "missing go.sum entry", nil},
	{fix.LackGoMod, "no required module provides package ", nil},
	{fix.LackGoMod, "go: updates to go.", source.Lazy(`^go: updates to go\.(?:mod|sum) needed`)},
	{fix.LackGoMod, "go: inconsistent vendoring", nil},
	{fix.LackGoMod, "go: cannot find main module", nil},
	{fix.LackGoMod, "go: go.mod file not found in ", nil},
	{fix.LackGoMod, "cannot find package \"", source.Lazy(`cannot find package "[^"/]+\.[^"]*" in any of:`)}, // of GOPATH
	{fix.LackTool, "toolchain not available", source.Lazy(`^go: `)},
	{fix.LackTool, "requires go >= ", source.Lazy(`^go: `)},
	{fix.LackGo, ": reading http", source.Lazy(`: reading https?://\S+: \d{3} \w`)}, // what a proxy of modules answers
	{fix.LackGo, "module lookup disabled by GOPROXY", nil},
	{fix.LackGo, "cannot find module providing package ", nil},
	{fix.LackGo, "dial tcp: lookup ", source.Lazy(`/@v/|\S@v\d|^go: `)},
	{fix.LackGo, "/cache/download/", source.Lazy(`: (?:read-only file system|permission denied)$`)},

	{fix.LackJDK, "JAVA_HOME", source.Lazy(`^(?:The |ERROR: |Error: )?JAVA_HOME .*(?:not defined|is set to an invalid directory|not set)`)},
	{fix.LackJDK, "has been compiled by a more recent version of the Java Runtime", nil},
	{fix.LackJDK, "Unsupported class file major version", nil},
	{fix.LackJDK, "UnsupportedClassVersionError", nil},
	{fix.LackJDK, "release version ", source.Lazy(`release version \S+ not supported`)},
	{fix.LackJDK, "invalid ", source.Lazy(`invalid (?:target|source) release: `)},
	{fix.LackJDK, " is no longer supported. Use ", source.Lazy(`(?:Source|Target) option `)},
	{fix.LackJDK, "No compiler is provided in this environment", nil},
	{fix.LackJDK, "tools.jar not found", nil},
	{fix.LackJDK, "RequireJavaVersion failed", nil},
	{fix.LackJDK, "Detected JDK ", source.Lazy(`is not in the allowed range`)},
	{fix.LackJDK, "Gradle requires JVM ", nil},
	{fix.LackJDK, "No matching toolchain", nil},

	{fix.LackTool, "EBADENGINE", source.Lazy(`^npm (?:error|ERR!) code `)},
	{fix.LackTool, "engine \"node\" is incompatible", nil},
	{fix.LackTool, "ERR_PNPM_UNSUPPORTED_ENGINE", nil},
	{fix.LackTool, "RequireMavenVersion failed", nil},
	{fix.LackTool, "Detected Maven Version: ", source.Lazy(`is not in the allowed range`)},
	{fix.LackTool, "requires Maven version", nil},
	{fix.LackTool, "Your Ruby version is ", nil},
	{fix.LackTool, "requires a different Python: ", nil},
	{fix.LackTool, "Fatal Python error: init", nil}, // it does not start

	{fix.LackPython, "No module named ", source.Lazy(`(?:^\S*python[\d.]*|(?:ModuleNotFound|Import)Error): No module named `)},
	{fix.LackPython, "PackageNotFoundError: ", nil},
	{fix.LackPython, "No matching distribution found for ", nil},
	{fix.LackPython, "Could not find a version that satisfies the requirement", nil},
	{fix.LackPython, "error: unrecognized arguments: ", source.Lazy(`(?:pytest|__main__)\S*: error: .* --?\w`)},
	{fix.LackPython, "Missing required plugins: ", nil},

	{fix.LackTool, "ERR_PNPM_BAD_PM_VERSION", nil},
	{fix.LackTool, "This project's package.json defines \"packageManager\": ", nil}, // yarn 1
	{fix.LackTool, "does not provide an export named ", source.Lazy(`module '(?:node:)?(?:util|fs|module|url|path|process|test|worker_threads|fs/promises)'`)},
	{fix.LackTool, "Unknown file extension \".ts\"", nil},
	{fix.LackTool, "error TS", source.Lazy(`error TS(?:5023: Unknown compiler option|6046: Argument for '--)`)},
	{fix.LackTool, "PluginValidationError: Plugin ", source.Lazy(`^pluggy\S*: Plugin .*conftest\.py' for hook `)}, // of pytest
	{fix.LackTool, "Unknown ", source.Lazy(`Unknown (?:JVM target|language) version: `)},                          // Kotlin

	{fix.LackCommand, "error TS5058: ", nil},
	{fix.LackCommand, "Unknown option `", source.Lazy("^CACError: ")},                    // vitest
	{fix.LackCommand, "Unrecognized option \"", source.Lazy(`^  Unrecognized option "`)}, // jest
	{fix.LackCommand, "Cannot use import statement outside a module", nil},
	{fix.LackCommand, "Cannot find ", source.Lazy(`Cannot find (?:module|package) '[@~#]/`)}, // no package has such a name
	{fix.LackCommand, "Failed to resolve import \"", source.Lazy(`import "[@~#]/`)},

	{fix.LackBuilt, "Failed to resolve entry for package ", nil},
	{fix.LackBuilt, "Please verify that the package.json has a valid", nil},
	{fix.LackNode, "Cannot find module 'node_modules/", nil},
	{fix.LackBuilt, "Cannot find ", source.Lazy(`Cannot find (?:module|package) '[^']*/(?:dist|build|out)/[^']*'`)},
	{fix.LackBuilt, "[ERR_MODULE_NOT_FOUND]: Cannot find module '", source.Lazy(`module '[^./'][^']*' imported from `)}, // Node.js calls a package one
	{fix.LackNode, "Failed to resolve import ", source.Lazy(`import "[^./][^"]*" from `)},
	{fix.LackNode, "Cannot find ", source.Lazy(`Cannot find (?:module|package) '[^./][^']*'`)},
	{fix.LackNode, "Command \"", source.Lazy(`(?:ERR_PNPM_RECURSIVE_EXEC_FIRST_FAIL\S* +|^error |^ *× )Command ".*" not found`)},
	{fix.LackNode, "Couldn't find a script named ", nil}, // yarn, of a program too
	{fix.LackNode, "doesn't seem to have been installed", nil},
	{fix.LackNode, "present in your lockfile; run \"yarn install\"", nil},
	{fix.LackNode, "error: could not find package.json ", nil}, // bunx
	{fix.LackCommand, "No package.json was found in ", nil},
	{fix.LackCommand, "ERR_PNPM_NO_IMPORTER_MANIFEST_FOUND", nil},
	{fix.LackCommand, "Could not read package.json", nil},
	{fix.LackScript, "Missing script: ", nil},
	{fix.LackScript, "ERR_PNPM_NO_SCRIPT", nil},
	{fix.LackNode, "npm ", source.Lazy(`^npm (?:error|ERR!) (?:network |code E(?:NOTFOUND|AI_AGAIN|CONNREFUSED|NOTCACHED))`)},
	{fix.LackNode, "error An unexpected error occurred: ", source.Lazy(`getaddrinfo|ECONN`)}, // yarn
	{fix.LackNode, "node_modules missing", nil},
	{fix.LackNode, "Couldn't find the node_modules state file", nil},
	{fix.LackNode, "npx canceled due to missing packages", nil},
	{fix.LackNode, "could not determine executable to run", nil},
	{fix.LackNode, "Cannot find type definition file for '", nil},
	{fix.LackNode, "Do you need to install type definitions for ", nil},
	{fix.LackNode, "Cannot find dependency '", nil},
	{fix.LackNode, "could not be found, and is needed by esbuild", nil},
	{fix.LackNode, "Test environment ", source.Lazy(`Test environment \S+ cannot be found`)},
	{fix.LackNode, "Module ", source.Lazy(`Module [^<./]\S* in the \w+ option was not found`)},
	{fix.LackNode, "Preset ", source.Lazy(`Preset .* not found`)},

	{fix.LackRuby, "Could not find ", source.Lazy(`Could not find (?:gem |.* in (?:any of the sources|locally installed gems|cached gems))`)},
	{fix.LackRuby, "cannot load such file -- ", source.Lazy(`cannot load such file -- [^/.]`)},
	{fix.LackRuby, "bundler: command not found: ", nil},
	{fix.LackRuby, "Could not reach host ", source.Lazy(`Check your network`)},

	{fix.LackGradle, "Could not resolve all ", nil},
	{fix.LackGradle, "Could not resolve ", source.Lazy(`^> Could not resolve `)},
	{fix.LackGradle, "No cached version of ", nil},
	{fix.LackGradle, "Plugin [id: ", source.Lazy(`was not found in any of the following sources`)},
	{fix.LackGradle, "Downloading https://", source.Lazy(`/gradle-\S+\.zip$`)},

	{fix.LackMaven, "Could not resolve dependencies for project", nil},
	{fix.LackMaven, "in offline mode and the artifact ", nil},
	{fix.LackMaven, "one of its dependencies could not be resolved", nil},
	{fix.LackMaven, "Non-resolvable ", source.Lazy(`Non-resolvable (?:parent|import) POM`)},
	{fix.LackMaven, "Could not ", source.Lazy(`Could not (?:transfer|find) artifact `)},
	{fix.LackMaven, "NotFoundException: Missing", nil},
	{fix.LackMaven, "No plugin found for prefix ", nil},
	{fix.LackMaven, "Error resolving version for plugin ", nil},
	{fix.LackMaven, "Failed to read artifact descriptor for ", nil},
	{fix.LackMaven, "Could not find or load main class org.", source.Lazy(`org\.(?:apache\.maven\.wrapper|codehaus\.plexus\.classworlds)`)},

	{fix.LackCommand, "there is no POM in this directory", nil},
	{fix.LackCommand, "POM file ", source.Lazy(`POM file \S+ specified with the -f/--file .* does not exist`)},
	{fix.LackCommand, "Could not find the selected project in the reactor", nil},
	{fix.LackCommand, "does not contain a Gradle build", nil},
	{fix.LackCommand, "Unknown lifecycle phase \"", nil},
	{fix.LackCommand, "Project '", source.Lazy(`^Project '\S+' not found in root project`)},
	{fix.LackCommand, "Task '", source.Lazy(`^Task '\S+' not found in `)},
	{fix.LackTests, "No tests ", source.Lazy(`No tests (?:matching pattern .* )?were executed!|No tests found for given includes`)},
	{fix.LackTests, "Could not find '", source.Lazy(`^Could not find '[^']+\.[cm]?[jt]sx?'$`)}, // node --test
	{fix.LackProcess, "TestEngine with ID '", source.Lazy(`failed to discover tests`)},
	{fix.LackProcess, "Unrecognized ", source.Lazy(`^Unrecognized (?:VM )?option:? `)},
	{fix.LackProcess, "Could not reserve enough space for ", source.Lazy(`object heap`)},
	{fix.LackProcess, "he forked VM terminated without ", nil},
	{fix.LackProcess, "Process 'Gradle Test Executor", source.Lazy(`finished with non-zero exit value`)},
	{fix.LackCoverage, "Failed to execute goal ", source.Lazy(`:jacoco-maven-plugin:\S*:check(?:@| )`)},
	{fix.LackCheck, "Failed to execute goal ", checkPlugin},
	{fix.LackCoverage, " coverage threshold for ", source.Lazy(`^Jest: .* not met: `)},
	{fix.LackCoverage, "Coverage for ", source.Lazy(`^ERROR: Coverage for \w+ \(\S+%\) does not meet `)}, // vitest, nyc and c8
	{fix.LackCoverage, "Required test coverage of ", source.Lazy(`^(?:FAIL |ERROR: )?Required test coverage of \S+ not reached`)},
	{fix.LackCoverage, "Coverage failure: total of ", nil}, // pytest-cov, or coverage report

	{fix.LackComposer, "vendor/autoload", source.Lazy(`Failed opening required|Failed to open stream|No such file`)},
	{fix.LackComposer, "You need to set up the project dependencies", nil},
	{fix.LackComposer, " could not be fully loaded (curl error ", nil},
	{fix.LackTool, "(Mix) You're trying to run ", nil},
	{fix.LackMix, "Could not find Hex, which is needed to build dependency ", nil},
	{fix.LackMix, "Could not find an SCM for dependency ", nil},
	{fix.LackMix, "Unchecked dependencies for environment ", nil},
	{fix.LackMix, "Can't continue due to errors on dependencies", nil},
	{fix.LackCommand, "(Mix) The task \"", source.Lazy(`could not be found`)},
	{fix.LackCommand, "(Mix) Could not find a Mix.Project", nil},
	{fix.LackNuGet, "error NETSDK1004", nil},
	{fix.LackNuGet, "error NU1", source.Lazy(`error NU1\d\d\d`)},

	{fix.LackNetwork, "Could not determine a usable local IP for this machine", nil}, // Gradle talks to its own processes by one
	{fix.LackNetwork, "Could not resolve host", nil},
	{fix.LackNetwork, ": Failed to fetch ", source.Lazy(`^(?:wget|curl): Failed to fetch http`)}, // mvnw, which gets Maven
	{fix.LackNetwork, "Temporary failure in name resolution", nil},
	{fix.LackNetwork, "getaddrinfo E", nil},
	{fix.LackNetwork, "dial tcp: lookup ", nil},
	{fix.LackNetwork, "Name or service not known", nil},
	{fix.LackNetwork, "ENOTFOUND", nil},
	{fix.LackNetwork, "java.net.UnknownHostException", nil},
	{fix.LackNetwork, "Network is unreachable", nil},
	{fix.LackNetwork, "ECONNREFUSED", source.Lazy(`connect ECONNREFUSED`)},
	{fix.LackNetwork, "java.net.ConnectException: Connection refused", nil},
	{fix.LackNetwork, "dial tcp ", source.Lazy(`connect: connection refused`)},
	{fix.LackNetwork, "onnection refused", source.Lazy(`^\s*(?:E\s+)?[\w.]*(?:ConnectionRefused|Operational|Interface|Connection)Error: `)},
}

// checkPlugin matches the line of Maven about a failed check.
var checkPlugin = source.Lazy(
	`Failed to execute goal \S*:(apache-rat|[\w-]*enforcer|[\w-]*checkstyle|japicmp|animal-sniffer|spotbugs|findbugs|[\w-]*pmd|spotless|license|formatter|impsort|sortpom|forbiddenapis|revapi|clirr|modernizer)[\w-]*:`,
)

var (
	// failedGoal matches the end of a build of Maven, and the plugin that ended it.
	failedGoal = source.Lazy(`Failed to execute goal [\w.-]+:([\w.-]+):[^:\s]+:`)
	// otherwiseRead matches plugins that run tests or any command, or compile: what they print tells more.
	otherwiseRead = source.Lazy(
		`surefire|failsafe|test|spec|compil|kotlin|scala|groovy|gmaven|aspectj|clojure|invoker|exec|antrun|frontend|jasmine|karma|cucumber|gatling|jmeter`)
)

// failsInAStep reports whether a line says that a plugin of Maven ended the build that neither runs tests nor compiles.
func failsInAStep(text string) bool {
	if !strings.Contains(text, "Failed to execute goal ") {
		return false
	}
	m := failedGoal().FindStringSubmatch(text)
	return m != nil && !otherwiseRead().MatchString(m[1])
}

// lackOf returns the lack in a line of output, "" for most lines.
func lackOf(text string) fix.Lack {
	for _, list := range [][]sign{cargoSigns, signs} {
		for _, s := range list {
			if strings.Contains(text, s.has) && (s.says == nil || s.says().MatchString(text)) {
				return s.what
			}
		}
	}
	if failsInAStep(text) {
		return fix.LackStep
	}
	return ""
}
