package trial

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"git-agent/agent/sandbox"
	"git-agent/gitext"
)

// A SetupSpec describes the command that installs the dependencies of the commands of
// workspaces.
type SetupSpec struct {
	Command string // run by sh in a separate checkout, with the network
	Folder  string // folder for the results; "" means below TMPDIR
	Commit  gitext.OID
	Over    []gitext.Overlay
}

// A Setup is the result of a setup command. Other commands can read the installed files and
// cannot write them.
//
// Three kinds of the command's files are kept: the directories of packages in its checkout (see
// [FindDependencies]), its lock files (see [FindLocks]), and the directories of package managers in the variables of stores. They
// are kept for one commit with its overlaid files and one command, because another tree may
// contain another installer.
type Setup struct {
	Again bool          // an earlier run installed it
	Took  time.Duration // 0 if Again

	dir   string
	deps  []string // directories of packages in its checkout, from the top
	locks []Lock   // the lock files that it made or kept
}

// A SetupError is the failure of a setup command.
type SetupError struct {
	Command string
	How     string // predicate of a sentence with the subject "it"
	Output  []byte
}

func (e *SetupError) Error() string {
	return fmt.Sprintf("the setup command %q %s", e.Command, e.How)
}

// setupTimeout bounds a setup command.
const setupTimeout = 30 * time.Minute

// A store is the directory of a package manager for installed files, with the variable for its
// path.
type store struct {
	name, prefix, dir string
	// later is the variable for commands that only read the directory; "" is the same variable.
	// below is the part of the directory in this variable.
	later, below string
}

var stores = []store{
	{name: GoModules.variable(), dir: "go"},
	{name: Cargo.variable(), dir: "cargo"},
	{name: "PYTHONUSERBASE", dir: "python"},
	{name: "BUNDLE_PATH", dir: "bundle"},
	{name: "GEM_HOME", dir: "gems"},
	{name: "MIX_HOME", dir: "mix"}, // Hex and Rebar, without which mix does not take packages
	{name: mavenOptions, prefix: quickMaven + " -Dmaven.repo.local=", dir: "maven"},
	{name: gradle.variable(), dir: "gradle", later: "GRADLE_RO_DEP_CACHE", below: "caches"},
	{name: "NUGET_PACKAGES", dir: "nuget"},
	{name: "COURSIER_CACHE", dir: "coursier"},
	{name: "PLAYWRIGHT_BROWSERS_PATH", dir: "playwright"},
	{name: "YARN_GLOBAL_FOLDER", dir: "yarn"},
	{name: "XDG_DATA_HOME", dir: "share"},
}

// downloads are the directories of package managers for downloaded files, with the variables
// for their paths. The user's directories can only be read.
var downloads = []store{
	{name: "npm_config_cache", dir: "npm"},
	{name: "npm_config_store_dir", dir: "pnpm"},
	{name: "YARN_CACHE_FOLDER", dir: "yarn"},
}

// networkVariables are passed on to a setup command: they name proxies and trusted
// certificates. A value with a password is not passed on.
var networkVariables = strings.Fields(`HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY http_proxy https_proxy no_proxy all_proxy
	SSL_CERT_FILE SSL_CERT_DIR CURL_CA_BUNDLE REQUESTS_CA_BUNDLE NODE_EXTRA_CA_CERTS PIP_CERT CARGO_HTTP_CAINFO
	GOPROXY GOPRIVATE GONOPROXY GONOSUMDB GOSUMDB PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_FIND_LINKS UV_INDEX_URL npm_config_registry NPM_CONFIG_REGISTRY`)

// NewSetup runs a setup command, unless an earlier run installed for the same tree and command.
// The error is a *[SetupError] if the command does not pass.
func NewSetup(ctx context.Context, repo *gitext.Repo, spec SetupSpec, opt Options) (*Setup, error) {
	kept, err := sandbox.Keep(spec.Folder, spec.key(opt.Locks))
	if err != nil {
		return nil, fmt.Errorf("folder of the setup: %w", err)
	}
	s := &Setup{dir: kept.Path, Again: kept.Complete}
	if !kept.Complete {
		start := time.Now()
		if err := s.install(ctx, repo, spec, opt); err != nil {
			kept.Close()
			return nil, err
		}
		s.Took = time.Since(start)
		if err := kept.Finish(); err != nil {
			kept.Close()
			return nil, fmt.Errorf("folder of the setup: %w", err)
		}
	}
	if err := kept.Close(); err != nil {
		return nil, err
	}
	if s.deps, s.locks, err = findInstalled(ctx, repo, spec.Commit, s.tree()); err != nil {
		return nil, err
	}
	return s, nil
}

// key names the folder of the results. The key contains the commit and not only its tree,
// because the command can read the commit in its checkout. The lock files are the user's.
func (spec SetupSpec) key(locks []Lock) string {
	of := []any{spec.Command, spec.Commit, spec.Over}
	if len(locks) > 0 {
		of = append(of, locks)
	}
	data, _ := json.Marshal(of) // every value has a JSON form
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:12])
}

func (s *Setup) tree() string             { return filepath.Join(s.dir, "tree") }
func (s *Setup) store(name string) string { return filepath.Join(s.dir, "stores", name) }

// install runs the command in a separate checkout.
func (s *Setup) install(ctx context.Context, repo *gitext.Repo, spec SetupSpec, opt Options) error {
	if opt.Fetch != nil {
		opt.Fetch(ctx, spec.Commit)
	}
	if err := repo.Checkout(ctx, spec.Commit, s.tree(), spec.Over...); err != nil {
		return err
	}
	if err := layLocksIn(s.tree(), opt.Locks); err != nil {
		return fmt.Errorf("copy lock files: %w", err)
	}
	in := sandbox.Spec{
		Dir: s.tree(), Command: spec.Command, Timeout: setupTimeout, Env: opt.Env, Memory: opt.Memory, Disk: sandbox.NewDisk(opt.Disk),
		Sandbox: opt.Sandbox, Network: true, Hidden: opt.Hidden, Covered: opt.CratesOnly,
		Readable: slices.Concat(opt.Readable, realDirs(append(repo.ObjectDirs(), s.tree()+".objects"))),
		Cache:    filepath.Join(s.dir, "cache"), Home: filepath.Join(s.dir, "home"),
	}
	temp := filepath.Join(s.dir, "tmp")
	in.Set, in.Writable = append(networkSet(), "TMPDIR="+temp), append(slices.Clone(opt.Writable), temp)
	in.Set = append(in.Set, "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -modcacherw")) // so that it can be removed
	for _, st := range stores {
		in.Set, in.Writable = append(in.Set, st.name+"="+st.prefix+s.store(st.dir)), append(in.Writable, s.store(st.dir))
	}
	for _, st := range downloads {
		in.Set = append(in.Set, st.name+"="+filepath.Join(in.Cache, st.dir))
	}
	for _, dir := range append(in.Writable, in.Cache) {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("folder of the setup: %w", err)
		}
	}
	res, err := sandbox.Run(ctx, in)
	if err != nil {
		return err
	}
	bound := opt
	bound.Timeout = setupTimeout
	if out := bound.resultOf(res); out.Outcome != Passes {
		return &SetupError{Command: spec.Command, How: out.How, Output: out.Output}
	}
	for _, dir := range []string{temp, in.Cache, in.Home} {
		os.RemoveAll(dir) // a failure only wastes space
	}
	return nil
}

// networkSet returns the values of networkVariables.
func networkSet() []string {
	var set []string
	for _, name := range networkVariables {
		if v := os.Getenv(name); v != "" && !strings.Contains(v, "@") {
			set = append(set, name+"="+v)
		}
	}
	return set
}

// realDirs returns the directories of objects that git reads in a checkout, by their
// names and by their real ones. They hold none of the user's configuration.
func realDirs(objects []string) []string {
	var dirs []string
	for _, dir := range objects {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dirs = append(dirs, dir, real)
		}
	}
	return dirs
}

// Use makes the installed files visible to commands of workspaces with these options. It gives
// the setup its own cache of compiled files, because the setup command may have installed
// another compiler.
func (s *Setup) Use(opt *Options) {
	opt.Setup = s
	opt.withLocks(s.locks)
	if opt.Compiled != "" {
		opt.Compiled = filepath.Join(s.dir, "compiled")
	}
	for _, dep := range s.deps {
		if !slices.Contains(opt.Dependencies, dep) {
			opt.Dependencies = append(opt.Dependencies, dep)
		}
	}
}

// has reports whether the setup installed a directory of packages.
func (s *Setup) has(dep string) bool { return s != nil && slices.Contains(s.deps, dep) }

// readable returns the paths of the setup that commands must be able to read.
func (s *Setup) readable() []string {
	if s == nil {
		return nil
	}
	return []string{s.tree(), filepath.Join(s.dir, "stores")}
}

// set returns the variables with the paths of the stores that are not empty.
func (s *Setup) set() []string {
	var set []string
	if s == nil {
		return nil
	}
	for _, st := range stores {
		dir := filepath.Join(s.store(st.dir), st.below)
		if entries, err := os.ReadDir(dir); err != nil || len(entries) == 0 {
			continue
		}
		name := st.name
		if st.later != "" {
			name = st.later
		}
		set = append(set, name+"="+st.prefix+dir)
	}
	return set
}

// environments are the names of virtual environments of Python at the top of a work tree that
// are active by default.
var environments = []string{".venv", "venv", "env", ".env"}

// active returns the variables that activate a virtual environment of Python at the top of
// the work tree, unless the user has activated another one.
func (w *Workspace) active() []string {
	if os.Getenv("VIRTUAL_ENV") != "" {
		return nil
	}
	for _, name := range environments {
		if !slices.Contains(w.opt.Dependencies, name) {
			continue
		}
		env := w.dependency(name)
		return []string{"VIRTUAL_ENV=" + env, "PATH=" + filepath.Join(env, "bin") + string(filepath.ListSeparator) + os.Getenv("PATH")}
	}
	return nil
}

// installed returns the variables with the paths of installed files, and after them the
// variables in set, which override them.
func (w *Workspace) installed(set []string) []string {
	return slices.Concat(w.opt.Setup.set(), w.active(), w.withPythonPath(set))
}
