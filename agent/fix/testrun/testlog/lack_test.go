package testlog

import (
	"testing"

	"git-agent/agent/fix"
)

func TestLackOf(t *testing.T) {
	// Each tool has its own messages about a lack. The lines are original messages of the
	// tools.
	t.Parallel()
	for _, c := range []struct {
		what fix.Lack
		line string
	}{
		{fix.LackGo, "a.go:3:8: reading https://proxy.example/example.org/x/@v/v1.2.0.zip: 400 Bad Request"},
		{fix.LackGo, "a.go:3:8: module lookup disabled by GOPROXY=off"},
		{fix.LackGo, "a.go:3:8: open /w/mod/cache/download/example.com/u/@v/v1.6.0.lock: read-only file system"},
		{fix.LackGo, "a.go:3:8: cannot find module providing package example.com/u"},
		{fix.LackGo, `go: example.com/u@v1.6.0: Get "https://proxy.example/u/@v/v1.6.0.mod": dial tcp: lookup proxy.example: no such host`},
		{fix.LackGoMod, "a.go:3:8: missing go.sum entry for module providing package example.com/u; to add:"},
		{fix.LackGoMod, "a.go:3:8: no required module provides package example.com/u; to add it:"},
		{fix.LackGoMod, "go: cannot find main module, but found .git/config in /w"},
		{fix.LackGoMod, "go: go.mod file not found in current directory or any parent directory; see 'go help modules'"},
		{fix.LackGoMod, `a.go:9:2: cannot find package "example.com/u" in any of:`},
		{fix.LackGoMod, "go: updates to go.mod needed; to update it:"},
		{fix.LackGoMod, "go: inconsistent vendoring in /w:"},
		{fix.LackCoverage, `Jest: "global" coverage threshold for lines (100%) not met: 66.66%`},
		{fix.LackCoverage, "ERROR: Coverage for lines (50%) does not meet global threshold (90%)"},
		{fix.LackCoverage, "FAIL Required test coverage of 100% not reached. Total coverage: 50.00%"},
		{fix.LackCoverage, "Coverage failure: total of 50 is less than fail-under=100"},
		{fix.LackCoverage, "[ERROR] Failed to execute goal org.jacoco:jacoco-maven-plugin:0.8.12:check (check) on project calc: Coverage checks have not been met. See log for details. -> [Help 1]"},
		{fix.LackStep, "[ERROR] Failed to execute goal net.orfjackal.retrolambda:retrolambda-maven-plugin:2.5.1:process-main (default) on project cron-utils: Failed to run Retrolambda: Method 'x' must be InterfaceMethodref constant -> [Help 1]"},
		{"", "[ERROR] Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin:3.11.0:compile (default-compile) on project calc: Compilation failure"},
		{"", "[ERROR] Failed to execute goal org.codehaus.mojo:exec-maven-plugin:3.1.0:exec (default) on project calc: Command execution failed."},
		{fix.LackTool, "Fatal Python error: init_import_site: Failed to import the site module"},
		{fix.LackTool, "go: go.mod requires go >= 1.99 (running go 1.26.8; GOTOOLCHAIN=local)"},
		{fix.LackTool, "go: download go1.99 for linux/amd64: toolchain not available"},
		{fix.LackJDK, "The JAVA_HOME environment variable is not defined correctly,"},
		{fix.LackJDK, "ERROR: JAVA_HOME is set to an invalid directory: /opt/jdk"},
		{fix.LackJDK, "BUG! exception in phase 'semantic analysis' in source unit '_BuildScript_' Unsupported class file major version 65"},
		{fix.LackJDK, "[ERROR] Fatal error compiling: error: release version 25 not supported -> [Help 1]"},
		{fix.LackJDK, "[ERROR] Source option 5 is no longer supported. Use 7 or later."},
		{fix.LackJDK, "[ERROR] No compiler is provided in this environment. Perhaps you are running on a JRE rather than a JDK?"},
		{fix.LackTool, "  calc@0.1.0 requires rustc 1.999"},
		{fix.LackTool, "  supported edition values are `2015`, `2018`, `2021`, or `2024`, but `2099` is unknown"},
		{fix.LackTool, "  unknown Cargo.toml feature `no-such`"},
		{fix.LackTool, "error[E0554]: `#![feature]` may not be used on the stable release channel"},
		{fix.LackTool, "  = note: the `wasm32-unknown-unknown` target may not be installed"},
		{fix.LackTool, "error: could not download file from 'https://rust.example/dist/channel-rust-1.60.0.toml.sha256' to '/x': error downloading file"},
		{fix.LackProgram, "error: linker `mold` not found"},
		{fix.LackProgram, "error: no such command: `nextest`"},
		{fix.LackLock, "error: cannot update the lock file /w/Cargo.lock because --locked was passed to prevent this"},
		{fix.LackCommand, "python3: can't open file '/w/t.py': [Errno 2] No such file or directory"},
		{fix.LackCommand, "sh: 0: cannot open chk.sh: No such file"},
		{fix.LackCommand, "ruby: No such file or directory -- x.rb (LoadError)"},
		{fix.LackCommand, `Can't open perl script "x.pl": No such file or directory`},
		{fix.LackCommand, "Could not open input file: x.php"},
		{fix.LackCommand, "error: no test target named `nosuch` in default-run packages"},
		{fix.LackCommand, "error: package ID specification `nosuch` did not match any packages"},
		{fix.LackCommand, "error: could not find `Cargo.toml` in `/w` or any parent directory"},
		{fix.LackCommand, "error: the package 'calc' does not contain this feature: nosuch"},
		{fix.LackCommand, "error: target `serde-se` in package `quick-xml` requires the features: `serialize`"},
		{fix.LackCommand, "sh: 1: cd: can't cd to nowhere"},
		{fix.LackTool, "error: package `x v0.1.0 (/w)` cannot be built because it requires rustc 1.99 or newer, while the currently active rustc version is 1.80.0"},
		{fix.LackTool, "  feature `edition2024` is required"},
		{fix.LackTool, "error: toolchain '1.60.0-x86_64-unknown-linux-gnu' is not installed"},
		{fix.LackTool, "npm error code EBADENGINE"},
		{fix.LackTool, "[ERROR] Rule 0: org.apache.maven.plugins.enforcer.RequireMavenVersion failed with message:"},
		{fix.LackTool, "[ERROR] Detected Maven Version: 3.8.7 is not in the allowed range [3.9,)."},
		{fix.LackJDK, "[ERROR] Detected JDK /opt/jdk is version 17 which is not in the allowed range [21,)."},
		{fix.LackMaven, "[ERROR] Error resolving version for plugin 'org.codehaus.mojo:javancss-maven-plugin' from the repositories [local (/m2), central (https://central.invalid/maven2)]: Plugin not found in any plugin repository -> [Help 1]"},
		{fix.LackMaven, "[ERROR] Failed to execute goal on project a: Failed to read artifact descriptor for x:y:jar:1: Cannot access central -> [Help 1]"},
		{fix.LackPython, "/usr/bin/python3: No module named pytest"},
		{fix.LackPython, "E   ModuleNotFoundError: No module named 'requests'"},
		{fix.LackPython, "E   importlib.metadata.PackageNotFoundError: No package metadata was found for marshmallow"},
		{fix.LackPython, "ERROR: No matching distribution found for requests"},
		{fix.LackPython, "__main__.py: error: unrecognized arguments: --cov=m"},
		{fix.LackNode, "Error: Cannot find module 'express'"},
		{fix.LackNode, "npm error code ENOTFOUND"},
		{fix.LackNode, "Internal Error: Usage Error: Couldn't find the node_modules state file - running an install might help (findPackageLocation)"},
		{fix.LackNode, `error Command "vitest" not found.`},
		{fix.LackNode, `Error: Failed to resolve import "left-pad" from "src/a.ts". Does the file exist?`},
		{fix.LackNode, "Usage Error: The project in ./package.json doesn't seem to have been installed - running an install there might help"},
		{fix.LackTool, "SyntaxError: The requested module 'node:util' does not provide an export named 'styleText'"},
		{fix.LackTool, `TypeError [ERR_UNKNOWN_FILE_EXTENSION]: Unknown file extension ".ts" for test/a.ts`},
		{fix.LackTool, "npm error code EBADENGINE"},
		{fix.LackBuilt, "Error [ERR_MODULE_NOT_FOUND]: Cannot find module 'packages/a/dist/index.mjs' imported from test/a.ts"},
		{fix.LackBuilt, "Error [ERR_MODULE_NOT_FOUND]: Cannot find module 'lib/marked.esm.js' imported from test/unit/Hooks.test.js"},
		{fix.LackNode, "Error [ERR_MODULE_NOT_FOUND]: Cannot find module 'node_modules/a/lib/b.js' imported from test/a.js"},
		{fix.LackNode, "Error [ERR_MODULE_NOT_FOUND]: Cannot find package '@markedjs/testutils' imported from test/unit/bin.test.js"},
		{fix.LackTool, `error This project's package.json defines "packageManager": "yarn@4.12.0". However the current global version of Yarn is 1.22.22.`},
		{fix.LackCommand, "bash: line 1: cd: nowhere: No such file or directory"},
		{fix.LackCommand, " ERR_PNPM_NO_IMPORTER_MANIFEST_FOUND  No package.json (or package.yaml, or package.json5) was found in \".\"."},
		{fix.LackScript, " ERR_PNPM_NO_SCRIPT  Missing script: unit"},
		{fix.LackRuby, "Could not find rspec-3.12.0 in locally installed gems"},
		{fix.LackNode, `error An unexpected error occurred: "https://registry.example/a: getaddrinfo ENOTFOUND registry.example".`},
		{fix.LackRuby, "Could not reach host index.example. Check your network connection and try again."},
		{fix.LackCargo, "warning: spurious network error (3 tries remaining): [6] Could not resolve hostname"},
		{fix.LackJDK, "[ERROR] Fatal error compiling: tools.jar not found: /opt/jre/../lib/tools.jar -> [Help 1]"},
		{fix.LackCommand, "[ERROR] The goal you specified requires a project to execute but there is no POM in this directory (/w). Please verify you invoked Maven from the correct directory. -> [Help 1]"},
		{fix.LackCommand, "[ERROR] Could not find the selected project in the reactor: core @ "},
		{fix.LackTests, "[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:2.12.4:test (default-test) on project calc: No tests were executed!  (Set -DfailIfNoTests=false to ignore this error.) -> [Help 1]"},
		{fix.LackProcess, "Unrecognized VM option 'MaxPermSize=64m'"},
		{fix.LackProcess, "[ERROR] The forked VM terminated without properly saying goodbye. VM crash or System.exit called?"},
		{fix.LackProcess, "> Process 'Gradle Test Executor 1' finished with non-zero exit value 3"},
		{fix.LackCheck, "[ERROR] Failed to execute goal org.apache.rat:apache-rat-plugin:0.15:check (rat-check) on project calc: Too many files with unapproved license: 1 See RAT report in: target/rat.txt -> [Help 1]"},
		{fix.LackTool, "[ERROR] Failed to execute goal org.apache.rat:apache-rat-plugin:0.18:check (rat-check) on project calc: The plugin org.apache.rat:apache-rat-plugin:0.18 requires Maven version 3.9 -> [Help 1]"},
		{"", "[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:3.2.5:test (default-test) on project calc: There are test failures."},
		{fix.LackComposer, "https://packages.example could not be fully loaded (curl error 6 while downloading"},
		{fix.LackRuby, "bundler: command not found: rspec"},
		{fix.LackCargo, "error: no matching package named `itoa` found"},
		{fix.LackCargo, "error: failed to download `itoa v1.0.0`"},
		{fix.LackGradle, "> Could not resolve all files for configuration ':testCompileClasspath'."},
		{fix.LackGradle, "Downloading https://distributions.example/gradle-8.7-bin.zip"},
		{fix.LackMaven, "[ERROR] Plugin org.a:b:2.6 or one of its dependencies could not be resolved: Cannot access central"},
		{fix.LackMaven, "[ERROR] Failed to execute goal on project calc: Could not resolve dependencies for project com.x:calc:jar:1"},
		{fix.LackMaven, "[ERROR] Unable to generate classpath: org.apache.maven.artifact.resolver.MultipleArtifactsNotFoundException: Missing:"},
		{fix.LackMaven, "[FATAL] Non-resolvable parent POM for x:y:1: Cannot access central"},
		{fix.LackComposer, "PHP Warning: require(vendor/autoload.php): Failed to open stream: No such file or directory"},
		{fix.LackNuGet, "/w/a.csproj : error NU1301: Unable to load the service index"},
		{fix.LackCommand, "Task 'tset' not found in root project 'tree'. Some candidates are: 'test'."},
		{fix.LackNetwork, "Could not determine a usable local IP for this machine."},
		{fix.LackNetwork, "curl: (6) Could not resolve host: example.com"},
		{fix.LackNetwork, "wget: Failed to fetch https://example.com/apache-maven-3.9.12-bin.zip"},
		{fix.LackNetwork, "Error: getaddrinfo EAI_AGAIN redis"},
		{fix.LackNetwork, "     Error: connect ECONNREFUSED 127.0.0.1:5432"},
		{fix.LackNetwork, "    a_test.go:9: dial tcp 127.0.0.1:6379: connect: connection refused"},
		{fix.LackNetwork, "E       ConnectionRefusedError: [Errno 111] Connection refused"},
		{fix.LackCommand, "sh: 1: cd: can't cd to tests/sub"},
		{fix.LackCommand, "bash: line 1: cd: tests/sub: No such file or directory"},
		{"", "Error: Cannot find module './m'"},
		{"", "Warning: JAVA_HOME environment variable is not set."},
		{"", "panic: no such module"},
		{"", "warning: the option --offline is old"},
		{"", "a.go:3:8: undefined: x"},
	} {
		if got := lackOf(c.line); got != c.what {
			t.Errorf("%q: %q, want %q", c.line, got, c.what)
		}
	}
}

func TestReadPrefersWhatTheNetworkIsNeededFor(t *testing.T) {
	// A line that only reports the lack of a network gives way to a line that names the missing
	// download.
	t.Parallel()
	r := Read([]byte("java.net.UnknownHostException: x\n[ERROR] Could not transfer artifact a:b:1\nCould not find gem a\n"))
	if r.Lacks != fix.LackMaven || r.Missing != "Could not transfer artifact a:b:1" {
		t.Errorf("%s: %s", r.Lacks, r.Missing)
	}
}

// A program of a package that pnpm does not find is no failing test, though a sign stands before the line.
func TestPnpmWithoutProgram(t *testing.T) {
	t.Parallel()
	r := Read([]byte("Error: ERR_PNPM_RECURSIVE_EXEC_FIRST_FAIL\n\n  × Command \"vitest\" not found\n"))
	if lack, _ := r.Lack(); lack != fix.LackNode || len(r.Failing) > 0 {
		t.Errorf("lacks %q, %q fail", lack, r.Failing)
	}
}
