package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"git-agent/agent/suspect"
	"git-agent/agent/szz"
	"git-agent/gitext"
	"git-agent/gitext/quote"
)

// here is the directory of a work tree that the user stands in. What is printed for
// people is written for it: paths that a terminal can open, and commands that can be
// copied. The zero value stands for the top of the work tree, and for a directory
// outside of it.
type here struct {
	dir, top string
}

// hereIn returns where the user stands in the work tree of a repository.
func hereIn(repo *gitext.Repo) here {
	dir, err := os.Getwd()
	top := repo.WorkTree()
	if err != nil || top == "" {
		return here{}
	}
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved
	}
	return here{dir: dir, top: top}
}

// path writes a tracked path as it is called from the directory.
func (h here) path(path string) string {
	if h.top == "" || path == "" {
		return path
	}
	rel, err := filepath.Rel(h.dir, filepath.Join(h.top, filepath.FromSlash(path)))
	if err != nil || strings.HasPrefix(rel, "../../..") {
		return path
	}
	return rel
}

// up returns the way to the top of the work tree, "" if the directory is not below it.
func (h here) up() string {
	rel, err := filepath.Rel(h.dir, h.top)
	if h.top == "" || err != nil || rel == "." || strings.Trim(rel, "."+string(filepath.Separator)) != "" {
		return ""
	}
	return rel
}

// command writes the git command of a piece of evidence, which is made for the top of the
// work tree, so that it works in the directory.
func (h here) command(e suspect.Evidence) string {
	up := h.up()
	if up == "" || e.Path == "" {
		return e.Command
	}
	if head, ok := strings.CutSuffix(e.Command, " -- "+quote.Shell(e.Path)); ok {
		rel, err := filepath.Rel(h.dir, filepath.Join(h.top, filepath.FromSlash(e.Path)))
		if err == nil {
			return head + " -- " + quote.Shell(filepath.ToSlash(rel))
		}
	}
	if rest, ok := strings.CutPrefix(e.Command, "git "); ok && strings.Contains(e.Command, e.Path) {
		return "git -C " + quote.Shell(up) + " " + rest
	}
	return e.Command
}

// evidence returns evidence whose commands work in the directory.
func (h here) evidence(list []suspect.Evidence) []suspect.Evidence {
	list = slices.Clone(list)
	for i := range list {
		list[i].Command = h.command(list[i])
	}
	return list
}

// answer returns suspects whose commands work in the directory.
func (h here) answer(suspects []szz.Suspect) []szz.Suspect {
	suspects = slices.Clone(suspects)
	for i := range suspects {
		suspects[i].Evidence = h.evidence(suspects[i].Evidence)
	}
	return suspects
}

// suspects does the same for the suspects of a crash.
func (h here) suspects(list []suspect.Suspect) []suspect.Suspect {
	list = slices.Clone(list)
	for i := range list {
		list[i].Evidence = h.evidence(list[i].Evidence)
	}
	return list
}
