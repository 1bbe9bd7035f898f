package coverage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/agent/source"
	"git-agent/agent/trial"
)

const (
	minTime     = 100 * time.Millisecond // the least time for starting a command
	exitTimeout = 124                    // exit code of a command that was not started
)

// maxProfile bounds the size of a file from a test run, in bytes.
const maxProfile = 64 << 20

// A job is one measurement.
type job struct {
	w    *trial.Workspace
	p    fix.Problem
	rep  fix.Reproduction
	opt  Options
	tree *tree
	dir  string // for profiles and programs; the commands may write it

	most int64 // bytes of profiles to read; 0 for no limit
	read int64 // bytes of profiles that were read

	deadline time.Time // end of the budget
	late     bool      // a command was ended or skipped because the budget was used up
}

// newJob sets the work tree to the problem's tree and makes an empty directory.
func newJob(ctx context.Context, w *trial.Workspace, p fix.Problem, rep fix.Reproduction, opt Options) (*job, error) {
	paths, err := w.Paths(ctx, p.Tree.Commit, p.Tree.Over)
	if err != nil {
		return nil, fmt.Errorf("list the files of the tree: %w", err)
	}
	if err := w.Prepare(ctx, p.Tree.Commit, p.Tree.Over); err != nil {
		return nil, err
	}
	dir, err := emptyFolder(w)
	if err != nil {
		return nil, err
	}
	return &job{w: w, p: p, rep: rep, opt: opt, tree: newTree(w.Dir(), paths, p.EditTests), dir: dir, deadline: time.Now().Add(opt.Budget)}, nil
}

// emptyFolder makes an empty directory for the profiles of a workspace, and removes the files
// of an earlier measurement.
func emptyFolder(w *trial.Workspace) (string, error) {
	dir, err := w.Folder("coverage")
	if err != nil {
		return "", err
	}
	if err := os.RemoveAll(dir); err != nil {
		return "", fmt.Errorf("clean the profiles: %w", err)
	}
	return w.Folder("coverage")
}

// left returns the time until the budget ends.
func (j *job) left() time.Duration { return time.Until(j.deadline) }

// sh runs a shell command in the work tree, for at most d and at most until the budget ends. If
// no time is left, it runs nothing and returns the result of a command at its time limit. set
// holds NAME=value pairs.
func (j *job) sh(ctx context.Context, d time.Duration, command string, set ...string) (trial.Result, error) {
	left := j.left()
	if left < minTime {
		j.late = true
		return trial.Result{Outcome: trial.Unknown, TimedOut: true, Exit: exitTimeout}, nil
	}
	res, err := j.w.Exec(ctx, command, trial.ExecOptions{Timeout: min(d, left), Set: set, Writable: []string{j.dir}})
	if res.TimedOut && left <= d {
		j.late = true
	}
	return res, err
}

// progress sends a progress message.
func (j *job) progress(format string, args ...any) {
	if j.opt.OnEvent != nil {
		j.opt.OnEvent(agent.Progress{Text: fmt.Sprintf(format, args...)})
	}
}

// make writes a file into the job's directory and returns its path. name is one path
// element, or a directory that make creates and one element.
func (j *job) make(name string, mode os.FileMode, content []byte) (string, error) {
	root, err := os.OpenRoot(j.dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	if dir := filepath.Dir(name); dir != "." {
		if err := root.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
			return "", err
		}
	}
	if err := root.WriteFile(name, content, mode); err != nil {
		return "", err
	}
	return filepath.Join(j.dir, name), nil
}

// profile reads a file that a command wrote below the job's directory. It returns nil if the
// file does not exist, or if it or all files are too large.
func (j *job) profile(name string) []byte {
	root, err := os.OpenRoot(j.dir)
	if err != nil {
		return nil
	}
	defer root.Close()
	limit := int64(maxProfile)
	if j.most > 0 {
		limit = min(limit, j.most-j.read)
	}
	text := readBounded(root, name, limit)
	j.read += int64(len(text))
	return text
}

// readBounded reads a regular file with a size up to most bytes; nil for anything else.
func readBounded(root *os.Root, name string, most int64) []byte {
	info, err := root.Stat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > most {
		return nil
	}
	f, err := root.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return nil
	}
	return b
}

// quote quotes s as one word of a shell command.
func quote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// words quotes args and joins them to a shell command.
func words(args []string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = quote(arg)
	}
	return strings.Join(quoted, " ")
}

// lastLine returns the last line of a program's output, in brackets; "" if it printed nothing.
func lastLine(out []byte) string {
	text := strings.ToValidUTF8(strings.TrimSpace(string(out)), "?")
	line := text[strings.LastIndexByte(text, '\n')+1:]
	if line == "" {
		return ""
	}
	return " (" + source.FirstBytes(line, 200) + ")"
}
