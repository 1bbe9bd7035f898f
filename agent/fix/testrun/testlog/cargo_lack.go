package testlog

import (
	"strings"

	"git-agent/agent/fix"
	"git-agent/agent/source"
)

// cargoSigns are what cargo, rustup and rustc print about a lack; see signs.
var cargoSigns = []sign{
	{fix.LackTool, "requires rustc ", nil},
	{fix.LackTool, "feature `edition", source.Lazy("feature `edition\\d+` is required")},
	{fix.LackTool, "edition", source.Lazy("^  (?:supported edition values are .* is unknown|this version of Cargo is older than the `\\d+` edition)")},
	{fix.LackTool, "unknown ", source.Lazy("^  unknown (?:Cargo.toml|cargo) feature ")},
	{fix.LackTool, "requires a nightly version of Cargo", nil},
	{fix.LackTool, "may not be used on the ", source.Lazy(`^error\[E0554\]`)},
	{fix.LackTool, "target may not be installed", nil},
	{fix.LackTool, "lock file version ", source.Lazy("lock file version .*(?:does not understand|requires)")},
	{fix.LackTool, "error: toolchain '", source.Lazy(`^error: toolchain '[^']*' is not installed`)},
	{fix.LackTool, "could not download file from '", source.Lazy(`/channel-rust-`)},
	{fix.LackTool, "rustup could not choose a version", nil},
	{fix.LackProgram, "error: linker `", source.Lazy("^error: linker `.*` not found")},
	{fix.LackProgram, "error: no such ", source.Lazy("^error: no such (?:sub)?command: ")},

	{fix.LackCargo, "no matching package named ", nil},
	{fix.LackCargo, "failed to ", source.Lazy(`failed to (?:download |load source for dependency|query replaced source|get .* as a dependency of)`)},
	{fix.LackCargo, "to retry without ", source.Lazy(`--offline`)},
	{fix.LackCargo, "spurious network error", nil},
	{fix.LackCargo, "attempting to make an HTTP request, but --offline", nil},

	{fix.LackLock, "because --locked was passed", nil},
	{fix.LackLock, "needs to be updated but --locked was passed", nil},
	{fix.LackCommand, "error: could not find `Cargo.toml`", nil},
	{fix.LackCommand, "error: no ", source.Lazy("^error: no (?:test|bin|bench|example|library) targets? ")},
	{fix.LackCommand, "did not match any packages", source.Lazy("^error: package ID specification ")},
	{fix.LackCommand, " requires the features: ", source.Lazy("^error: target ")},
	{fix.LackCommand, "does not contain th", source.Lazy("^error: the package .* does not contain th")},
}

var (
	cargoEnded = source.Lazy(`^error: (?:test failed, to rerun|doctest failed|\d+ targets? failed|test run failed)`)
	cargoBegan = source.Lazy(`^(?:\s+Running (?:unittests )?\S|\s+Doc-tests |running \d+ tests?$|\s+Starting \d+ tests? )`)
)

// A cargoStart tells whether cargo came to run tests, and why not.
type cargoStart struct {
	began  bool
	error  string // the first error line
	cause  string // the line below the last "Caused by:"
	caused bool   // such a line follows
}

// see reads a line.
func (c *cargoStart) see(l line) {
	switch {
	case c.began:
	case l.text == "Caused by:" || c.error != "" && strings.Contains(l.text, "panicked at "): // of a build script
		c.caused = true
	case c.caused:
		c.cause, c.caused = l.bare, false
	case strings.HasPrefix(l.text, "error: "):
		c.began = cargoEnded().MatchString(l.text)
		if c.error == "" {
			c.error = l.text
		}
	default:
		c.began = cargoBegan().MatchString(l.text)
	}
}

// refusal returns why cargo ran no tests, "" if it ran some or gave no reason.
func (c *cargoStart) refusal() string {
	if c.began || c.error == "" || c.cause == "" {
		return clip(c.notBegun())
	}
	return clip(c.error + ": " + c.cause)
}

func (c *cargoStart) notBegun() string {
	if c.began {
		return ""
	}
	return c.error
}
