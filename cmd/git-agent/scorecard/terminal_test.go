//go:build linux

package scorecard

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// onTerminal checks that commands print no control characters on a terminal, with
// --format too. For another program --format prints the values unchanged.
func onTerminal(t *testing.T, s *scene) {
	const format = "--format=%s|%an|%(fix:subject)"
	raw := s.home.run(t, command{dir: s.repo}, "szz", format, "HEAD")
	if want := s.home.git(t, s.repo, "log", "-1", "--format=%s", "HEAD~1"); !strings.HasPrefix(raw.stdout, strings.TrimSuffix(want, "\n")) {
		broke(t, outputs, "a format for a program", "%+q is not what git prints, %+q", raw.stdout, want)
	} else {
		held(outputs)
	}
	for _, args := range [][]string{{"szz", format, "HEAD"}, {"szz", "-v", "HEAD"}, {"szz", "no" + evil}, {"trace", "show", "../run.jsonl"}, {"doctor"}, {"trace", "list"}} {
		name := fmt.Sprintf("%s on a terminal", strings.Join(args[:min(2, len(args))], " "))
		shown, err := s.terminal(append([]string{program}, args...))
		if err != nil {
			skipped(t, outputs, name, err.Error())
			continue
		}
		shown = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\x1b[K", "").Replace(shown) // removes line ends of the terminal and progress messages
		if what := harmful(shown, true); what != "" || shown == "" {
			broke(t, outputs, name, "%s in %d bytes", what, len(shown))
		} else {
			held(outputs)
		}
	}
}

// terminal runs a program on a new terminal and returns its output.
func (s *scene) terminal(argv []string) (string, error) {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return "", err
	}
	defer master.Close() // it is read to its end before
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		return "", err
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		return "", err
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return "", err
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = s.repo, s.home.environ("TERM=xterm", "GIT_PAGER=cat")
	cmd.Stdout, cmd.Stderr = slave, slave
	if err := cmd.Start(); err != nil {
		slave.Close()
		return "", err
	}
	slave.Close()
	shown, _ := io.ReadAll(master) // ends with EIO when the program has ended
	_ = cmd.Wait()                 // the exit code does not matter here
	return string(shown), nil
}
