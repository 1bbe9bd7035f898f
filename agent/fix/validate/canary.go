package validate

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"git-agent/agent/fix"
	"git-agent/agent/fix/testrun"
	"git-agent/agent/fix/testrun/testlog"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// A canary is a test that always fails. The validator puts it beside the failing test and runs
// both: if the canary passes with a patch, the patch has disarmed the tests and repaired
// nothing. The canary's name and message are random, so no patch can know them.
type canary struct {
	file    gitext.Overlay
	token   string // message of its failure
	command string // runs the canary beside the failing test
	without testrun.Ending
}

// sings reports whether the canary failed in a run.
func (c *canary) sings(e testrun.Ending) bool {
	return e.Exit != 0 && !e.TimedOut && bytes.Contains(e.Output, []byte(c.token))
}

// makeCanary returns a canary that fails without a patch. It returns nil if there is no canary
// for the language, or if the command does not run it.
func (v *Validator) makeCanary(ctx context.Context) (*canary, error) {
	t, err := v.tree.get(ctx, v.readTree)
	if err != nil {
		return nil, err
	}
	base, err := v.baseline.get(ctx, v.makeBaseline)
	if err != nil {
		return nil, err
	}
	beside, text, err := v.failingTestFile(ctx, t, base)
	if beside == "" || err != nil {
		return nil, err
	}
	c := newCanary(beside, text, v.problem.Test, v.targets(base))
	if c == nil {
		return nil, nil
	}
	err = v.unpatched(ctx, []gitext.Overlay{c.file}, func(r *run) (err error) {
		c.without, err = r.tests(ctx, c.command, 0, false)
		return err
	})
	if err != nil || !c.sings(c.without) {
		return nil, err
	}
	return c, nil
}

// targets returns the names of the failing tests.
func (v *Validator) targets(base baseline) []string {
	if v.rep.Failing != nil {
		return v.rep.Failing
	}
	return base.test.Report.Failing
}

// maxTestFiles bounds how many test files are searched for the failing test.
const maxTestFiles = 3000

// failingTestFile returns the path and text of the test file that most likely contains a
// failing test; "" if none is found in a language with canaries.
func (v *Validator) failingTestFile(ctx context.Context, t tree, base baseline) (best, text string, err error) {
	most, seen := 0, 0
	for _, p := range slices.Sorted(maps.Keys(t)) {
		if !canaryLanguage(p) || !source.IsTestOf(p, v.problem.Test) || source.IsVendored(p) || t[p].Mode == modeLink || seen == maxTestFiles {
			continue
		}
		seen++
		content, err := v.content(ctx, t[p])
		if ctx.Err() != nil {
			return "", "", err
		}
		if n := v.holdsTarget(p, content, base); n > most {
			best, text, most = p, string(content), n
		}
	}
	return best, text, nil
}

// holdsTarget rates the evidence that a file contains a failing test.
func (v *Validator) holdsTarget(p string, content []byte, base baseline) int {
	n := 0
	for _, name := range v.targets(base) {
		for _, part := range nameParts(name) {
			if bytes.Contains(content, []byte(part)) || strings.Contains(p, part) {
				n += 2
			}
		}
		if strings.HasSuffix(p, ".go") {
			_, test, _ := strings.Cut(wholeTest(name), ":")
			if !bytes.Contains(content, []byte("func "+cmp.Or(test, wholeTest(name))+"(")) {
				return 0
			}
		}
	}
	if strings.HasSuffix(p, ".rs") && !rustTests(string(content), v.targets(base)) {
		return 0
	}
	if slices.ContainsFunc(base.test.Report.Places, func(place testlog.Place) bool { return place.File == p }) {
		n += 3
	}
	if strings.Contains(v.problem.Test, path.Base(p)) {
		n += 3
	}
	return n
}

// rustTests reports whether a file of Rust has one of the tests outside of a module of its own, as
// the canary will be.
func rustTests(content string, targets []string) bool {
	return slices.ContainsFunc(targets, func(t string) bool {
		name := t[strings.LastIndexByte(t, ':')+1:]
		return strings.Contains(content, "\nfn "+name+"(") || strings.Contains(content, "\nasync fn "+name+"(")
	})
}

// nameParts splits the name of a test into words that may occur in its file.
func nameParts(name string) []string {
	parts := strings.FieldsFunc(
		strings.NewReplacer(" › ", "\n", " > ", "\n").Replace(name),
		func(r rune) bool { return strings.ContainsRune(":/[]()\n.", r) },
	)
	return slices.DeleteFunc(parts, func(p string) bool { return len(strings.TrimSpace(p)) < 4 })
}

// alive decides whether the canary still fails with the patch, and whether the tests that
// failed pass in the same run. If there is no canary and the command names no tests, the trial
// gets a caution.
func (r *run) alive(ctx context.Context, base baseline) (bool, error) {
	c, err := r.canary.get(ctx, r.makeCanary)
	if err != nil {
		return false, err
	}
	if c != nil && slices.ContainsFunc(r.trial.Patch.Files, func(f gitext.Overlay) bool { return f.Path == c.file.Path }) {
		return true, nil // the canary is in the file as it was
	}
	if c == nil {
		if namesNoTest(base.test.Report) {
			r.trial.Cautions = append(r.trial.Cautions, fix.NamesNoTest)
		}
		return true, nil
	}
	if err := r.anew(ctx, slices.Concat(r.trial.Patch.Files, []gitext.Overlay{c.file})); err != nil {
		return false, err
	}
	r.aside = true
	e, err := r.tests(ctx, c.command, r.testLimit(), false)
	r.aside = false
	if err != nil {
		return false, err
	}
	beside := absent(r.targets(base), c.without.Report.Failing)
	switch {
	case !c.sings(e):
		r.end(fix.Fails, nil, "a test that must fail does not fail with it, so the tests prove nothing")
	case len(beside) == 0 && len(absent(r.targets(base), e.Report.Failing)) < len(absent(r.targets(base), nil)): // a test counts once with its parts
		r.end(fix.Fails, r.targets(base), "the failing test fails again beside another test that fails")
	default:
		return true, nil
	}
	return false, nil
}

// namesNoTest reports whether an output does not show that tests ran.
func namesNoTest(r testlog.Report) bool { return r.Ran <= 0 && len(r.Failing)+len(r.Passing) == 0 }
