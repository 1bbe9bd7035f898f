package main

import (
	"errors"
	"fmt"
	"time"

	"git-agent/agent/session"
	"git-agent/agent/szz"
	"git-agent/cmd/git-agent/layout"
)

// modelFlags are the options that szz and eval szz share for asking a model.
type modelFlags struct {
	Model           string         `placeholder:"<name>" help:"name of the model to use; default: agent.model"`
	Runs            *int           `placeholder:"<n>" help:"investigate each fix <n> times, and decide by majority vote"`
	Turns           *int           `placeholder:"<n>" help:"end an investigation after <n> answers from the model"`
	WallTime        *time.Duration `placeholder:"<duration>" help:"end an investigation after <duration>, such as 10m"`
	MaxCost         *float64       `placeholder:"<usd>" help:"spend at most <usd> US dollars on this command"`
	AllowUnpriced   bool           `help:"use a model even if its price is unknown"`
	Calibration     string         `placeholder:"<file>" kind:"path" help:"calibrate the model's probabilities with <file>, as written by eval szz --calibrate; default: agent.calibration"`
	Tools           bool           `negatable:"" default:"true" help:"let the model use the git tools"`
	DomainKnowledge bool           `negatable:"" default:"true" help:"give the model instructions on how to investigate"`
	Compression     bool           `negatable:"" default:"true" help:"condense what the model is shown"`
}

// check returns an error for numbers that make no sense.
func (f *modelFlags) check() error {
	switch {
	case f.Runs != nil && *f.Runs < 1:
		return usagef("--runs takes a number from 1; --engine=offline asks no model")
	case f.Turns != nil && *f.Turns < 1:
		return usagef("--turns takes a number from 1; --engine=offline asks no model")
	case f.WallTime != nil && *f.WallTime <= 0:
		return usagef("--wall-time takes a duration above 0, such as 10m; --engine=offline asks no model")
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

// runs returns how many times the model investigates each fix.
func (f *modelFlags) runs() int {
	if f.Runs == nil {
		return 1
	}
	return *f.Runs
}

// jobs returns how many fixes are worked on at once by default. With --runs they
// are fewer, so that the number of requests at once stays the same.
func (f *modelFlags) jobs() int { return max(1, modelJobs/f.runs()) }

// switches returns which parts of the method the options turn off.
func (f *modelFlags) switches() szz.Switches {
	return szz.Switches{NoTools: !f.Tools, NoDomainKnowledge: !f.DomainKnowledge, NoCompression: !f.Compression}
}

// used reports whether any option is given that makes sense only with a model.
func (f *modelFlags) used() bool {
	return f.Model != "" || f.Runs != nil || f.Turns != nil || f.WallTime != nil || f.MaxCost != nil || f.AllowUnpriced || f.Calibration != "" ||
		!f.Tools || !f.DomainKnowledge || !f.Compression
}

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
	if f.Calibration != "" {
		s.Calibration, s.From["agent.calibration"] = f.Calibration, "--calibration"
	}
	s.AllowUnpriced = s.AllowUnpriced || f.AllowUnpriced
}

// errNoModel is returned if a command needs a model and none is configured.
var errNoModel = errors.New("no model is configured")

// noModelHint says how to configure a model.
const noModelHint = "git config --global agent.model <name>\ngit config --global agent.baseUrl <url>\nor export GIT_AGENT_MODEL=<name>; see MODEL in 'git agent --help'"

// chooseEngine decides whether a model answers, and prints the decision if a
// model is configured. engine is the value of --engine. If why is not "", the
// offline engine must answer, for that reason.
func (a *app) chooseEngine(engine string, flags *modelFlags, s session.Settings, why string) (asked bool, err error) {
	switch {
	case engine == "offline":
		if flags.used() {
			return false, usagef("--engine=offline asks no model, but there are options for one")
		}
		return false, nil
	case engine == "agent" && why != "":
		return false, usagef("--engine=agent does not go with %s", why)
	case engine == "agent" && s.Model == "":
		return false, withHint(errNoModel, noModelHint)
	case s.Model == "" && flags.used():
		return false, withHint(errNoModel, noModelHint)
	case s.Model == "":
		if a.flags.Verbose > 0 {
			fmt.Fprintln(a.stderr, "engine: offline, because no model is configured")
		}
		return false, nil
	case engine == "auto" && why == "" && s.Engine == "offline" && !flags.used():
		why = "agent.engine=offline (" + s.From["agent.engine"] + ")"
	}
	if engine == "auto" && why != "" {
		a.say("engine: offline, because of %s", why)
		return false, nil
	}
	a.say("engine: agent, %s at %s", layout.Printable(s.Model), layout.Printable(s.Host()))
	return true, nil
}
