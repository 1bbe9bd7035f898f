package testcmd

import (
	"strings"
	"testing"

	"git-agent/agent/fix"
	"git-agent/gitext/gittest"
)

func TestFocus(t *testing.T) {
	// The command runs only the failing tests; its other parts stay.
	for _, c := range []struct {
		command string
		failing []string
		want    string // "" if it cannot be narrowed
	}{
		{"go test ./...", []string{"m/p:TestA", "m/p:TestB/sub_1"}, "go test -count=1 -run '^(TestA|TestB)$' m/p"},
		{"go test ./...", []string{"m/p:TestA", "m/q:TestA"}, "go test -count=1 -run '^(TestA)$' m/p m/q"},
		{"GOFLAGS=-mod=mod CGO_ENABLED=0 go test -count=1 -vet=off -run '^(TestX|TestY)$' -timeout 30s ./a ./b", []string{"m/a:TestX"}, "GOFLAGS=-mod=mod CGO_ENABLED=0 go test -count=1 -vet=off -timeout 30s -run '^(TestX)$' m/a"},
		{"go test ./p", []string{"m/p:TestA"}, "go test -count=1 -run '^(TestA)$' ./p"},
		{"go test -v . -args -x 1", []string{"TestA"}, "go test -count=1 -v -run '^(TestA)$' . -args -x 1"},
		{"go test ./...", []string{"m/p:TestA", "m/q"}, "go test -count=1 m/p m/q"},
		{"go test a_test.go a.go", []string{"command-line-arguments:TestA"}, "go test -count=1 -run '^(TestA)$' a_test.go a.go"},
		{"cd 'sub dir' && go test ./...", []string{"m/p:TestA"}, "cd 'sub dir' && go test -count=1 -run '^(TestA)$' m/p"},
		{"go vet ./...", []string{"m/p:TestA"}, ""},
		{"go test -bench . ./...", []string{"m/p:TestA"}, ""},
		{"go test ./... | tee log", []string{"m/p:TestA"}, ""},
		{"go test ./... && make lint", []string{"m/p:TestA"}, ""},
		{"go test $PKGS", []string{"m/p:TestA"}, ""},
		{`go test "$PKGS"`, []string{"m/p:TestA"}, ""},
		{"go test ./... > log", []string{"m/p:TestA"}, ""},
		{"go test ./...", nil, ""},

		{"python3 -m pytest -q", []string{"tests/a.py::test_b", "tests/a.py::test_c[x y]"}, "python3 -m pytest -q tests/a.py::test_b 'tests/a.py::test_c[x y]'"},
		{"PYTHONPATH=src pytest -n 2 tests/ other", []string{"tests/a.py::T::test_b"}, "PYTHONPATH=src pytest -n 2 other tests/a.py::T::test_b"},
		{"poetry run pytest tests/a.py tests/b.py -x", []string{"tests/a.py::test_it's"}, `poetry run pytest -x 'tests/a.py::test_it'\''s'`},
		{"pytest", []string{"test_without_file"}, ""},
		{"tox -e py3", []string{"tests/a.py::test_b"}, ""},
		{"python3 -m unittest -v tests.test_u", []string{"test_eq (tests.test_u.T.test_eq)", "test_old (tests.test_u.T)"}, "python3 -m unittest -v tests.test_u.T.test_eq tests.test_u.T.test_old"},
		{"python3 -m unittest -k e tests.test_u tests.test_v", []string{"test_eq (tests.test_u.T.test_eq)"}, "python3 -m unittest -k e tests.test_u.T.test_eq"},
		{"python3 -m unittest discover -s tests", []string{"test_eq (test_u.T.test_eq)"}, ""},

		{"python3 -m django test --settings=tests.settings", []string{"test_eq (tests.tests.T.test_eq)"}, "python3 -m django test --settings=tests.settings tests.tests.T.test_eq"},
		{"python3 manage.py test", []string{"test_eq (app.tests.T.test_eq)"}, "python3 manage.py test app.tests.T.test_eq"},
		{"python3 manage.py test --settings x", []string{"test_eq (app.tests.T.test_eq)"}, ""},
		{"npx --no-install tap --no-coverage", []string{"test/a.js > adds > 1+1", "test/a.js > adds", "test/b.js"}, "npx --no-install tap --no-coverage test/a.js test/b.js"},
		{"tap -j 1", []string{"test/a.js > adds"}, ""},
		{"tap", []string{"adds"}, ""},
		{"npx --no-install jest --ci", []string{"Calc › adds (1+1)", "top"}, `npx --no-install jest --ci -t '^(Calc( ›)? adds \(1\+1\)|top)$'`},
		{"jest -t x", []string{"top"}, ""},
		{"node --experimental-vm-modules node_modules/jest/bin/jest.js -i", []string{"top"}, "node --experimental-vm-modules node_modules/jest/bin/jest.js -i -t '^(top)$'"},
		{"npx vitest run", []string{"a.spec.js > Calc > adds"}, "npx vitest run -t '^(Calc adds)$' a.spec.js"},
		{"npx vitest run test/a.test.ts", []string{"test/a.test.ts > one"}, "npx vitest run -t '^(one)$' test/a.test.ts"},
		{"mocha --exit test/", []string{"Calc #sub() subs"}, `mocha --exit test/ --grep '^(Calc #sub\(\) subs)$'`},
		{"npx --no-install lab -a @hapi/code", []string{"reach() works"}, `npx --no-install lab -a @hapi/code --grep '^(reach\(\) works)$'`},
		{"lab -t 100 -L", []string{"reach() works"}, ""},
		{"mocha", []string{`Calc "after all" hook for "adds"`}, ""},
		{"npm test", []string{"Calc adds"}, ""},
		{"node --test test/", []string{"Calc (1)", "Calc (1) > adds 1+1", "Calc (1) > deep > x > y", "a/b"}, `node --test '--test-name-pattern=/(^|> )(adds 1\+1|y|a\/b)$/' test/`},
		{"NODE_ENV=test node --import tsx --test a.test.ts", []string{"top"}, "NODE_ENV=test node --import tsx --test '--test-name-pattern=/(^|> )(top)$/' a.test.ts"},
		{"node --test", []string{"test/a.test.js"}, ""},
		{"node test/run.js", []string{"top"}, ""},
		{"node --test --test-only", []string{"top"}, ""},
		{"npx --no-install ava --serial", []string{"a › adds 1+1", "subs it's"}, `npx --no-install ava --serial '--match=*adds 1+1' '--match=subs it'\''s'`},
		{"ava -m x", []string{"top"}, ""},
		{"ava", []string{"!top"}, ""},
		{"bun test src", []string{"Calc (1) > adds 1+1", "other"}, `bun test src -t '^(Calc \(1\) adds 1\+1|other)$'`},
		{"bun run test", []string{"other"}, ""},

		{"cargo test --offline -p calc adds", []string{"tests::adds", "outer"}, "cargo test --tests --offline -p calc -- --exact tests::adds outer"},
		{"cargo test --test sum -- --exact adds", []string{"adds", "other"}, "cargo test --test sum -- --exact adds other"},
		{"cargo +nightly test --lib", []string{"tests::adds"}, "cargo +nightly test --lib -- --exact tests::adds"},
		{"cargo test", []string{"src/lib.rs - add (line 2)"}, ""},
		{"cargo test -- --nocapture", []string{"tests::adds"}, "cargo test --tests -- --exact tests::adds --nocapture"},
		{"cargo build", []string{"tests::adds"}, ""},
		{"ctest --test-dir _build --output-on-failure", []string{"alpha", "b+"}, `ctest --test-dir _build --output-on-failure -R '^(alpha|b\+)$'`},
		{"ctest -L fast", []string{"alpha"}, ""},
		{"mvn -B -o test", []string{"com.x.ATest.a", "com.x.ATest.b(int)[2]", "com.x.ATest$In.c"}, "mvn -B -o test '-Dtest=com.x.ATest#a+b,com.x.ATest$In#c' -DfailIfNoTests=false -Dsurefire.failIfNoSpecifiedTests=false"},
		{"mvn verify", []string{"com.x.ATest.a"}, ""},
		{"./gradlew --offline :core:test --continue", []string{"com.x.ATest > adds()"}, "./gradlew --offline :core:test --tests com.x.ATest.adds --continue"},
		{"mvn test", []string{"x.ASpec.size of 1.5 is 3", "x.ASpec.size of 2 is 1", "x.BTest.b"}, "mvn test '-Dtest=x.ASpec,x.BTest#b' -DfailIfNoTests=false -Dsurefire.failIfNoSpecifiedTests=false"},
		{"./gradlew test", []string{"A calculator > adds"}, ""},
		{"./gradlew test", []string{"ATest > a name in words", "x.ASpec > size of 1 is 3", "x.ASpec > size of 2 is 1"}, "./gradlew test --tests ATest --tests x.ASpec"},
		{"mix test", []string{"test a: adds (CalcTest)", "doctest Calc.add/2 (1) (CalcTest)"}, "mix test --only 'test:test a: adds' --only 'test:doctest Calc.add/2 (1)'"},
		{"mix test --only x", []string{"test adds (CalcTest)"}, ""},
		{"bundle exec rspec", []string{"Calc adds"}, "bundle exec rspec -e 'Calc adds'"},
		{"vendor/bin/phpunit -c x.xml", []string{`Tests\ATest::testB with data set #0 (1)`}, `vendor/bin/phpunit -c x.xml --filter '/^(Tests\\ATest::testB)( with data set .*)?$/'`},
		{"bats test", []string{"adds # numbers"}, `bats -f '^(adds # numbers)$' test`},

		{"make check", []string{"a"}, ""},
		{"", []string{"a"}, ""},
		{"'unclosed", []string{"a"}, ""},
	} {
		got, ok := Focus(c.command, c.failing)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("Focus(%q, %q)\n got %q, %t\nwant %q", c.command, c.failing, got, ok, c.want)
		}
	}
}

// FuzzFocus checks that names of an output cannot leave the words of the command.
func FuzzFocus(f *testing.F) {
	f.Add("example.com/m:TestA/sub")
	f.Add("tests/a.py::test_b[x; y]")
	f.Add("com.x.ATest > it's larger()")
	f.Fuzz(func(t *testing.T, name string) {
		for _, command := range []string{"go test ./...", "pytest", "npx jest", "npx vitest run", "mocha", "cargo test", "ctest", "mvn test", "gradle test", "rspec", "phpunit", "bats t"} {
			focused, ok := Focus(command, []string{name})
			if !ok {
				continue
			}
			if _, simple := words(focused); !simple {
				t.Errorf("%q", focused)
			}
		}
	})
}

// A command of Maven is restricted to the modules of the failing tests.
func TestModulesOfMaven(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("one", gittest.Files{
		"core/src/test/java/p/ATest.java": "class ATest {}\n", "web/api/src/test/kotlin/q/BTest.kt": "class BTest\n", "src/test/java/p/RootTest.java": "class RootTest {}\n",
	})
	for _, c := range []struct{ command, failing, want string }{
		{"mvn -B -o -fae test", "p.ATest.adds", "mvn -B -o -fae test -pl core -am"},
		{"./mvnw test", "p.ATest$Inner.adds q.BTest.b p.ATest.c", "./mvnw test -pl core,web/api -am"},
		{"mvn test", "p.RootTest.a", ""},
		{"mvn test", "p.ATest.adds p.OtherTest.a", ""},
		{"mvn test -pl core", "p.ATest.adds", ""},
		{"gradle test", "p.ATest.adds", ""},
		{"cd sub && mvn test", "p.ATest.adds", ""},
		{"mvn test", "", ""},
	} {
		modules, err := ModulesOf(t.Context(), h.Open(), fix.Tree{Commit: h.Head()}, strings.Fields(c.failing))
		if got, _ := WithModules(c.command, modules); err != nil || got != c.want {
			t.Errorf("%s, %s: %q, want %q, %v", c.command, c.failing, got, c.want, err)
		}
	}
	for command, want := range map[string]string{
		"mvn -B -o -fae test -Denforcer.skip": "mvn -B -o -fae test-compile -Denforcer.skip", "mvn verify": "", "gradle test": "", "test -f mvn": "",
	} {
		if got, _ := CompileModules(command); got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}
