package offline

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"git-agent/agent/sandbox"
	"git-agent/agent/source"
	"git-agent/agent/trial"
)

// goBuild builds many candidates for Go code as one program. It runs the test command with a
// script instead of go. This script makes go test call a second script for each test binary,
// which runs the binary once for each candidate.
type goBuild struct{}

func (goBuild) takes(_ *search, file string) bool { return path.Ext(file) == ".go" }
func (goBuild) group(file string) string          { return path.Dir(file) }
func (goBuild) leads() bool                       { return false }
func (goBuild) suites() bool                      { return true }
func (goBuild) name(test string) string           { return test }

func (b goBuild) run(ctx context.Context, s *screen, variants map[int]variant) (map[int][]screened, map[int]bool, error) {
	return s.build(ctx, b, variants)
}

// compileError matches the place of a Go compiler error.
var compileError = source.Lazy(`(?m)^(?:\./)?([^\s:]+\.go):(\d+):\d+: `)

func (goBuild) errors(output []byte) [][][]byte {
	return compileError().FindAllSubmatch(output, -1)
}

func (goBuild) combine(original func(string) ([]byte, bool), variants map[int]variant) (*variantProgram, []int) {
	return combineVariants(original, variants)
}

// goProgram is a script that PATH has before go. It makes go test call eachProgram, and makes
// the compiler report all errors, so that one build finds all candidates that do not compile.
const goProgram = `#!/bin/sh
if test "$1" = test; then
	shift
	PATH=${PATH#@DIR@/bin:}
	exec @REAL@ test -exec @DIR@/each -vet=off -gcflags=-e -timeout 2h "$@"
fi
exec @REAL@ "$@"
`

// eachProgram runs a test binary for each variant until the time is up, and the program
// without a change in any case. Go keeps the result of a binary that passes, and Cargo runs no
// binary after one that fails.
const eachProgram = `#!/bin/sh
out="$TMPDIR/git-agent-each.$$"
limit=
command -v timeout >/dev/null 2>&1 && limit="timeout -k 1 $GIT_AGENT_LIMIT"
until=
for v in $GIT_AGENT_VARIANTS; do
	if test "$v" != 0; then
		now=$(date +%s)
		if test -z "$until"; then
			time=$((now - GIT_AGENT_BEGUN)) # that the builds took
			test "$time" -gt "$GIT_AGENT_TIME" || time=$GIT_AGENT_TIME
			test "$time" -lt "$GIT_AGENT_MOST" || time=$GIT_AGENT_MOST
			until=$((now + time))
		fi
		test "$now" -lt "$until" || continue
	fi
	` + variantVariable + `=$v $limit "$@" </dev/null >"$out" 2>&1
	code=$?
	printf '\n%s begin %s %s\n' "$GIT_AGENT_MARK" "$v" "$code"
	head -c @BYTES@ "$out"
	printf '\n%s end\n' "$GIT_AGENT_MARK"
done
rm -f "$out"
exit @EXIT@
`

// exec runs the test command with the programs in place.
func (goBuild) exec(ctx context.Context, s *screen, list []string) (trial.Result, error) {
	dir, err := s.programs()
	if err != nil {
		return trial.Result{}, err
	}
	command, limit := s.in.Problem.Test, min(max(screenSlower*s.baseline.took, leastScreen), screenLimit)
	if s.suite {
		command, limit = s.in.Problem.Suite, suiteLimit
	}
	return s.exec(ctx, command, trial.ExecOptions{
		Timeout: max(s.baseline.limit, buildLimit) + time.Duration(len(list))*limit, MaxOutput: 2 * screenOutput * len(list),
		Set: append(s.variantsIn(list, limit),
			"PATH="+filepath.Join(dir, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"),
		),
		Readable: []string{dir},
	})
}

// programs writes the programs and returns their directory.
func (s *screen) programs() (string, error) {
	dir, err := s.w.Folder("screen")
	if err != nil {
		return "", err
	}
	real, err := sandbox.Program("go")
	if err != nil {
		return "", err
	}
	fill := strings.NewReplacer("@REAL@", quoted(real), "@DIR@", dir, "@BYTES@", strconv.Itoa(screenOutput), "@EXIT@", "1")
	if err := os.MkdirAll(filepath.Join(dir, "bin"), 0o700); err != nil {
		return "", err
	}
	for name, text := range map[string]string{"bin/go": goProgram, "each": eachProgram} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(fill.Replace(text)), 0o700); err != nil {
			return "", fmt.Errorf("write a program: %w", err)
		}
	}
	return dir, nil
}
