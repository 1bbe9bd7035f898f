package source

import (
	"path"
	"strings"
)

// A file steers the tests if it determines the tests to run, the program that runs them, or the
// behaviour of that program. A change of such a file can make a failing test pass without a
// repair.
var (
	// steeringName matches the base names, in lower case, of files with instructions for build
	// tools and test tools.
	steeringName = Lazy(`^(` +
		`(gnu|bsd)?makefile(\..*)?|.*\.(mk|mak|make|cmake|ninja|bzl|gyp|gypi|gradle|gradle\.kts|pth|props|targets|runsettings)` +
		`|configure(\.ac|\.in)?|cmakelists\.txt|cmakepresets\.json|meson\.build|meson[._]options(\.txt)?|sconstruct|sconscript|wscript|justfile|taskfile\.ya?ml|rakefile|magefile\.go|build|workspace|module|build\.bazel|module\.bazel|\.bazelrc` +
		`|package\.json|\.npmrc|\.yarnrc(\.yml)?|pnpm-workspace\.yaml|\.pnpmfile\.c?js|lerna\.json|nx\.json|turbo\.json` +
		`|\.mocharc(\..*)?|\.taprc|\.nycrc(\..*)?|\.c8rc(\..*)?|\.babelrc(\..*)?|\.swcrc` +
		`|(jest|vitest|vite|karma|ava|babel|playwright|cypress|wdio|webpack|rollup|tsup|esbuild)([._-][\w-]+)*\.(config|conf|setup|workspace|preset)([._-][\w-]+)*\.([cm]?[jt]sx?|json)|[jt]sconfig([._-][\w-]+)*\.json` +
		`|conftest\.py|pytest\.(ini|toml)|\.pytest\.(ini|toml)|tox\.(ini|toml)|setup\.(cfg|py)|pyproject\.toml|noxfile\.py|\.coveragerc|(site|user)customize\.py|hatch\.toml|pdm\.toml` +
		`|pom\.xml|build\.xml|gradle\.properties|gradlew(\.bat)?|mvnw(\.cmd)?|\.jvmopts|.*\.sbt` +
		`|cargo\.toml|build\.rs|rust-toolchain(\.toml)?|clippy\.toml|nextest\.toml` +
		`|go\.(mod|work|env)` +
		`|\.proverc|build\.pl|bunfig\.toml|deno\.jsonc?|(nose2|unittest)\.cfg|behave\.ini|\.s?testr\.conf` +
		`|(test|tap)-driver(\.(sh|pl))?|cmakeuserpresets\.json|\.valgrindrc` +
		`|junit-platform\.properties|xunit\.runner\.json|package\.swift|build\.zig|rebar\.config(\.script)?|cabal\.project(\..*)?|dune-workspace` +
		`|gemfile|gems\.rb|\.rspec(-local)?|phpunit\.xml(\.dist)?|phpunit\.dist\.xml|composer\.json|mix\.exs|project\.clj|deps\.edn|dune|dune-project|.*\.(cabal|csproj|fsproj|vbproj|slnx?)|stack\.yaml|directory\.build\..*|nuget\.config|global\.json` +
		`)$`)
	// steeringDir matches directories with files that steer the tests.
	steeringDir = Lazy(`(^|/)(\.cargo|\.mvn|\.gradle|gradle/wrapper|buildsrc|build-logic|cmake|m4|[^/]*\.(egg|dist)-info)/`)
	// ownInstalled matches directories in which tools install packages, and which few commit.
	ownInstalled = Lazy(`(^|/)(node_modules|site-packages|\.venv|venv|\.tox|\.nox)/`)
	// installedDir matches directories of installed or copied packages, including test tools.
	installedDir = Lazy(`(^|/)(node_modules|vendor|site-packages|bower_components|\.venv|venv|\.yarn|\.pnp\.[cm]?js$|godeps)(/|$)`)
)

// SteersTests reports, from the path alone, whether a file steers the tests: instructions for
// build tools and test tools, and the packages of these tools.
func SteersTests(p string) bool {
	low := strings.ToLower(p)
	return steeringName().MatchString(path.Base(low)) || steeringDir().MatchString(low) || installedDir().MatchString(low)
}

// IsInstalled reports, from the path alone, whether a file belongs to an environment of Python or to
// packages that a tool installed.
func IsInstalled(p string) bool { return ownInstalled().MatchString(p) }

// shadowed are modules that the tests of Python and C use. A new file with such a name, in a
// directory that the language searches first, replaces the module.
var (
	shadowedPython = WordSet(
		`pytest _pytest pluggy py iniconfig nose nose2 unittest doctest mock hypothesis tox nox trial twisted testtools zope behave robot
		site sys os io re abc ast json math time types typing enum errno functools itertools collections contextlib copy dataclasses datetime decimal
		difflib dis fnmatch fractions gc getopt getpass glob hashlib heapq hmac html http importlib inspect ipaddress linecache locale logging
		operator optparse argparse pathlib pickle pkgutil platform pprint queue random runpy select shlex shutil signal socket sqlite3 ssl stat
		statistics string struct subprocess sysconfig tempfile textwrap threading token tokenize tomllib traceback tracemalloc unicodedata urllib uuid
		warnings weakref xml zipfile zlib csv codecs base64 bisect builtins bz2 calendar cmath code concurrent configparser asyncio array numbers`,
	)
	shadowedHeader = WordSet(
		`assert.h ctype.h errno.h float.h inttypes.h limits.h locale.h math.h setjmp.h signal.h stdarg.h stdbool.h stddef.h stdint.h stdio.h
		stdlib.h string.h strings.h time.h unistd.h wchar.h check.h cmocka.h unity.h criterion.h cunit.h munit.h greatest.h utest.h minunit.h gtest.h
		gmock.h catch.hpp doctest.h cassert cstdio cstdlib cstring iostream string vector`,
	)
)

// Shadows reports, from the path alone, whether a new file replaces a module or a header that
// tests use. packaged says whether the file's directory is a package of Python, whose modules are
// not looked up by their bare names.
func Shadows(p string, packaged bool) bool {
	dir, base := path.Split(strings.ToLower(p))
	if shadowedHeader[base] {
		return true
	}
	if packaged {
		return false
	}
	if module, ok := strings.CutSuffix(base, ".py"); ok && module != "__init__" && shadowedPython[module] {
		return true
	}
	return strings.HasPrefix(base, "__init__.") && shadowedPython[path.Base(path.Clean("/"+dir))]
}

// runsItself matches files that some program runs or obeys as soon as they exist: shells that
// enter a directory, git, editors, hook managers and servers of continuous integration.
var runsItself = Lazy(
	`(?i)(^|/)(\.envrc|\.env|\.gitattributes|\.gitmodules|\.lfsconfig|\.pre-commit-(config|hooks)\.ya?ml|lefthook[^/]*\.(ya?ml|toml|json)|\.lefthook[^/]*|\.lintstagedrc[^/]*|\.travis\.yml|\.gitlab-ci\.yml|azure-pipelines[^/]*\.ya?ml|bitbucket-pipelines\.yml|appveyor\.yml|jenkinsfile|\.drone\.yml|\.cirrus\.(yml|star)|\.woodpecker[^/]*|\.mise\.toml|mise\.toml|\.tool-versions|\.editorconfig|\.vimrc|\.nvimrc|\.exrc|\.dir-locals\.el|dockerfile|\.devcontainer\.json|agents\.md|claude\.md|\.cursorrules)$|(^|/)(\.husky|\.githooks|\.hooks|\.github/(workflows|actions)|\.circleci|\.buildkite|\.gitlab|\.devcontainer|\.vscode|\.idea|\.cursor|\.claude)/`,
)

// RunsItself reports, from the path alone, whether a program runs or obeys a file without a
// request: on entering the directory, on a git command, in an editor, or on a server of
// continuous integration.
func RunsItself(p string) bool { return runsItself().MatchString(p) }
