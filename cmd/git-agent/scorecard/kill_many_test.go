//go:build linux

package scorecard

import (
	"bytes"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// crowd is the number of programs that run at once.
const crowd = 8

// A runner is one program of a crowd.
type runner struct {
	cmd       *exec.Cmd
	out, errs bytes.Buffer
	killed    bool
}

// together starts a program for each command line at the same time. It kills those
// with the given indices after a part of the time that one alone takes.
func (s *stage) together(t *testing.T, lines [][]string, victims []int, part float64) []*runner {
	t.Helper()
	all := make([]*runner, len(lines))
	for i, args := range lines {
		r := &runner{cmd: exec.Command(program, args...)}
		r.cmd.Dir, r.cmd.Env, r.cmd.Stdout, r.cmd.Stderr = s.repo, s.environ(s.env...), &r.out, &r.errs
		r.cmd.SysProcAttr, r.cmd.WaitDelay = &syscall.SysProcAttr{Setpgid: true}, leaveLimit
		if err := r.cmd.Start(); err != nil {
			t.Fatal(err)
		}
		all[i] = r
		kill := func() { r.cmd.Process.Kill() } // an error means that it has ended
		if slices.Contains(victims, i) {
			defer time.AfterFunc(time.Duration(part*crowd/2*float64(s.took)), kill).Stop()
		}
		defer time.AfterFunc(2*time.Minute, kill).Stop() // a program that hangs is killed and has no answer
	}
	for i, r := range all {
		r.cmd.Wait() // the exit code is checked later
		r.killed = slices.Contains(victims, i) && r.cmd.ProcessState.ExitCode() == -1
	}
	return all
}

// judge returns an error if a program of a crowd ended wrongly.
func (r *runner) judge(want outcome) error {
	switch code := r.cmd.ProcessState.ExitCode(); {
	case r.killed:
		return nil
	case code != want.code || masked(r.out.String()) != masked(want.stdout):
		return fmt.Errorf("exit %d; %s; stderr %s", code, parting(masked(r.out.String()), masked(want.stdout)), r.errs.String())
	case strings.Contains(r.errs.String(), "warning:"):
		return fmt.Errorf("it warns: %s", r.errs.String())
	}
	return nil
}

func times(n int, args []string) [][]string { return slices.Repeat([][]string{args}, n) }

// A gathering defines the commands of a crowd.
type gathering struct {
	name  string
	lines [][]string
	like  []string // the command whose answer is compared
	prep  func(*testing.T, *stage)
	model bool
	brief bool // is part of a sample run
}

// Eight programs that start at the same time in a new repository all answer as one
// alone does, even if some of them are killed. So does the next program.
func TestKillsInACrowd(t *testing.T) {
	prune := slices.Concat(times(crowd/2, traceRange), times(2, []string{"cache", "prune", "--size=1k"}), times(2, []string{"cache", "clear"}))
	fix := slices.Concat(times(crowd/2, traceRange), times(crowd/2, []string{"doctor", "--fix", "--json"}))
	for _, c := range []gathering{
		{name: "szz, nothing made yet", lines: times(crowd, traceRange), like: traceRange, brief: true},
		{name: "szz, warm", lines: times(crowd, traceRange), like: traceRange, prep: did(traceRange)},
		{name: "szz beside prune and clear", lines: prune, like: traceRange, prep: did(traceRange)},
		{name: "szz beside doctor --fix", lines: fix, like: traceRange},
		{name: "a model", lines: times(crowd, askModel), like: askModel, model: true},
		{name: "a run to be resumed", lines: times(crowd, askModel), like: askModel, prep: brokenOff, model: true, brief: true},
	} {
		rounds := 1
		switch {
		case *full:
			rounds = 8
		case !c.brief:
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			if c.model {
				listen(t, s)
			}
			if c.prep != nil {
				c.prep(t, s)
			}
			s.keep(t)
			want := s.must(t, c.like)
			s.took = want.took
			user := s.userFiles(t)
			for round := range rounds {
				victims := []int(nil)
				if round%2 == 0 { // every other program is killed
					victims = []int{0, 2, 4, 6}
				}
				s.reset(t)
				s.forget()
				all := s.together(t, c.lines, victims, float64(round+1)/float64(rounds+1))
				for i, r := range all {
					vector := fmt.Sprintf("%s, %d at once, round %d, program %d", c.name, len(all), round, i)
					expected := want
					if !slices.Equal(c.lines[i], c.like) {
						expected = outcome{stdout: r.out.String()}
					}
					if err := r.judge(expected); err != nil {
						broke(t, kills, vector, "%v", err)
					} else if r.killed { // only killed programs count as vectors
						held(kills)
						dealt("KILL beside others", c.name)
					}
				}
				if err := s.afterCrowd(t, c.like, want, user); err != nil {
					broke(t, kills, fmt.Sprintf("%s, after round %d", c.name, round), "%v", err)
				}
				if asked, most := len(s.asked()), (len(all)+1)*5; asked > most {
					broke(t, kills, c.name, "%d requests, at most %d are needed", asked, most)
				}
			}
		})
	}
}

// afterCrowd checks the files that a crowd left.
func (s *stage) afterCrowd(t *testing.T, args []string, want outcome, user string) error {
	t.Helper()
	if err := s.alone(); err != nil {
		return err
	}
	next := s.run(t, command{dir: s.repo, env: s.env}, args...)
	switch {
	case next.code != want.code || masked(next.stdout) != masked(want.stdout):
		return fmt.Errorf("the next run differs: exit %d; %s; stderr %s", next.code, parting(masked(next.stdout), masked(want.stdout)), next.stderr)
	case s.userFiles(t) != user:
		return fmt.Errorf("files of the user changed")
	}
	return nil
}

// Files left by killed programs do not accumulate. After many kills there are hardly
// more files than after one run.
func TestKillsLeaveNoHeap(t *testing.T) {
	if !straceWorks() {
		skipped(t, kills, "what many kills leave", "strace is not installed, or may not trace")
		return
	}
	amount := 8
	if *full {
		amount = 40
	}
	for _, d := range []deed{
		{name: "the first szz", args: traceRange}, // the shadow directory does not exist yet
		{name: "szz --verify-cmd", args: []string{"szz", "--json", "--algorithm=b", "--sandbox=none", "--verify-cmd=! grep -q unstick src/relay.c", relayFix}},
		{name: "doctor --fix", args: []string{"doctor", "--fix"}},
	} {
		if !*full && d.name != "the first szz" {
			continue
		}
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			v := newVictim(t, d)
			v.reset(t)
			dealtHere := 0
			for i := range amount {
				point := []string{"rename", "mkdir", "write", "sync", "unlink"}[i%5]
				if _, struck := v.strike(t, d, blow{point: point, n: 1 + i/5%8, signal: syscall.SIGKILL}); struck {
					dealtHere++
				}
			}
			v.must(t, d.args)
			vector := fmt.Sprintf("%s, killed %d times", d.name, dealtHere)
			if files := v.keptFiles(t); len(files) > v.files+litter {
				broke(t, kills, vector, "%d files and folders are left, not %d: %q", len(files), v.files, files)
			} else if err := v.alone(); err != nil {
				broke(t, kills, vector, "%v", err)
			} else {
				held(kills)
				dealt("many kills, no reset", d.name)
			}
		})
	}
}

// A resumed run does not repeat requests that were paid for. This holds even if the
// program is killed after the last reply, while a command confirms it.
func TestKillsAfterTheModel(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	listen(t, s)
	up, err := s.listenUp()
	if err != nil {
		t.Fatal(err)
	}
	defer up.Close()
	for _, vector := range []string{"killed at the command", "killed at the command once more"} {
		s.forget()
		cmd := exec.Command(program, "szz", "--engine=agent", "--no-annotations", "--sandbox=none", "--verify-cmd=echo up >"+s.fifo()+"; exec sleep 3600", relayFix)
		cmd.Dir, cmd.Env = s.repo, s.environ(s.env...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		begun := s.begun(up, false)
		cmd.Process.Kill() // the program is waiting for its command
		cmd.Wait()         // the exit code is that of the signal
		asked := s.asked()
		switch left := s.alone(); {
		case begun != nil:
			broke(t, kills, vector, "%v", begun)
		case left != nil:
			broke(t, kills, vector, "%v", left)
		case vector == "killed at the command once more" && len(asked) > 1:
			broke(t, kills, vector, "turns %v were asked for again", asked)
		default:
			held(kills)
			dealt("KILL while the answer is confirmed", "szz with a model")
		}
	}
}
