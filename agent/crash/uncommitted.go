package crash

import (
	"path"
	"strings"

	"git-agent/gitext"
)

// A WorkFile is a file of the work tree that differs from HEAD.
type WorkFile struct {
	Path  string     `json:"path"`
	New   bool       `json:"new,omitempty"` // HEAD does not have it
	Hunks []WorkHunk `json:"hunks,omitempty"`
}

// A WorkHunk is a changed range of lines, as in the heading of a hunk without context: the old
// lines are those of HEAD.
type WorkHunk struct {
	OldStart int `json:"old_start"`
	OldLines int `json:"old_lines"`
	NewStart int `json:"new_start"`
	NewLines int `json:"new_lines"`
}

// WorkFiles returns the changes of a patch from HEAD to the work tree, and of its new files.
func WorkFiles(patch *gitext.Patch, added []string) []WorkFile {
	var files []WorkFile
	for _, f := range patch.Files {
		if f.Binary || f.Submodule || f.Status == 'D' {
			continue
		}
		w := WorkFile{Path: f.NewPath, New: f.Status == 'A'}
		for _, h := range f.Hunks {
			w.Hunks = append(w.Hunks, WorkHunk{h.OldStart, h.OldLines, h.NewStart, h.NewLines})
		}
		files = append(files, w)
	}
	for _, p := range added {
		files = append(files, WorkFile{Path: p, New: true})
	}
	return files
}

// WorkOf returns the files whose names are in the frames of a report.
func WorkOf(files []WorkFile, report *Report) []WorkFile {
	named := map[string]bool{}
	for _, s := range report.Stacks {
		for _, f := range s.Frames {
			if f.File != "" {
				named[strings.ToLower(path.Base(strings.ReplaceAll(f.File, `\`, "/")))] = true
			}
		}
	}
	var out []WorkFile
	for _, w := range files {
		if named[strings.ToLower(path.Base(w.Path))] {
			out = append(out, w)
		}
	}
	return out
}

// Committed returns the line of HEAD for a line of the work tree, or 0 if that line is changed or
// new.
func (w WorkFile) Committed(line int) int {
	if w.New {
		return 0
	}
	shift := 0
	for _, h := range w.Hunks {
		first := h.NewStart
		if h.NewLines == 0 {
			first++ // git names the line before a removal
		}
		switch {
		case line < first:
			return line + shift
		case line < first+h.NewLines:
			return 0
		}
		shift += h.OldLines - h.NewLines
	}
	return line + shift
}
