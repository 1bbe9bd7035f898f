package main

import (
	"context"
	"fmt"

	"git-agent/agent/session"
	"git-agent/agent/szz"
	"git-agent/agent/szz/detect"
	"git-agent/agent/szz/engine"
	"git-agent/cache"
	"git-agent/cmd/git-agent/layout"
	"git-agent/gitext"
)

// modelSettings reads what is configured about a model.
func (a *app) modelSettings(ctx context.Context) (session.Settings, error) {
	config, err := a.config(ctx)
	if err != nil {
		return session.Settings{}, err
	}
	return session.Read(config, a.env.get, a.warnUntrusted)
}

// newSession connects to the model that the settings name. Runs are recorded in
// traces, which stay the caller's to close; nil records nothing. With preview
// nothing will be sent.
func (a *app) newSession(ctx context.Context, s session.Settings, traces *cache.Traces, preview bool) (*session.Session, error) {
	version, err := engineVersion()
	if err != nil {
		return nil, err
	}
	return session.Open(ctx, session.Options{
		Settings: s, Env: a.env.get, Secrets: a.keys(), Traces: traces, Preview: preview,
		Client: versionString(), Version: version,
		Say: func(text string) { a.say("%s", layout.Printable(text)) }, Warn: a.warnOnce,
	})
}

// newAgent prepares the agent engine of szz for an ensemble of so many runs. A calibration that was made for
// something else is warned about, and not used by the engine.
func (a *app) newAgent(ctx context.Context, s session.Settings, runs int, with szz.Switches, traces *cache.Traces, preview bool) (*engine.Agent, error) {
	opened, err := a.newSession(ctx, s, traces, preview)
	if err != nil {
		return nil, err
	}
	agent, basis, err := engine.NewAgent(opened, runs, with)
	if err != nil {
		return nil, err
	}
	agent.Calibration, err = readCalibration(s)
	if c := agent.Calibration; c != nil {
		if why := c.Differs(basis); why != "" {
			fmt.Fprintf(a.stderr, "warning: the calibration %q (%s) is not used: %s; make one with '%s'\n",
				s.Calibration, s.From["agent.calibration"], layout.Printable(why), recalibrateHint)
		}
	}
	return agent, err
}

// maxCalibration bounds what is read of a calibration, which is a page long.
const maxCalibration = 1 << 20

// recalibrateHint says how to make a calibration.
const recalibrateHint = "git agent eval szz --repos=<directory> --engine=agent --calibrate=<file> <cases>"

// readCalibration reads what is set for the probabilities of the model, nil when
// nothing is.
func readCalibration(s session.Settings) (*detect.Calibration, error) {
	if s.Calibration == "" {
		return nil, nil
	}
	c, err := readCalibrationFile(s.Calibration)
	if err != nil {
		return nil, withHint(fmt.Errorf("the calibration of %s: %w", s.From["agent.calibration"], err),
			"make another: %s\nor git config --global --unset agent.calibration", recalibrateHint)
	}
	return c, nil
}

func readCalibrationFile(path string) (*detect.Calibration, error) {
	data, err := gitext.ReadRegular(path, maxCalibration)
	if err != nil {
		return nil, err
	}
	c, err := detect.ParseCalibration(data)
	if err != nil {
		return nil, fmt.Errorf("%q cannot be used: %w", path, err)
	}
	return c, nil
}
