package execute

import (
	"context"
	"encoding/json"
	"errors"
	"path"
	"slices"
	"strings"

	"git-agent/agent/source"
	"git-agent/gitext"
	"git-agent/gitext/quote"
)

// nodeTestFile matches a file for a test runner, not a fixture.
var nodeTestFile = source.Lazy(`\.(?:[cm]?js|ts|jsx|tsx)$`)

// nodeRunners are the programs that run test files, with the command line before the files. The
// first one named in the scripts of package.json is used.
var nodeRunners = []struct{ word, command string }{
	{"vitest", "vitest run --reporter=verbose"},
	{"jest", "jest --ci --verbose --coverage=false"},
	{"mocha", "mocha --reporter=spec"},
	{"ava", "ava --verbose"},
	{"jasmine", "jasmine"},
	{"qunit", "qunit"},
	{"uvu", "uvu -i nothing ."},
	{"--test", "node --test --test-reporter=spec"},
	{"borp", "node --test --test-reporter=spec"},
	{"tape", "tape"},
	{"tap", ""}, // a file of node-tap is a program
}

// nodeRequires matches the options of a script that load a compiler or globals before tests.
var nodeRequires = source.Lazy(`(?:^| )(?:(?:-r|--require|--import|--loader|--ui|-u) ?=?\s*[\w@./:-]+|--experimental-\S+)`)

// forNode makes the suite run only the test files of the fix. It returns false if package.json
// names no known runner.
func (s *suite) forNode(ctx context.Context) (bool, error) {
	text, err := s.repo.BlobAt(ctx, s.fix.commit.OID, "package.json", 1<<20)
	if errors.Is(err, gitext.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	var manifest struct{ Scripts map[string]string }
	if json.Unmarshal(text, &manifest) != nil {
		return false, nil
	}
	files := s.nodeTests()
	if len(files) == 0 {
		return true, none("no test file of JavaScript is changed")
	}
	command := nodeCommand(manifest.Scripts, files)
	if command != "" {
		s.command = "export PATH=node_modules/.bin:$PATH CI=true; " + command
	}
	return command != "", nil
}

// nodeTests lists the fix's test files that are programs.
func (s *suite) nodeTests() []string {
	var files []string
	for _, p := range s.fix.tests {
		dir := "/" + path.Dir(p) + "/"
		if nodeTestFile().MatchString(p) && !strings.Contains(dir, "/fixtures/") && !strings.Contains(dir, "/fixture/") &&
			!strings.HasSuffix(p, ".d.ts") {
			files = append(files, p)
		}
	}
	return files
}

// nodeCommand returns the command that runs some test files, "" if the scripts name no
// known runner.
func nodeCommand(scripts map[string]string, files []string) string {
	var all []string
	for _, name := range sortedByTest(scripts) {
		all = append(all, scripts[name])
	}
	for _, script := range all {
		words := strings.FieldsFunc(script, func(r rune) bool { return strings.ContainsRune(" \t/;&|\"'=", r) })
		for _, r := range nodeRunners {
			if !slices.Contains(words, r.word) {
				continue
			}
			var list string
			for _, f := range files {
				list += " " + quote.Shell(f)
			}
			options := strings.Join(nodeRequires().FindAllString(script, -1), "")
			if r.command == "" {
				return eachFile("node"+options, files)
			}
			return r.command + options + list
		}
	}
	return ""
}

// eachFile runs a program with one file after the other.
func eachFile(program string, files []string) string {
	var commands []string
	for _, f := range files {
		commands = append(commands, program+" "+quote.Shell(f))
	}
	return strings.Join(commands, " && ")
}

// sortedByTest lists the names of scripts, those named after tests first.
func sortedByTest(scripts map[string]string) []string {
	var names []string
	for name := range scripts {
		if !strings.Contains(name, "lint") {
			names = append(names, name)
		}
	}
	rank := func(name string) int {
		switch {
		case name == "test":
			return 0
		case strings.Contains(name, "test"), strings.Contains(name, "unit"):
			return 1
		}
		return 2
	}
	slices.SortFunc(names, func(a, b string) int {
		if rank(a) != rank(b) {
			return rank(a) - rank(b)
		}
		return strings.Compare(a, b)
	})
	return names
}
