package app

import (
	"context"
	"errors"
	"os"

	"git-agent/gitext"
)

// FilesOver returns the files of the work tree that --with names, by their paths in the repository and as overlays.
func FilesOver(ctx context.Context, repo *gitext.Repo, names []string) (paths []string, over []gitext.Overlay, err error) {
	if len(names) == 0 {
		return nil, nil, nil
	}
	if repo.WorkTree() == "" {
		return nil, nil, errors.New("a bare repository has no files for --with")
	}
	for _, name := range names {
		path, err := PathspecsIn(repo, nil).File(name)
		if err != nil {
			return nil, nil, err
		}
		if info, err := os.Lstat(name); err != nil || info.IsDir() || path == "" {
			return nil, nil, Usagef("--with takes a file of the work tree, not %q", name)
		}
		paths = append(paths, path)
	}
	over, err = repo.WorkFiles(ctx, paths)
	return paths, over, err
}
