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

// notices holds the licenses of the third-party software and data in the program.
// A test generates the file from the modules' own files.
//
//go:embed notices.txt
var notices string

type versionCmd struct {
	Licenses bool `help:"print the licenses of the third-party software in the program"`
}

// Run prints the version as git prints its own, or the licenses.
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

// versionString returns the version that install.sh has set, or else the one that
// the Go tool has recorded in the binary, as `go install module@version` does.
func versionString() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}

// buildIdentity identifies the build of the program, so that cached answers of
// another build are not used. It does not include git's version, because git is
// called such that its output means the same in every version.
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
