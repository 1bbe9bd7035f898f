package main

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"
)

// version is set by install.sh from `git describe`.
var version = ""

type versionCmd struct{}

// Run prints the version as git does.
func (versionCmd) Run(_ context.Context, a *app) error { return printVersion(a.stdout) }

func printVersion(w io.Writer) error {
	_, err := fmt.Fprintf(w, "git agent version %s\n", versionString())
	return err
}

// versionString falls back to what the Go tool recorded in the binary, which
// is what `go install module@version` leaves.
func versionString() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}
