package gitext

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"git-agent/gitext/disk"
	"git-agent/gitext/gitcmd"
)

// errConflict says that two changes of a file overlap.
var errConflict = errors.New("the changes overlap")

// MergeFile applies the changes from base to theirs to ours, line by line, as git merge-file
// does. If a change overlaps a change from base to ours, the error is errConflict. Binary files
// cannot be merged. Nothing is written to the repository.
func (r *Repo) MergeFile(ctx context.Context, ours, base, theirs []byte) ([]byte, error) {
	dir, err := disk.MakeTemp()
	if err != nil {
		return nil, fmt.Errorf("merge a file: %w", err)
	}
	defer dir.Remove()
	args := []string{"merge-file", "-p", "-q", "--diff3"}
	for _, f := range []struct {
		name    string
		content []byte
	}{{"ours", ours}, {"base", base}, {"theirs", theirs}} {
		path := filepath.Join(dir.Path, f.name)
		if err := os.WriteFile(path, f.content, 0o600); err != nil {
			return nil, fmt.Errorf("merge a file: %w", err)
		}
		args = append(args, path)
	}
	out, err := r.shadow.Output(ctx, gitcmd.Call{Args: args})
	var failed *gitcmd.Error
	if errors.As(err, &failed) && failed.Exit > 0 && failed.Exit <= maxConflicts {
		return nil, errConflict
	}
	if err != nil {
		return nil, fmt.Errorf("merge a file: %w", err)
	}
	return out, nil
}

// maxConflicts is the largest exit code of git merge-file that is a number of conflicts.
const maxConflicts = 127
