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

// A fault is a system call that fails, as on a full disk or a broken one.
type fault struct {
	calls string // for strace
	errno string
	when  string // the n-th call of a thread; with a plus sign all from there on
	tree  bool   // also in git
}

func (f fault) String() string {
	where := ""
	if f.tree {
		where = ", also in git"
	}
	return fmt.Sprintf("%s at %s %s%s", f.errno, strings.ReplaceAll(f.calls, "?", ""), f.when, where)
}

// faults are the kinds. A write to a pipe can fail as well as one to a file.
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
				if errno != "EINTR" || !strings.Contains(when, "+") { // no call is interrupted for ever
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

// injected matches what strace says of a call that was made to fail. One to
// the eventfd by which Go's runtime wakes itself never fails in life, and the
// runtime ends the program when it does; nor does one to the pipe by which Go
// learns in 8 bytes that a program could not be started, and Go waits for the
// end of that program when it does.
var (
	injected = regexp.MustCompile(`\(INJECTED\)`)
	wakes    = regexp.MustCompile(`\w+\(\d+<anon_inode:\[?event(fd|poll)\]?.*\(INJECTED\)|\bread\(\d+<pipe:\[\d+\]>, 0x[0-9a-f]+, 8\).*\(INJECTED\)`)
)

// suffer does a deed with a fault; met says whether the fault came.
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
	loaded := !strings.Contains(got.stderr, "error while loading shared libraries") // not ours yet
	return got, loaded && injected.Match(text) && !wakes.Match(text)
}

// exitFatal is the manual's code for an error that ends the work.
const exitFatal = 128

// fatalLine begins each complaint that ends the work.
var fatalLine = regexp.MustCompile(`(?m)^(fatal|error): `)

// outcomes counts what became of the deeds that met a fault.
var outcomes = struct {
	sync.Mutex
	n map[string]int
}{n: map[string]int{}}

// endedWell says how a deed with a fault ended, or what is wrong with it.
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

// told is true when an answer that differs says why: a note more than
// otherwise, a failed case of an evaluation, a check of doctor.
func (v *victim) told(got outcome) bool {
	for _, mark := range []string{`"notes":["`, `"failed":[{`, `"skipped":[{`, "was not run", `"isError":true`, "fail ", "warn "} {
		if strings.Count(got.stdout, mark) > strings.Count(v.calm.stdout, mark) {
			return true
		}
	}
	return false
}

// A system call that fails makes the program say so, or makes no difference;
// it never makes it answer wrongly, now or, from its cache, later.
func TestKillsNotButFaults(t *testing.T) {
	if !straceWorks() {
		skipped(t, kills, "system calls that fail", "strace is not installed, or may not trace")
		return
	}
	for i, d := range deeds() {
		if d.name == "szz --verify-cmd, bwrap" || d.name == "trace resume" || !*full && i%8 != 0 {
			continue // nothing more than their likes
		}
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			v := newVictim(t, d)
			for n, f := range faults() {
				sandboxed := strings.Contains(d.name, "doctor") || strings.Contains(d.name, "verify")
				if f.tree && sandboxed || n%4 != i%4 || !*full && n%40 != i%40 {
					continue // in a tree with bubblewrap it is that which suffers
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

// afterFault wants the next run, which nothing disturbs, to be right. The run
// with the fault may have said that its conversation is not recorded.
func (v *victim) afterFault(t *testing.T, unrecorded bool) error {
	t.Helper()
	if err := v.alone(); err != nil {
		return err
	}
	if v.userFiles(t, v.writes...) != v.user {
		return errors.New("files of the user changed")
	}
	next := v.run(t, v.after, v.next...)
	if unrecorded { // and so is the answer that is kept
		next.stdout = strings.ReplaceAll(next.stdout, `"trace":""`, `"trace":"*"`)
	}
	if next.code != v.want.code || masked(next.stdout) != masked(v.want.stdout) {
		return fmt.Errorf("the next run differs: exit %d; %s; stderr %s", next.code, parting(masked(next.stdout), masked(v.want.stdout)), next.stderr)
	}
	return nil
}
