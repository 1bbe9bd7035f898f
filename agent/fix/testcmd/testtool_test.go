package testcmd

import "testing"

func TestNamesTests(t *testing.T) {
	// A test tool is recognized behind a directory, assignments and wrappers, and only where it tests.
	t.Parallel()
	for command, want := range map[string]bool{
		"cd 'a b' && CI=1 npx --no-install jest -i": true, "python3 -m pytest -q": true, "go test ./...": true, "go vet ./...": false,
		"cargo nextest run": true, "cargo build": false, "node test.js": false, "node --test": true, "npm test": false,
		"mvn -B -o test": true, "mvn compile": false, "jest && echo": false, "yarn run vitest --run": true, "": false,
	} {
		if got := NamesTests(command); got != want {
			t.Errorf("%s: %v", command, got)
		}
	}
}

func TestRunsScript(t *testing.T) {
	// What a script of a project runs may be more than a test tool.
	t.Parallel()
	for command, want := range map[string]bool{
		"cd a && npm test": true, "CI=true yarn test": true, "bun run test": true, "tox -e py": true, "sh test.sh": false, "make test": false, "": false,
	} {
		if got := RunsScript(command); got != want {
			t.Errorf("%s: %v", command, got)
		}
	}
}
