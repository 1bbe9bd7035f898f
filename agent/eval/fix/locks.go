package fixeval

import (
	"context"
	"path/filepath"
	"slices"

	"git-agent/agent/trial"
	"git-agent/gitext"
)

// locksOf returns the lock files for the commands of a case that its base does not track: those in
// the work tree of the clone, and those in the folder around a clone that is named repo, as in
// owner+name/repo/. Without them, a package manager may choose versions that are not installed,
// and then the test fails with the fix of the developers, too.
func locksOf(ctx context.Context, full *gitext.Repo, base gitext.OID) ([]trial.Lock, error) {
	var locks []trial.Lock
	for _, dir := range lockFolders(full) {
		found, err := trial.FindLocks(ctx, full, base, dir)
		if err != nil {
			return nil, err
		}
		for _, l := range found {
			if !slices.ContainsFunc(locks, func(have trial.Lock) bool { return have.Path == l.Path }) {
				locks = append(locks, l)
			}
		}
	}
	return locks, nil
}

// lockFolders returns the folders with lock files beside a clone.
func lockFolders(full *gitext.Repo) (dirs []string) {
	clone := full.WorkTree()
	if clone != "" {
		dirs = append(dirs, clone)
	} else {
		clone = full.CommonDir()
	}
	if filepath.Base(clone) == "repo" {
		dirs = append(dirs, filepath.Dir(clone))
	}
	return dirs
}
