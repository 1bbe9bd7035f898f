package main

import (
	"context"

	"git-agent/agent/sandbox"
	"git-agent/agent/session"
	"git-agent/cmd/git-agent/datadir"
	"git-agent/cmd/git-agent/doctor"
	"git-agent/gitext/gitcmd"
)

type doctorCmd struct {
	JSON   bool `name:"json" help:"print one JSON object for each check"`
	Fix    bool `help:"take back a patch that fix began to write and did not finish, remove temporary folders of killed runs, build a commit-graph that speeds up reading the history, and offer to import the data of earlier versions"`
	Yes    bool `help:"answer yes to the questions of --fix"`
	Online bool `help:"also send a small test request to the configured model, which may cost a fraction of a cent"`
}

// otherSettings are the settings that the program reads besides those of a model.
var otherSettings = []doctor.Setting{
	{Key: "agent.cacheLimit", Check: datadir.CheckSize("agent.cacheLimit")},
	{Key: testCommandKey, Confined: true},
	{Key: buildCommandKey, Confined: true},
	{Key: suiteCommandKey, Confined: true},
	{Key: setupCommandKey, UserOnly: true},
	{Key: gitcmd.MemorySetting, Check: datadir.CheckSize(gitcmd.MemorySetting)},
	{Key: fetchKey, UserOnly: true, Check: checkFetch},
	{Key: trailerFloorKey},
	{Key: "agent.dataDir", UserOnly: true},
	{Key: sandboxKey, UserOnly: true, Check: checkSandboxLevel},
	{Key: sandboxReadKey, UserOnly: true},
	{Key: sandboxWriteKey, UserOnly: true},
}

// Run exits with 1 if a check fails.
func (c *doctorCmd) Run(ctx context.Context, a *app) error {
	if c.Yes && !c.Fix {
		return usagef("--yes needs --fix")
	}
	sound, err := doctor.Run(ctx, doctor.Input{
		Stdin: a.stdin, Stdout: a.stdout, Stderr: a.stderr, Color: a.newPalette(ctx), Getenv: a.env.get, Version: versionString(),
		Open: a.openUnchecked, Data: a.data, Settings: otherSettings, Model: a.quietModelSettings,
		Sandbox: func(ctx context.Context) (sandbox.Level, error) {
			s, err := a.sandboxSettings(ctx, "")
			return s.Level, err
		},
		ManDir:       func() (string, error) { return defaultManDir(a.env) },
		Calibrations: calibrations,
		JSON:         c.JSON, Quiet: a.flags.Quiet, Fix: c.Fix, Yes: c.Yes, Online: c.Online,
	})
	if err == nil && !sound {
		return exitStatus(exitNothing)
	}
	return err
}

// quietModelSettings is modelSettings without the warnings about settings that a
// repository may not set, which the doctor reports as findings.
func (a *app) quietModelSettings(ctx context.Context) (session.Settings, error) {
	a.warned = map[string]bool{}
	for _, row := range session.Table {
		a.warned[row.Key] = true
	}
	return a.modelSettings(ctx)
}
