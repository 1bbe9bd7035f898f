package app

import (
	"errors"
	"fmt"
	"time"

	"git-agent/agent/session"
	"git-agent/cmd/git-agent/ui"
)

// ModelFlags are the shared options of every verb that can ask a model, and of its evaluation. In
// the help, ${work} names one conversation; the embedding struct sets it.
type ModelFlags struct {
	Model         string         `placeholder:"<name>" help:"name of the model to use; default: agent.model"`
	Turns         *int           `placeholder:"<n>" help:"end ${work} after <n> answers from the model"`
	WallTime      *time.Duration `placeholder:"<duration>" help:"end ${work} after <duration>, such as 10m"`
	MaxCost       *float64       `placeholder:"<usd>" help:"spend at most <usd> US dollars on this command"`
	TopP          *float64       `name:"top-p" placeholder:"<number>" help:"let the model choose each token among the likeliest that have the probability <number> together, from 0 to 1; default: agent.topP"`
	AllowUnpriced bool           `help:"use a model even if its price is unknown"`
}

// VotingFlags are the options of a verb whose investigations vote. In the help, ${runs} describes
// the repeated investigations and their vote; the embedding struct sets it.
type VotingFlags struct {
	ModelFlags `embed:"" set:"work=an investigation"`
	Runs       *int `placeholder:"<n>" help:"investigate each ${runs}"`
}

// Check returns an error for numbers that make no sense.
func (f *VotingFlags) Check() error {
	if f.Runs != nil && *f.Runs < 1 {
		return Usagef("--runs takes a number from 1; --engine=offline asks no model")
	}
	return f.ModelFlags.Check()
}

// Check returns an error for numbers that make no sense.
func (f *ModelFlags) Check() error {
	switch {
	case f.Turns != nil && *f.Turns < 1:
		return Usagef("--turns takes a number from 1; --engine=offline asks no model")
	case f.WallTime != nil && *f.WallTime <= 0:
		return Usagef("--wall-time takes a duration above 0, such as 10m; --engine=offline asks no model")
	case f.TopP != nil && !session.TopP(*f.TopP):
		return Usagef("--top-p takes a number above 0 and up to 1, such as 0.95")
	}
	return CheckCost(f.MaxCost)
}

// CheckCost returns an error for a --max-cost that leaves nothing to spend.
func CheckCost(usd *float64) error {
	switch {
	case usd == nil:
	case *usd < 0:
		return Usagef("--max-cost takes no negative number")
	case !(*usd > 0):
		return Usagef("--max-cost=0 leaves a model nothing to spend; --engine=offline asks none")
	}
	return nil
}

// RunCount returns the number of investigations of each question.
func (f *VotingFlags) RunCount() int {
	if f.Runs == nil {
		return 1
	}
	return *f.Runs
}

// ModelJobs is the default number of concurrent investigations. It does not depend on the
// processors, because investigations mostly wait for the server, which limits the rate of
// requests.
const ModelJobs = 8

// Jobs returns the default number of concurrent questions. With --runs, it is lower, so that the
// number of concurrent requests stays the same.
func (f *VotingFlags) Jobs() int { return max(1, ModelJobs/f.RunCount()) }

// Used reports whether any option is given that makes sense only with a model.
func (f *ModelFlags) Used() bool {
	return f.Model != "" || f.Turns != nil || f.WallTime != nil || f.MaxCost != nil || f.TopP != nil || f.AllowUnpriced
}

// Used reports whether any option is given that makes sense only with a model.
func (f *VotingFlags) Used() bool { return f.ModelFlags.Used() || f.Runs != nil }

// Override replaces settings by the given options.
func (f *ModelFlags) Override(s *session.Settings) {
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

// ErrNoModel is returned if a command needs a model and none is configured.
var ErrNoModel = errors.New("no model is configured")

// NoModelHint has the commands that configure a model.
const NoModelHint = "git config --global agent.model <name>\ngit config --global agent.baseUrl <url>\nor export GIT_AGENT_MODEL=<name>; see MODEL in 'git agent --help'"

// EngineChoice has the options that decide whether a model answers.
type EngineChoice struct {
	Named   string // the value of --engine
	Options bool   // options are given that make sense only with a model
	Offline string // the reason for the offline engine, such as "--algorithm=b"; "" without one
}

// Insists reports whether the user asked for the agent engine, so that an answer of the offline
// engine counts as a failure.
func (c EngineChoice) Insists(s session.Settings) bool {
	return c.Named == "agent" || s.Engine == "agent"
}

// ChooseEngine decides whether a model answers, and prints the decision if a
// model is configured.
func (a *App) ChooseEngine(c EngineChoice, s session.Settings) (asked bool, err error) {
	switch {
	case c.Named == "offline":
		if c.Options {
			return false, Usagef("--engine=offline asks no model, but there are options for one")
		}
		return false, nil
	case c.Named == "agent" && c.Offline != "":
		return false, Usagef("--engine=agent does not go with %s", c.Offline)
	case s.Model == "" && (c.Named == "agent" || c.Options):
		return false, WithHint(ErrNoModel, NoModelHint)
	case s.Model == "":
		if a.Flags.Verbose > 0 {
			fmt.Fprintln(a.Stderr, "engine: offline, because no model is configured")
		}
		return false, nil
	}
	why := c.Offline
	if why == "" && s.Engine == "offline" && !c.Options {
		why = "agent.engine=offline (" + s.From["agent.engine"] + ")"
	}
	if c.Named == "auto" && why != "" {
		a.Say("engine: offline, because of %s", why)
		return false, nil
	}
	a.Say("engine: agent, %s at %s", ui.Printable(s.Model), ui.Printable(s.Host()))
	return true, nil
}
