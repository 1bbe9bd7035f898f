package rank

import (
	"context"
	"fmt"
	"path"
	"strings"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// missingErrors are the errors of Java's virtual machine about a class that it does not find when
// the program runs, although it was there for the compiler.
var missingErrors = source.Lazy(`(?:^|\.)(?:NoClassDefFoundError|ClassNotFoundException)$`)

// className is the name of a class in the message of such an error, with dots or slashes.
var className = source.Lazy(`^L?((?:[A-Za-z_$][\w$]*[./])+[A-Za-z_$][\w$]*);?(?: |$)`)

// missingClass returns the class that a report says is missing, with dots, or "".
func missingClass(report *crash.Report) string {
	for _, p := range report.Problems {
		if !missingErrors().MatchString(p.Kind) {
			continue
		}
		if m := className().FindStringSubmatch(p.Message); m != nil {
			return strings.ReplaceAll(m[1], "/", ".")
		}
	}
	return ""
}

// builders are the files that declare the dependencies of a Java program.
var builders = []string{"pom.xml", "build.gradle", "build.gradle.kts", "build.xml"}

// buildFiles returns the nearest build file above the first file of a ranking, or that at the top of
// the tree, if a class is missing: the cause is seldom in the code that needs the class.
func buildFiles(ctx context.Context, repo *gitext.Repo, commit gitext.OID, report *crash.Report, ranked []crash.File) ([]crash.File, error) {
	class := missingClass(report)
	if class == "" {
		return nil, nil
	}
	first := "."
	if len(ranked) > 0 {
		first = path.Dir(ranked[0].Path)
	}
	var paths []string
	for dir := first; ; dir = path.Dir(dir) {
		for _, b := range builders {
			paths = append(paths, path.Join(dir, b))
		}
		if dir == "." || dir == "/" {
			break
		}
	}
	present, err := presentOf(ctx, repo, commit, paths)
	if err != nil {
		return nil, err
	}
	for _, p := range paths {
		if present[p] {
			why := fmt.Sprintf("declares dependencies, and the class %s is missing when the program runs", agent.CleanLine(class))
			return []crash.File{{Path: p, Related: true, Reasons: []string{why}}}, nil
		}
	}
	return nil, nil
}
