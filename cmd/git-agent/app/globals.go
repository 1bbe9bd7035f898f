package app

import (
	"errors"

	"git-agent/cmd/git-agent/ui"

	"github.com/alecthomas/kong"
)

// Globals are the options of every verb.
type Globals struct {
	Usage       usageFlag `name:"usage" short:"h" help:"print a short usage and exit"`
	Help        helpFlag  `name:"help" help:"show the manual page and exit"`
	ShowVersion bool      `name:"version" help:"print the version and exit"`
	Quiet       bool      `short:"q" help:"suppress progress reports, notices and hints"`
	Verbose     int       `short:"v" type:"counter" help:"print each git command with its exit code and duration, and show answers in more detail"`
	Color       string    `enum:"auto,always,never" default:"auto" placeholder:"<when>" help:"when to use color: auto, always or never"`
	Progress    *bool     `negatable:"" help:"report progress even if standard error is not a terminal"`
}

// ErrAnswered stops the parser after a flag such as -h has printed its text.
var ErrAnswered = errors.New("answered")

// usageFlag is -h, which prints the usage of the verb.
type usageFlag bool

// BeforeReset prints the usage. kong calls it before it checks for missing
// arguments.
func (usageFlag) BeforeReset(k *kong.Context, a *App) error {
	ui.WriteUsage(a.Stdout, k.Selected(), k.Model.Node)
	return ErrAnswered
}

// helpFlag is --help, which shows the manual page of the verb.
type helpFlag bool

// BeforeReset shows the page. kong calls it before it checks for missing
// arguments.
func (helpFlag) BeforeReset(k *kong.Context, a *App) error {
	name := "git-agent"
	if n := k.Selected(); n != nil {
		name += "-" + ui.VerbName(n)
	}
	if err := ShowPage(a, name); err != nil {
		return err
	}
	return ErrAnswered
}
