package offline

import (
	"context"
	"slices"
	"strconv"

	"git-agent/agent/trial"
	"git-agent/gitext"
)

// A builder builds many candidates as one program.
type builder interface {
	// combine makes the program. Rejected variants cannot be part of it.
	combine(original func(path string) ([]byte, bool), variants map[int]variant) (p *variantProgram, rejected []int)
	// exec builds the prepared tree, and runs the test binaries with each variant of a list of
	// numbers.
	exec(ctx context.Context, s *screen, list []string) (trial.Result, error)
	// errors finds the places of the compiler's errors in an output: the file and the line are
	// the last two parts of each.
	errors(output []byte) [][][]byte
}

// build builds and runs the variants, and leaves out those that do not compile. If no build
// succeeds, runs is nil.
func (s *screen) build(ctx context.Context, b builder, variants map[int]variant) (runs map[int][]screened, rejected map[int]bool, err error) {
	rejected = map[int]bool{}
	for range screenBuilds {
		program, alone := b.combine(s.original(ctx), variants)
		for _, n := range alone {
			delete(variants, n)
		}
		if len(variants) == 0 {
			return nil, rejected, nil
		}
		res, err := s.execute(ctx, b, program, variants)
		if err != nil {
			return nil, rejected, err
		}
		if runs = readScreened(res.Output, !s.suite); len(runs[0]) > 0 {
			return runs, rejected, nil
		}
		bad := faulty(program, b.errors(res.Output))
		if len(bad) == 0 {
			return nil, rejected, nil
		}
		for n := range bad {
			delete(variants, n)
			rejected[n] = true
		}
	}
	return nil, rejected, nil
}

// execute lays the program over the tree and runs the variants.
func (s *screen) execute(ctx context.Context, b builder, p *variantProgram, variants map[int]variant) (trial.Result, error) {
	over := slices.Clone(s.in.Problem.Tree.Over)
	for name, content := range p.Files {
		over = append(over, gitext.Overlay{Path: name, Mode: 0o100644, Content: content})
	}
	if err := s.w.Prepare(ctx, s.in.Problem.Tree.Commit, over); err != nil {
		return trial.Result{}, err
	}
	list := []string{"0"}
	for n := range variants {
		list = append(list, strconv.Itoa(n))
	}
	slices.Sort(list[1:])
	if !s.suite {
		list = append(list, "0") // once more, to find varying lines
	}
	return b.exec(ctx, s, list)
}

// faulty returns the variants in which the compiler found errors.
func faulty(p *variantProgram, places [][][]byte) map[int]bool {
	bad := map[int]bool{}
	for _, m := range places {
		line, err := strconv.Atoi(string(m[len(m)-1]))
		if n := p.variantAt(string(m[len(m)-2]), line); err == nil && n > 0 {
			bad[n] = true
		}
	}
	return bad
}
