package trial

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"git-agent/agent/sandbox"
)

// Where a confined command has the network, Go, Cargo and Maven download into directories of their own among
// the caches of the workspace, because the user's must not be written. What the user has downloaded is read
// from there. Gradle has such a home in any case.

// These are directories among the caches.
const (
	cargoFolder   = "cargo"
	mavenFolder   = "maven"
	modulesFolder = "go-modules"
)

// fetches reports whether a command downloads into the caches of the workspace.
func (w *Workspace) fetches() bool {
	return w.opt.Network && w.level != sandbox.None && w.opt.Setup == nil
}

// modules returns the variable that leads the command of a Go module to its directory of modules, which it makes
// at its first use.
func (w *Workspace) modules() ([]string, error) {
	if !w.fetches() {
		return nil, nil
	}
	if _, err := os.Lstat(filepath.Join(w.tree, "go.mod")); err != nil {
		return nil, nil
	}
	dir := filepath.Join(w.cache, modulesFolder)
	if _, err := os.Lstat(dir); err != nil {
		if err := fillModules(GoModules.user(), dir); err != nil {
			return nil, fmt.Errorf("directory of Go's modules: %w", err)
		}
	}
	return []string{GoModules.variable() + "=" + dir}, nil
}

// fillModules makes a directory of modules with links to what Go has downloaded. Go unpacks it again.
func fillModules(from, to string) error {
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	const downloaded = "cache/download"
	return linkTree(filepath.Join(from, downloaded), filepath.Join(to, downloaded))
}

// cargo returns the variable that leads a command, which may start Cargo by a script, to its home of Cargo.
// cargo makes this home at its first use.
func (w *Workspace) cargo() ([]string, error) {
	if !w.fetches() {
		return nil, nil
	}
	home := filepath.Join(w.cache, cargoFolder)
	if _, err := os.Lstat(home); err != nil {
		if err := fillCargo(Cargo.user(), home); err != nil {
			return nil, fmt.Errorf("home of Cargo: %w", err)
		}
	}
	return []string{Cargo.variable() + "=" + home}, nil
}

// fillCargo makes a home of Cargo with links to the crates that the user has downloaded. Cargo asks the
// registry for its index, and unpacks the crates again.
func fillCargo(from, to string) error {
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	for _, crate := range globbed(from, "registry/cache/*/*.crate") {
		if err := linkTo(filepath.Join(from, crate), filepath.Join(to, crate)); err != nil {
			return err
		}
	}
	return nil
}

// mavenDownloads returns the options with which Maven downloads into a repository among the caches, and reads
// the user's one. Maven before version 3.9 does not read it, and downloads everything.
func (w *Workspace) mavenDownloads() string {
	if !w.fetches() {
		return ""
	}
	set := " -Dmaven.repo.local=" + filepath.Join(w.cache, mavenFolder)
	if user := Maven.user(); user != "" {
		set += " -Dmaven.repo.local.tail=" + user
	}
	return set
}

// linkTree makes the directories below another one, with links to its files except for locks and Go's lists
// of versions, which are opened for writing.
func linkTree(from, to string) error {
	return filepath.WalkDir(from, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || slices.Contains([]string{".lock", ".lck"}, filepath.Ext(p)) || d.Name() == "list" {
			return nil // what cannot be read is downloaded again
		}
		within, err := filepath.Rel(from, p)
		if err != nil {
			return err
		}
		return linkTo(p, filepath.Join(to, within))
	})
}
