package verbs

import (
	"context"
	"errors"

	"git-agent/cmd/git-agent/app"

	"github.com/alecthomas/kong"
)

// storedCore is the value of --core[=<match>].
type storedCore struct {
	given bool
	match string // "" for the newest core
}

// Decode reads the value of the option, if it has one.
func (c *storedCore) Decode(ctx *kong.DecodeContext) error {
	c.given, c.match = true, ""
	if ctx.Scan.Peek().Type != kong.FlagValueToken {
		return nil
	}
	if err := ctx.Scan.PopValueInto("match", &c.match); err != nil {
		return err
	}
	if c.match == "" {
		return errors.New("--core= names no core; --core alone is the newest one")
	}
	return nil
}

// IsBool says that the option needs no value.
func (c *storedCore) IsBool() bool { return true }

// DebuginfodKey is the setting for --debuginfod. A repository cannot set it, because the build ids
// of a report then leave the machine.
const DebuginfodKey = "agent.debuginfod"

// askDebuginfod reports whether servers of debuginfod may be asked. asked is --debuginfod or
// --no-debuginfod, or nil if neither is given.
func askDebuginfod(ctx context.Context, a *app.App, asked *bool) (bool, error) {
	if asked != nil {
		return *asked, nil
	}
	return a.TrustedBool(ctx, DebuginfodKey)
}
