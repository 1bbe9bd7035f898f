package crashtool

import (
	"fmt"
	"slices"
	"strings"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// maxMissing limits the lines about what the commit lacks.
const maxMissing = 8

// installed matches folders in a project's folder that hold the code of others.
var installed = source.Lazy(`(?:^|/)(?:node_modules|site-packages|dist-packages|vendor|third_party|\.venv|venv|\.tox|pkg/mod|_deps|\.cargo)/`)

// Missing lists what the report names of the project and the commit does not have, for a first
// message: files, and functions of its files. It is "" if there is nothing.
//
// A file is the project's if it is in the folder in which the report has the project's other files,
// and a class of Java if it is in their package.
func (c *Case) Missing() string {
	roots, packages := c.homes()
	var lines []string
	for i, s := range c.Report.Stacks {
		for j, f := range s.Frames {
			text := ""
			switch {
			case f.Path != "" && f.Moved && f.At == 0 && f.DefinedAt == 0 && f.Function != "":
				text = fmt.Sprintf("the function %s() is not in %s", agent.Shorten(agent.CleanLine(f.Function), 100), agent.CleanLine(f.Path))
			case f.Path == "" && f.File != "":
				if file := below(f, roots, packages); file != "" {
					text = "there is no file " + c.Shorten(file, 120)
				}
			}
			if text == "" || slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, text+" (") }) {
				continue
			}
			lines = append(lines, fmt.Sprintf("%s (#%d of %q)", text, c.Report.Stacks[i].Number(j), c.Report.Stacks[i].Kind))
		}
	}
	if n := len(lines) - maxMissing; n > 0 {
		lines = append(lines[:maxMissing], fmt.Sprintf("(%d more)", n))
	}
	return strings.Join(append(lines, ""), "\n")
}

// homes returns the folders that the report's paths of tracked files begin with, and the packages of
// tracked classes of Java.
func (c *Case) homes() (roots, packages []string) {
	for _, s := range c.Report.Stacks {
		for _, f := range s.Frames {
			if f.Path == "" {
				continue
			}
			if root, ok := strings.CutSuffix(f.File, "/"+f.Path); ok && root != "" && !slices.Contains(roots, root+"/") {
				roots = append(roots, root+"/")
			}
			if parts := strings.Split(f.Function, "."); s.Format == "java" && len(parts) > 4 {
				if p := strings.Join(parts[:3], ".") + "."; !slices.Contains(packages, p) {
					packages = append(packages, p)
				}
			}
		}
	}
	return roots, packages
}

// below returns the path of a frame's file in the project, or "" if it is not the project's.
func below(f crash.Frame, roots, packages []string) string {
	for _, root := range roots {
		if file, ok := strings.CutPrefix(f.File, root); ok && !installed().MatchString(file) {
			return file
		}
	}
	for _, p := range packages {
		if strings.HasPrefix(f.Function, p) {
			return f.File
		}
	}
	return ""
}
