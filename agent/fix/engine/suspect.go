package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"git-agent/agent"
	"git-agent/agent/fix"
	"git-agent/agent/fix/history"
	"git-agent/agent/fix/localize"
	"git-agent/agent/fix/testrun"
	"git-agent/agent/fix/testrun/testlog"
	"git-agent/agent/secret"
)

// suspect finds the suspected functions and their history.
func (s *study) suspect(ctx context.Context, in localize.Input) error {
	u, err := s.engine.Fetch.Complete(ctx, func(ctx context.Context) error {
		s.say("looking for suspected functions")
		found, err := s.localize(ctx, in)
		if found == nil || err != nil {
			return err
		}
		if s.engine.Effort.Given {
			found.Locations = onlyGiven(found.Locations)
		}
		s.answer.Localization = *found
		if in.NoHistory {
			return nil
		}
		s.say("reading the history of the suspected lines")
		return s.blame(ctx, found.Locations)
	})
	if err != nil {
		return err
	}
	s.answer.Notes = append(s.answer.Notes, s.answer.Localization.Notes...)
	if s.answer.History != nil {
		s.answer.Notes = append(s.answer.Notes, s.answer.History.Notes...)
	}
	s.mark(u)
	return nil
}

// onlyGiven returns the given locations; if none is given, as for a fix that only adds files,
// it returns all.
func onlyGiven(locations []fix.Location) []fix.Location {
	given := slices.DeleteFunc(slices.Clone(locations), func(l fix.Location) bool {
		return !slices.ContainsFunc(l.Grounds, func(g fix.Ground) bool { return g.Source == fix.SourceGiven })
	})
	if len(given) == 0 {
		return locations
	}
	return given
}

// localize finds the suspected functions. It returns nil if the time is up first.
func (s *study) localize(ctx context.Context, in localize.Input) (*fix.Localization, error) {
	if s.clock.whole == 0 {
		return localize.Localize(ctx, s.engine.Repo, in)
	}
	bounded, cancel := context.WithTimeoutCause(ctx, max(s.clock.left(), time.Second), errTime)
	defer cancel()
	found, err := localize.Localize(bounded, s.engine.Repo, in)
	if err != nil && ctx.Err() == nil && context.Cause(bounded) == errTime {
		s.answer.Stopped = "stopped at --time while the suspected functions were looked for"
		return nil, nil
	}
	return found, err
}

// errTime is the cause of the end of a context when the whole time is up.
var errTime = errors.New("the time is up")

// errHistory is the cause of the end of a context when the time for the history is up.
var errHistory = errors.New("the time for the history is up")

// blame looks up the history of the first suspected functions, within its share of the
// time.
func (s *study) blame(ctx context.Context, locations []fix.Location) error {
	locations = locations[:min(len(locations), blamedLocations)]
	bounded, cancel := context.WithTimeoutCause(ctx, s.clock.history(), errHistory)
	defer cancel()
	var err error
	s.answer.History, err = history.Find(bounded, s.engine.Repo, s.problem.Tree, locations, history.Options{})
	if err != nil && ctx.Err() == nil && context.Cause(bounded) == errHistory {
		s.answer.History = nil
		s.note("the history of the suspected lines was not read, because it took more than %s, its share of --time", brief(s.clock.history()))
		return nil
	}
	return err
}

// Suspect finds the suspected functions of a problem and their history without running a
// command. output is the output of a failing test in an earlier run by somebody else; nil if
// unknown. The answer's reproduction names only the failing tests in output.
func (e *Engine) Suspect(ctx context.Context, p fix.Problem, output []byte, listen func(agent.Event)) (*fix.Answer, error) {
	s := &study{engine: e, problem: p, listen: listen, answer: &fix.Answer{Engine: "offline"}}
	in := localize.Input{Problem: p}
	if len(output) > 0 {
		if dir := e.Repo.WorkTree(); dir != "" {
			output = bytes.ReplaceAll(output, []byte(dir+"/"), nil)
		}
		s.answer.Reproduction.Failing = testlog.Read(output).Failing
		in.Reproduction = fix.Reproduction{Failing: s.answer.Reproduction.Failing, Output: output}
		in.Stacks, in.Places = testrun.Stacks(output), placesOf(output, nil)
	}
	return s.answer, s.suspect(ctx, in)
}

// A Dossier describes the history of given locations.
type Dossier struct {
	Locations []fix.Location
	History   *fix.History
	Text      string   // the commits and their changes, for a reader
	Cut       []string // one clause for each omission of the text
}

// DossierOptions select the content of a dossier.
type DossierOptions struct {
	Heuristics []fix.Heuristic // nil shows only which commits wrote the lines
	Commits    int             // most commits; 0 is 3
	Tokens     int             // most tokens of the text, at 4 bytes each
}

// Dossier describes the history of the given locations of a problem. It runs no command. It
// shows no line of a file with a name typical of secrets; a location in such a file is an
// error.
func (e *Engine) Dossier(ctx context.Context, p fix.Problem, opt DossierOptions) (*Dossier, error) {
	for _, g := range p.Given {
		if secret.MustRedact(g.Path) {
			return nil, fmt.Errorf("%s is withheld, because files of this name hold secrets", g.Path)
		}
	}
	locations, err := localize.Given(ctx, e.Repo, p.Tree, p.Given)
	if err != nil {
		return nil, err
	}
	d := &Dossier{Locations: locations}
	if d.History, err = history.Find(ctx, e.Repo, p.Tree, locations, history.Options{Max: opt.Commits, NeedsCode: true}); err != nil {
		return nil, err
	}
	d.withhold()
	d.Text, d.Cut, err = history.Render(ctx, e.Repo, d.History, opt.Heuristics, opt.Tokens)
	return d, err
}

// withhold removes commits in which the file of a location has a name typical of secrets.
func (d *Dossier) withhold() {
	kept := slices.DeleteFunc(slices.Clone(d.History.Blamed), func(b fix.Blamed) bool {
		return secret.MustRedact(b.Path) || secret.MustRedact(b.Previous)
	})
	if n := len(d.History.Blamed) - len(kept); n > 0 {
		d.History.Blamed = kept
		d.History.Notes = append(
			d.History.Notes,
			fmt.Sprintf("Of %s nothing is shown, because a file's name at that time says that it holds secrets.", agent.Plural(n, "commit")),
		)
	}
}
