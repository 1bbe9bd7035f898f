package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
)

// version is set by install.sh from `git describe`.
var version = ""

// notices are those of the software and data of others that the program
// contains. A test makes them of the modules' own files.
//
//go:embed notices.txt
var notices string

type versionCmd struct {
	Licenses bool `help:"print the licenses of the third-party software in the program"`
}

// Run prints the version as git does, or the notices.
func (c *versionCmd) Run(ctx context.Context, a *app) (err error) {
	if !c.Licenses {
		return printVersion(a.stdout)
	}
	page := a.page(ctx)
	defer func() { err = errors.Join(err, page.Close()) }()
	_, err = io.WriteString(page, notices)
	return err
}

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

// buildIdentity tells two builds of the program apart, so that an answer of
// yesterday's build is not taken for one of today's. git's version is no part
// of it: what is read is pinned to mean the same in every version.
func buildIdentity() string {
	id := versionString()
	exe, err := os.Executable()
	if err != nil {
		return id
	}
	info, err := os.Stat(exe)
	if err != nil {
		return id
	}
	return fmt.Sprintf("%s %d %d", id, info.Size(), info.ModTime().UnixNano())
}
