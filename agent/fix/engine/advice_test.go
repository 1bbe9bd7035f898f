package engine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"git-agent/agent/fix"
	"git-agent/agent/fix/testcmd"
)

// A place is in a set-up if the block around it is a hook, and not if the block is a test or a
// helper in the same file.
func TestWithinHook(t *testing.T) {
	t.Parallel()
	const text = `describe('a', () => {
  beforeAll(async () => {
    const server = await start()
    if (!server) {
      throw new Error('no server')
    }
  })
  it('adds', () => {
    expect(1).toBe(2)
  })
})
class T(TestCase):
    @classmethod
    def setUpClass(cls):
        connect()
    def test_a(self):
        connect()
function helper() {
  fail()
}
`
	lines := strings.Split(text, "\n")
	for line, want := range map[int]bool{2: true, 3: true, 5: true, 9: false, 15: true, 17: false, 19: false, 99: false} {
		if got := withinHook(lines, line); got != want {
			t.Errorf("line %d: %t", line, got)
		}
	}
}

// A program belongs to a virtual environment if it is in the environment, or is a link to a
// program there.
func TestEnvironmentOf(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	env := filepath.Join(dir, "env")
	if err := os.MkdirAll(filepath.Join(env, "bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"pyvenv.cfg", "bin/pytest"} {
		if err := os.WriteFile(filepath.Join(env, name), nil, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"bin/direct": "../env/bin/pytest", "bin/twice": "direct", "bin/circle": "circle"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	for program, want := range map[string]string{"env/bin/pytest": env, "bin/direct": env, "bin/twice": env, "bin/circle": "", "bin/none": ""} {
		if got := testcmd.EnvironmentOf(filepath.Join(dir, program)); got != want {
			t.Errorf("%s: %q", program, got)
		}
	}
}

// The reason of a failure is below the heading of a test, in the forms of several tools.
func TestLineBelow(t *testing.T) {
	t.Parallel()
	for output, want := range map[string]string{
		"  ✕ adds\n  ● adds\n\n    no server\n": "no server",
		"Running x.T\n[ERROR] Tests run: 1\n[ERROR] x.T -- Time elapsed: 0.1 s <<< ERROR!\njava.lang.Error: no server\n": "java.lang.Error: no server",
		"nothing of it\n": "",
	} {
		test := "adds"
		if strings.Contains(output, "x.T") {
			test = "x.T"
		}
		if got := lineBelow(output, test); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A setup that took most of the time is named as the reason why a test had too little: the next run finds it done.
func TestSetupTakesTheTime(t *testing.T) {
	t.Parallel()
	rep := fix.Reproduction{TimedOut: true}
	for setUp, want := range map[time.Duration]string{
		50 * time.Second: " (setting up took 50s of --time, and is done for the next run)",
		5 * time.Second:  " (--time allows more; a command that runs fewer tests is better)",
	} {
		s := &study{engine: &Engine{}, answer: &fix.Answer{Reproduction: rep}, clock: clock{time.Now(), time.Minute}, setUp: setUp}
		if got, err := s.advice(t.Context()); err != nil || got != want {
			t.Errorf("%s: %q, %v", setUp, got, err)
		}
	}
}
