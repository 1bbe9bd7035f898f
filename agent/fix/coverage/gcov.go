package coverage

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"path/filepath"
)

// A gcovReport is the output of gcov --json-format for one data file.
type gcovReport struct {
	Dir   string `json:"current_working_directory"` // working directory of the compiler
	Files []struct {
		File  string `json:"file"`
		Lines []struct {
			Number int   `json:"line_number"`
			Count  int64 `json:"count"`
		} `json:"lines"`
	} `json:"files"`
}

// maxGcovRecord bounds one report, in bytes.
const maxGcovRecord = 32 << 20

// readGcov reads the executed lines from the output of gcov --json-format --stdout, which has
// one line with a report for each data file. Other lines are ignored.
func readGcov(out []byte, t *tree) executed {
	lines := executed{}
	paths := map[string]string{}
	in := bufio.NewReader(bytes.NewReader(out))
	for {
		record, err := in.ReadBytes('\n')
		var report gcovReport
		if len(record) <= maxGcovRecord && json.Unmarshal(record, &report) == nil {
			report.add(lines, paths, t)
		}
		if err == io.EOF {
			return lines
		}
	}
}

// add marks the lines of a report. paths maps names of files to paths of the tree, or to "" for
// ignored files.
func (r *gcovReport) add(lines executed, paths map[string]string, t *tree) {
	for _, f := range r.Files {
		name := f.File
		if !filepath.IsAbs(name) {
			name = filepath.Join(r.Dir, name)
		}
		p, known := paths[name]
		if !known {
			p, _ = t.measured(name)
			if !t.counts(p) {
				p = ""
			}
			paths[name] = p
		}
		if p == "" {
			continue
		}
		for _, line := range f.Lines {
			if line.Count > 0 {
				lines.add(p, line.Number, line.Number)
			}
		}
	}
}
