package gitext

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"git-agent/gitext/disk"
	"git-agent/gitext/gitcmd"
	"git-agent/gitext/gitdir"
)

// mergeTreeVersion is the oldest git that TryPicks works with: older ones have no git merge-tree
// --write-tree.
const mergeTreeVersion = "2.38"

// ErrOldGit says that the installed git cannot do what was asked for.
var ErrOldGit = errors.New("git " + mergeTreeVersion + " or newer is needed")

// A Tried is the result of picking a commit onto another one.
type Tried struct {
	Conflicts []string // paths, in git's order; empty if the changes apply cleanly
	Nothing   bool     // the changes apply cleanly, and change nothing there
	Err       error    // why it could not be tried, such as a missing object; then the other fields are empty
}

// TryPicks picks the changes of a commit against its first parent onto each of some commits, as git
// cherry-pick does, and reports the conflicts. Nothing is written to the repository: neither work
// tree nor index is needed, no ref changes, and objects go to a temporary directory.
func (r *Repo) TryPicks(ctx context.Context, commit OID, onto []OID) ([]Tried, error) {
	if err := r.needMergeTree(ctx); err != nil {
		return nil, err
	}
	p, err := r.openPicker()
	if err != nil {
		return nil, err
	}
	defer p.dir.Remove()
	if err := p.prepare(ctx, commit); err != nil {
		return nil, err
	}
	tried := make([]Tried, len(onto))
	for i, oid := range onto {
		var err error
		if tried[i], err = p.try(ctx, oid); err != nil {
			if ctx.Err() != nil {
				return nil, err
			}
			tried[i] = Tried{Err: err}
		}
	}
	return tried, nil
}

// needMergeTree returns ErrOldGit for a git without merge-tree --write-tree.
func (r *Repo) needMergeTree(ctx context.Context) error {
	version, err := r.GitVersion(ctx)
	if err != nil {
		return err
	}
	var major, minor int
	if n, _ := fmt.Sscanf(version, "%d.%d", &major, &minor); n == 2 && (major < 2 || major == 2 && minor < 38) {
		return fmt.Errorf("%w; this is git %s", ErrOldGit, version)
	}
	return nil
}

// A picker picks one commit onto others. git merge-tree takes its merge base from the history; the
// option that names one is newer (2.40). So the three trees become commits of their own, with the
// wanted merge base.
type picker struct {
	repo         *Repo
	git          *gitcmd.Runner
	dir          *disk.TempDir
	base, theirs OID
}

func (r *Repo) openPicker() (*picker, error) {
	dir, err := disk.MakeTemp()
	if err != nil {
		return nil, fmt.Errorf("try a pick: %w", err)
	}
	objects := filepath.Join(dir.Path, "objects")
	err = os.MkdirAll(filepath.Join(objects, "info"), 0o700)
	if err == nil {
		err = os.WriteFile(filepath.Join(objects, "info", "alternates"), gitdir.Alternates(r.objects), 0o600)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("try a pick: %w", err), dir.Remove())
	}
	git := *r.shadow
	git.Env = append(git.Env[:len(git.Env):len(git.Env)], "GIT_OBJECT_DIRECTORY="+objects)
	return &picker{repo: r, git: &git, dir: dir}, nil
}

// prepare writes the commits of the two trees whose difference is picked.
func (p *picker) prepare(ctx context.Context, commit OID) error {
	fix, err := p.repo.Commit(ctx, commit)
	if err != nil {
		return err
	}
	before := p.repo.emptyTree()
	if len(fix.Parents) > 0 && !p.repo.boundary[commit] {
		parent, err := p.repo.Commit(ctx, fix.Parents[0])
		if err != nil {
			return err
		}
		before = parent.Tree
	} else if _, err := oneOID(ctx, p.git, writing(nil, "hash-object", "-t", "tree", "-w", "--stdin")); err != nil {
		return err // the empty tree may be no object of the repository
	}
	if p.base, err = p.commit(ctx, before, ""); err != nil {
		return err
	}
	p.theirs, err = p.commit(ctx, fix.Tree, p.base)
	return err
}

// commit writes a commit of a tree.
func (p *picker) commit(ctx context.Context, tree, parent OID) (OID, error) {
	text := fmt.Sprintf("tree %s\n", tree)
	if parent != "" {
		text += fmt.Sprintf("parent %s\n", parent)
	}
	text += "author a <a> 0 +0000\ncommitter a <a> 0 +0000\n\ntree\n"
	return oneOID(ctx, p.git, writing([]byte(text), "hash-object", "-t", "commit", "-w", "--stdin"))
}

// try picks onto one commit.
func (p *picker) try(ctx context.Context, onto OID) (Tried, error) {
	at, err := p.repo.Commit(ctx, onto)
	if err != nil {
		return Tried{}, err
	}
	ours, err := p.commit(ctx, at.Tree, p.base)
	if err != nil {
		return Tried{}, err
	}
	var out bytes.Buffer
	call := gitcmd.Call{Args: []string{"merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", string(ours), string(p.theirs)}}
	err = p.git.Stream(ctx, call, func(b *bufio.Reader) error {
		_, err := out.ReadFrom(b)
		return err
	})
	var failed *gitcmd.Error
	conflict := errors.As(err, &failed) && failed.Exit == 1
	if err != nil && !conflict {
		return Tried{}, p.repo.explain(ctx, err)
	}
	words := strings.Split(strings.TrimRight(out.String(), "\x00"), "\x00")
	if !conflict {
		return Tried{Nothing: OID(strings.TrimSpace(words[0])) == at.Tree}, nil
	}
	return Tried{Conflicts: words[1:]}, nil
}
