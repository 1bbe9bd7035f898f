package coverage

import (
	"bytes"
	"path"
	"path/filepath"
	"strings"

	"git-agent/agent/fix"
	"git-agent/agent/source"
)

// goRecordShim is a program that PATH has before go. It lets go test write a profile of all packages of its module,
// and beside it the path and directory of the module. A call whose profile the caller wants, or that runs no tests, is
// left as it is. So is one of Go before 1.20, whose -coverpkg links packages on which the tests do not depend. The compiler
// reads a copy of testing.go by which a test that panics writes the profile, too: the change is that of goFlushOverlay, whose
// command cannot run before the one that is recorded.
const goRecordShim = `PATH=${PATH#@DIR@/bin:}
test "$1" = test || exec @REAL@ "$@"
for git_agent_arg in "$@"; do
	case $git_agent_arg in
	--*) git_agent_arg=${git_agent_arg#-} ;;
	esac
	case $git_agent_arg in
	-args) break ;;
	-C | -C=* | -c | -n | -h | -help | -list* | -fuzz* | -coverprofile* | -coverpkg* | -overlay*) exec @REAL@ "$@" ;;
	esac
done
{ read -r git_agent_version && read -r git_agent_root && read -r git_agent_flags; } <<end
$(@REAL@ env GOVERSION GOROOT GOFLAGS)
end
case $git_agent_flags in
*-coverprofile* | *-coverpkg* | *-overlay*) exec @REAL@ "$@" ;;
esac
case $git_agent_version in
go1.[0-9] | go1.[0-9].* | go1.1[0-9]* | '') exec @REAL@ "$@" ;;
esac
git_agent_to=@DIR@/go.$$
@REAL@ list -m -f '{{.Dir}} {{.Path}}' >"$git_agent_to.modules" 2>/dev/null || exec @REAL@ "$@"
git_agent_packages=$(sed -n 's|.* \(.*\)|\1/...|p' "$git_agent_to.modules" | paste -sd, -) 2>/dev/null
test -n "$git_agent_packages" || exec @REAL@ "$@"
shift
sed 's/doPanic := func([a-z]* [a-z{}]*) {/&@FLUSH@/' "$git_agent_root/src/testing/testing.go" >"$git_agent_to.go" 2>/dev/null
if test "$(grep -cF '@FLUSH@' "$git_agent_to.go" 2>/dev/null)" = 1; then
	printf '{"Replace":{"%s":"%s"}}' "$git_agent_root/src/testing/testing.go" "$git_agent_to.go" >"$git_agent_to.json"
	set -- -overlay="$git_agent_to.json" "$@"
fi
exec @REAL@ test -coverpkg="$git_agent_packages" -coverprofile="$git_agent_to.profile" "$@"
`

const (
	// maxGoRecorded bounds the source files of a recorded tree, because their packages are compiled once more, with coverage.
	maxGoRecorded = 1500
	// maxGoProfiled bounds these files times the directories of tests, if a command may test several packages: each
	// package of tests writes the blocks of all files that it needs.
	maxGoProfiled = 30_000
)

func (golang) record(j *job) ([]string, error) {
	files, tests := 0, map[string]bool{}
	for p := range j.tree.tracked {
		switch {
		case path.Ext(p) != ".go" || inVendor(path.Dir(p)):
		case source.IsTestPath(p):
			tests[path.Dir(p)] = true
		default:
			files++
		}
	}
	several := strings.Contains(j.p.Test, "...") || !goTestCommand().MatchString(j.p.Test)
	if files > maxGoRecorded || several && files*len(tests) > maxGoProfiled {
		return nil, nil
	}
	ok, err := j.shim("go", strings.ReplaceAll(goRecordShim, "@FLUSH@", goFlush))
	if err != nil || !ok {
		return nil, err
	}
	return []string{j.shimPath()}, nil
}

// recorded counts the calls of go test together as one failing test, because their profiles do not tell tests apart.
func (golang) recorded(j *job) *fix.Spectrum {
	var count tally
	whole := executed{}
	for _, name := range j.files("go.*.profile") {
		modules := readGoModules(j.profile(strings.TrimSuffix(name, ".profile")+".modules"), j.tree)
		whole.merge(readGoProfile(j.profile(name), modules.dir, j.tree))
	}
	count.add(true, whole)
	return count.failingSpectrum(j.tree)
}

// goPercentage matches what go test says of coverage: a line, with -json or without, or the end of a package's line.
var goPercentage = source.Lazy(`(?m)^(?:\{.*"Output":")?(?:(?:\\t|\t)\S+(?:\\t|\t)+)?coverage: .*(?: of|\[no) statements.*\n|\tcoverage: .*(?: of|\[no) statements.*$`)

func (golang) plain(out []byte) []byte { return goPercentage().ReplaceAll(out, nil) }

// A goModule is a module of the tree.
type goModule struct {
	path string
	dir  string // below the tree; "." for its root
}

type goModules []goModule

// readGoModules reads lines of directories and paths of modules. Modules outside of the tree are left out.
func readGoModules(list []byte, t *tree) goModules {
	var modules goModules
	for line := range bytes.Lines(list) {
		line := strings.TrimSpace(string(line))
		at := strings.LastIndexByte(line, ' ')
		if at < 0 {
			continue
		}
		if dir, ok := t.directory(line[:at]); ok {
			modules = append(modules, goModule{path: line[at+1:], dir: dir})
		}
	}
	return modules
}

// dir returns the directory of a package below the tree.
func (m goModules) dir(pkg string) (string, bool) {
	found, longest := "", -1
	for _, mod := range m {
		rest, ok := strings.CutPrefix(pkg, mod.path)
		if ok && (rest == "" || rest[0] == '/') && len(mod.path) > longest {
			found, longest = path.Join(mod.dir, filepath.ToSlash(rest)), len(mod.path)
		}
	}
	return found, longest >= 0
}
