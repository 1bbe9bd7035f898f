package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"

	"git-agent/cmd/git-agent/app"
)

// notices has the licenses of the third-party software and data in the program. A
// test generates the file from the modules' own files.
//
//go:embed notices.txt
var notices string

type versionCmd struct {
	BuildOptions bool `help:"also print the commit, the system, the processor and the version of Go that the program was built from and for"`
	Licenses     bool `help:"print the licenses of the third-party software in the program"`
}

// Run prints the version in the form of git's own, or the licenses.
func (c *versionCmd) Run(ctx context.Context, a *app.App) (err error) {
	if !c.Licenses {
		err := printVersion(a.Stdout)
		if c.BuildOptions && err == nil {
			_, err = io.WriteString(a.Stdout, app.BuildOptions())
		}
		return err
	}
	page := a.Page(ctx)
	defer func() { err = errors.Join(err, page.Close()) }()
	_, err = io.WriteString(page, notices)
	return err
}

func printVersion(w io.Writer) error {
	_, err := fmt.Fprintf(w, "git agent version %s\n", app.VersionString())
	return err
}
