package engine

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"git-agent/agent/fix"
	"git-agent/agent/fix/testcmd"
	"git-agent/agent/fix/testrun"
	"git-agent/gitext"
	"git-agent/gitext/quote"
)

// A guessing is the search for a command whose end can be judged, among guesses.
type guessing struct {
	*study
	guesses  []fix.Commands
	kept     bool // the first guess cannot be judged, and is the answer if no later one is better
	unjudged int  // number of guesses that took time and allowed no judgement
	// byName says that the tests passed that were chosen by the names of changed files.
	byName bool
	// older is a command for tests that fail without the change by which they were chosen, too; nil if there is none.
	older *reproduced
}

// A reproduced is a problem with the runs of its test.
type reproduced struct {
	problem fix.Problem
	rep     fix.Reproduction
	runs    []testrun.Ending
}

func (s *study) use(r reproduced) {
	s.problem, s.answer.Reproduction, s.runs = r.problem, r.rep, r.runs
}

// reproduce runs the test. If the commands are guesses and the result allows no judgement, it
// tries the next guess. It keeps the first guess if no other is better.
func (s *study) reproduce(ctx context.Context) error {
	p := s.problem
	first := fix.Commands{Build: p.Build, Test: p.Test, Suite: p.Suite, Part: p.Part, ByName: p.ByName}
	g := guessing{study: s, guesses: append([]fix.Commands{first}, p.Others...)}
	for k := 0; k < len(g.guesses) && g.unjudged < maxGuesses; k++ {
		if found, err := g.try(ctx, k); found || err != nil {
			return err
		}
	}
	if g.older != nil && s.answer.Reproduction.State == fix.Broken {
		s.noteInstead(g.older.problem.Test)
		s.use(*g.older)
	}
	return nil
}

// try runs one guess, and reports whether it is the command to use.
func (g *guessing) try(ctx context.Context, k int) (found bool, err error) {
	s, guess := g.study, g.guesses[k]
	if guess.Part && (s.passed != "" || guess.ByName && g.byName) {
		return false, nil // another command for tests that pass
	}
	p := s.problem
	p.Build, p.Test, p.Suite, p.Part, p.ByName = guess.Build, guess.Test, guess.Suite, guess.Part, guess.ByName
	if err := s.compile(ctx, guess); err != nil {
		return false, err
	}
	s.say("running the test: %s", p.Test)
	rep, runs, err := testrun.Runs(ctx, s.space, p, s.clock.reproduction(s.trial.Timeout))
	if err != nil {
		return false, err
	}
	r := reproduced{p, rep, runs}
	if guess.Part && k+1 < len(g.guesses) {
		if leaves, err := g.leavesOpen(ctx, r, g.guesses[k+1].Part); leaves || err != nil {
			return false, err
		}
	}
	switch {
	case rep.State == fix.Broken:
		return g.putOff(r), nil
	case g.kept:
		why, err := s.unfit(ctx, rep)
		if err != nil {
			return false, err
		}
		if why != "" {
			s.say("%s %s", p.Test, why)
			g.unjudged++
			return false, nil
		}
		s.noteInstead(p.Test)
	}
	if rep.State == fix.Passing {
		s.noteUnrun(rep.Command, g.guesses[k+1:])
	}
	s.use(r)
	return true, s.compileAll(ctx, rep)
}

// putOff keeps a guess that cannot be judged, if it is the first one, and reports whether it is the last one, too.
func (g *guessing) putOff(r reproduced) (last bool) {
	s := g.study
	if !g.kept {
		s.problem.Build, s.problem.Test, s.problem.Suite = r.problem.Build, r.problem.Test, r.problem.Suite
		s.answer.Reproduction = r.rep
	}
	g.kept = true
	if r.problem.Part {
		return true // the user's new test does not build
	}
	s.say("%s cannot be judged: it %s", r.problem.Test, r.rep.How)
	if r.rep.Lacks != fix.LackProgram { // a missing program costs no time
		g.unjudged++
	}
	return false
}

// noteInstead notes that a command takes the place of the first guess, which cannot be judged.
func (s *study) noteInstead(test string) {
	s.note("%s cannot be judged: it %s; %s is used instead", s.problem.Test, s.answer.Reproduction.How, test)
}

// leavesOpen reports whether the end of a command that runs a part of the tests leaves open whether they fail because of the bug, so that
// the next guess should run.
func (g *guessing) leavesOpen(ctx context.Context, r reproduced, nextIsPart bool) (bool, error) {
	s := g.study
	switch {
	case r.problem.ByName && r.rep.State != fix.Passing:
		why, err := s.unrelated(ctx, r)
		if why == "" || err != nil {
			return false, err
		}
		if r.rep.State == fix.Failing {
			g.older = &r
		}
		s.say("%s %s%s", r.problem.Test, r.rep.How, why)
	case s.saysNothing(r.rep, r.runs[0].Report.Build, nextIsPart):
		s.say("%s %s, which says nothing of the other tests", r.problem.Test, cmp.Or(r.rep.How, "passes"))
		switch {
		case r.problem.ByName:
			g.byName = true
		case r.rep.State == fix.Passing:
			s.passed = r.problem.Test
		}
	default:
		return false, nil
	}
	return true, nil
}

// unrelated says why the end of tests that were chosen by the names of changed files says nothing of the change; "" if it does. The end is
// not that they pass.
func (s *study) unrelated(ctx context.Context, r reproduced) (why string, err error) {
	if r.rep.State != fix.Failing {
		return ", which says nothing of the other tests", nil
	}
	before, ok, err := s.beforeChange(ctx)
	if !ok || err != nil || s.clock.whole > 0 && r.rep.Took > s.clock.left()/olderPart {
		return "", err
	}
	d, ok, err := s.divide(ctx, r.problem, r.rep, before)
	if !ok || err != nil {
		return "", err
	}
	if len(d.fresh) > 0 || len(r.rep.Failing) == 0 && d.passes {
		s.division = &d
		return "", nil
	}
	return ", and " + before.said + " too", nil
}

// beforeChange returns the state without the change in whose files' tests the bug was looked for; ok is false if there is none.
func (s *study) beforeChange(ctx context.Context) (before earlier, ok bool, err error) {
	t := s.problem.Tree
	if testcmd.HasChanges(t) {
		return earlier{commit: t.Commit, said: "without the uncommitted changes"}, true, nil
	}
	commit, err := testcmd.LastChange(ctx, s.engine.Repo, t.Commit)
	if err != nil || commit.OID == "" || len(commit.Parents) == 0 {
		return earlier{}, false, err
	}
	said := "at " + commit.Parents[0].Short() + ", before the last change,"
	return earlier{commit: commit.Parents[0], over: t.Over, said: said}, true, nil
}

// noteUnrun says that other directories have tests of their own, where those of one pass.
func (s *study) noteUnrun(command string, guesses []fix.Commands) {
	for _, guess := range guesses {
		if !guess.Covered && testcmd.DirectoryOf(guess.Test) != testcmd.DirectoryOf(command) {
			s.answer.Notes = append(s.answer.Notes,
				"the tests of other directories were not run; for example, --test="+quote.Shell(guess.Test)+" runs some")
			return
		}
	}
}

// unfit says why the end of a later guess does not speak for the first one, which could not be judged; "" if it does.
func (s *study) unfit(ctx context.Context, rep fix.Reproduction) (string, error) {
	if s.elsewhere(rep) {
		return "passes, which says nothing of the tests that cannot run", nil
	}
	if rep.State != fix.Failing || !testcmd.RunsScript(rep.Command) {
		return "", nil
	}
	if speaks, err := s.speaks(ctx, rep); speaks || err != nil {
		return "", err
	}
	return rep.How + ", and no test is named in the output", nil
}

// elsewhere reports whether a guess passes in another directory than the first one, whose tests lack something.
func (s *study) elsewhere(rep fix.Reproduction) bool {
	return rep.State == fix.Passing && s.answer.Reproduction.Lacks != "" && testcmd.DirectoryOf(rep.Command) != testcmd.DirectoryOf(s.problem.Test)
}

// saysNothing reports whether the end of a command that runs a part of the tests leaves open whether
// they fail, so that the next guess should run. A build that fails does so only if the next guess
// may build more of the project: it runs a part too, or packages of a Cargo workspace failed, which may
// need features that only other packages ask for.
func (s *study) saysNothing(rep fix.Reproduction, unbuilt, nextIsPart bool) bool {
	switch {
	case rep.State == fix.Passing:
		return true
	case rep.State != fix.Broken || rep.TimedOut:
		return false
	case unbuilt:
		_, crates := testcmd.CompileCrates(rep.Command)
		return (nextIsPart || crates) && !s.blamesNewCode(rep.Output)
	}
	return true
}

// blamesNewCode reports whether the output of a failed build names a file that is not committed. A
// feature that is not enabled is not the file's fault.
func (s *study) blamesNewCode(output []byte) bool {
	return !bytes.Contains(output, []byte("gated behind the")) &&
		slices.ContainsFunc(s.problem.Tree.Over, func(o gitext.Overlay) bool {
			return o.Mode != 0 && bytes.Contains(output, []byte(o.Path))
		})
}

// maxGuesses bounds the guessed commands that run without a judgement.
const maxGuesses = 3
