package app

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

// Here is the user's current directory in a work tree. Output for people fits this directory: a
// terminal can open the paths, and the commands can be copied. The zero value stands for the top
// of the work tree, and for a directory outside it.
type Here struct {
	Dir, Top string
}

// HereIn returns the user's current directory in the work tree of a repository.
func HereIn(repo *gitext.Repo) Here {
	dir, err := os.Getwd()
	top := repo.WorkTree()
	if err != nil || top == "" {
		return Here{}
	}
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved
	}
	return Here{Dir: dir, Top: top}
}

// Path returns a tracked path relative to the directory.
func (h Here) Path(path string) string {
	if h.Top == "" || path == "" {
		return path
	}
	rel, err := filepath.Rel(h.Dir, filepath.Join(h.Top, filepath.FromSlash(path)))
	if err != nil || strings.HasPrefix(rel, "../../..") {
		return path
	}
	return rel
}

// Up returns the relative path to the top of the work tree, "" if the directory is not below the
// top.
func (h Here) Up() string {
	rel, err := filepath.Rel(h.Dir, h.Top)
	if h.Top == "" || err != nil || rel == "." || strings.Trim(rel, "."+string(filepath.Separator)) != "" {
		return ""
	}
	return rel
}

// Command changes the git command of a piece of evidence, which is made for the top of the work
// tree, to work in the directory.
func (h Here) Command(e suspect.Evidence) string {
	up := h.Up()
	if up == "" || e.Path == "" {
		return e.Command
	}
	if head, ok := strings.CutSuffix(e.Command, " -- "+quote.Shell(e.Path)); ok {
		rel, err := filepath.Rel(h.Dir, filepath.Join(h.Top, filepath.FromSlash(e.Path)))
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
func (h Here) evidence(list []suspect.Evidence) []suspect.Evidence {
	list = slices.Clone(list)
	for i := range list {
		list[i].Command = h.Command(list[i])
	}
	return list
}

// Answer returns suspects whose commands work in the directory.
func (h Here) Answer(suspects []szz.Suspect) []szz.Suspect {
	suspects = slices.Clone(suspects)
	for i := range suspects {
		suspects[i].Evidence = h.evidence(suspects[i].Evidence)
	}
	return suspects
}

// Suspects does the same for the suspects of a crash.
func (h Here) Suspects(list []suspect.Suspect) []suspect.Suspect {
	list = slices.Clone(list)
	for i := range list {
		list[i].Evidence = h.evidence(list[i].Evidence)
	}
	return list
}
