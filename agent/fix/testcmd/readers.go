package testcmd

import (
	"cmp"
	"context"
	"path"
	"regexp"
	"slices"
	"strings"

	"git-agent/agent/source"
	"git-agent/gitext"
)

const (
	maxReaders    = 3    // returned test files
	maxNamings    = 1000 // lines that name the data
	maxNamingLine = 1000 // bytes of such a line that are read
)

// Readers returns the test files at a commit that name a file of test data: by its name or else by two parts of
// its path, such as fixtures/parser, the closest to the file first. A file that two names fit counts by the closer one.
// Only the files with the closest name are returned.
func Readers(ctx context.Context, repo *gitext.Repo, at gitext.OID, data string) ([]string, error) {
	names := dataNames(data)
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = regexp.QuoteMeta(name)
	}
	matches, err := repo.Grep(ctx, at, gitext.GrepOptions{Pattern: strings.Join(quoted, "|"), Max: maxNamings, Width: maxNamingLine})
	if err != nil && !gitext.Unreadable(err) {
		return nil, err
	}
	closest := map[string]int{} // the place in names, by file
	for _, m := range matches {
		i := slices.IndexFunc(names, func(name string) bool { return strings.Contains(string(m.Text), name) })
		if was, seen := closest[m.Path]; i < 0 || seen && was <= i || source.FileKindOf(m.Path) != source.TestFile || !startable(m.Path) {
			continue
		}
		closest[m.Path] = i
	}
	var files []string
	for file := range closest {
		files = append(files, file)
	}
	slices.SortFunc(files, func(a, b string) int { return cmp.Or(cmp.Compare(closest[a], closest[b]), strings.Compare(a, b)) })
	files = slices.DeleteFunc(files, func(file string) bool { return closest[file] != closest[files[0]] })
	return files[:min(len(files), maxReaders)], nil
}

// dataNames returns what code may call a file of data, the surest first.
func dataNames(data string) []string {
	names := []string{path.Base(data)}
	for dir := path.Dir(data); path.Dir(dir) != "."; dir = path.Dir(dir) {
		names = append(names, path.Base(path.Dir(dir))+"/"+path.Base(dir))
	}
	return names
}

// startable reports whether a command may run a test file alone.
func startable(file string) bool {
	ext := path.Ext(file)
	if interpreters[ext] != "" {
		return true
	}
	for _, l := range loners {
		if slices.Contains(strings.Fields(l.endings), ext) {
			return true
		}
	}
	return false
}

// Suite returns the likeliest command that runs all tests of a repository, by its proposals, with its build; "" if there is none.
func Suite(proposals []Proposal) string {
	for _, p := range proposals {
		if !p.Part {
			return p.afterBuild(p.Test)
		}
	}
	return ""
}

// afterBuild returns a command with the build of the proposal before it. Where that fails, the command says nothing.
func (p Proposal) afterBuild(command string) string {
	if p.Build == "" {
		return command
	}
	return buildsFirst + p.Build + orSkips + command
}

// These surround the build in a command of afterBuild.
const (
	buildsFirst = "{ "
	orSkips     = " || exit 125; }; "
)

// SkipsUnbuilt reports whether exit 125 of a command of OfFile or Suite says that its build did not pass.
func SkipsUnbuilt(command string) bool {
	return strings.HasPrefix(command, buildsFirst) && strings.Contains(command, orSkips)
}
