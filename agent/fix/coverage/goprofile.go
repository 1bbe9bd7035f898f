package coverage

import (
	"bytes"
	"path"
	"strconv"
	"strings"
)

// readGoProfile reads the executed lines from a Go cover profile. Its records have the form
// "import/path/file.go:line.column,line.column statements count". dir returns the directory of a
// package below the tree. Files of other packages, ignored files and malformed lines are left out.
func readGoProfile(profile []byte, dir func(pkg string) (string, bool), t *tree) executed {
	lines := executed{}
	paths := map[string]string{} // by the profile's name; "" for an ignored file
	for record := range bytes.Lines(profile) {
		record = bytes.TrimRight(record, "\r\n")
		if bytes.HasSuffix(record, []byte(" 0")) {
			continue
		}
		name, first, last, ok := goBlock(string(record))
		if !ok {
			continue
		}
		p, known := paths[name]
		if !known {
			p = goSourcePath(name, dir, t)
			paths[name] = p
		}
		if p != "" {
			lines.add(p, first, last)
		}
	}
	return lines
}

// goSourcePath maps a file of a profile to a path of the tree; "" for an ignored file.
func goSourcePath(name string, dir func(pkg string) (string, bool), t *tree) string {
	below, ok := dir(path.Dir(name))
	if !ok {
		return ""
	}
	p := path.Join(below, path.Base(name))
	if !t.counts(p) {
		return ""
	}
	return p
}

// goBlock reads the file and the lines of a record. If a block ends before the text of a line,
// the line still belongs to the block.
func goBlock(record string) (name string, first, last int, ok bool) {
	colon := strings.LastIndexByte(record, ':')
	if colon < 0 {
		return "", 0, 0, false
	}
	span, _, _ := strings.Cut(record[colon+1:], " ")
	from, to, ok := strings.Cut(span, ",")
	if !ok {
		return "", 0, 0, false
	}
	from, _, _ = strings.Cut(from, ".")
	to, _, _ = strings.Cut(to, ".")
	first, err := strconv.Atoi(from)
	last, err2 := strconv.Atoi(to)
	return record[:colon], first, last, err == nil && err2 == nil && first <= last
}
