package sandbox

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// What a command can see is an allow-list. A list of what to hide is always
// one program behind. The names below were chosen by what is in them: programs,
// libraries and caches of what anybody can download, and no configuration,
// for that is where tokens are.

// systemDirs are shown whole, read-only. What they hold is installed.
var systemDirs = strings.Fields(`
/usr /bin /sbin /lib /lib32 /lib64 /libx32 /opt /nix/store /nix/var/nix/profiles /gnu/store /snap
/run/current-system
/sys/devices/system/cpu /sys/devices/system/node /sys/fs/cgroup /sys/kernel/mm/transparent_hugepage`)

// systemFiles are what builds read of /etc, as patterns of filepath.Match. The
// rest holds passwords, keys of hosts and of networks.
var systemFiles = strings.Fields(`
/etc/passwd /etc/group /etc/nsswitch.conf /etc/hosts /etc/host.conf /etc/hostname /etc/resolv.conf
/etc/services /etc/protocols /etc/localtime /etc/timezone /etc/locale.conf
/etc/default/locale /etc/os-release /etc/lsb-release /etc/*-release /etc/debian_version
/etc/ld.so.cache /etc/ld.so.conf /etc/ld.so.conf.d /etc/ld.so.preload /etc/ld-musl-*.path /etc/alternatives /etc/static
/etc/ssl/certs /etc/ssl/openssl.cnf /etc/ssl/cert.pem
/etc/pki/ca-trust /etc/pki/tls/certs /etc/pki/tls/cert.pem /etc/pki/tls/openssl.cnf /etc/pki/java /etc/crypto-policies
/etc/java* /etc/jvm* /etc/maven /etc/gradle /etc/ant* /etc/python* /etc/perl /etc/php* /etc/R /etc/ghc* /etc/erlang
/etc/dotnet /etc/texmf /etc/xml /etc/fonts /etc/magic /etc/mime.types /etc/terminfo`)

// homeDirs are what toolchains keep below the home directory.
var homeDirs = strings.Fields(`
go/pkg/mod go/bin sdk .cache/go-build
.cargo/bin .cargo/registry .cargo/git .rustup/toolchains .rustup/settings.toml
.m2/repository .m2/wrapper .gradle/caches .gradle/wrapper .gradle/jdks .ivy2/cache .sbt/boot .cache/coursier .coursier
.sdkman/candidates .jdks .jenv .asdf .local/share/mise/installs .local/share/mise/shims
.npm/_cacache .nvm .volta/bin .volta/tools .fnm .local/share/fnm .local/share/pnpm .cache/yarn .yarn/berry/cache
.bun/bin .bun/install .deno/bin .cache/deno
.pyenv .local/bin .local/lib .local/pipx .local/share/pipx .local/share/uv/python .local/share/uv/tools .cache/pip .cache/uv
.virtualenvs .local/share/virtualenvs miniconda3 anaconda3 miniforge3 mambaforge .conda/envs .conda/pkgs
.rbenv .rvm .gem/ruby .local/share/gem .nuget/packages .dotnet/dotnet .dotnet/host .dotnet/sdk .dotnet/shared .dotnet/packs .dotnet/tools
.ghcup .cabal/packages .cabal/store .cabal/bin .stack/programs .stack/snapshots .stack/pantry .opam
.mix/archives .hex/packages .cache/composer perl5 .pub-cache/hosted .pub-cache/bin .julia/packages .julia/artifacts
.nix-profile .local/state/nix/profiles .ccache .cache/ccache .cache/zig .cache/bazelisk`)

// namedDirs are variables that name a place of a toolchain, with the parts of
// it that are shown; "." is the whole.
var namedDirs = map[string][]string{
	"GOROOT": {"."}, "GOPATH": {"pkg/mod", "bin"}, "GOMODCACHE": {"."}, "GOCACHE": {"."},
	"CARGO_HOME": {"bin", "registry", "git"}, "RUSTUP_HOME": {"toolchains", "settings.toml"},
	"JAVA_HOME": {"."}, "M2_HOME": {"."}, "MAVEN_HOME": {"."}, "GRADLE_HOME": {"."}, "ANT_HOME": {"."},
	"GRADLE_USER_HOME": {"caches", "wrapper", "jdks"},
	"VIRTUAL_ENV":      {"."}, "PYENV_ROOT": {"."}, "NVM_DIR": {"."}, "RBENV_ROOT": {"."}, "GEM_HOME": {"."}, "GEM_PATH": {"."},
	"HOMEBREW_PREFIX": {"."}, "PATH": {"."},
}

// A sight is one thing that a command sees, with the name that it has outside.
type sight struct {
	path  string
	write bool
	link  string // path is a symbolic link to this
}

// visible lists what a command sees of the file system, parents before what is
// below them. home is "" when there is none to hide.
func visible(lookup func(string) (string, bool), home string, s Spec) []sight {
	var list []sight
	for _, pattern := range slices.Concat(systemDirs, systemFiles) {
		found, _ := filepath.Glob(pattern) // the patterns are well formed
		for _, path := range found {
			if !holds(path, home) {
				list = append(list, systemSight(path))
			}
		}
	}
	for _, path := range toolchains(lookup, home) {
		list = append(list, sight{path: path})
	}
	for _, path := range s.Readable {
		list = append(list, sight{path: path})
	}
	for _, path := range writable(s) {
		list = append(list, sight{path: path, write: true})
	}
	return settle(list)
}

// writable are the directories that a command may write.
func writable(s Spec) []string {
	list := append([]string{s.Dir}, s.Writable...)
	if s.Cache != "" {
		list = append(list, s.Cache)
	}
	return list
}

// systemSight keeps a link at the top, such as /bin, for what it is: programs
// ask for their own real name.
func systemSight(path string) sight {
	if filepath.Dir(path) == "/" {
		if to, err := os.Readlink(path); err == nil {
			return sight{path: path, link: to}
		}
	}
	return sight{path: path}
}

// toolchains are the directories below the home directory, or named by a
// variable, that exist.
func toolchains(lookup func(string) (string, bool), home string) []string {
	var list []string
	add := func(path string) {
		path = filepath.Clean(path)
		if !filepath.IsAbs(path) || holds(path, home) || path == "/" || kernelMade(path) {
			return // a variable may say anything; the home directory itself is never shown
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
	return list
}

// holds is true when path is dir or above it.
func holds(path, dir string) bool {
	return dir != "" && (path == dir || strings.HasPrefix(dir, strings.TrimSuffix(path, "/")+"/"))
}

// kernelMade is true below the file systems that every command gets anew.
func kernelMade(path string) bool {
	return slices.ContainsFunc([]string{"/proc", "/sys", "/dev", "/run", "/tmp", "/etc"}, func(dir string) bool { return path == dir })
}

// settle sorts, and leaves out what a parent already shows in the same way.
func settle(list []sight) []sight {
	slices.SortFunc(list, func(a, b sight) int {
		less := func(s sight) int { // the one that allows more comes first
			if s.write {
				return 0
			}
			return 1
		}
		return cmp.Or(slices.Compare(strings.Split(a.path, "/"), strings.Split(b.path, "/")), less(a)-less(b))
	})
	var out []sight
	for _, s := range list {
		covered := slices.ContainsFunc(out, func(o sight) bool {
			return holds(o.path, s.path) && (o.link != "" || o.write || !s.write)
		})
		if !covered {
			out = append(out, s)
		}
	}
	return out
}

// CheckGrant refuses a directory that cannot be shown to a command without
// showing what it must not see.
func CheckGrant(path string) error {
	home := homeDir()
	real, err := filepath.EvalSymlinks(path)
	switch {
	case !filepath.IsAbs(path):
		return fmt.Errorf("%q is no absolute path", path)
	case err != nil:
		return fmt.Errorf("%q cannot be shown to a command: %w", path, err)
	case holds(real, home) || real == "/":
		return fmt.Errorf("%q holds the home directory: name what is needed of it", path)
	}
	return nil
}

// homeDir is the home directory that is hidden, without symbolic links, or ""
// when there is none of its own.
func homeDir() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	home, err = filepath.EvalSymlinks(home)
	if err != nil || holds("/usr", home) || slices.ContainsFunc(systemDirs, func(dir string) bool { return holds(home, dir) }) {
		return "" // an account of the system, which owns nothing there
	}
	return home
}
