//go:build linux

package scorecard

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A blow says when and how the program is killed.
type blow struct {
	point  string // a key of calls, atRandom or atRequest
	n      int    // number of that call in a thread, or of the request
	part   float64
	signal syscall.Signal
}

const (
	atRandom  = "random moment"
	atRequest = "request to the model"
)

// calls are the system calls at which the program is killed. A question mark marks one
// that not every machine has.
var calls = map[string]string{
	"write": "write", "pwrite": "pwrite64", "sync": "fsync,fdatasync", "truncate": "ftruncate",
	"rename": "?rename,?renameat,?renameat2", "link": "?link,?linkat,?symlink,?symlinkat",
	"unlink": "?unlink,?unlinkat,?rmdir", "mkdir": "?mkdir,?mkdirat", "chmod": "?chmod,?fchmod,?fchmodat",
	"start": "?clone,?clone3,?vfork",
}

func (b blow) String() string {
	if b.point == atRandom {
		return fmt.Sprintf("%v at %.0f %% of its time", b.signal, 100*b.part)
	}
	return fmt.Sprintf("%v at %s %d", b.signal, b.point, b.n)
}

// strike does a deed and kills the program during it. struck reports whether the
// program was killed before its end.
func (s *stage) strike(t *testing.T, d deed, b blow) (got outcome, struck bool) {
	t.Helper()
	argv, env := []string{program}, s.environ(s.env...)
	if set, ok := calls[b.point]; ok {
		// With -b execve strace does not trace children. It counts calls by
		// thread; with one processor only few threads do the work.
		argv = append(straceArgv(), "-b", "execve", "-e", "trace="+set, "-e", fmt.Sprintf("inject=%s:signal=%d:when=%d", set, b.signal, b.n), program)
		env = append(env, "GOMAXPROCS=1")
	}
	cmd := exec.Command(argv[0], append(argv[1:], d.args...)...)
	cmd.Dir, cmd.Env, cmd.Stdin = s.repo, env, strings.NewReader(d.stdin)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = leaveLimit
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	hit := func() { // an error means that the process has ended
		if b.signal == syscall.SIGSTOP {
			cmd.Process.Signal(syscall.SIGSTOP)
			cmd.Process.Kill()
		} else {
			cmd.Process.Signal(b.signal)
		}
	}
	if b.point == atRequest {
		s.server.killAt(b.n, hit)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if b.point == atRandom {
		defer time.AfterFunc(time.Duration(b.part*float64(s.took)), hit).Stop()
	}
	guard := time.AfterFunc(time.Minute, func() { got.late = true; syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	err := cmd.Wait()
	guard.Stop()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		t.Fatal(err)
	}
	got.stdout, got.stderr, got.code = out.String(), errs.String(), cmd.ProcessState.ExitCode()
	return got, got.code == -1 || got.code == exitInterrupted
}

// exitInterrupted is the exit code after a signal, as the manual defines it.
const exitInterrupted = 130

func straceArgv() []string { return []string{"strace", "-f", "-qq", "-o", os.DevNull} }

// straceWorks reports whether strace is installed and may trace.
var straceWorks = sync.OnceValue(func() bool {
	argv := append(straceArgv(), "-b", "execve", "true")
	return exec.Command(argv[0], argv[1:]...).Run() == nil
})

var bwrapWorks = sync.OnceValue(func() bool {
	return exec.Command("bwrap", "--unshare-all", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "true").Run() == nil
})

// points counts the blows by point and deed.
var points = struct {
	sync.Mutex
	n map[string]map[string]int
}{n: map[string]map[string]int{}}

func dealt(point, deed string) {
	points.Lock()
	defer points.Unlock()
	if points.n[point] == nil {
		points.n[point] = map[string]int{}
	}
	points.n[point][deed]++
}

// After a kill at any point, no process of the program continues, no file of the user
// has changed, and the next run answers as if nothing had happened.
func TestKills(t *testing.T) {
	if !straceWorks() {
		skipped(t, kills, "kills at each system call", "strace is not installed, or may not trace")
	}
	for i, d := range deeds() {
		if !*full && d.like != "" {
			continue
		}
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			v := newVictim(t, d)
			if *full {
				v.all(t)
			} else {
				v.some(t, i)
			}
		})
	}
	t.Cleanup(func() { // runs after the parallel subtests
		for _, point := range slices.Sorted(maps.Keys(points.n)) {
			sum, each := 0, []string(nil)
			for _, name := range slices.Sorted(maps.Keys(points.n[point])) {
				sum += points.n[point][name]
				each = append(each, fmt.Sprintf("%s %d", name, points.n[point][name]))
			}
			note(kills, "%-28s %5d   %s", point, sum, strings.Join(each, ", "))
		}
	})
}

// A victim is a deed on its stage, with the results that it has when undisturbed.
type victim struct {
	*stage
	deed
	after command
	user  string            // checksum of the user's files before the deed
	code  int               // exit code of the deed
	calm  outcome           // outcome of the deed
	want  outcome           // outcome of the next run
	whole map[string]string // the work tree after the deed
	files int               // number of stored files in the end
	asks  int               // number of requests to the model
}

func newVictim(t *testing.T, d deed) *victim {
	t.Helper()
	v := &victim{stage: newStage(t), deed: d}
	if d.model {
		listen(t, v.stage)
	}
	if d.prep != nil {
		d.prep(t, v.stage)
	}
	if d.next == nil {
		v.next = d.args
	}
	v.keep(t)
	v.user = v.userFiles(t, d.writes...)
	v.after = command{dir: v.repo, env: v.env, stdin: d.stdin}
	v.forget()
	did := v.run(t, v.after, d.args...)
	v.took, v.code, v.calm, v.whole = did.took, did.code, did, v.contents()
	v.want = v.run(t, v.after, v.next...)
	v.files, v.asks = len(v.keptFiles(t)), len(v.asked())
	for _, got := range []outcome{did, v.want} {
		if got.code != 0 && got.code != 1 || strings.Contains(got.stderr, "warning:") {
			t.Fatalf("without a blow: exit %d\n%s", got.code, got.stderr)
		}
	}
	return v
}

// some tries the blows of a sample run.
func (v *victim) some(t *testing.T, i int) {
	random := rand.New(rand.NewPCG(7, uint64(i)))
	names := slices.Sorted(maps.Keys(calls))
	v.try(t, blow{point: names[i%len(names)], n: 1 + i%3, signal: syscall.SIGKILL})
	switch {
	case v.model:
		v.try(t, blow{point: atRequest, n: 1 + i%2, signal: syscall.SIGKILL})
	case i%2 == 0:
		v.try(t, blow{point: "pwrite", n: 1 + random.IntN(8), signal: syscall.SIGKILL})
	default:
		v.try(t, blow{point: atRandom, part: random.Float64(), signal: signals[i/2%len(signals)]})
	}
}

// signals are the signals that end a program at random moments.
var signals = []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGPIPE, syscall.SIGSTOP}

// all tries a blow at each system call and at many moments.
func (v *victim) all(t *testing.T) {
	const most = 80 // calls of one kind in one thread; no deed makes nearly as many
	for _, point := range slices.Sorted(maps.Keys(calls)) {
		missed := 0
		for n := 1; missed < 2 && n < most; n++ { // the distribution of calls to threads varies a little
			if v.try(t, blow{point: point, n: n, signal: syscall.SIGKILL}) {
				missed = 0
			} else {
				missed++
			}
		}
	}
	random := rand.New(rand.NewPCG(8, uint64(len(v.name))))
	for _, signal := range signals {
		times := 6
		if signal == syscall.SIGKILL {
			times = 24
		}
		for i := range times {
			v.try(t, blow{point: atRandom, part: (float64(i) + random.Float64()) / float64(times), signal: signal})
		}
	}
	for n := 1; v.model && n <= v.asks; n++ {
		for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM} {
			v.try(t, blow{point: atRequest, n: n, signal: signal})
		}
	}
}

// try deals one blow and checks the aftermath. It reports whether the program was
// killed before its end.
func (v *victim) try(t *testing.T, b blow) bool {
	t.Helper()
	if _, ok := calls[b.point]; ok && !straceWorks() {
		return false
	}
	v.reset(t)
	v.forget()
	got, struck := v.strike(t, v.deed, b)
	if err := v.aftermath(t, got, struck); err != nil {
		broke(t, kills, v.name+", "+b.String(), "%v", err)
	} else if struck {
		held(kills)
	}
	if struck {
		dealt(b.point+" "+signalName(b.signal), v.name)
	}
	return struck
}

func signalName(s syscall.Signal) string {
	names := map[syscall.Signal]string{syscall.SIGKILL: "KILL", syscall.SIGTERM: "TERM", syscall.SIGINT: "INT", syscall.SIGHUP: "HUP", syscall.SIGPIPE: "PIPE", syscall.SIGSTOP: "STOP, KILL"}
	return names[s]
}

// aftermath returns an error if a promise was broken.
func (v *victim) aftermath(t *testing.T, got outcome, struck bool) error {
	if got.late {
		return errors.New("it did not end")
	}
	if !struck && got.code != v.code {
		return fmt.Errorf("it ended with %d: %s", got.code, got.stderr)
	}
	if strings.Contains(got.stderr, "panic:") || strings.Contains(got.stderr, "goroutine ") {
		return fmt.Errorf("it panicked: %s", got.stderr)
	}
	if err := v.alone(); err != nil {
		return err
	}
	if v.check != nil {
		if err := v.check(v.stage, v.whole); err != nil {
			return err
		}
	}
	if v.userFiles(t, v.writes...) != v.user {
		return errors.New("files of the user changed")
	}
	before := v.asked()
	next := v.run(t, v.after, v.next...)
	switch {
	case next.code != v.want.code || masked(next.stdout) != masked(v.want.stdout):
		return fmt.Errorf("the next run differs: exit %d, not %d; %s; stderr %s", next.code, v.want.code, parting(masked(next.stdout), masked(v.want.stdout)), next.stderr)
	case strings.Contains(next.stderr, "warning:"):
		return fmt.Errorf("the next run warns: %s", next.stderr)
	case v.userFiles(t, v.writes...) != v.user:
		return errors.New("files of the user changed in the next run")
	}
	if files := v.keptFiles(t); len(files) > v.files+litter {
		return fmt.Errorf("%d files are left, not %d: %q", len(files), v.files, files)
	}
	if err := v.alone(); err != nil {
		return err
	}
	return v.repeated(before, v.asked()[len(before):])
}

// litter is the most files that one kill may leave and the next run does not remove,
// such as the lock file of a scratch directory.
const litter = 4

// repeated returns an error if a resumed run repeats requests of the killed one.
func (v *victim) repeated(first, second []int) error {
	if extra := len(first) + len(second) - v.asks; v.model && extra > 1 {
		return fmt.Errorf("%d requests were sent twice: turns %v, then %v", extra, first, second)
	}
	over := len(first) > 0 && first[len(first)-1] == lastTurn && !slices.Equal(v.next, v.args)
	if len(first) > 0 && len(second) > 0 && second[0] < first[len(first)-1] && !over { // a next command other than the same one may ask again
		return fmt.Errorf("a step was lost: turns %v, then %v", first, second)
	}
	return nil
}

// varying matches text that differs between two runs with the same answer.
var varying = regexp.MustCompile(`\b\d{8}-\d{6}-[a-z0-9]{4}\b|"(mean_seconds|reused_predictions)":[0-9.e+-]+`)

func masked(text string) string { return varying.ReplaceAllString(text, "*") }

// parting shows the first difference of two texts.
func parting(got, want string) string {
	n := 0
	for n < min(len(got), len(want)) && got[n] == want[n] {
		n++
	}
	cut := func(s string) string { return s[max(0, n-60):min(len(s), n+100)] }
	return fmt.Sprintf("%q, not %q", cut(got), cut(want))
}
