package execute

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"git-agent/gitext"
)

// A Proof names the tests that prove a culprit.
type Proof struct {
	Language string
	Tests    []string // names as the test runner prints them
	Files    []string // the test files of the fix
	Alone    bool     // the tests were run without the other tests of their files
}

// Laid are the texts that the search laid over each commit to run the tests of a proof there.
type Laid struct {
	Files   map[string]*string // by path; a path without a text is removed
	Modules map[string][]byte  // Rust: test modules that replace those of source files
}

// LaidOf returns what the search for a culprit laid over each commit.
func LaidOf(ctx context.Context, repo *gitext.Repo, fix gitext.OID, p Proof) (*Laid, error) {
	l := &Laid{Files: map[string]*string{}, Modules: map[string][]byte{}}
	var names []string
	for _, t := range p.Tests {
		names = append(names, t[strings.LastIndexAny(t, ".:")+1:])
	}
	dirs := map[string]bool{}
	for _, file := range p.Files {
		text, err := repo.BlobAt(ctx, fix, file, 8<<20)
		if err != nil {
			return nil, err
		}
		alone := p.Alone && suiteLanguages[path.Ext(file)] == p.Language
		if alone && p.Language == "Go" {
			dirs[path.Dir(file)] = true
			continue
		}
		start, end, inline := testModuleOf(text)
		if inline = inline && path.Ext(file) == ".rs" && !strings.HasPrefix(file, "tests/"); inline {
			text = text[start:end]
		}
		if alone {
			text = reduced(text, testForms[p.Language], names)
		}
		if inline {
			l.Modules[file] = text
			continue
		}
		content := string(text)
		l.Files[file] = &content
	}
	for _, dir := range slices.Sorted(maps.Keys(dirs)) {
		if err := l.leastGo(ctx, repo, fix, dir, p.Tests); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// leastGo adds the test files of a Go directory with only the wanted tests and what they need,
// and removes all others that the directory ever had.
func (l *Laid) leastGo(ctx context.Context, repo *gitext.Repo, fix gitext.OID, dir string, tests []string) error {
	s := &suite{repo: repo, language: "Go"}
	s.fix.commit.OID = fix
	files, err := s.testFiles(dir)
	if err != nil {
		return err
	}
	var tops []string
	for _, name := range tests {
		_, test, _ := strings.Cut(name, ":")
		top, _, _ := strings.Cut(test, "/")
		tops = append(tops, top)
	}
	least := minimalGoTests(files, tops)
	if least == nil {
		return fmt.Errorf("the tests in %s cannot be parsed", dir)
	}
	log := gitext.LogOptions{Tip: fix, Files: true, NoRenames: true}
	if dir != "." {
		log.Paths = []string{dir}
	}
	for e, err := range repo.Log(ctx, log) {
		if err != nil {
			return err
		}
		for _, c := range e.Files {
			for _, name := range []string{c.OldPath, c.NewPath} {
				if path.Dir(name) == dir && strings.HasSuffix(name, "_test.go") {
					l.Files[name] = nil
				}
			}
		}
	}
	for name, text := range least {
		content := string(text)
		l.Files[name] = &content
	}
	return nil
}
