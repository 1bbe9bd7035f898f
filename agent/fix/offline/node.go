package offline

import (
	"context"
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"git-agent/agent/source"
	"git-agent/agent/trial"
)

// nodeProcess tries candidates for JavaScript and TypeScript in one process of vitest or jest,
// which reads anew only the file that a candidate changes.
type nodeProcess struct{}

//go:embed inject/node
var nodePrograms embed.FS

// nodeSummary matches the summary of vitest or jest.
var nodeSummary = source.Lazy(`(?m)^\W*(\[\d+m)*\s*(Test Files|Test Suites:)\s`)

func (nodeProcess) takes(s *search, file string) bool {
	return source.IsScript(file) && nodeSummary().Match(s.baseline.output)
}

func (nodeProcess) group(string) string     { return "" }
func (nodeProcess) leads() bool             { return true }
func (nodeProcess) suites() bool            { return false }
func (nodeProcess) name(test string) string { return test }

// run runs the failing tests with each variant. The runs are empty if the command discards
// NODE_OPTIONS, or if its runner is of a version that cannot be called.
func (nodeProcess) run(ctx context.Context, s *screen, variants map[int]variant) (map[int][]screened, map[int]bool, error) {
	dir, err := s.writeVariants("node", variants)
	if err != nil {
		return nil, nil, err
	}
	for _, name := range []string{"preload.cjs", "variants.mjs"} {
		text, err := nodePrograms.ReadFile("inject/node/" + name)
		if err != nil {
			return nil, nil, err
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			return nil, nil, fmt.Errorf("write a program: %w", err)
		}
	}
	if err := s.w.Prepare(ctx, s.in.Problem.Tree.Commit, s.in.Problem.Tree.Over); err != nil {
		return nil, nil, err
	}
	command, took := s.in.Problem.Test, s.baseline.took
	if s.quick.command != "" {
		command, took = s.quick.command, s.quick.took
	}
	limit := min(max(screenSlower*took, leastScreen), max(screenLimit, took))
	list := numbersOf(variants)
	// Options of the user come first, and a path with a space is one word.
	options := strings.TrimSpace(os.Getenv("NODE_OPTIONS") + ` --require="` + filepath.Join(dir, "preload.cjs") + `"`)
	res, err := s.exec(ctx, repeated(dir, command), trial.ExecOptions{
		Timeout: screenTime + s.baseline.limit + 10*limit, MaxOutput: 2 * screenOutput * len(list),
		Set: append(s.variantsIn(list, limit),
			"NODE_OPTIONS="+options, "GIT_AGENT_NODE="+dir, "GIT_AGENT_TREE="+s.w.Dir(),
		),
		Writable: []string{dir},
	})
	if err != nil {
		return nil, nil, err
	}
	return readScreened(res.Output, true), nil, nil
}
