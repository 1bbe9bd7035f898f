package main

import (
	"errors"
	"fmt"
	"time"

	"git-agent/agent/session"
	"git-agent/cmd/git-agent/layout"
)

// modelFlags are the options that every verb which asks a model shares with its
// evaluation. In the help, ${work} names one conversation; an embedding struct sets it.
type modelFlags struct {
	Model         string         `placeholder:"<name>" help:"name of the model to use; default: agent.model"`
	Turns         *int           `placeholder:"<n>" help:"end ${work} after <n> answers from the model"`
	WallTime      *time.Duration `placeholder:"<duration>" help:"end ${work} after <duration>, such as 10m"`
	MaxCost       *float64       `placeholder:"<usd>" help:"spend at most <usd> US dollars on this command"`
	TopP          *float64       `name:"top-p" placeholder:"<number>" help:"let the model choose each token among the likeliest that have the probability <number> together, from 0 to 1; default: agent.topP"`
	AllowUnpriced bool           `help:"use a model even if its price is unknown"`
}

// votingFlags are the options of a verb whose investigations vote. In the help, ${runs}
// says what is investigated how many times, and how the runs decide; an embedding struct
// sets it.
type votingFlags struct {
	modelFlags `embed:"" set:"work=an investigation"`
	Runs       *int `placeholder:"<n>" help:"investigate each ${runs}"`
}

// check returns an error for numbers that make no sense.
func (f *votingFlags) check() error {
	if f.Runs != nil && *f.Runs < 1 {
		return usagef("--runs takes a number from 1; --engine=offline asks no model")
	}
	return f.modelFlags.check()
}

// check returns an error for numbers that make no sense.
func (f *modelFlags) check() error {
	switch {
	case f.Turns != nil && *f.Turns < 1:
		return usagef("--turns takes a number from 1; --engine=offline asks no model")
	case f.WallTime != nil && *f.WallTime <= 0:
		return usagef("--wall-time takes a duration above 0, such as 10m; --engine=offline asks no model")
	case f.TopP != nil && !session.TopP(*f.TopP):
		return usagef("--top-p takes a number above 0 and up to 1, such as 0.95")
	}
	return checkCost(f.MaxCost)
}

// checkCost returns an error for a --max-cost that leaves nothing to spend.
func checkCost(usd *float64) error {
	switch {
	case usd == nil:
	case *usd < 0:
		return usagef("--max-cost takes no negative number")
	case !(*usd > 0):
		return usagef("--max-cost=0 leaves a model nothing to spend; --engine=offline asks none")
	}
	return nil
}

// runs returns how many times the model investigates each question.
func (f *votingFlags) runs() int {
	if f.Runs == nil {
		return 1
	}
	return *f.Runs
}

// modelJobs is how many investigations go on at once by default. It does not
// depend on the processors, because investigations mostly wait for the server,
// which limits the rate of requests.
const modelJobs = 8

// jobs returns how many questions are worked on at once by default. With --runs they
// are fewer, so that the number of requests at once stays the same.
func (f *votingFlags) jobs() int { return max(1, modelJobs/f.runs()) }

// used reports whether any option is given that makes sense only with a model.
func (f *modelFlags) used() bool {
	return f.Model != "" || f.Turns != nil || f.WallTime != nil || f.MaxCost != nil || f.TopP != nil || f.AllowUnpriced
}

// used reports whether any option is given that makes sense only with a model.
func (f *votingFlags) used() bool { return f.modelFlags.used() || f.Runs != nil }

// apply overrides the settings with the options that are given.
func (f *modelFlags) apply(s *session.Settings) {
	if f.Model != "" {
		s.Model, s.From["agent.model"] = f.Model, "--model"
	}
	if f.Turns != nil {
		s.Turns = *f.Turns
	}
	if f.WallTime != nil {
		s.Timeout = *f.WallTime
	}
	if f.MaxCost != nil {
		s.MaxCost = *f.MaxCost
	}
	if f.TopP != nil {
		s.TopP = f.TopP
	}
	s.AllowUnpriced = s.AllowUnpriced || f.AllowUnpriced
}

// errNoModel is returned if a command needs a model and none is configured.
var errNoModel = errors.New("no model is configured")

// noModelHint says how to configure a model.
const noModelHint = "git config --global agent.model <name>\ngit config --global agent.baseUrl <url>\nor export GIT_AGENT_MODEL=<name>; see MODEL in 'git agent --help'"

// engineChoice is what decides whether a model answers.
type engineChoice struct {
	named   string // the value of --engine
	options bool   // there are options that make sense only with a model
	offline string // why the offline engine must answer, such as "--algorithm=b"; "" if it need not
}

// insists reports whether the user asked for the agent engine, so that an answer of the
// offline engine in its place counts as a failure.
func (c engineChoice) insists(s session.Settings) bool {
	return c.named == "agent" || s.Engine == "agent"
}

// chooseEngine decides whether a model answers, and prints the decision if a
// model is configured.
func (a *app) chooseEngine(c engineChoice, s session.Settings) (asked bool, err error) {
	switch {
	case c.named == "offline":
		if c.options {
			return false, usagef("--engine=offline asks no model, but there are options for one")
		}
		return false, nil
	case c.named == "agent" && c.offline != "":
		return false, usagef("--engine=agent does not go with %s", c.offline)
	case s.Model == "" && (c.named == "agent" || c.options):
		return false, withHint(errNoModel, noModelHint)
	case s.Model == "":
		if a.flags.Verbose > 0 {
			fmt.Fprintln(a.stderr, "engine: offline, because no model is configured")
		}
		return false, nil
	}
	why := c.offline
	if why == "" && s.Engine == "offline" && !c.options {
		why = "agent.engine=offline (" + s.From["agent.engine"] + ")"
	}
	if c.named == "auto" && why != "" {
		a.say("engine: offline, because of %s", why)
		return false, nil
	}
	a.say("engine: agent, %s at %s", layout.Printable(s.Model), layout.Printable(s.Host()))
	return true, nil
}
