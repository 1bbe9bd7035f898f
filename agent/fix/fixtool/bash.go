package fixtool

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"git-agent/agent"
	"git-agent/agent/trial"
)

type bashParams struct {
	Command string `json:"command" arg:"required,bytes=65536"`
}

// halfOutput is the number of shown characters at each end of an output (as in mini-swe-agent).
const halfOutput = 5000

// newBash makes the tool bash, which runs a command in a new shell in the work tree, in the
// sandbox.
func newBash(b *Box) (agent.Tool, error) {
	const name = "bash"
	t, err := newTool(b, name, name, "", 0, bashParams{}, func(ctx context.Context, p bashParams) (agent.Result, error) {
		res, err := b.shell(ctx, p.Command)
		if err != nil {
			return agent.Result{}, err
		}
		head := fmt.Sprintf("exit code %d\n", res.Exit)
		if res.Outcome == trial.Unknown && res.Exit != 0 {
			head = "the command " + res.How + "\n"
		}
		return agent.Result{Text: head + b.bothEnds(res.Output)}, nil
	})
	if err != nil {
		return nil, err
	}
	t.step = func(p bashParams) Step {
		if b.problem.Test != "" && strings.Contains(p.Command, b.problem.Test) {
			return Step{Kind: StepTest}
		}
		return Step{Kind: StepRun, Key: p.Command}
	}
	t.resume = func(ctx context.Context, p bashParams, _ agent.CallResult) error {
		_, err := b.shell(ctx, p.Command)
		return err
	}
	return t, nil
}

// shell runs a command, which may change any file.
func (b *Box) shell(ctx context.Context, command string) (trial.Result, error) {
	b.version++
	return b.space.Exec(ctx, command, trial.ExecOptions{MaxOutput: 4 * halfOutput})
}

// bothEnds returns the first and the last part of an output.
func (b *Box) bothEnds(out []byte) string {
	text := b.opt.Mask.Text(agent.Clean(b.relative(escapes().ReplaceAllString(string(out), ""))))
	n := utf8.RuneCountInString(text)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if n <= 2*halfOutput {
		return text
	}
	runes := []rune(text)
	return fmt.Sprintf("%s\n… (%d characters: print less, by head, tail, sed -n or grep)\n%s",
		string(runes[:halfOutput]), n-2*halfOutput, string(runes[len(runes)-halfOutput:]))
}
