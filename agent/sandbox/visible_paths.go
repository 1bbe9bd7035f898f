package sandbox

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"git-agent/gitext/disk"
)

// An allow-list says which paths a command can see, because a list of paths to hide is never
// complete. The paths below contain programs, libraries and caches of public downloads, and no
// configuration, because tokens are in configuration.

// systemDirs lists directories of installed files. They are visible as a whole, read-only.
var systemDirs = strings.Fields(`
/usr /bin /sbin /lib /lib32 /lib64 /libx32 /opt /nix/store /nix/var/nix/profiles /gnu/store /snap
/run/current-system
/sys/devices/system/cpu /sys/devices/system/node /sys/fs/cgroup /sys/kernel/mm/transparent_hugepage`)

// systemFiles lists files in /etc that builds read, as patterns of filepath.Match. The other
// files hold passwords and keys of hosts and networks.
var systemFiles = strings.Fields(`
/etc/passwd /etc/group /etc/nsswitch.conf /etc/hosts /etc/host.conf /etc/hostname /etc/resolv.conf
/etc/services /etc/protocols /etc/localtime /etc/timezone /etc/locale.conf
/etc/default/locale /etc/os-release /etc/lsb-release /etc/*-release /etc/debian_version
/etc/ld.so.cache /etc/ld.so.conf /etc/ld.so.conf.d /etc/ld.so.preload /etc/ld-musl-*.path /etc/alternatives /etc/static
/etc/ssl/certs /etc/ssl/openssl.cnf /etc/ssl/cert.pem
/etc/pki/ca-trust /etc/pki/tls/certs /etc/pki/tls/cert.pem /etc/pki/tls/openssl.cnf /etc/pki/java /etc/crypto-policies
/etc/java* /etc/jvm* /etc/maven /etc/gradle /etc/ant* /etc/python* /etc/perl /etc/php* /etc/R /etc/ghc* /etc/erlang
/etc/dotnet /etc/texmf /etc/xml /etc/fonts /etc/magic /etc/mime.types /etc/terminfo`)

// homeDirs lists directories of toolchains below the home directory.
var homeDirs = strings.Fields(`
go/pkg/mod go/bin sdk .cache/go-build
.cargo/bin .cargo/registry .cargo/git .rustup/toolchains .rustup/settings.toml
.m2/repository .m2/wrapper .gradle/caches .gradle/wrapper .gradle/jdks .ivy2/cache .sbt/boot .cache/coursier .coursier
.sdkman/candidates .jdks .jenv .asdf .local/share/mise/installs .local/share/mise/shims
.npm/_cacache .cache/node/corepack .nvm .nodenv .volta/bin .volta/tools .fnm .local/share/fnm .local/share/pnpm .cache/yarn .yarn/berry/cache
.bun/bin .bun/install .deno/bin .cache/deno
.pyenv .local/bin .local/lib .local/pipx .local/share/pipx .local/share/uv/python .local/share/uv/tools .cache/pip .cache/uv
.virtualenvs .local/share/virtualenvs .cache/pypoetry/virtualenvs .local/share/hatch .local/share/pdm/venvs miniconda3 anaconda3 miniforge3 mambaforge .conda/envs .conda/pkgs
.rbenv .rvm .gem/ruby .local/share/gem .nuget/packages .dotnet/dotnet .dotnet/host .dotnet/sdk .dotnet/shared .dotnet/packs .dotnet/tools
.ghcup .cabal/packages .cabal/store .cabal/bin .stack/programs .stack/snapshots .stack/pantry .opam
.mix/archives .mix/elixir .mix/rebar3 .hex/packages .cache/composer perl5 .pub-cache/hosted .pub-cache/bin .julia/packages .julia/artifacts
.nix-profile .local/state/nix/profiles .ccache .cache/ccache .cache/zig .cache/bazelisk`)

// namedDirs maps variables that name a toolchain's directory to the visible parts of this
// directory; "." is the whole directory.
var namedDirs = map[string][]string{
	"GOROOT": {"."}, "GOPATH": {"pkg/mod", "bin"}, "GOMODCACHE": {"."}, "GOCACHE": {"."},
	"CARGO_HOME": {"bin", "registry", "git"}, "RUSTUP_HOME": {"toolchains", "settings.toml"},
	"JAVA_HOME": {"."}, "M2_HOME": {"."}, "MAVEN_HOME": {"."}, "GRADLE_HOME": {"."}, "ANT_HOME": {"."},
	"GRADLE_USER_HOME": {"caches", "wrapper", "jdks"},
	"VIRTUAL_ENV":      {"."}, "PYENV_ROOT": {"."}, "NVM_DIR": {"."}, "RBENV_ROOT": {"."}, "GEM_HOME": {"."}, "GEM_PATH": {"."},
	"HOMEBREW_PREFIX": {"."}, "COREPACK_HOME": {"."},
	"PATH": {".", "../lib/node_modules"}, // npm links the global programs of a prefix into its bin
}

// A visiblePath is one path that a command can see, under the same name as outside.
type visiblePath struct {
	path  string
	write bool
	link  string // path is a symbolic link to this
}

// visiblePaths lists the paths that a command can see, parents first. home is "" if there is no
// home directory to hide.
func visiblePaths(lookup func(string) (string, bool), home string, s Spec) []visiblePath {
	var list []visiblePath
	for _, pattern := range slices.Concat(systemDirs, systemFiles) {
		found, _ := filepath.Glob(pattern) // the patterns are well formed
		for _, path := range found {
			if !holds(path, home) {
				list = append(list, systemPath(path))
			}
		}
	}
	for _, path := range toolchains(lookup, home) {
		list = append(list, visiblePath{path: path})
	}
	for _, path := range s.Readable {
		list = append(list, visiblePath{path: path})
	}
	for _, path := range writable(s) {
		list = append(list, visiblePath{path: path, write: true})
	}
	return removeCovered(list)
}

// writable lists the directories that a command may write.
func writable(s Spec) []string {
	list := append([]string{s.Dir}, s.Writable...)
	if s.Cache != "" {
		list = append(list, s.Cache)
	}
	return list
}

// systemPath keeps a top-level link such as /bin a link, because programs ask
// for their real name.
func systemPath(path string) visiblePath {
	if filepath.Dir(path) == "/" {
		if to, err := os.Readlink(path); err == nil {
			return visiblePath{path: path, link: to}
		}
	}
	return visiblePath{path: path}
}

// toolchains lists the existing directories of toolchains, below the home directory or named by
// a variable.
func toolchains(lookup func(string) (string, bool), home string) []string {
	var list []string
	add := func(path string) {
		path = filepath.Clean(path)
		if !filepath.IsAbs(path) || holds(path, home) || path == "/" || kernelMade(path) {
			return // a variable may hold any path; the home directory itself is never visible
		}
		if _, err := os.Stat(path); err == nil {
			list = append(list, path)
		}
	}
	for _, rel := range homeDirs {
		if home != "" {
			add(filepath.Join(home, filepath.FromSlash(rel)))
		}
	}
	for name, parts := range namedDirs {
		value, _ := lookup(name)
		for _, dir := range filepath.SplitList(value) {
			for _, part := range parts {
				add(filepath.Join(dir, part))
			}
		}
	}
	path, _ := lookup("PATH")
	for _, dir := range filepath.SplitList(path) {
		for _, part := range slices.Concat(partsBeside(dir), pythonBeside(dir)) {
			add(part)
		}
	}
	return list
}

// unpacked lists programs that are unpacked from archives, often below the home directory, and
// need directories beside their own. The first of these tells such a program from a script with
// the same name.
var unpacked = []struct {
	program string
	parts   []string
}{
	{"mvn", []string{"boot", "lib", "conf"}},
	{"mvnd", []string{"mvn", "conf"}},
	{"gradle", []string{"lib", "init.d", "gradle.properties"}},
	{"java", []string{"lib", "conf", "jmods", "legal", "release"}},
	{"kotlinc", []string{"lib", "build.txt"}},
	{"ant", []string{"lib", "etc"}},
}

// partsBeside lists the directories and files that unpacked programs in a directory of PATH need.
// The program may be a link to its place.
func partsBeside(dir string) []string {
	var list []string
	for _, u := range unpacked {
		real, err := filepath.EvalSymlinks(filepath.Join(dir, u.program))
		if err != nil || !filepath.IsAbs(real) || filepath.Base(filepath.Dir(real)) != "bin" {
			continue
		}
		home := filepath.Dir(filepath.Dir(real))
		if info, err := os.Stat(filepath.Join(home, u.parts[0])); err != nil || !info.IsDir() {
			continue
		}
		list = append(list, filepath.Dir(real))
		for _, part := range u.parts {
			list = append(list, filepath.Join(home, part))
		}
	}
	return list
}

// pythonBeside lists what a Python in a directory of PATH needs beside it: the packages of its environment, and the file
// that tells the environment from the Python that made it. Without these, that Python runs in its place, with other packages.
func pythonBeside(dir string) []string {
	if filepath.Base(dir) != "bin" {
		return nil
	}
	env := filepath.Dir(dir)
	packages, _ := filepath.Glob(filepath.Join(disk.GlobQuote(env), "lib", "python[23]*")) // the pattern is well formed
	if len(packages) == 0 {
		return nil
	}
	list := append(packages, filepath.Join(env, "pyvenv.cfg"), filepath.Join(env, "lib64"))
	if _, err := os.Stat(filepath.Join(env, "conda-meta")); err == nil { // programs of conda link to libraries of the environment
		list = append(list, filepath.Join(env, "lib"), filepath.Join(env, "conda-meta"), filepath.Join(env, "ssl"))
	}
	return list
}

// holds reports whether path is dir or above it.
func holds(path, dir string) bool {
	return dir != "" && (path == dir || strings.HasPrefix(dir, strings.TrimSuffix(path, "/")+"/"))
}

// kernelMade reports whether path is a directory that every command gets anew.
func kernelMade(path string) bool {
	return slices.ContainsFunc([]string{"/proc", "/sys", "/dev", "/run", "/tmp", "/etc"}, func(dir string) bool { return path == dir })
}

// removeCovered sorts the list and removes each path with a listed parent of the same access.
func removeCovered(list []visiblePath) []visiblePath {
	slices.SortFunc(list, func(a, b visiblePath) int {
		less := func(s visiblePath) int { // writable paths come first
			if s.write {
				return 0
			}
			return 1
		}
		return cmp.Or(slices.Compare(strings.Split(a.path, "/"), strings.Split(b.path, "/")), less(a)-less(b))
	})
	var out []visiblePath
	for _, s := range list {
		covered := slices.ContainsFunc(out, func(o visiblePath) bool {
			return holds(o.path, s.path) && (o.link != "" || o.write || !s.write)
		})
		if !covered {
			out = append(out, s)
		}
	}
	return out
}

// CheckGrant returns an error if a directory cannot be made visible without also showing hidden
// paths.
func CheckGrant(path string) error {
	home := homeDir()
	real, err := filepath.EvalSymlinks(path)
	switch {
	case !filepath.IsAbs(path):
		return fmt.Errorf("%q is not an absolute path", path)
	case err != nil:
		return fmt.Errorf("%q cannot be shown to a command: %w", path, err)
	case holds(real, home) || real == "/":
		return fmt.Errorf("%q holds the home directory: name what is needed of it", path)
	}
	return nil
}

// homeDir returns the home directory to hide, without symbolic links, or "" if the account has
// no private one.
func homeDir() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	home, err = filepath.EvalSymlinks(home)
	if err != nil || holds("/usr", home) || slices.ContainsFunc(systemDirs, func(dir string) bool { return holds(home, dir) }) {
		return "" // a system account, which owns no file there
	}
	return home
}
