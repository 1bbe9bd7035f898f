package mcpcmd

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"git-agent/agent"
	"git-agent/agent/release"
	"git-agent/agent/secret"
	"git-agent/agent/suspect"
	"git-agent/agent/szz"
	"git-agent/agent/szz/engine"
	"git-agent/cmd/git-agent/render"
	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext"
	"git-agent/prompts"
)

// szzParams are the parameters of the tool szz.
type szzParams struct {
	Revision    string `json:"revision"`
	Algorithm   string `json:"algorithm" arg:"enum=rank|b|ag|ma|l|r|ra"`
	Max         int    `json:"max" arg:"min=1,max=20"`
	Annotations bool   `json:"annotations"`
	Affected    bool   `json:"affected"`
}

var errShallow = errors.New("the repository is a shallow clone, whose history is cut short; git fetch --unshallow completes it")

// szzTool serves the offline engine as a tool. It never asks a model, even if one
// is configured: the client is a model itself, and the tool must not spend the
// user's money. It shares the cache with the verb szz.
type szzTool struct {
	server *Server
	text   prompts.Tool
	args   agent.Args[szzParams]
}

func newSzzTool(s *Server) (*szzTool, error) {
	p, err := prompts.Get("mcp/szz")
	if err != nil {
		return nil, err
	}
	text := p.Tool()
	args, err := agent.NewArgs[szzParams](text.Params)
	return &szzTool{server: s, text: text, args: args}, err
}

func (t *szzTool) tool() Tool {
	return Tool{
		Spec:  agent.Spec{Name: "szz", Description: t.text.Description, Parameters: t.args.Schema},
		Title: "Commits that introduced a bug", Call: t.call, Structured: true,
	}
}

// call answers one call of the tool: it traces one fix.
func (t *szzTool) call(ctx context.Context, args json.RawMessage) (agent.Result, error) {
	p := szzParams{Algorithm: "rank", Annotations: true}
	if err := t.args.Decode("szz", args, &p); err != nil {
		return agent.Result{}, err
	}
	repo := t.server.Repo
	if repo.Shallow() {
		return agent.Result{}, errShallow
	}
	fix, err := t.fix(ctx, p.Revision)
	if err != nil {
		return agent.Result{}, err
	}
	if err := t.server.checkVisible(ctx, fix); err != nil {
		return agent.Result{}, err
	}
	if p.Affected && (t.server.Fix != "" || t.server.Tip != "") {
		return agent.Result{}, errors.New("which releases are affected is not visible here: this server hides what came later")
	}
	ans, err := t.trace(ctx, fix, p)
	if err != nil {
		return agent.Result{}, err
	}
	var text strings.Builder
	if err := render.NewHuman(&text, ui.Palette{}, clientWidth, false, nil).WithoutFlags().Answer(ans); err != nil {
		return agent.Result{}, err
	}
	value := render.AnswerJSONOf(ans)
	value.Notes = clientNotes(value.Notes)
	if p.Affected {
		if value.Affected, err = t.releases(ctx, ans, &text); err != nil {
			return agent.Result{}, err
		}
	}
	return agent.Result{Text: clientText(text.String()), Value: value}, nil
}

// releases prints the releases with the bug to text, and returns them.
func (t *szzTool) releases(ctx context.Context, ans render.Answer, text *strings.Builder) (*render.AffectedJSON, error) {
	culprits := render.CulpritsOf(ans.Answer)
	if len(culprits) == 0 {
		return nil, nil
	}
	found, err := release.Find(ctx, t.server.Repo, release.Question{Fix: ans.Answer.Fix, Culprits: culprits})
	if err != nil {
		return nil, err
	}
	people := render.Affected{W: text, NoFlags: true}
	return render.AffectedJSONOf(found), people.Answer(found)
}

// fix resolves the client's revision, or else the revision of the command line.
// The client's revision must be a plain name; the user's may have any form.
func (t *szzTool) fix(ctx context.Context, revision string) (gitext.OID, error) {
	repo := t.server.Repo
	if revision == "" {
		return repo.Resolve(ctx, t.server.newest())
	}
	return repo.ResolveName(ctx, revision)
}

func (t *szzTool) engine() *engine.Engine {
	e := &engine.Engine{Repo: t.server.Repo, Build: t.server.Build}
	if !e.Repo.Shallow() {
		e.Cache = t.server.Cache
	}
	return e
}

func (t *szzTool) trace(ctx context.Context, fix gitext.OID, p szzParams) (render.Answer, error) {
	e := t.engine()
	q := szz.Question{Fix: fix, Annotations: p.Annotations, Algorithm: p.Algorithm, Max: p.Max, Index: e.Repo.Indexed(ctx, fix)}
	ans, err := e.Answer(ctx, q, func(event agent.Event) {
		if step, ok := event.(agent.Progress); ok {
			progress(ctx, step.Text)
		}
	})
	if err != nil {
		return render.Answer{}, err
	}
	redactEvidence(ans.Answer)
	return render.Answer{Result: *ans}, nil
}

// redactEvidence redacts lines of files with the names of secret files.
func redactEvidence(v *szz.Answer) {
	for _, s := range v.Suspects {
		redactSuspect(s.Suspect)
	}
}

func redactSuspect(s suspect.Suspect) {
	for i := range s.Evidence {
		if secret.MustRedact(s.Evidence[i].Path) {
			s.Evidence[i].Text = "(withheld)"
		}
	}
}
