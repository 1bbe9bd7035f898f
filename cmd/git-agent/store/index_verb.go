package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"time"

	"git-agent/agent"
	"git-agent/agent/lineindex"
	"git-agent/agent/session"
	"git-agent/cache"
	"git-agent/cmd/git-agent/render"
	schemas "git-agent/cmd/git-agent/schema"
	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext"
)

const schema = "git-agent/index/1"

// Index has the parts of the process that the subcommands use.
type Index struct {
	Stdout   io.Writer                        // for text and JSON
	Say      func(format string, args ...any) // prints a notice
	Open     func(ctx context.Context) (*gitext.Repo, error)
	Data     *Store
	Progress func(done, total int, what string) // shows the progress of a build

	JSON bool // print a JSON object
}

// state is the output of the subcommands, and its documented JSON form.
type state struct {
	Schema   string  `json:"schema"`
	Path     string  `json:"path"`
	Exists   bool    `json:"exists"`
	Commits  int     `json:"commits"`
	Newer    int     `json:"newer_commits"` // commits of the refs that the index lacks
	Bytes    int64   `json:"bytes"`
	Text     int64   `json:"text_bytes"`         // changed lines before compression
	Complete bool    `json:"complete"`           // the last build was not interrupted
	Unusable string  `json:"unusable,omitempty"` // why the index cannot answer
	Built    string  `json:"built,omitempty"`
	Added    int     `json:"added,omitempty"` // commits added by this command
	Seconds  float64 `json:"seconds,omitempty"`
}

// Formats are the forms of the outputs of index and cache.
func Formats() []schemas.Format {
	return []schemas.Format{
		{Name: "index", Title: "git agent index --json: the state of the index", ID: schema, Type: reflect.TypeFor[state]()},
		{Name: "cache-stats", Title: "git agent cache stats --json: one file", ID: statsSchema, Type: reflect.TypeFor[fileStats]()},
		{Name: "cache-prune", Title: "git agent cache prune --json and cache clear --json: what was removed", ID: pruneSchema, Type: reflect.TypeFor[removal]()},
		{Name: "cache-verify", Title: "git agent cache verify --json: one verified file", ID: verifySchema, Type: reflect.TypeFor[verified]()},
	}
}

func (v *Index) place(ctx context.Context) (*gitext.Repo, string, error) {
	repo, err := v.Open(ctx)
	if err != nil {
		return nil, "", err
	}
	dir, err := v.Data.IndexFolder(ctx, repo)
	if err != nil {
		err = session.WithHint(err, Hint)
	}
	return repo, dir, err
}

// Build builds the index, or continues the last build. With update, an index must exist. jobs is
// the number of git processes that read the history; 0 is one for each processor.
func (v *Index) Build(ctx context.Context, jobs int, update bool) error {
	repo, dir, err := v.place(ctx)
	if err != nil {
		return err
	}
	if update && cache.IndexSize(dir) == 0 {
		return session.WithHint(cache.ErrNoIndex, "'git agent index build' builds one")
	}
	lowerPriority()
	began := time.Now()
	built, err := lineindex.Build(ctx, dir, repo, lineindex.BuildOptions{Workers: jobs, Progress: func(p lineindex.Progress) {
		v.Progress(p.Done, p.Total, describe(p, time.Since(began)))
	}})
	if built.Replace != "" {
		v.Say("notice: the index was built anew: %s", built.Replace)
	}
	switch {
	case errors.Is(err, cache.ErrHeld):
		return errors.New("another process is building the index")
	case ctx.Err() != nil:
		v.Say("notice: what was read is kept; 'git agent index build' goes on from there")
		return err
	case err != nil:
		return err
	}
	s := stateOf(dir, built.Header)
	s.Added, s.Seconds = built.Added, time.Since(began).Seconds()
	return v.print(s)
}

// describe describes the finished part and the time for the rest.
func describe(p lineindex.Progress, elapsed time.Duration) string {
	text := ui.Size(p.Text) + " of changed lines"
	if left := time.Duration(float64(elapsed) / float64(p.Done) * float64(p.Total-p.Done)); elapsed > 2*time.Second && left > time.Second {
		text += fmt.Sprintf(", about %s left", left.Round(time.Second))
	}
	return text
}

// Status describes the index. It returns false without a usable index.
func (v *Index) Status(ctx context.Context) (usable bool, err error) {
	repo, dir, err := v.place(ctx)
	if err != nil {
		return false, err
	}
	x, err := lineindex.Open(ctx, dir, repo)
	var s state
	switch {
	case errors.Is(err, cache.ErrNoIndex):
		s = state{Schema: schema, Path: cache.IndexPath(dir)}
	case err != nil:
		header, _, _ := lineindex.Stat(ctx, dir) // an unreadable header is described by err
		s = stateOf(dir, header)
		s.Unusable = err.Error()
	default:
		s = stateOf(dir, x.Header)
		s.Newer, err = x.Newer(ctx)
		if err = errors.Join(err, x.Close()); err != nil {
			return false, err
		}
	}
	return s.Exists && s.Unusable == "", v.print(s)
}

// Clear removes the index.
func (v *Index) Clear(ctx context.Context) error {
	_, dir, err := v.place(ctx)
	if err != nil {
		return err
	}
	before := cache.IndexSize(dir)
	if err := cache.RemoveIndex(dir); err != nil {
		if errors.Is(err, cache.ErrHeld) {
			return errors.New("another process is building the index")
		}
		return err
	}
	if v.JSON {
		return v.print(state{Schema: schema, Path: cache.IndexPath(dir)})
	}
	_, err = fmt.Fprintf(v.Stdout, "%s: removed, %s\n", ui.Printable(cache.IndexPath(dir)), ui.Size(before))
	return err
}

func stateOf(dir string, h lineindex.Header) state {
	return state{
		Schema: schema, Path: cache.IndexPath(dir), Exists: true, Commits: h.Commits, Bytes: cache.IndexSize(dir),
		Text: h.Text, Complete: h.Complete, Built: h.Built.Format(time.RFC3339),
	}
}

func (v *Index) print(s state) error {
	if v.JSON {
		return render.WriteJSON(v.Stdout, s, "\n")
	}
	text := ui.Printable(s.Path) + ": "
	switch {
	case !s.Exists:
		text += "there is no index\n"
	case s.Unusable != "":
		text += "cannot be used: " + ui.Printable(s.Unusable) + "\n    'git agent index build' builds it anew\n"
	default:
		text += fmt.Sprintf("%s, %s", agent.Plural(s.Commits, "commit"), ui.Size(s.Bytes))
		if s.Seconds > 0 {
			text += fmt.Sprintf("; %d added in %s", s.Added, time.Duration(s.Seconds*float64(time.Second)).Round(time.Second/10))
		}
		text += "\n"
		if !s.Complete {
			text += "    the last build was interrupted; 'git agent index build' goes on\n"
		}
		if s.Newer > 0 {
			missing := "1 commit of branches and tags is not in it; 'git agent index update' adds it"
			if s.Newer > 1 {
				missing = fmt.Sprintf("%d commits of branches and tags are not in it; 'git agent index update' adds them", s.Newer)
			}
			text += "    " + missing + "\n"
		}
	}
	_, err := io.WriteString(v.Stdout, text)
	return err
}
