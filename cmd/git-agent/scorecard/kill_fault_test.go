//go:build linux

package scorecard

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// A fault makes a system call fail, as on a full or broken disk.
type fault struct {
	calls string // names of system calls, for strace
	errno string
	when  string // number of the call in a thread; with a plus sign also all later ones
	tree  bool   // the fault also hits git
}

func (f fault) String() string {
	where := ""
	if f.tree {
		where = ", also in git"
	}
	return fmt.Sprintf("%s at %s %s%s", f.errno, strings.ReplaceAll(f.calls, "?", ""), f.when, where)
}

// faults returns all faults. A write fails whether it is to a pipe or to a file.
func faults() []fault {
	var all []fault
	for _, kind := range []struct{ calls, errnos string }{
		{"write", "ENOSPC EIO EINTR"},
		{"pwrite64", "ENOSPC EIO EINTR"},
		{"fsync,fdatasync", "EIO ENOSPC"},
		{"openat", "EMFILE EIO ENOSPC EINTR"},
		{"?open", "EMFILE EIO ENOSPC"},
		{"?mkdir,?mkdirat", "ENOSPC EIO"},
		{"?rename,?renameat,?renameat2", "ENOSPC EIO"},
		{"?unlink,?unlinkat", "EIO"},
		{"ftruncate", "EIO"},
		{"pread64", "EIO EINTR"},
		{"read", "EIO EINTR"},
		{"pipe2", "EMFILE"},
		{"flock", "EINTR EIO"},
	} {
		for errno := range strings.FieldsSeq(kind.errnos) {
			for _, when := range []string{"1", "2", "4", "7", "3+"} {
				if errno != "EINTR" || !strings.Contains(when, "+") { // no call is interrupted every time
					all = append(all, fault{calls: kind.calls, errno: errno, when: when})
				}
			}
		}
	}
	for _, when := range []string{"1", "3", "9"} {
		all = append(all, fault{calls: "write", errno: "ENOSPC", when: when, tree: true}, fault{calls: "read", errno: "EIO", when: when, tree: true})
	}
	return all
}

// injected matches strace's line for a call that was made to fail. wakes matches those
// that do not count, because they never fail outside of this test. One is a call to
// the eventfd by which Go's runtime wakes itself; if it fails, the runtime ends the
// program. The other is a read of the 8 bytes by which Go learns that a program could
// not be started; if it fails, Go waits for that program to end.
var (
	injected = regexp.MustCompile(`\(INJECTED\)`)
	wakes    = regexp.MustCompile(`\w+\(\d+<anon_inode:\[?event(fd|poll)\]?.*\(INJECTED\)|\bread\(\d+<pipe:\[\d+\]>, 0x[0-9a-f]+, 8\).*\(INJECTED\)`)
)

// suffer does a deed with a fault. met reports whether the fault occurred.
func (v *victim) suffer(t *testing.T, f fault) (got outcome, met bool) {
	t.Helper()
	log := filepath.Join(filepath.Dir(v.kept), "strace")
	argv := []string{"strace", "-f", "-qq", "-y", "-o", log, "-e", "trace=" + f.calls, "-e", fmt.Sprintf("inject=%s:error=%s:when=%s", f.calls, f.errno, f.when)}
	if !f.tree {
		argv = append(argv, "-b", "execve")
	}
	c := v.after
	c.env = append(slices.Clone(c.env), "GOMAXPROCS=1")
	got = v.exec(t, c, slices.Concat(argv, []string{program}, v.args)...)
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	loaded := !strings.Contains(got.stderr, "error while loading shared libraries") // the fault hit before the program started
	return got, loaded && injected.Match(text) && !wakes.Match(text)
}

// exitFatal is the exit code for a fatal error, as the manual defines it.
const exitFatal = 128

// fatalLine matches the beginning of a fatal error message.
var fatalLine = regexp.MustCompile(`(?m)^(fatal|error): `)

// outcomes counts in which way the deeds with a fault ended.
var outcomes = struct {
	sync.Mutex
	n map[string]int
}{n: map[string]int{}}

// endedWell returns the way in which a deed with a fault ended. It returns an error if
// the deed broke a promise.
func (v *victim) endedWell(got outcome, f fault) (kind string, err error) {
	same := masked(got.stdout) == masked(v.calm.stdout)
	switch {
	case got.late:
		return "", errors.New("it did not end within a minute")
	case strings.Contains(got.stderr, "panic:") || strings.Contains(got.stderr, "goroutine "):
		return "", fmt.Errorf("it panicked: %s", got.stderr)
	case got.code == v.code && same && v.check != nil && v.check(v.stage, v.whole) != nil:
		return "", v.check(v.stage, v.whole)
	case got.code == v.code && same && strings.Contains(got.stderr, "warning:"):
		return "warning and the right answer", nil
	case got.code == v.code && same:
		return "right answer", nil
	case f.calls == "write" && got.code == exitFatal && !strings.Contains(got.stderr, "fatal: "):
		return "an error that could not be written either", nil
	case fatalLine.MatchString(got.stderr) && len(fatalLine.FindAllString(got.stderr, -1)) == 1 && got.code > 1:
		return "one clear error", nil
	case got.code <= 1 && (strings.Contains(got.stderr, "warning:") || v.told(got)):
		return "answer of what could be read, and said so", nil
	}
	return "", fmt.Errorf("exit %d; %s; stderr %q", got.code, parting(masked(got.stdout), masked(v.calm.stdout)), got.stderr)
}

// told reports whether an answer that differs from the usual one says why: by an
// additional note, a failed case of an evaluation, or a check of doctor.
func (v *victim) told(got outcome) bool {
	for _, mark := range []string{`"notes":["`, `"failed":[{`, `"skipped":[{`, "was not run", `"isError":true`, "fail ", "warn "} {
		if strings.Count(got.stdout, mark) > strings.Count(v.calm.stdout, mark) {
			return true
		}
	}
	return false
}

// If a system call fails, the program says so or answers as usual. It never answers
// wrongly, neither now nor later from its cache.
func TestKillsNotButFaults(t *testing.T) {
	if !straceWorks() {
		skipped(t, kills, "system calls that fail", "strace is not installed, or may not trace")
		return
	}
	for i, d := range deeds() {
		if d.name == "szz --verify-cmd, bwrap" || d.name == "trace resume" || !*full && i%8 != 0 {
			continue // a similar deed represents it, or it is not in the sample
		}
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			v := newVictim(t, d)
			for n, f := range faults() {
				sandboxed := strings.Contains(d.name, "doctor") || strings.Contains(d.name, "verify")
				if f.tree && sandboxed || n%4 != i%4 || !*full && n%40 != i%40 {
					continue // the fault would hit bubblewrap, or is not in the sample
				}
				v.endure(t, f)
			}
		})
	}
	t.Cleanup(func() {
		sum := 0
		for _, n := range outcomes.n {
			sum += n
		}
		note(kills, "%d system calls failed (not counted above):", sum)
		for _, kind := range slices.Sorted(maps.Keys(outcomes.n)) {
			note(kills, "    %-45s %5d", kind, outcomes.n[kind])
		}
	})
}

// endure tries one fault.
func (v *victim) endure(t *testing.T, f fault) {
	t.Helper()
	v.reset(t)
	v.forget()
	got, met := v.suffer(t, f)
	if !met {
		return
	}
	kind, err := v.endedWell(got, f)
	if err == nil {
		err = v.afterFault(t, strings.Contains(got.stderr, "is not recorded"))
	}
	outcomes.Lock()
	defer outcomes.Unlock()
	if err != nil {
		outcomes.n["broken"]++
		broke(t, kills, v.name+", "+f.String(), "%v", err)
		return
	}
	outcomes.n[kind]++
}

// afterFault returns an error unless the next, undisturbed run is right. It accepts
// that the run with the fault is not recorded if that run said so.
func (v *victim) afterFault(t *testing.T, unrecorded bool) error {
	t.Helper()
	if err := v.alone(); err != nil {
		return err
	}
	if v.userFiles(t, v.writes...) != v.user {
		return errors.New("files of the user changed")
	}
	next := v.run(t, v.after, v.next...)
	if unrecorded { // the stored answer is not recorded either
		next.stdout = strings.ReplaceAll(next.stdout, `"trace":""`, `"trace":"*"`)
	}
	if next.code != v.want.code || masked(next.stdout) != masked(v.want.stdout) {
		return fmt.Errorf("the next run differs: exit %d; %s; stderr %s", next.code, parting(masked(next.stdout), masked(v.want.stdout)), next.stderr)
	}
	return nil
}
