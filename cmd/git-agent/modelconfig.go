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
	"git-agent/gitext/openfile"
)

// modelSettings reads the settings of the model from the environment and git's
// configuration.
func (a *app) modelSettings(ctx context.Context) (session.Settings, error) {
	config, err := a.data.Config(ctx)
	if err != nil {
		return session.Settings{}, err
	}
	return session.Read(config, a.env.get, a.warnUntrusted)
}

// newSession opens a session with the model that the settings name. Runs are
// recorded in traces, which the caller closes; nil records nothing. With preview,
// the session is not used to send anything.
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

// newAgent prepares the agent engine of szz for ensembles of the given number of
// runs. It warns about a calibration that was made for another model or method,
// which the engine will not use.
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

// maxCalibration limits the size of a calibration file, which is usually a page
// long.
const maxCalibration = 1 << 20

// recalibrateHint is the command that makes a calibration.
const recalibrateHint = "git agent eval szz --repos=<directory> --engine=agent --calibrate=<file> <cases>"

// readCalibration reads the configured calibration, or returns nil if there is
// none.
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
	data, err := openfile.ReadRegular(path, maxCalibration)
	if err != nil {
		return nil, err
	}
	c, err := detect.ParseCalibration(data)
	if err != nil {
		return nil, fmt.Errorf("%q cannot be used: %w", path, err)
	}
	return c, nil
}
