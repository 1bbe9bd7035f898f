package testcmd

import "testing"

func TestNarrow(t *testing.T) {
	// The files take the place of the files and patterns of the command.
	t.Parallel()
	for _, c := range []struct{ command, file, want string }{
		{"npx --no-install vitest run", "src/a.test.ts", "npx --no-install vitest run src/a.test.ts"},
		{"CI=true pnpm exec vitest", "a b.test.ts", "CI=true pnpm exec vitest 'a b.test.ts'"},
		{"cd packages/x && yarn run jest --runInBand", "packages/x/test/a.ts", "cd packages/x && yarn run jest --runInBand test/a.ts"},
		{"node --import=tsx/esm --test test/*.ts", "test/a.ts", "node --import=tsx/esm --test test/a.ts"},
		{"npx --no-install mocha --require ts-node/register 'test/**/*.ts'", "test/a.ts", "npx --no-install mocha --require ts-node/register test/a.ts"},
		{"bun test", "a.test.ts", "bun test a.test.ts"},
		{"cd packages/x && yarn run jest", "packages/y/test/a.ts", ""},
		{"node test/run.js", "test/a.js", ""},
		{"pnpm test", "test/a.js", ""},
		{"npx --no-install vitest run", "test/data.json", ""},
		{"PYTHONPATH=src python3 -m pytest -q", "tests/test_a.py", "PYTHONPATH=src python3 -m pytest -q tests/test_a.py"},
		{"python3 -m pytest -q tests", "tests/test_a.py", "python3 -m pytest -q tests/test_a.py"},
		{"python3 -m pytest -q", "tests/conftest.py", ""},
		{"python3 -m unittest discover", "tests/test_a.py", ""},
		{"go test -tags x ./...", "a/b/c_test.go", "go test -tags x ./a/b"},
		{"go test ./...", "c_test.go", "go test ."},
		{"cd tools && go test ./...", "tools/a/c_test.go", "cd tools && go test ./a"},
		{"go vet ./...", "c_test.go", ""},
		{"cargo test --offline --no-fail-fast", "tests/issues.rs", "cargo test --offline --no-fail-fast --test issues"},
		{"cargo test --offline --workspace --no-fail-fast", "json/tests/de/main.rs", "cargo test --offline --workspace --no-fail-fast --test de"},
		{"cd sub && cargo test -p x", "sub/tests/a.rs", "cd sub && cargo test -p x --test a"},
		{"cargo test --offline", "src/datetime/tests.rs", "cargo test --offline --lib -- datetime::tests::"},
		{"cargo test --offline -- --nocapture", "a/src/naive/mod.rs", "cargo test --offline --lib -- --nocapture naive::"},
		{"cargo test", "src/lib.rs", "cargo test --lib"},
		{"cargo test", "tests/suite/regression.rs", ""},
		{"cargo test", "src/bin/tests.rs", ""},
		{"cargo test --lib", "tests/a.rs", ""},
		{"cargo test name", "tests/a.rs", ""},
		{"cargo build", "tests/a.rs", ""},
		{"bundle exec rspec", "spec/a_spec.rb", "bundle exec rspec spec/a_spec.rb"},
		{"rspec", "spec/spec_helper.rb", ""},
		{"bundle exec rake test", "test/spec_static.rb", "bundle exec rake test TEST=test/spec_static.rb"},
		{"rake test", "test/test_helper.rb", ""},
		{"rake spec", "test/a_test.rb", ""},
		{"mix test", "test/a/b_test.exs", "mix test test/a/b_test.exs"},
		{"mix test test/c_test.exs --trace", "test/a_test.exs", "mix test --trace test/a_test.exs"},
		{"mix test", "apps/a/test/a_test.exs", ""},
		{"mix compile", "test/a_test.exs", ""},
		{"vendor/bin/phpunit", "tests/ATest.php", "vendor/bin/phpunit tests/ATest.php"},
		{"vendor/bin/phpunit tests/unit", "tests/ATest.php", ""},
	} {
		got, ok := Narrow(Proposal{Test: c.command}, []string{c.file})
		if ok != (c.want != "") || ok && (got.Test != c.want || got.Suite != c.command) {
			t.Errorf("%s: got %s, %v", c.command, got.Test, ok)
		}
	}
}
