package rank

import (
	"path"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// maxQuoted limits the names that are looked up because a message quotes them.
const maxQuoted = 8

// quotation matches a quoted part of a message: 'x' in KeyError: 'x', "setup" in no task "setup".
var quotation = source.Lazy(`'([^'\n]{2,60})'|"([^"\n]{2,60})"`)

// quotedNames returns the names that the messages of a report quote: the key that is missing, the
// attribute that an object lacks, the argument that nobody expects. It leaves out short names and
// words that messages have everywhere.
func quotedNames(report *crash.Report) []string {
	var names []string
	for _, p := range report.Problems {
		for _, m := range quotation().FindAllStringSubmatch(source.FirstBytes(p.Message, maxMessageBytes), -1) {
			for _, w := range strings.FieldsFunc(m[1]+m[2], source.NotIdent) {
				if len(w) >= 4 && !commonWords()[strings.ToLower(w)] {
					names = append(names, w)
				}
			}
		}
	}
	names = bounded(names, plainName())
	return names[:min(len(names), maxQuoted)]
}

// markNear records on the evidence how near in the tree each file is to that of the innermost frame
// where the failure began: a stack often goes from one part of a project into another, and back.
func markNear(report *crash.Report, files []*evidence) {
	if len(files) == 0 {
		return
	}
	inner := files[0].path
	if frames := failing(report); len(frames) > 0 {
		inner = report.At(frames[0]).Path
	}
	folders := foldersOf(inner)
	for _, e := range files {
		n := 0
		for i, f := range foldersOf(e.path) {
			if i == len(folders) || f != folders[i] {
				break
			}
			n++
		}
		e.near = float64(n) / float64(max(len(folders), 1))
	}
}

// foldersOf returns the folders of a path, from the root.
func foldersOf(p string) []string {
	dir := path.Dir(p)
	if dir == "." {
		return nil
	}
	return strings.Split(dir, "/")
}
