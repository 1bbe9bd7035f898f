package coverage

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"

	"git-agent/agent/source"
)

// A test that panics ends its process before the testing package writes the profile. With
// goFlushOverlay, the compiler reads a changed copy of testing.go (go build -overlay): a test
// writes the profile before it panics again. The toolchain itself is not changed. A panic in
// another goroutine than the test's still loses the profile.

// goPanics matches the place in testing.go where a test repeats its panic.
var goPanics = source.Lazy(`doPanic := func\(\w+ (?:any|interface\{\})\) \{`)

// goFlush writes the profile; every version of Go with coverage has coverReport.
const goFlush = ` if CoverMode() != "" { coverReport() };`

// goFlushOverlay returns the flags that switch the overlay on; none if the toolchain's testing
// package does not look as expected, or if the call already has an overlay.
func (j *job) goFlushOverlay(ctx context.Context, call goCall) ([]string, error) {
	for _, flag := range call.build {
		if strings.HasPrefix(flag, "-overlay") {
			return nil, nil
		}
	}
	to := filepath.Join(j.dir, "testing.go")
	script := call.enter() + "root=$(go env GOROOT) && printf '%s' \"$root\" >" + quote(to+".root") +
		" && cat \"$root/src/testing/testing.go\" >" + quote(to)
	if res, err := j.sh(ctx, goCompileTime, script); err != nil || res.Exit != 0 {
		return nil, err
	}
	text := j.profile("testing.go")
	at := goPanics().FindAllIndex(text, -1)
	if len(at) != 1 {
		return nil, nil
	}
	end := at[0][1]
	changed := string(text[:end]) + goFlush + string(text[end:])
	if _, err := j.make("testing.go", 0o600, []byte(changed)); err != nil {
		return nil, err
	}
	original := filepath.Join(string(j.profile("testing.go.root")), "src", "testing", "testing.go")
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {original: to}})
	if err != nil {
		return nil, err
	}
	name, err := j.make("overlay.json", 0o600, overlay)
	return []string{"-overlay=" + name}, err
}
