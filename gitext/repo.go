package gitext

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"git-agent/gitext/disk"
	"git-agent/gitext/gitcmd"
	"git-agent/gitext/gitconfig"
	"git-agent/gitext/gitdir"
)

// BloomMode tells Open how to treat changed-path Bloom filters. They make blame and path-limited
// logs several times faster on long histories.
type BloomMode int

const (
	// BloomAuto uses existing filters.
	BloomAuto BloomMode = iota
	// BloomOff ignores the filters.
	BloomOff
	// BloomBuild makes Open write the filters for all refs, if there are none or the refs have
	// moved. This takes 1.3 s of CPU and 2.4 MB for the 21,000 commits of Open vSwitch, 0.3 s for
	// few new commits, and 7-13 s for 80,000 commits.
	BloomBuild
)

// OpenOptions are the options of Open.
type OpenOptions struct {
	Dir     string        // where the search starts; "" is the current directory
	DataDir string        // for our own data; only the user may have write access; "" is a temporary directory
	Bloom   BloomMode     // changed-path filters
	Timeout time.Duration // bound on git's silence; 0 is 15 minutes

	// Locate returns DataDir once the repository's common git directory is known;
	// "" is again a temporary directory. Locate may be nil.
	Locate func(commonDir string) string

	// Index returns an index of the history's changed lines, or nil. It is called
	// once, before the first search of a whole history. It may be nil.
	Index func(context.Context, *Repo) ChangeIndex

	// Searched is called after git has searched a whole history for a text, with the duration. It
	// may be nil.
	Searched func(r *Repo, took time.Duration)

	// Settings returns the agent.* settings as git sees them in Dir; nil asks git. A caller that
	// already has them saves a process.
	Settings func(context.Context) (map[string][]gitconfig.Value, error)

	// Log is called after every git call. It may be nil and must be safe for
	// concurrent use.
	Log func(argv []string, d time.Duration, exit int)
}

// Repo is one opened repository. It is safe for concurrent use.
type Repo struct {
	opt       OpenOptions
	gitDir    string
	commonDir string
	workTree  string
	dataDir   string
	bare      bool
	shallow   bool
	format    string
	objects   []string // the user's object directories
	boundary  map[OID]bool
	user      *gitcmd.Runner // in the user's repository, with the user's configuration
	shadow    *gitcmd.Runner // in the shadow directory, with ours
	scratch   *disk.TempDir  // temporary data directory, removed by Close; usually nil
	objs      *gitcmd.CatFile
	dropped   bool // a damaged commit-graph was removed

	combined combinedTrees

	indexOnce sync.Once
	index     ChangeIndex // nil if there is none

	versionOnce sync.Once
	version     string
	versionErr  error
}

// Open finds the repository at opt.Dir. It writes nothing into the repository. It starts one git
// process and, without opt.Settings, a second one, which reads the memory bound while Open
// continues. The first Open of a repository also writes the shadow directory. All other work
// waits for the first need.
func Open(ctx context.Context, opt OpenOptions) (*Repo, error) {
	if opt.Timeout == 0 {
		opt.Timeout = gitcmd.DefaultTimeout
	}
	if info, err := os.Stat(opt.Dir); opt.Dir != "" && (err != nil || !info.IsDir()) {
		return nil, fmt.Errorf("%q is not a directory", opt.Dir) // git's start would fail there as if git were missing
	}
	r := &Repo{opt: opt}
	r.user = &gitcmd.Runner{
		Dir:     opt.Dir,
		Env:     gitcmd.UserEnv(opt.Dir != ""),
		Pins:    gitcmd.Pinned,
		Timeout: opt.Timeout,
		Log:     opt.Log,
		Look:    r.blockingFile,
	}
	if err := r.discover(ctx); err != nil {
		return nil, err
	}
	limits := r.readLimits(ctx)
	if opt.Locate != nil {
		r.opt.DataDir = opt.Locate(r.commonDir)
	}
	if err := r.openShadow(); err != nil {
		return nil, err
	}
	r.shadow.Limits = limits
	r.objs = gitcmd.NewCatFile(r.shadow)
	if opt.Bloom == BloomBuild {
		// Filters only save time, so a full disk, a missing commit or another process that builds
		// them is no error; HasBloom reports whether they exist.
		_ = r.buildBloomForRefs(ctx)
		if err := ctx.Err(); err != nil {
			r.Close()
			return nil, err
		}
	}
	return r, nil
}

// discover asks rev-parse for the repository's directories. --show-toplevel comes last because it
// fails without a work tree, after the other lines are printed.
func (r *Repo) discover(ctx context.Context) error {
	out, err := r.user.Output(ctx, gitcmd.Call{Timeout: gitcmd.QuickTimeout, Args: []string{
		"rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir",
		"--git-path", "objects", "--git-path", "shallow",
		"--is-bare-repository", "--is-shallow-repository", "--show-object-format", "--show-toplevel"}})
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	const withoutWorkTree = 7
	var gitErr *gitcmd.Error
	switch {
	case err != nil && errors.As(err, &gitErr) && gitErr.Exit == 128 && len(lines) == withoutWorkTree:
	case err != nil:
		return r.notRepository(err)
	case len(lines) == withoutWorkTree+1:
		r.workTree = lines[withoutWorkTree]
	default:
		dir, _ := r.user.Output(ctx, gitcmd.Call{Timeout: gitcmd.QuickTimeout, Args: []string{"rev-parse", "--absolute-git-dir"}})
		return fmt.Errorf(
			"the path of the repository has a line break, which git-agent cannot read; give the folder another name: %q",
			bytes.TrimSuffix(dir, []byte("\n")),
		)
	}
	r.gitDir, r.commonDir = lines[0], lines[1]
	r.bare, r.format = lines[4] == "true", lines[6]
	r.setObjects(lines[2])
	if r.bare && r.user.Getenv("GIT_DIR") == "" {
		// With safe.bareRepository=explicit, git opens a bare repository only if it is
		// named.
		r.user.Env = append(r.user.Env, "GIT_DIR="+r.gitDir)
	}
	if lines[5] == "true" {
		return r.readShallow(lines[3])
	}
	return nil
}

// setObjects records the user's object directories. The environment may add directories or, in a
// hook, replace them by a quarantine.
func (r *Repo) setObjects(dir string) {
	r.objects = []string{dir}
	if own := filepath.Join(r.commonDir, "objects"); own != dir {
		r.objects = append(r.objects, own)
	}
	for _, alt := range gitdir.SplitAlternates(r.user.Getenv("GIT_ALTERNATE_OBJECT_DIRECTORIES")) {
		if abs, err := filepath.Abs(filepath.Join(r.opt.Dir, alt)); err == nil && !filepath.IsAbs(alt) {
			alt = abs
		}
		r.objects = append(r.objects, alt)
	}
}

// ObjectDirs lists the directories that hold the repository's objects, including those of its
// alternates. A repository may name any directory as an alternate, such as the home directory,
// and a caller may grant a sandbox access to the listed directories. So ObjectDirs lists a
// directory only if all its entries belong in an object directory.
func (r *Repo) ObjectDirs() []string { return gitdir.ObjectDirs(r.objects) }

// LostAlternates lists the directories that the repository takes objects from and that are not
// there, as after git clone --shared of a repository that was moved.
func (r *Repo) LostAlternates() []string { return gitdir.LostAlternates(r.objects) }

// maxShallow bounds the size of the file shallow: a million commits.
const maxShallow = 64 << 20

// readShallow reads the list of commits whose parents this clone lacks.
func (r *Repo) readShallow(file string) error {
	text, err := disk.ReadRegular(file, maxShallow)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // another process has just fetched the rest of the history
	}
	if err != nil {
		return fmt.Errorf("read the shallow boundary: %w", err)
	}
	r.shallow, r.boundary = true, map[OID]bool{}
	for line := range strings.Lines(string(text)) {
		if oid, err := ParseOID(strings.TrimSpace(line)); err == nil {
			r.boundary[oid] = true
		}
	}
	return nil
}

// Close ends the running cat-file and removes temporary data.
func (r *Repo) Close() error {
	if r.objs != nil {
		r.objs.Close()
	}
	if r.index != nil {
		if err := r.index.Close(); err != nil {
			return err
		}
	}
	if r.scratch != nil {
		return r.scratch.Remove()
	}
	return nil
}

// GitDir is the absolute git directory; in a linked worktree, that worktree's.
func (r *Repo) GitDir() string { return r.gitDir }

// CommonDir is the git directory that all worktrees share.
func (r *Repo) CommonDir() string { return r.commonDir }

// WorkTree is the top of the work tree, "" where there is none.
func (r *Repo) WorkTree() string { return r.workTree }

// Bare is true for a repository without a work tree.
func (r *Repo) Bare() bool { return r.bare }

// Shallow is true when the clone's history is truncated. A later fetch may deepen the history of a
// commit without changing its id, so an answer must not be stored under the id alone.
func (r *Repo) Shallow() bool { return r.shallow }

// ObjectFormat is sha1 or sha256.
func (r *Repo) ObjectFormat() string { return r.format }

// ShallowBoundary returns the commits whose parents this clone lacks. git blames them for all
// older lines, so none of them is a reliable answer.
func (r *Repo) ShallowBoundary() map[OID]bool { return r.boundary }

// ID names the repository on this machine, for cache keys only.
func (r *Repo) ID() string {
	dir := r.commonDir
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	sum := sha256.Sum256([]byte(dir))
	return hex.EncodeToString(sum[:16])
}

// Partial reports whether this is a partial clone, which may lack objects: git leaves a .promisor
// file beside each pack of such a clone, even after all objects have been fetched. Missed and
// CheckConnectivity tell whether objects are missing.
func (r *Repo) Partial() bool { return gitdir.Partial(r.objects) }

// GitVersion is the number that git --version prints.
func (r *Repo) GitVersion(ctx context.Context) (string, error) {
	r.versionOnce.Do(func() {
		var out []byte
		out, r.versionErr = r.shadow.Output(ctx, gitcmd.Call{Timeout: gitcmd.QuickTimeout, Args: []string{"version"}})
		r.version = strings.TrimPrefix(strings.TrimSpace(string(out)), "git version ")
	})
	return r.version, r.versionErr
}

// These are the ids of the empty tree, which git knows even without the object.
const (
	emptyTreeSHA1   OID = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
	emptyTreeSHA256 OID = "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
)

// emptyTree returns the id of the empty tree.
func (r *Repo) emptyTree() OID {
	if r.format == "sha256" {
		return emptyTreeSHA256
	}
	return emptyTreeSHA1
}

// oidDigits is the length of this repository's object ids.
func (r *Repo) oidDigits() int { return len(r.emptyTree()) }

// blockingFile checks the repository's git directories.
func (r *Repo) blockingFile(ctx context.Context) error {
	dirs := []string{r.gitDir, r.commonDir}
	if r.gitDir == "" { // the repository has not been found yet
		dirs = []string{gitdir.Find(r.opt.Dir, r.user.Getenv("GIT_DIR"))}
	}
	for _, dir := range dirs {
		if err := gitdir.Blocking(ctx, dir); err != nil {
			return err
		}
	}
	return nil
}
