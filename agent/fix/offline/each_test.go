package offline

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"git-agent/agent/trial"
	"git-agent/gitext/gittest"
)

// The variants of a build get as long as the build took, within bounds: the script runs all of them
// after a long build, and none when the time is over before the first one.
func TestTimeOfVariants(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	h.Commit("c", gittest.Files{"a": "b"})
	w, err := trial.Open(t.Context(), h.Open(), options(t))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := w.Prepare(t.Context(), h.Head(), nil); err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(t.TempDir(), "each")
	text := strings.NewReplacer("@BYTES@", "100", "@EXIT@", "0").Replace(eachProgram)
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	ran := func(began time.Duration, time1, most string) int {
		s := &screen{begun: time.Now().Add(-began)}
		set := s.variantsIn([]string{"0", "1", "2", "0"}, time.Second)
		for i, v := range set {
			switch name, _, _ := strings.Cut(v, "="); name {
			case "GIT_AGENT_TIME":
				set[i] = name + "=" + time1
			case "GIT_AGENT_MOST":
				set[i] = name + "=" + most
			}
		}
		res, err := w.Exec(t.Context(), "sh "+script+" true", trial.ExecOptions{Set: set, Readable: []string{filepath.Dir(script)}})
		if err != nil {
			t.Fatal(err)
		}
		return len(readScreened(res.Output, true)) - 1 // without the original
	}
	if n := ran(0, "0", "0"); n != 0 {
		t.Errorf("%d variants ran without time", n)
	}
	if n := ran(time.Minute, "0", "60"); n != 2 {
		t.Errorf("%d variants ran after a build of a minute", n)
	}
	if n := ran(time.Minute, "0", "0"); n != 0 {
		t.Errorf("%d variants ran beyond the bound", n)
	}
}
