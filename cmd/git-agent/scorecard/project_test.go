//go:build linux

package scorecard

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// The tools of a project read files of its repository, and many of these files name programs,
// plugins or directories elsewhere. fix runs such tools, and crash looks up definitions: programs
// started by them must stay in the sandbox, and text read outside must not appear in answers.

// A project is a repository whose tools run its files.
type project struct {
	name  string
	needs string // a program without which nothing is tried
	plant func(t testing.TB, p *prey)
	test  string   // the test command; "" lets the program find it
	args  []string // another command line than that of fix
}

// spy is a shell script that tries to leave a mark, to read the user's secrets, and to write
// to the user's files.
func (p *prey) spy(t testing.TB, name string) string {
	t.Helper()
	return fmt.Sprintf("touch '%s/marks/%s'; cat '%[3]s/.netrc' '%[3]s/.ssh/id_rsa' '%[4]s/f'; echo evil >>'%[3]s/.bashrc'; touch '%[1]s/../evil' '%[5]s/.git/hooks/evil'",
		p.lair, name, p.home, p.sibling, p.repo)
}

// spyProgram creates a spying executable in the repository.
func (p *prey) spyProgram(t testing.TB, name string) string {
	t.Helper()
	p.put(t, p.in(name), "#!/bin/sh\n"+p.spy(t, strings.ReplaceAll(name, "/", "_"))+"\nexit 1\n")
	if err := os.Chmod(p.in(name), 0o755); err != nil {
		t.Fatal(err)
	}
	return "./" + name
}

// pythonSpy is the same in Python.
func (p *prey) pythonSpy(t testing.TB, name string) string {
	return fmt.Sprintf("import os\nos.system(%q)\n", p.spy(t, name))
}

// files plants files and commits them.
func files(list map[string]func(testing.TB, *prey) string) func(testing.TB, *prey) {
	return func(t testing.TB, p *prey) {
		t.Helper()
		for name, text := range list {
			p.put(t, p.in(name), text(t, p))
		}
		p.commit(t)
	}
}

func (p *prey) commit(t testing.TB) {
	t.Helper()
	p.git(t, p.repo, "reset", "-q", "--hard")
	p.git(t, p.repo, "add", "-A")
	p.git(t, p.repo, "commit", "-q", "-m", "tools")
}

// plain is a file without a trap.
func plain(text string) func(testing.TB, *prey) string {
	return func(testing.TB, *prey) string { return text }
}

// pySpy and shSpy are files that spy, in Python and in sh.
func pySpy(name string) func(testing.TB, *prey) string {
	return func(t testing.TB, p *prey) string { return p.pythonSpy(t, name) }
}

func shSpy(name, format string) func(testing.TB, *prey) string {
	return func(t testing.TB, p *prey) string { return fmt.Sprintf(format, p.spy(t, name)) }
}

// commands is a file that names the programs of the attacker.
func commands(name, format string) func(testing.TB, *prey) string {
	return func(t testing.TB, p *prey) string { return strings.ReplaceAll(format, "EVIL", p.program(t, name)) }
}

type texts = map[string]func(testing.TB, *prey) string

// failing is a test of Python that fails.
const failing = "def test_sum():\n    assert 1 == 2\n"

func hostileProjects() []project {
	return slices.Concat(pythonProjects(), compiledProjects(), otherProjects(), linkedProjects())
}

func pythonProjects() []project {
	return []project{
		{name: "conftest.py", needs: "pytest", test: "python3 -m pytest -q", plant: files(texts{"conftest.py": pySpy("conftest"), "test_a.py": plain(failing)})},
		{name: "conftest.py, found", needs: "pytest", plant: files(texts{"conftest.py": pySpy("conftest"), "test_a.py": plain(failing), "pyproject.toml": plain("[project]\nname='x'\n")})},
		{name: "a plugin of pytest", needs: "pytest", test: "python3 -m pytest -q", plant: files(texts{"pytest.ini": plain("[pytest]\naddopts = -p evil\n"), "evil.py": pySpy("plugin"), "test_a.py": plain(failing)})},
		{name: "sitecustomize.py", needs: "python3", test: "PYTHONPATH=. python3 -c 'assert 0'", plant: files(texts{"sitecustomize.py": pySpy("sitecustomize"), "usercustomize.py": pySpy("usercustomize")})},
		{name: "setup.py", needs: "pytest", plant: files(texts{"setup.py": pySpy("setup"), "tox.ini": plain("[tox]\n[testenv]\ncommands = python setup.py\n"), "tests/test_a.py": plain(failing)})},
		{name: ".python-version that leads outside", needs: "python3", test: "python3 -c 'assert 0'", plant: func(t testing.TB, p *prey) {
			p.put(t, p.in(".python-version"), "../../../../../../../../.."+p.lair+"\n")
			p.program(t, "python3")
			p.commit(t)
		}},
	}
}

func compiledProjects() []project {
	return []project{
		{name: "toolchain line", needs: "go", test: "go test ./...", plant: files(texts{"go.mod": plain("module x\n\ngo 1.21\n\ntoolchain go1.99.9\n"), "a_test.go": plain("package x\nimport \"testing\"\nfunc TestA(t *testing.T) { t.Fatal() }\n")})},
		{name: "go.work that leads outside", needs: "go", plant: func(t testing.TB, p *prey) {
			p.put(t, filepath.Join(p.sibling, "go.mod"), "module secret\n")
			p.put(t, filepath.Join(p.sibling, "s.go"), "package secret\n\nconst Key = \""+secretText+"\"\n")
			p.put(t, p.in("go.mod"), "module x\n\ngo 1.21\n")
			p.put(t, p.in("go.work"), "go 1.21\n\nuse .\nuse "+p.sibling+"\n")
			p.put(t, p.in("a_test.go"), "package x\nimport (\"secret\"; \"testing\")\nfunc TestA(t *testing.T) { t.Fatal(secret.Key) }\n")
			p.commit(t)
		}},
		{name: "replace that leads outside", needs: "go", test: "go test ./...", plant: func(t testing.TB, p *prey) {
			p.put(t, filepath.Join(p.sibling, "go.mod"), "module secret\n")
			p.put(t, filepath.Join(p.sibling, "s.go"), "package secret\n\nconst Key = \""+secretText+"\"\n")
			p.put(t, p.in("go.mod"), "module x\n\ngo 1.21\n\nrequire secret v0.0.0\n\nreplace secret => ../sibling\n")
			p.put(t, p.in("a_test.go"), "package x\nimport (\"secret\"; \"testing\")\nfunc TestA(t *testing.T) { t.Fatal(secret.Key) }\n")
			p.commit(t)
		}},
		{name: "a file of Go linked to a secret", needs: "go", test: "go test ./...", plant: func(t testing.TB, p *prey) {
			p.put(t, p.in("go.mod"), "module x\n\ngo 1.21\n")
			p.put(t, p.in("a_test.go"), "package x\nimport (_ \"embed\"; \"testing\")\n//go:embed key\nvar key string\nfunc TestA(t *testing.T) { t.Fatal(key) }\n")
			p.link(t, "key", filepath.Join(string(p.home), ".netrc"))
			p.commit(t)
		}},
		{name: "compiler options of cgo", needs: "gcc", test: "go test ./...", plant: func(t testing.TB, p *prey) {
			p.put(t, p.in("go.mod"), "module x\n\ngo 1.21\n")
			p.put(t, p.in("a.go"), "package x\n\n// #cgo CFLAGS: -wrapper "+p.program(t, "wrapper")+"\n// #cgo LDFLAGS: -B"+filepath.Join(p.lair, "bin")+"\n// int x;\nimport \"C\"\n")
			p.put(t, p.in("a_test.go"), "package x\nimport \"testing\"\nfunc TestA(t *testing.T) { t.Fatal() }\n")
			p.commit(t)
		}},
		{name: "build.rs", needs: "cargo", test: "cargo test --offline", plant: func(t testing.TB, p *prey) {
			p.put(t, p.in("Cargo.toml"), "[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2021\"\nbuild = \"build.rs\"\n")
			p.put(t, p.in("build.rs"), fmt.Sprintf("fn main() { std::process::Command::new(\"sh\").arg(\"-c\").arg(%q).status().unwrap(); }\n", p.spy(t, "build-rs")))
			p.put(t, p.in("src/lib.rs"), "#[test]\nfn a() { assert!(false) }\n")
			p.commit(t)
		}},
		{name: "configuration of cargo", needs: "cargo", plant: func(t testing.TB, p *prey) {
			p.put(t, p.in(".cargo/config.toml"), fmt.Sprintf("[build]\nrustc-wrapper = %q\n[net]\nofflline = false\n[alias]\ntest = \"run\"\n", p.program(t, "rustc-wrapper")))
			p.put(t, p.in("rust-toolchain.toml"), "[toolchain]\npath = \""+p.lair+"\"\n")
			p.put(t, p.in("Cargo.toml"), "[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2021\"\n")
			p.put(t, p.in("src/lib.rs"), "#[test]\nfn a() { assert!(false) }\n")
			p.commit(t)
		}},
		{name: "functions of make", needs: "make", plant: files(texts{"Makefile": shSpy("make", "X := $(shell %s)\ntest:\n\tfalse\n")})},
		{name: "options of make", needs: "make", test: "make test", plant: files(texts{"GNUmakefile": commands("make-shell", "SHELL = EVIL\ntest:\n\tfalse\n")})},
	}
}

func otherProjects() []project {
	node := `{"name":"x","scripts":{"pretest":"EVIL","test":"EVIL; exit 1","posttest":"EVIL","prepare":"EVIL"},"mocha":{"require":"./evil.js"},"jest":{"globalSetup":"./evil.js"}}`
	return []project{
		{name: "scripts of npm", needs: "npm", plant: files(texts{"package.json": commands("npm-script", node), "package-lock.json": plain("{}"), "evil.js": plain("require('fs').readFileSync(process.env.HOME+'/.netrc')")})},
		{name: "settings of npm", needs: "npm", test: "npm test", plant: files(texts{"package.json": plain(`{"name":"x","scripts":{"test":"false"}}`), ".npmrc": commands("npm-shell", "script-shell=EVIL\nnode-options=--require ./evil.js\nregistry=http://127.0.0.1:9/\n")})},
		{name: "a loader of node", needs: "node", test: "NODE_OPTIONS='--require ./evil.js' node -e 'process.exit(1)'", plant: files(texts{"evil.js": shSpy("node", "require('child_process').execSync(`%s`)")})},
		{name: ".mvn", needs: "mvn", test: "mvn -o -q test", plant: func(t testing.TB, p *prey) {
			p.put(t, p.in("pom.xml"), "<project><modelVersion>4.0.0</modelVersion><groupId>x</groupId><artifactId>x</artifactId><version>1</version></project>\n")
			p.put(t, p.in(".mvn/jvm.config"), "-XX:OnOutOfMemoryError="+p.program(t, "jvm")+" -Xmx1m -agentpath:"+filepath.Join(p.lair, "bin", "jvm")+"\n")
			p.put(t, p.in(".mvn/maven.config"), "-Dmaven.ext.class.path="+p.lair+"\n-s"+p.lair+"/settings.xml\n")
			p.put(t, p.in(".mvn/extensions.xml"), "<extensions><extension><groupId>evil</groupId><artifactId>evil</artifactId><version>1</version></extension></extensions>\n")
			p.commit(t)
		}},
		{name: "wrapper of Maven, found", plant: func(t testing.TB, p *prey) {
			p.put(t, p.in("pom.xml"), "<project/>\n")
			p.spyProgram(t, "mvnw")
			p.put(t, p.in(".mvn/wrapper/maven-wrapper.properties"), "distributionUrl=http://127.0.0.1:9/maven.zip\n")
			p.commit(t)
		}},
		{name: "wrapper of Gradle, found", plant: func(t testing.TB, p *prey) {
			p.put(t, p.in("build.gradle"), "println new File('"+string(p.home)+"/.netrc').text\n")
			p.put(t, p.in("init.gradle"), "println 'init'\n")
			p.spyProgram(t, "gradlew")
			p.put(t, p.in("gradle/wrapper/gradle-wrapper.properties"), "distributionUrl=http\\://127.0.0.1:9/gradle.zip\n")
			p.commit(t)
		}},
		{name: "managers of versions and environments", test: "sh -lc false", plant: files(texts{
			".envrc": shSpy("envrc", "%s\n"), ".tool-versions": plain("python ref:evil\n"), "mise.toml": commands("mise", "[env]\n_.source = \"EVIL\"\n[hooks]\nenter = \"EVIL\"\n"),
			".nvmrc": plain("../../evil\n"), ".sdkmanrc": plain("java=../../evil\n"), ".profile": shSpy("profile", "%s\n"), ".bash_profile": shSpy("profile", "%s\n")})},
		{name: "options of ctags", needs: "ctags", args: []string{"crash", "--engine=agent", "--allow-unpriced", "--show-request", "report"}, plant: files(texts{
			".ctags": plain("--totals=yes\n-o ../evil-tags\n-R\n"), ".ctags.d/evil.ctags": commands("ctags", "--options=/etc/passwd\n--_interactive\n--langdef=evil{base=C}\n-o EVIL.tags\n"),
			"ctags.d/evil.ctags": plain("--verbose=yes\n"), "tags": plain("sum\t/etc/passwd\t/^root/\n"), "report": plain("ERROR: AddressSanitizer: SEGV\n    #0 0x1 in sum main.c:14:3\n    #1 0x2 in main main.c:15:3\n")})},
		{name: "start files of gdb", needs: "gdb", args: []string{"crash", "core"}, plant: func(t testing.TB, p *prey) {
			p.put(t, p.in(".gdbinit"), "shell "+p.program(t, "gdb")+"\n")
			p.put(t, p.in(".gdb/gdbinit"), "shell "+p.program(t, "gdb")+"\n")
			p.put(t, p.in("core"), "\x7fELF\x02\x01\x01"+strings.Repeat("\x00", 9)+"\x04\x00\x3e\x00\x01"+strings.Repeat("\x00", 200))
			p.commit(t)
		}},
	}
}

// linkedProjects have installed packages that lead outside of the repository. They are not
// tracked, as installed packages are not.
func linkedProjects() []project {
	link := func(name, to string) func(testing.TB, *prey) {
		return func(t testing.TB, p *prey) {
			t.Helper()
			p.put(t, p.in(".gitignore"), "node_modules\n.venv\nvenv\nvendor\n")
			p.commit(t)
			target := strings.NewReplacer("HOME", string(p.home), "SIBLING", p.sibling).Replace(to)
			p.link(t, name, target)
		}
	}
	show := func(dir string) string { return "cat " + dir + "/* " + dir + "/*/* " + dir + "/.* 2>&1; exit 1" }
	return []project{
		{name: "node_modules linked to the home", test: show("node_modules"), plant: link("node_modules", "HOME")},
		{name: "a package of node_modules linked to the home", test: show("node_modules/evil"), plant: link("node_modules/evil", "HOME")},
		{name: "a package of a publisher linked to another repository", test: show("node_modules/@evil/x"), plant: link("node_modules/@evil/x", "SIBLING")},
		{name: ".venv linked to the home", test: show(".venv"), plant: func(t testing.TB, p *prey) {
			p.put(t, filepath.Join(string(p.home), "pyvenv.cfg"), "home = /usr\n")
			link(".venv", "HOME")(t, p)
		}},
		{name: "programs of a .venv linked to the home", test: show(".venv/bin"), plant: func(t testing.TB, p *prey) {
			link(".venv/bin", "HOME/.ssh")(t, p)
			p.put(t, p.in(".venv/pyvenv.cfg"), "home = "+string(p.home)+"\n")
		}},
		{name: "path files of a .venv", needs: "python3", test: "python3 -c 'import sys; print(sys.path); assert 0'", plant: func(t testing.TB, p *prey) {
			link(".venv/lib/python3.11/site-packages/x", "HOME")(t, p)
			p.put(t, p.in(".venv/pyvenv.cfg"), "home = /usr\n")
			p.put(t, p.in(".venv/lib/python3.11/site-packages/a.pth"), p.repo+"\n"+string(p.home)+"\nimport os; os.system('"+p.program(t, "pth")+"')\n")
			p.put(t, p.in(".venv/lib/python3.11/site-packages/__editable__x_finder.py"), "MAPPING = {'x': '"+string(p.home)+"/x'}\n")
		}},
		{name: "vendor linked to another repository", test: show("vendor"), plant: func(t testing.TB, p *prey) {
			p.put(t, filepath.Join(p.sibling, "modules.txt"), "# x\n")
			link("vendor", "SIBLING")(t, p)
		}},
		{name: "a pipe in node_modules", test: "false", plant: func(t testing.TB, p *prey) {
			link("node_modules/a", "/dev/zero")(t, p)
			p.pipe(t, "node_modules/package.json")
			p.pipe(t, "node_modules/x/package.json")
		}},
	}
}

// toolchainHomes lets version managers find the tester's installed toolchains.
func toolchainHomes() []string {
	var list []string
	home, _ := os.UserHomeDir()
	for name, dir := range map[string]string{"PYENV_ROOT": ".pyenv", "RUSTUP_HOME": ".rustup", "CARGO_HOME": ".cargo"} {
		if info, err := os.Stat(filepath.Join(home, dir)); home != "" && err == nil && info.IsDir() {
			list = append(list, name+"="+filepath.Join(home, dir))
		}
	}
	return list
}

// TestHostileProjects runs fix on each project, and crash on traps for crash.
func TestHostileProjects(t *testing.T) {
	template := newTemplate(t)
	for _, v := range sample(hostileProjects(), 5) {
		t.Run(v.name, func(t *testing.T) {
			if _, err := exec.LookPath(v.needs); v.needs != "" && err != nil {
				skipped(t, projects, v.name, v.needs+" is not installed")
				return
			}
			p := spoil(t, template, trap{plant: v.plant})
			p.git(t, p.repo, "update-index", "-q", "--refresh")
			before := p.snapshot(t)
			args := v.args
			if args == nil {
				args = []string{"fix", "--engine=offline", "--time=5s", "--test-timeout=30s"}
			}
			if v.test != "" {
				args = append(args, "--test="+v.test)
			}
			got := p.run(t, command{dir: p.repo, limit: 3 * time.Minute, env: slices.Concat(p.env, aModel, toolchainHomes())}, args...)
			t.Logf("exit code %d\n%.1500s\n%.1500s", got.code, got.stdout, got.stderr)
			why := p.judge(t, verb{args: args}, got)
			if names := changed(before, p.snapshot(t)); why == "" && names != nil {
				why = fmt.Sprintf("%q changed", names)
			}
			if why != "" {
				broke(t, projects, v.name, "%s", why)
				return
			}
			held(projects)
		})
	}
}
