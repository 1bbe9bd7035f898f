package verbs

import (
	"context"
	"time"

	"git-agent/agent/trial"
	"git-agent/cmd/git-agent/app"
	"git-agent/gitext/gitconfig"
)

// CommandFlags are the options for running a project's own commands.
type CommandFlags struct {
	TestTime time.Duration `name:"test-timeout" default:"10m" placeholder:"<duration>" help:"limit each execution of a command to <duration>; default: 10m"`
	Disk     string        `default:"8g" placeholder:"<size>" help:"end a command when the commands of one work tree have added <size> to the disk; default: 8g"`
	Env      []string      `placeholder:"<name>" help:"pass the environment variable <name> on to the commands; may be given several times"`
	Network  bool          `help:"let the commands use the network"`
	Sandbox  string        `enum:",auto,bwrap,landlock,none" default:"" placeholder:"<level>" help:"how to confine the commands: bwrap, landlock, none, or auto (bwrap if it works, else landlock); default: agent.sandbox, or auto"`
}

// These are the defaults in the tags of CommandFlags.
const (
	defaultTestTime = 10 * time.Minute
	defaultDisk     = "8g"
)

// NewCommandFlags returns the default options.
func NewCommandFlags() CommandFlags {
	return CommandFlags{TestTime: defaultTestTime, Disk: defaultDisk}
}

// Check returns an error for values that make no sense.
func (f *CommandFlags) Check() error {
	switch {
	case f.TestTime <= 0:
		return app.Usagef("--test-timeout takes a duration above 0")
	case f.disk() < 1<<20:
		return app.Usagef("--disk takes a size from 1m, such as 512m or 20g, not %q", f.Disk)
	}
	return nil
}

// disk returns the limit of --disk in bytes, or 0 if it is invalid.
func (f *CommandFlags) disk() int64 {
	n, _ := gitconfig.ParseSize(f.Disk) // Check rejects an invalid size
	return n
}

// Confined chooses and announces the sandbox for commands, and returns the options for running
// them.
func (f *CommandFlags) Confined(ctx context.Context, a *app.App) (opt trial.Options, err error) {
	confinement, err := a.ProbeSandbox(ctx, f.Sandbox, f.Network)
	if err != nil {
		return opt, err
	}
	return trial.Options{
		Timeout: f.TestTime, Disk: f.disk(), MaxRuns: 1 << 30, Sandbox: confinement.Level, Network: f.Network, Env: f.Env,
		Readable: confinement.Readable, Writable: confinement.Writable,
	}, nil
}
