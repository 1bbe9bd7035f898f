package verbs

import (
	"context"
	"fmt"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/crash/hana"
	"git-agent/agent/crash/input"
	"git-agent/cmd/git-agent/app"
	"git-agent/gitext/disk"
)

// maxSection bounds the printed bytes of one section.
const maxSection = 64 << 20

// printSections prints the sections of a name, from each dump.
func (c *Crash) printSections(ctx context.Context, a *app.App, sources []input.Source) error {
	found := false
	err := c.newBatch(a, sources).each(ctx, func(name string, report *crash.Report) error {
		sections := hana.Find(report.Sections, c.Section)
		if len(sections) == 0 && len(sources) == 1 {
			return app.WithHint(fmt.Errorf("there is no section %q", c.Section), "%s", sectionHint(report))
		}
		found = found || len(sections) > 0
		return copySections(a, name, sections)
	})
	if err == nil && !found {
		return app.ExitStatus(app.ExitNothing)
	}
	return err
}

// sectionHint lists the sections of a report.
func sectionHint(report *crash.Report) string {
	if len(report.Sections) == 0 {
		return "only dumps of SAP HANA have sections"
	}
	var names []string
	for _, s := range report.Sections {
		names = append(names, s.Name)
	}
	return "the dump has " + strings.Join(names, " ")
}

// copySections prints sections of the named dump.
func copySections(a *app.App, name string, sections []crash.Section) error {
	if len(sections) == 0 {
		return nil
	}
	f, err := disk.Regular(name) // another process may have replaced the file
	if err != nil {
		return err
	}
	defer f.Close()
	for _, s := range sections {
		text, more, err := hana.ReadSection(f, s, maxSection)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintln(a.Stdout, strings.TrimRight(text, "\n")); err != nil {
			return err
		}
		if more {
			a.Say("warning: section %s goes on; its first %d MB were printed", s.Name, maxSection>>20)
		}
	}
	return nil
}
