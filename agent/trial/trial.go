// Package trial runs a command at commits of a repository and reports whether it
// passes there.
//
// A [Workspace] is a scratch work tree. [Workspace.Run] checks out a commit, adds or
// replaces files, runs the command in the sandbox and returns a [Result]: the
// command passes, it fails, or the outcome is unknown. A [Failure] decides whether
// two results fail in the same way. A [Setup] holds what a setup command installed
// for later runs, such as modules. Nothing is written to the repository.
//
// In the work tree, submodules are empty directories and files in Git LFS are only
// their pointers (see [gitext.Repo.Checkout]).
package trial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"git-agent/agent"
	"git-agent/agent/sandbox"
	"git-agent/gitext"
)

// Options define the command and its sandbox.
type Options struct {
	// Command is run by sh in the work tree. As in git bisect run, exit code 0 means that the
	// command passes, 125 that the commit cannot be tested, and most other codes that the
	// command fails.
	Command string
	Timeout time.Duration // time limit of one call of Run; 0 means ten minutes
	Memory  int64         // most bytes for each of its processes; 0 means no limit
	Disk    int64         // most bytes that the commands of a workspace may add to the disk; 0 means half of the free space
	MaxRuns int           // most calls of Run; 0 means a hundred

	Sandbox  sandbox.Level // "" means auto
	Network  bool          // allow network access
	Readable []string      // paths that the command may read besides the system and toolchains
	Hidden   []string      // paths below readable ones that the command must not read; without effect without a sandbox
	// CratesOnly are paths below readable ones that only CompileCrates may read. They are covered
	// for all other commands.
	CratesOnly []sandbox.Cover
	Writable   []string // paths that the command may write besides its scratch work tree
	Env        []string // names of further environment variables to pass on
	Scratch    string   // folder for scratch work trees; "" means below TMPDIR
	// Dependencies are directories of the user's work tree with installed packages, as
	// FindDependencies returns them. They appear in the scratch work tree, read-only.
	Dependencies []string
	// Checkout is the directory in which they are; "" means the user's work tree.
	Checkout string
	// Locks are copied into the scratch work tree wherever the commit has no such file.
	Locks []Lock
	// NoHistory gives the work tree a repository without history. Commands in the sandbox can
	// read no other objects; see gitext.Repo.CheckoutAlone.
	NoHistory bool
	// Compiled is a directory with earlier output of compilers, "" for none. Only Compile
	// writes in it. All other caches belong to one workspace.
	Compiled string
	// Crates names crates that CompileCrates compiled, "" for none.
	Crates string
	// Compiling is a command for Compile, which Run calls at each commit before Command; ""
	// compiles nothing. So no commit uses caches that Command wrote at another commit.
	Compiling string
	Setup     *Setup // the files that were installed for the commands; nil if there are none

	// Fetch fetches the files of a commit that a partial clone lacks, before they are checked
	// out. It may be nil.
	Fetch   func(ctx context.Context, commit gitext.OID)
	OnEvent func(agent.Event) // may be nil
}

const (
	defaultTimeout = 10 * time.Minute
	defaultMaxRuns = 100
)

// ErrMaxRuns is returned by Run after Options.MaxRuns calls.
var ErrMaxRuns = errors.New("no more runs allowed")

// Progress sends a progress message to OnEvent.
func (o *Options) Progress(format string, args ...any) {
	if o.OnEvent != nil {
		o.OnEvent(agent.Progress{Text: fmt.Sprintf(format, args...)})
	}
}

// A Workspace is a scratch work tree for running one command at several commits, one after the
// other. Untracked files are kept between runs, so that each build can reuse the files of the
// one before.
type Workspace struct {
	repo     *gitext.Repo
	opt      Options
	level    sandbox.Level
	readable []string
	scratch  *sandbox.Scratch
	tree     string
	temp     string
	cache    string
	compiled *sandbox.BuildCache // nil if the options name none
	crates   *sandbox.BuildCache // with the results of CompileCrates; nil if compiled is
	home     string
	disk     *sandbox.Disk
	full     bool     // a command filled the disk since the last Prepare
	imports  []string // directories that Python searches; see editable
	runs     int
}

// Open creates a workspace. The caller must close it. Open returns an error if the
// requested sandbox does not work on this machine.
func Open(ctx context.Context, repo *gitext.Repo, opt Options) (*Workspace, error) {
	opt.Timeout = cmp.Or(opt.Timeout, defaultTimeout)
	opt.MaxRuns = cmp.Or(opt.MaxRuns, defaultMaxRuns)
	w := &Workspace{repo: repo, opt: opt}
	isolation, err := sandbox.Probe(ctx, opt.Sandbox)
	if err != nil {
		return nil, err
	}
	w.level = isolation.Level
	if w.scratch, err = sandbox.NewScratch(opt.Scratch); err != nil {
		return nil, err
	}
	var objects string // object directory of the small repository in the work tree
	own, shared := "tree.objects", repo.ObjectDirs()
	if opt.NoHistory {
		own, shared = "tree.alone", nil
	}
	for name, dir := range map[string]*string{"tree": &w.tree, own: &objects, "tmp": &w.temp, "cache": &w.cache, "home": &w.home} {
		if *dir, err = w.scratch.Dir(name); err != nil {
			w.Close()
			return nil, fmt.Errorf("scratch directory: %w", err)
		}
	}
	w.disk = sandbox.NewDisk(opt.Disk)
	w.readable = slices.Concat(opt.Readable, w.dependencyPaths(), opt.Setup.readable(), realDirs(append(shared, objects)))
	w.imports = w.editable()
	if err := cmp.Or(w.openCompiled(), w.emptyCache()); err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

// Close removes the scratch directory. If that fails, the next workspace removes
// it.
func (w *Workspace) Close() {
	w.scratch.Close()
	for _, b := range []*sandbox.BuildCache{w.compiled, w.crates} {
		if b != nil {
			b.Close()
		}
	}
}

// SetCommand replaces the command of the options, and what compiles for it.
func (w *Workspace) SetCommand(command, compiling string) {
	w.opt.Command, w.opt.Compiling = command, compiling
}

// Runs returns the number of calls of Run, those with an error included. Calls that returned
// ErrMaxRuns do not count.
func (w *Workspace) Runs() int { return w.runs }

// Online reports whether the command reaches the network.
func (w *Workspace) Online() bool { return w.opt.Network || w.level == sandbox.None }

// Level returns the level of the sandbox that confines the command.
func (w *Workspace) Level() sandbox.Level { return w.level }

// Run checks out a commit, adds or replaces the files in over, and runs the command.
// If the commit cannot be checked out, the outcome is Unknown. Run returns an error
// if ctx ends, if the runs are used up ([ErrMaxRuns]), or if the workspace fails.
func (w *Workspace) Run(ctx context.Context, commit gitext.OID, over []gitext.Overlay) (Result, error) {
	if w.runs >= w.opt.MaxRuns {
		return Result{}, ErrMaxRuns
	}
	w.runs++
	w.opt.Progress("run %d: check out %s", w.runs, commit.Short())
	if err := w.Prepare(ctx, commit, over); err != nil {
		if ctx.Err() != nil {
			return Result{}, context.Cause(ctx)
		}
		return Result{Outcome: Unknown, How: fmt.Sprintf("was not run (%v)", err)}, nil
	}
	w.opt.Progress("run %d: the command at %s", w.runs, commit.Short())
	if w.opt.Compiling != "" {
		if err := w.Compile(ctx, w.opt.Compiling); err != nil {
			return Result{}, err
		}
	}
	return w.Exec(ctx, w.opt.Command, ExecOptions{Timeout: w.opt.Timeout, Set: []string{"GIT_AGENT_COMMIT=" + string(commit)}})
}

// Prepare checks out a commit and adds or replaces the files in over. Changes of tracked files
// since the last call are undone. If a command filled the disk, untracked files are removed
// too.
func (w *Workspace) Prepare(ctx context.Context, commit gitext.OID, over []gitext.Overlay) error {
	if w.full {
		if err := w.clean(ctx); err != nil {
			return err
		}
		w.full = false
	}
	if err := w.unlink(); err != nil {
		return err
	}
	if w.opt.Fetch != nil {
		w.opt.Fetch(ctx, commit)
	}
	checkout := w.repo.Checkout
	if w.opt.NoHistory {
		checkout = w.repo.CheckoutAlone
	}
	if err := checkout(ctx, commit, w.tree, over...); err != nil {
		return err
	}
	return w.link()
}

// clean removes all files of the work tree that the last Prepare did not put there, such as
// build output. Caches outside of the work tree stay; see Fresh.
func (w *Workspace) clean(ctx context.Context) error {
	if err := w.repo.CleanCheckout(ctx, w.tree); err != nil {
		return err
	}
	return w.link()
}

// Dir returns the work tree. Files in it may be links to anywhere: open them through
// [os.Root].
func (w *Workspace) Dir() string { return w.tree }

// Changes returns the differences between the work tree and the files that Prepare put there.
func (w *Workspace) Changes(ctx context.Context) (*gitext.CheckoutChanges, error) {
	changes, err := w.repo.CheckoutChanges(ctx, w.tree)
	if err == nil {
		changes.Untracked = slices.DeleteFunc(changes.Untracked, w.linked)
	}
	return changes, err
}

// Diff returns the output of git diff between two trees: the commit with the files of before
// laid over it, and this tree with the files of after laid over it. Diff does not read the work
// tree.
func (w *Workspace) Diff(ctx context.Context, commit gitext.OID, before, after []gitext.Overlay) ([]byte, error) {
	return w.repo.DiffOverlays(ctx, w.tree, commit, before, after)
}

// ExecOptions bound one command.
type ExecOptions struct {
	Timeout   time.Duration // 0 means the workspace's limit
	MaxOutput int           // bytes of output kept at each end; 0 means the sandbox's default
	Set       []string      // NAME=value pairs
	Maven     string        // options for Maven's own process, beside the usual ones
	Writable  []string      // directories besides the work tree that the command may write
	Readable  []string      // paths besides the workspace's that the command may read
}

// Exec runs a shell command in the present work tree. It does not count as a run.
func (w *Workspace) Exec(ctx context.Context, command string, opt ExecOptions) (Result, error) {
	if err := w.emptyTemp(); err != nil {
		return Result{}, err
	}
	set, err := w.variables(command)
	if err != nil {
		return Result{}, err
	}
	set = addMavenOptions(append(set, w.installed(opt.Set)...), opt.Maven)
	opt.Timeout = cmp.Or(opt.Timeout, w.opt.Timeout)
	start := time.Now()
	res, err := sandbox.Run(ctx, sandbox.Spec{
		Dir: w.tree, Command: w.withImports(command), Timeout: opt.Timeout, MaxOutput: opt.MaxOutput,
		Env: w.opt.Env, Set: set,
		Memory: w.opt.Memory, Disk: w.disk, Sandbox: w.level, Network: w.opt.Network,
		Writable: slices.Concat([]string{w.temp}, w.opt.Writable, opt.Writable),
		Readable: slices.Concat(w.readable, opt.Readable), Hidden: w.opt.Hidden, Covered: w.opt.CratesOnly, Cache: w.cache, Home: w.home,
	})
	if err != nil {
		return Result{}, err
	}
	bound := w.opt
	bound.Timeout = opt.Timeout
	out := bound.resultOf(res)
	out.Exit, out.TimedOut, out.Full, out.Took = res.Exit, res.TimedOut, res.Full != "", time.Since(start)
	w.full = w.full || out.Full
	return out, nil
}

// variables returns the variables of the workspace for a command.
func (w *Workspace) variables(command string) ([]string, error) {
	compiled, err := w.compiledVariables()
	if err != nil {
		return nil, fmt.Errorf("build cache: %w", err)
	}
	gradle, err := w.gradle(command)
	if err != nil {
		return nil, err
	}
	cargo, err := w.cargo()
	if err != nil {
		return nil, err
	}
	modules, err := w.modules()
	return slices.Concat([]string{"TMPDIR=" + w.temp, noBytecode}, w.offline(), w.ownPnpm(command), w.quickMaven(), gradle, cargo, modules, compiled), err
}

// noBytecode keeps Python from storing what it compiled: it compares a file's size and the second
// of its change, and two versions of a file can have both alike, if one runs soon after the other.
const noBytecode = "PYTHONDONTWRITEBYTECODE=1"

// mavenOptions is the variable with the options of Maven's own process. quickMaven are options for
// it: they halve the processor time of a build that takes seconds, and let Maven take files of its
// local repository from whichever server they came, because the settings that name the server are
// hidden. Another Java than OpenJDK ignores the first ones. The quick compiler of Java makes larger
// frames, with which javac ran out of its stack in a long chain of calls (JSON-java).
const (
	mavenOptions = "MAVEN_OPTS"
	quickMaven   = "-XX:+IgnoreUnrecognizedVMOptions -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xss4m" +
		" -Daether.enhancedLocalRepository.trackingFilename=none"
)

// offline returns the variables that keep programs from asking a registry where there is no network.
// npm and npx ask again and again, until they name a program that is not installed after a minute, and pip takes eight seconds
// to give a package up. uv uses what it has in its cache. Without a Cargo.lock, Cargo asks for the newest crates, though it has others that fit.
func (w *Workspace) offline() []string {
	if w.Online() {
		return nil
	}
	return []string{"npm_config_fetch_retries=0", "CARGO_NET_OFFLINE=true", "PIP_RETRIES=0", "UV_OFFLINE=1"}
}

// ownPnpm returns the variables that let pnpm run as it is where there is no network. Otherwise, it downloads
// the version that package.json names in packageManager, and fails before any test runs. The first two variables
// are for pnpm 10, which passes only the second on to a pnpm in a script, the others are for later ones, which
// also install anew what another version has installed. npm warns of the first one, so that only a command that
// names pnpm has them.
func (w *Workspace) ownPnpm(command string) []string {
	if w.Online() || !strings.Contains(command, "pnpm") {
		return nil
	}
	return []string{
		"npm_config_manage_package_manager_versions=false", "COREPACK_ROOT=/", "pnpm_config_pm_on_fail=ignore",
		"pnpm_config_verify_deps_before_run=false",
	}
}

// quickMaven returns the variable with the options for Maven, unless the user passes another value
// on.
func (w *Workspace) quickMaven() []string {
	if slices.Contains(w.opt.Env, mavenOptions) {
		return nil
	}
	return []string{mavenOptions + "=" + quickMaven + w.mavenDownloads()}
}

// addMavenOptions adds options to those that NAME=value pairs have for Maven, or to the user's.
func addMavenOptions(set []string, options string) []string {
	if options == "" {
		return set
	}
	is := func(pair string) bool { return strings.HasPrefix(pair, mavenOptions+"=") }
	of := mavenOptions + "=" + os.Getenv(mavenOptions)
	for _, pair := range slices.Backward(set) {
		if is(pair) {
			of = pair
			break
		}
	}
	return append(slices.DeleteFunc(set, is), of+" "+options)
}

// emptyTemp removes the files of the previous run in TMPDIR.
func (w *Workspace) emptyTemp() error {
	if err := os.RemoveAll(w.temp); err != nil {
		return fmt.Errorf("clean the scratch directory: %w", err)
	}
	return os.Mkdir(w.temp, 0o700)
}
