package bisecteval

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"git-agent/agent/bisect"
	"git-agent/agent/fix/testcmd"
	"git-agent/agent/fix/testrun"
	"git-agent/agent/trial"
	"git-agent/gitext"
	"git-agent/gitext/quote"
)

// bisectScript runs git bisect, and stepScript is its command.
//
//go:embed bisect.sh
var bisectScript string

//go:embed step.sh
var stepScript string

// mostSteps bounds the time of git bisect run, in time limits of one command.
const mostSteps = 64

// maxLaid bounds the size of a file that is laid over commits, in bytes.
const maxLaid = 64 << 20

// bisectRun searches with git bisect run, in the scratch work tree of a workspace.
func (s *session) bisectRun(ctx context.Context, p *prepared) (*Prediction, error) {
	e, err := s.engine(Git)
	if err != nil {
		return nil, err
	}
	opt := e.Trial
	if err = opt.FindInstalled(ctx, s.repo, p.bad); err != nil {
		return nil, err
	}
	w, err := trial.Open(ctx, s.repo, opt)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	if compiling, ok := testcmd.CompileOnly(p.c.Test); ok {
		if err := w.Prepare(ctx, p.bad, p.over); err != nil {
			return nil, err
		}
		if err := w.Compile(ctx, compiling); err != nil {
			return nil, err
		}
	}
	dir, err := w.Folder("bisect")
	if err != nil {
		return nil, err
	}
	if err := s.layOut(ctx, dir, p, opt.Timeout); err != nil {
		return nil, err
	}
	if err := w.Prepare(ctx, p.bad, nil); err != nil {
		return nil, err
	}
	script := fmt.Sprintf("BISECT=%s BAD=%s GOOD=%s\n%s", quote.Shell(dir), p.bad, p.good, bisectScript)
	res, err := w.Exec(ctx, script, trial.ExecOptions{
		Timeout: mostSteps * cmp.Or(opt.Timeout, time.Minute), Set: testrun.Uncached(p.c.Test), Writable: []string{dir},
	})
	if err != nil {
		return nil, err
	}
	return readBisect(dir, res)
}

// layOut writes what the scripts read: the commands, and the files to lay over each commit.
func (s *session) layOut(ctx context.Context, dir string, p *prepared, limit time.Duration) error {
	var laid, gone strings.Builder
	for _, o := range p.over {
		if !gitext.InsideTree(o.Path) || strings.Contains(o.Path, "\n") {
			return fmt.Errorf("%q is not a path that can be laid over commits", o.Path)
		}
		if o.Mode == 0 {
			fmt.Fprintln(&gone, o.Path)
			continue
		}
		fmt.Fprintln(&laid, o.Path)
		data := o.Content
		if o.OID != "" {
			var err error
			if data, err = s.repo.Blob(ctx, o.OID, maxLaid); err != nil {
				return err
			}
		}
		if err := writeLaid(filepath.Join(dir, "laid", filepath.FromSlash(o.Path)), o.Mode, data); err != nil {
			return err
		}
	}
	seconds := int((cmp.Or(limit, 10*time.Minute) + time.Second - 1) / time.Second)
	for name, text := range map[string]string{
		"step": stepScript, "test": p.c.Test, "build": p.c.Build, "limit": fmt.Sprint(seconds), "laid.list": laid.String(), "gone.list": gone.String(), "count": "",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// writeLaid writes a file with a mode of a tree.
func writeLaid(path string, mode uint32, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	switch mode {
	case 0o120000:
		return os.Symlink(string(data), path)
	case 0o100755:
		return os.WriteFile(path, data, 0o755)
	}
	return os.WriteFile(path, data, 0o644)
}

var firstBad = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^# first bad commit: \[([0-9a-f]+)\]`)
})

// readBisect reads what git bisect run found.
func readBisect(dir string, res trial.Result) (*Prediction, error) {
	count, err := os.ReadFile(filepath.Join(dir, "count"))
	if err != nil {
		return nil, err
	}
	log, err := os.ReadFile(filepath.Join(dir, "log"))
	if err != nil {
		return nil, fmt.Errorf("git bisect left no log; it %s: %s", res.How, lastLine(res.Output))
	}
	out := &Prediction{Runs: bytes.Count(count, []byte("\n")), Status: string(bisect.Apart)}
	if m := firstBad().FindSubmatch(log); m != nil {
		out.First, out.Status, out.Proved = gitext.OID(m[1]), string(bisect.Proved), true
		return out, nil
	}
	if !bytes.Contains(log, []byte("\n# possible first bad commit")) {
		out.Status = string(bisect.Stopped)
	}
	out.Notes = []string{"git bisect run: " + lastLine(res.Output)}
	return out, nil
}

// lastLine returns the last line of an output that is not blank.
func lastLine(output []byte) string {
	lines := strings.Split(strings.TrimSpace(string(output)), "\n")
	return lines[len(lines)-1]
}
