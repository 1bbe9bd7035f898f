package trial

import (
	"cmp"
	"os"
	"path/filepath"
)

// A Manager is a package manager whose downloads are in a directory of the user.
type Manager struct {
	store string // the variable with the directory of the downloads; "" if there is none
	home  string // the variable with the manager's homes; "" if there is none
	dir   string // its home in the home directory, where no variable names one
	below string // the directory of the downloads in a home
}

// These are the managers whose downloads are read.
var (
	GoModules = Manager{store: "GOMODCACHE", home: "GOPATH", dir: "go", below: "pkg/mod"}
	Cargo     = Manager{home: "CARGO_HOME", dir: ".cargo"}
	Maven     = Manager{dir: ".m2", below: "repository"}
	gradle    = Manager{home: "GRADLE_USER_HOME", dir: ".gradle"}
)

// Downloads returns the directories that may have a manager's downloads; the first is the one that it uses.
func (m Manager) Downloads() []string {
	var dirs []string
	add := func(dir, below string) {
		if filepath.IsAbs(dir) {
			dirs = append(dirs, filepath.Join(dir, below))
		}
	}
	if m.store != "" {
		add(os.Getenv(m.store), "")
	}
	if m.home != "" {
		for _, home := range filepath.SplitList(os.Getenv(m.home)) {
			add(home, m.below)
		}
	}
	if home, err := os.UserHomeDir(); err == nil {
		add(filepath.Join(home, m.dir), m.below)
	}
	return dirs
}

// variable leads a manager's command to another directory.
func (m Manager) variable() string { return cmp.Or(m.store, m.home) }

// user returns the directory that a manager uses; "" if there is none.
func (m Manager) user() string {
	if dirs := m.Downloads(); len(dirs) > 0 {
		return dirs[0]
	}
	return ""
}
