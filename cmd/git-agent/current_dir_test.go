package main

import (
	"path/filepath"
	"testing"

	"git-agent/agent/suspect"
	"git-agent/cmd/git-agent/app"
)

// Commands are made for the top of the work tree; below it, they use relative paths, or go to the
// top themselves. At the top and outside, nothing changes.
func TestCommandsWorkHere(t *testing.T) {
	top := filepath.FromSlash("/srv/r")
	blame := suspect.Evidence{Path: "src/a b.c", Command: "git blame -w -L 3,4 abc -- 'src/a b.c'"}
	log := suspect.Evidence{Path: "src/a.c", Command: "git log -1 -L3,4:src/a.c abc"}
	show := suspect.Evidence{Command: "git show abc"}
	for _, c := range []struct {
		dir  string
		e    suspect.Evidence
		want string
	}{
		{"/srv/r", blame, blame.Command},
		{"/srv", blame, blame.Command},
		{"/elsewhere", log, log.Command},
		{"/srv/r/src", blame, "git blame -w -L 3,4 abc -- 'a b.c'"},
		{"/srv/r/doc/x/y/z", blame, "git blame -w -L 3,4 abc -- '../../../../src/a b.c'"},
		{"/srv/r/src/x", log, "git -C ../.. log -1 -L3,4:src/a.c abc"},
		{"/srv/r/src", show, show.Command},
	} {
		if got := (app.Here{Dir: filepath.FromSlash(c.dir), Top: top}).Command(c.e); got != c.want {
			t.Errorf("in %s: %s, want %s", c.dir, got, c.want)
		}
	}
	if got := (app.Here{}).Command(blame); got != blame.Command {
		t.Errorf("without a work tree: %s", got)
	}
}
