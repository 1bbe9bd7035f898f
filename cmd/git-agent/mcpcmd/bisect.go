package mcpcmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"git-agent/agent"
	"git-agent/agent/bisect"
	"git-agent/agent/bisect/engine"
	"git-agent/cmd/git-agent/render"
	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext"
	"git-agent/prompts"
)

// bisectParams are the parameters of the tool bisect.
type bisectParams struct {
	Command string `json:"command" arg:"required,bytes=20000"`
	Build   string `json:"build" arg:"bytes=20000"`
	Good    string `json:"good"`
	Bad     string `json:"bad"`
	Fixed   bool   `json:"fixed"`
	Flaky   bool   `json:"flaky"`
	Runs    int    `json:"runs" arg:"min=2,max=200"`
	Seconds int    `json:"seconds" arg:"min=1,max=3600"`
}

// These are the defaults of the parameters.
const (
	bisectRuns    = 60
	bisectSeconds = 300
)

// bisectTool runs a command of the client at commits of the repository, confined. The server
// offers it only if the user allows it.
type bisectTool struct {
	server *Server
	text   prompts.Tool
	args   agent.Args[bisectParams]
}

func newBisectTool(s *Server) (*bisectTool, error) {
	p, err := prompts.Get("mcp/bisect")
	if err != nil {
		return nil, err
	}
	text := p.Tool()
	args, err := agent.NewArgs[bisectParams](text.Params)
	return &bisectTool{server: s, text: text, args: args}, err
}

func (t *bisectTool) tool() Tool {
	return Tool{
		Spec:  agent.Spec{Name: "bisect", Description: t.text.Description, Parameters: t.args.Schema},
		Title: "Since which commit a command fails", Call: t.call, Structured: true, Runs: true,
	}
}

// call answers one call of the tool.
func (t *bisectTool) call(ctx context.Context, args json.RawMessage) (agent.Result, error) {
	p := bisectParams{Runs: bisectRuns, Seconds: bisectSeconds}
	if err := t.args.Decode("bisect", args, &p); err != nil {
		return agent.Result{}, err
	}
	q, err := t.question(ctx, p)
	if err != nil {
		return agent.Result{}, err
	}
	replaced, err := engine.ReplacedNote(ctx, t.server.Repo)
	if err != nil {
		return agent.Result{}, err
	}
	e := &engine.Engine{Repo: t.server.Repo, Trial: *t.server.Trial, MaxRuns: p.Runs}
	e.Trial.Timeout = time.Duration(p.Seconds) * time.Second
	found, err := e.Answer(ctx, q, engine.Memory{}, func(event agent.Event) {
		if step, ok := event.(agent.Progress); ok {
			progress(ctx, step.Text)
		}
	})
	if old := new(bisect.OldError); errors.As(err, &old) {
		if old.Chance {
			return agent.Result{}, errors.New(found.ByChance(old))
		}
		return agent.Result{}, errors.New(wrongEnd(old, q.Tip, p.Fixed))
	}
	if err != nil {
		return agent.Result{}, err
	}
	if replaced != "" {
		found.Notes = append(found.Notes, replaced)
	}
	if found.Culprit != nil {
		redactSuspect(*found.Culprit)
	}
	var text strings.Builder
	if err := render.NewHuman(&text, ui.Palette{}, clientWidth, false, nil).WithoutFlags().Bisect(found, ""); err != nil {
		return agent.Result{}, err
	}
	value := render.BisectJSONOf(found)
	value.Notes = clientNotes(value.Notes)
	return agent.Result{Text: clientText(text.String()), Value: value}, nil
}

// wrongEnd says which end of the search is wrong, by the parameters that name the ends.
func wrongEnd(old *bisect.OldError, tip gitext.OID, fixed bool) string {
	isNew, isOld, older, other := "fails", "passes", "good", "the commit since which it passes is found with fixed"
	if fixed {
		isNew, isOld, older, other = "passes", "fails", "bad", "the commit since which it fails is found without fixed"
	}
	at := old.Commit.Short()
	switch {
	case old.Newer:
		return fmt.Sprintf("%s, where the command %s as you say, is newer than %s, where it %s; %s", at, isOld, tip.Short(), isNew, other)
	case old.Base:
		return fmt.Sprintf("the command %s at %s already, which both ends of the search share; let %s name a commit in the history of %s",
			isNew, at, older, tip.Short())
	}
	return fmt.Sprintf("the command %s at %s, where it %s as you say; let %s name an older commit, or leave it out, and one is looked for",
		isNew, at, isOld, older)
}

// question makes the question of a call. Uncommitted tests of the work tree are laid over each
// commit if the search begins at HEAD.
func (t *bisectTool) question(ctx context.Context, p bisectParams) (q engine.Question, err error) {
	if strings.TrimSpace(p.Command) == "" {
		return q, errors.New("the command is empty")
	}
	q.Test, q.Build, q.Fixed, q.Flaky = p.Command, p.Build, p.Fixed, p.Flaky
	tip, old := p.Bad, p.Good
	if p.Fixed {
		tip, old = old, tip
	}
	repo := t.server.Repo
	if tip == "" {
		if q.Tip, err = repo.Resolve(ctx, t.server.newest()); err != nil {
			return q, err
		}
		if t.server.newest() == "HEAD" {
			var laid engine.Laid
			laid, err = engine.UncommittedTests(ctx, repo, p.Command, nil)
			q.Over, q.Units = laid.Files, laid.Units
		}
	} else {
		q.Tip, err = repo.ResolveName(ctx, tip)
	}
	if err != nil {
		return q, err
	}
	if err := t.server.checkVisible(ctx, q.Tip); err != nil {
		return q, err
	}
	if old != "" {
		oid, err := repo.ResolveName(ctx, old)
		if err != nil {
			return q, err
		}
		q.Old = []gitext.OID{oid}
	}
	return q, nil
}
