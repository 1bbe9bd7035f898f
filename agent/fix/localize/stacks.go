package localize

import (
	"context"
	"fmt"
	"math"
	"slices"

	"git-agent/agent/crash"
	"git-agent/agent/crash/locate"
	"git-agent/agent/fix"
	"git-agent/gitext"
)

// These are the weights of frames in stacks.
const (
	stepOut    = 0.8 // factor for each step outward through functions of the project
	otherStack = 0.5 // factor for a stack after the first
	maxStacks  = 50

	byRanking = 0.4 // share of a frame's weight that depends on the rank of its file
	ofRanked  = 0.2 // weight of the functions in the file with the first rank for a crash
	maxRanked = 5   // number of ranked files with weighed functions
)

// addStacks adds the functions in the stacks of the failing output and of a crash report, and
// the functions at places that the output names.
func (s *search) addStacks(ctx context.Context) error {
	stacks, err := s.mapped(ctx)
	if err != nil {
		return err
	}
	s.stacks = stacks
	first := true
	for _, stack := range stacks[:min(len(stacks), maxStacks)] {
		found, err := s.addFrames(ctx, stack, first)
		if err != nil {
			return err
		}
		first = first && !found
	}
	for _, p := range s.in.Places {
		if err := s.addPlace(ctx, p); err != nil {
			return err
		}
	}
	return s.addRanking(ctx)
}

// mapped returns the stacks with the known paths of their frames.
func (s *search) mapped(ctx context.Context) ([]crash.Stack, error) {
	report := &crash.Report{}
	stacks := slices.Clone(s.in.Stacks)
	if s.in.Problem.Crash != nil {
		stacks = append(stacks, s.in.Problem.Crash.Stacks...)
	}
	for _, stack := range stacks {
		stack.Frames = slices.Clone(stack.Frames)
		report.Stacks = append(report.Stacks, stack)
	}
	if len(report.Stacks) == 0 {
		return nil, nil
	}
	_, err := locate.Locate(ctx, s.repo, s.files.commit, report)
	if err != nil && !gitext.Unreadable(err) {
		return nil, err
	}
	return report.Stacks, nil
}

// crashPlace returns the file and the line of the innermost frame of the project in the
// stack of a crash, "" if none is known.
func crashPlace(stacks []crash.Stack) string {
	main := (&crash.Report{Stacks: stacks}).Main()
	if main < 0 {
		return ""
	}
	for _, f := range stacks[main].Frames {
		if f.Path != "" && f.Line > 0 && !locate.Foreign(f) {
			return fmt.Sprintf("%s:%d", f.Path, f.Line)
		}
	}
	return ""
}

// addFrames adds the functions of a stack. It reports whether the stack contains a function of
// the project.
func (s *search) addFrames(ctx context.Context, stack crash.Stack, first bool) (bool, error) {
	seen := map[*candidate]bool{}
	for i, frame := range stack.Frames {
		line := frame.Line
		if line == 0 {
			line = frame.DefinedAt
		}
		if frame.Path == "" || line == 0 || locate.Foreign(frame) {
			continue
		}
		c, err := s.atLine(ctx, frame.Path, line)
		if err != nil {
			return false, err
		}
		if c == nil || seen[c] || c.index < 0 && len(seen) > 0 { // functions that a module calls while it is loaded are further in
			continue
		}
		weight := math.Pow(stepOut, float64(len(seen)))
		seen[c] = true
		if !first {
			weight *= otherStack
		}
		if weight > c.frame {
			c.frame = weight
			if frame.Line > 0 {
				c.hot = append(c.hot, hotLine{line, frameHeat})
			}
			c.because(fix.SourceStack, "%s", frameText(stack, i, len(seen) == 1))
		}
	}
	return len(seen) > 0, nil
}

func frameText(stack crash.Stack, i int, innermost bool) string {
	text := fmt.Sprintf("frame %d of the stack", stack.Number(i))
	if stack.Kind != crash.StackCrash && stack.Kind != "" {
		text += fmt.Sprintf(" (%s)", stack.Kind)
	}
	if innermost {
		text += ", the first of the project"
	}
	return text
}

// atLine returns the candidate at a line; nil if it is no candidate.
func (s *search) atLine(ctx context.Context, p string, line int) (*candidate, error) {
	f, err := s.files.get(ctx, p)
	if err != nil || f == nil || line < 1 || line > len(f.lines) {
		return nil, err
	}
	if i := f.functionAt(line); i >= 0 {
		return s.suspect(f, i), nil
	}
	if !s.editable(f) {
		return nil, nil
	}
	return s.outside(f, paragraph(f.lines, line)), nil
}

// paragraph returns the lines between the blank lines around a line.
func paragraph(lines [][]byte, line int) gitext.LineRange {
	const most = 20 // on each side
	r := gitext.LineRange{Start: line, End: line}
	for r.Start > 1 && line-r.Start < most && !blank(lines[r.Start-2]) {
		r.Start--
	}
	for r.End < len(lines) && r.End-line < most && !blank(lines[r.End]) {
		r.End++
	}
	return r
}

func blank(line []byte) bool {
	return !slices.ContainsFunc(line, func(c byte) bool { return c != ' ' && c != '\t' && c != '\r' })
}

// addPlace adds the function at a place of the failing output, if it is a candidate.
func (s *search) addPlace(ctx context.Context, p Place) error {
	c, err := s.atLine(ctx, s.find(p.File), p.Line)
	if err != nil || c == nil || c.frame > 0 {
		return err
	}
	c.frame = 1
	c.hot = append(c.hot, hotLine{p.Line, frameHeat})
	c.because(fix.SourceStack, "the output names its line %d", p.Line)
	return nil
}

// find returns the source file for a path in the output, "" if it is unknown or ambiguous.
func (s *search) find(p string) string {
	if s.names == nil {
		s.names = locate.NewFiles(s.files.paths)
	}
	if found, _ := s.names.Find(p); len(found) == 1 {
		return found[0]
	}
	return ""
}

// addRanking weighs functions by the rank of their file for the crash report.
func (s *search) addRanking(ctx context.Context) error {
	ranked := s.in.Problem.Files
	if len(ranked) == 0 || ranked[0].Score <= 0 {
		return nil
	}
	share := map[string]float64{}
	for _, r := range ranked {
		share[r.Path] = r.Score / ranked[0].Score
	}
	for _, c := range s.list {
		c.frame *= 1 - byRanking + byRanking*share[c.file.path]
	}
	for _, r := range ranked[:min(len(ranked), maxRanked)] {
		f, err := s.files.get(ctx, r.Path)
		if err != nil {
			return err
		}
		if f == nil || !s.editable(f) {
			continue
		}
		for i := range f.functions {
			if c := s.suspect(f, i); c != nil {
				c.frame = max(c.frame, ofRanked*share[r.Path])
				c.because(fix.SourceStack, "the crash is ranked to be in its file")
			}
		}
	}
	return nil
}
