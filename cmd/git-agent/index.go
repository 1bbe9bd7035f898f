package main

import (
	"context"

	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/store"
	"git-agent/gitext"
)

// indexCmd is `git agent index`: it builds an index of all changed lines, so that searches of a
// whole history take milliseconds.
type indexCmd struct {
	Build  indexBuildCmd  `cmd:"" help:"build the index, or go on with a build that was interrupted"`
	Update indexUpdateCmd `cmd:"" help:"add the commits that are new since the last build or update"`
	Status indexStatusCmd `cmd:"" help:"say what the index covers; exit with 1 if no index can answer"`
	Clear  indexClearCmd  `cmd:"" help:"remove the index"`
}

type indexBuildCmd struct {
	indexBuildFlags `embed:""`
}

type indexUpdateCmd struct {
	indexBuildFlags `embed:""`
}

type indexBuildFlags struct {
	Jobs int  `placeholder:"<n>" help:"read the history with <n> processes of git at the same time; default: one for each processor, at most 8"`
	JSON bool `name:"json" help:"print a JSON object"`
}

type indexStatusCmd struct {
	JSON bool `name:"json" help:"print a JSON object"`
}

type indexClearCmd struct {
	JSON bool `name:"json" help:"print a JSON object"`
}

// Run builds the index.
func (c *indexBuildCmd) Run(ctx context.Context, a *app.App) error {
	return buildIndex(ctx, a, c.Jobs, c.JSON, false)
}

// Run adds new commits.
func (c *indexUpdateCmd) Run(ctx context.Context, a *app.App) error {
	return buildIndex(ctx, a, c.Jobs, c.JSON, true)
}

func buildIndex(ctx context.Context, a *app.App, jobs int, json, update bool) error {
	if jobs < 0 || jobs > 64 {
		return app.Usagef("--jobs takes a number from 1 to 64")
	}
	bar := a.NewProgress("Indexing")
	defer bar.End()
	v := indexVerb(a, json)
	v.Progress = bar.Update
	return v.Build(ctx, jobs, update)
}

// Run exits with 1 if no index can answer.
func (c *indexStatusCmd) Run(ctx context.Context, a *app.App) error {
	usable, err := indexVerb(a, c.JSON).Status(ctx)
	if err == nil && !usable {
		return app.ExitStatus(app.ExitNothing)
	}
	return err
}

// Run removes the index.
func (c *indexClearCmd) Run(ctx context.Context, a *app.App) error {
	return indexVerb(a, c.JSON).Clear(ctx)
}

func indexVerb(a *app.App, json bool) *store.Index {
	open := func(ctx context.Context) (*gitext.Repo, error) { return a.Open(ctx, gitext.OpenOptions{}) }
	return &store.Index{Stdout: a.Stdout, Say: a.Say, Open: open, Data: a.Data, JSON: json}
}
