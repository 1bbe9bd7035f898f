package rank

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// Limits on the classes that are looked up for one report.
const (
	maxClasses      = 12
	maxClassFiles   = 2 // a class with more defining files is ambiguous
	maxClassMatches = 2000
	maxMessageBytes = 2000 // bytes of a message that are read
)

var (
	// The class of an object in messages of Python.
	pythonClass = source.Lazy(`'(\w+)' object\b|\btype object '(\w+)'`)
	// A class with its package in messages of Java virtual machines.
	javaClass = source.Lazy(`\b((?:[a-z_]\w*[./])+)([A-Z]\w*)`)
	// An activity of Android behind its application: ComponentInfo{org.example.app/org.example.app.ui.Home}.
	component = source.Lazy(`\b(?:[a-z_]\w*\.)+\w+/((?:[a-z_]\w*\.)+[A-Z]\w*)`)
	// A field with its class: "Go struct field Config.timeout of type int", "Order.items is null".
	classField = source.Lazy(`(?:^|[^\w./$])([A-Z]\w*[a-z]\w*)\.([a-z_]\w*)`)
	// What follows the dot in the name of a file, and not in that of a field.
	fileSuffix = source.Lazy(
		`^(?:java|kt|scala|groovy|class|jar|py|go|rs|rb|php|js|ts|jsx|tsx|mjs|cs|c|cc|cpp|h|hpp|m|mm|swift|json|xml|yml|yaml|toml|md|txt|html|css|log|so|dll|exe|out|err)$`,
	)
)

// spoken is a class named in the message of a problem.
type spoken struct {
	name string
	dir  string // the directories of its package, "" if the message has no package
	of   bool   // the message names one of its fields
}

// spokenClasses returns the classes in the messages of a report. It leaves out classes of
// exceptions, because they describe the failure and are rarely at fault.
func spokenClasses(report *crash.Report) []spoken {
	var out []spoken
	add := func(s spoken) {
		if len(out) < maxClasses && !slices.Contains(out, s) && !strings.HasSuffix(s.name, "Exception") && !strings.HasSuffix(s.name, "Error") {
			out = append(out, s)
		}
	}
	for _, p := range report.Problems {
		text := component().ReplaceAllString(source.FirstBytes(p.Message, maxMessageBytes), "$1")
		for _, m := range pythonClass().FindAllStringSubmatch(text, maxClasses) {
			add(spoken{name: m[1] + m[2]})
		}
		for _, m := range javaClass().FindAllStringSubmatch(text, maxClasses) {
			add(spoken{name: m[2], dir: strings.ReplaceAll(m[1], ".", "/")})
		}
		for _, m := range classField().FindAllStringSubmatch(text, maxClasses) {
			if !fileSuffix().MatchString(m[2]) {
				add(spoken{name: m[1], of: true})
			}
		}
	}
	return out
}

// spokenFiles returns the files that define a class in a message, except the listed files. Such a
// file is in no stack, but may be at fault: the class that lacks an attribute, or that cannot be
// serialized.
func spokenFiles(ctx context.Context, repo *gitext.Repo, commit gitext.OID, report *crash.Report, listed map[string]bool) ([]crash.File, error) {
	classes := spokenClasses(report)
	var names []string
	for _, c := range classes {
		names = append(names, c.name)
	}
	names = bounded(names, plainName())
	if len(names) == 0 {
		return nil, nil
	}
	matches, err := repo.Grep(ctx, commit, gitext.GrepOptions{
		Pattern: `(class|interface|enum|trait|object|record|struct|type) +(` + strings.Join(names, "|") + `)`, Word: true, Max: maxClassMatches,
	})
	if err != nil && !gitext.Unreadable(err) {
		return nil, err
	}
	var out []crash.File
	for _, c := range classes {
		for _, p := range c.definedIn(matches) {
			if !listed[p] {
				listed[p] = true
				out = append(out, crash.File{Path: p, Related: true, Reasons: []string{fmt.Sprintf("the message names its class %s", c.name)}})
			}
		}
	}
	return out, err
}

var (
	classLine = source.Lazy(`^\s*(?:[\w@()]+ +)*(?:class|interface|enum|trait|object|record) +(\w+)`)
	// The same for a type with fields, also in Go, Rust and C++.
	structLine = source.Lazy(
		`^\s*(?:(?:export|default|public|private|protected|internal|final|static|abstract|sealed|data|case|open|pub(?:\([^)]*\))?) +)*(?:(?:class|record|struct|object) +(\w+)|type +(\w+)(?:\[[^\]]*\])? +struct\b)[^;]*$`,
	)
)

// definedIn returns the files with a matching line that defines the class, or none if there are
// too many.
func (s spoken) definedIn(matches []gitext.GrepMatch) []string {
	var out []string
	for _, m := range matches {
		if s.of {
			d := structLine().FindSubmatch(m.Text)
			if d != nil && string(d[1])+string(d[2]) == s.name && !slices.Contains(out, m.Path) && !isHarness(m.Path) &&
				source.FileKindOf(m.Path) == source.SourceFile {
				out = append(out, m.Path)
			}
			continue
		}
		d := classLine().FindSubmatch(m.Text)
		if d == nil || string(d[1]) != s.name || slices.Contains(out, m.Path) || isHarness(m.Path) {
			continue
		}
		inPackage := strings.HasSuffix("/"+path.Dir(m.Path)+"/", "/"+s.dir)
		if s.dir == "" && strings.HasSuffix(m.Path, ".py") || s.dir != "" && inPackage && source.Stem(m.Path) == s.name {
			out = append(out, m.Path)
		}
	}
	if len(out) > maxClassFiles || s.of && len(out) > 1 {
		return nil
	}
	return out
}
