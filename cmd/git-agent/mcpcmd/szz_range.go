package mcpcmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"git-agent/agent"
	"git-agent/agent/suspect"
	"git-agent/agent/szz"
	"git-agent/agent/szz/engine"
	"git-agent/agent/szz/risk"
	"git-agent/cmd/git-agent/render"
	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext"
	"git-agent/prompts"
)

// checkParams are the parameters of the tool szz_check.
type checkParams struct {
	Revision string `json:"revision"`
	Since    string `json:"since"`
	Max      int    `json:"max" arg:"min=1,max=1000"`
}

// riskParams are the parameters of the tool szz_risk.
type riskParams struct {
	Revision    string `json:"revision"`
	Uncommitted string `json:"uncommitted" arg:"enum=staged|worktree"`
}

// statParams are the parameters of the tool szz_stat.
type statParams struct {
	Revision string `json:"revision"`
	Since    string `json:"since"`
	Max      int    `json:"max" arg:"min=1,max=2000"`
}

const (
	checkMax = 20  // default number of commits whose trailers are checked
	askedMax = 20  // most commits about which the ranking is asked, too
	statMax  = 200 // default number of commits whose fixes are traced
)

// rangeTools serves the parts of szz that are not about one fix. Like szz, they never ask a model
// and write nothing.
type rangeTools struct {
	szz       *szzTool
	texts     map[string]prompts.Tool
	checkArgs agent.Args[checkParams]
	riskArgs  agent.Args[riskParams]
	statArgs  agent.Args[statParams]
}

func newRangeTools(szz *szzTool) (*rangeTools, error) {
	t := &rangeTools{szz: szz, texts: map[string]prompts.Tool{}}
	for _, name := range []string{"szz_check", "szz_risk", "szz_stat"} {
		p, err := prompts.Get("mcp/" + name)
		if err != nil {
			return nil, err
		}
		t.texts[name] = p.Tool()
	}
	var err1, err2, err3 error
	t.checkArgs, err1 = agent.NewArgs[checkParams](t.texts["szz_check"].Params)
	t.riskArgs, err2 = agent.NewArgs[riskParams](t.texts["szz_risk"].Params)
	t.statArgs, err3 = agent.NewArgs[statParams](t.texts["szz_stat"].Params)
	return t, errors.Join(err1, err2, err3)
}

func (t *rangeTools) tools() []Tool {
	one := func(name, title string, schema json.RawMessage, call func(context.Context, json.RawMessage) (agent.Result, error)) Tool {
		return Tool{
			Spec:       agent.Spec{Name: name, Description: t.texts[name].Description, Parameters: schema},
			Title:      title,
			Call:       call,
			Structured: true,
		}
	}
	return []Tool{
		one("szz_check", "Check Fixes: trailers", t.checkArgs.Schema, t.check),
		one("szz_risk", "What history shows about a change", t.riskArgs.Schema, t.risk),
		one("szz_stat", "Where bugs come from", t.statArgs.Schema, t.stat),
	}
}

// commits returns the newest commits of a range, newest first.
func (t *rangeTools) commits(ctx context.Context, revision, since string, most int) ([]gitext.OID, error) {
	repo := t.szz.server.Repo
	if repo.Shallow() {
		return nil, errShallow
	}
	tip, err := t.szz.fix(ctx, revision)
	if err != nil {
		return nil, err
	}
	if err := t.szz.server.checkVisible(ctx, tip); err != nil {
		return nil, err
	}
	var not []gitext.OID
	if since != "" {
		oid, err := repo.ResolveName(ctx, since)
		if err != nil {
			return nil, err
		}
		not = append(not, oid)
	}
	list, err := repo.Newest(ctx, tip, not, most)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no commit of %s is after %s", tip.Short(), since)
	}
	oids := make([]gitext.OID, len(list))
	for i, c := range list {
		oids[i] = c.OID
	}
	return oids, nil
}

// check answers one call of szz_check.
func (t *rangeTools) check(ctx context.Context, args json.RawMessage) (agent.Result, error) {
	p := checkParams{Max: checkMax}
	if err := t.checkArgs.Decode("szz_check", args, &p); err != nil {
		return agent.Result{}, err
	}
	if p.Since == "" {
		p.Max = 1
	}
	oids, err := t.commits(ctx, p.Revision, p.Since, p.Max)
	if err != nil {
		return agent.Result{}, err
	}
	trailers := engine.TrailerCheck{Engine: t.szz.engine(), Asks: len(oids) <= askedMax}
	found, err := trailers.Check(ctx, oids)
	if err != nil {
		return agent.Result{}, err
	}
	var text strings.Builder
	people := render.CheckFindings{W: &text}
	for _, f := range found {
		if err := people.Finding(f); err != nil {
			return agent.Result{}, err
		}
	}
	if len(found) == 0 {
		fmt.Fprintf(&text, "nothing is wrong with the trailers of %s\n", agent.Plural(len(oids), "commit"))
	}
	return agent.Result{Text: agent.Clean(text.String()), Value: render.CheckListJSONOf(found, len(oids), trailers.Asks)}, nil
}

// risk answers one call of szz_risk.
func (t *rangeTools) risk(ctx context.Context, args json.RawMessage) (agent.Result, error) {
	var p riskParams
	if err := t.riskArgs.Decode("szz_risk", args, &p); err != nil {
		return agent.Result{}, err
	}
	q, err := t.riskQuestion(ctx, p)
	if err != nil {
		return agent.Result{}, err
	}
	v, err := risk.Assess(ctx, t.szz.server.Repo, q)
	switch {
	case err != nil:
		return agent.Result{}, err
	case v.Files == 0 && q.Source == szz.SourceStaged:
		return agent.Result{}, errors.New(`nothing is staged; worktree takes changes that are not staged`)
	case v.Files == 0 && q.Source == szz.SourceWorktree:
		return agent.Result{}, errors.New("no tracked file is changed; git add --intent-to-add <path> lets git see a new file")
	}
	var text strings.Builder
	people := render.Risk{
		W: &text, All: true, Path: func(path string) string { return path }, Command: func(e suspect.Evidence) string { return e.Command },
	}
	if err := people.Answer(v, q.Source); err != nil {
		return agent.Result{}, err
	}
	if len(v.Findings) == 0 {
		text.WriteString("  history shows nothing\n")
	}
	return agent.Result{Text: agent.Clean(text.String()), Value: render.RiskJSONOf(v)}, nil
}

// riskQuestion returns the question about a change.
func (t *rangeTools) riskQuestion(ctx context.Context, p riskParams) (szz.Question, error) {
	server := t.szz.server
	switch {
	case server.Repo.Shallow():
		return szz.Question{}, errShallow
	case p.Uncommitted != "" && p.Revision != "":
		return szz.Question{}, errors.New("a change is a revision or uncommitted, not both")
	case p.Uncommitted != "" && server.Repo.Bare():
		return szz.Question{}, errors.New("a bare repository has no uncommitted changes")
	case p.Uncommitted != "" && (server.Fix != "" || server.Tip != ""):
		return szz.Question{}, errors.New("uncommitted changes are not visible here: this server hides what came later")
	}
	oid, err := t.szz.fix(ctx, p.Revision)
	if err != nil {
		return szz.Question{}, err
	}
	if err := server.checkVisible(ctx, oid); err != nil {
		return szz.Question{}, err
	}
	q := szz.Question{Fix: oid, Index: server.Repo.Indexed(ctx, oid)}
	switch p.Uncommitted {
	case "staged":
		q.Source = szz.SourceStaged
	case "worktree":
		q.Source = szz.SourceWorktree
	}
	return q, nil
}

// stat answers one call of szz_stat.
func (t *rangeTools) stat(ctx context.Context, args json.RawMessage) (agent.Result, error) {
	p := statParams{Max: statMax}
	if err := t.statArgs.Decode("szz_stat", args, &p); err != nil {
		return agent.Result{}, err
	}
	server := t.szz.server
	if server.Fix != "" || server.Tip != "" {
		return agent.Result{}, errors.New("sums by release are not visible here: this server hides what came later")
	}
	oids, err := t.commits(ctx, p.Revision, p.Since, p.Max)
	if err != nil {
		return agent.Result{}, err
	}
	index := server.Repo.Indexed(ctx, oids[0])
	questions := func(yield func(szz.Question, error) bool) {
		for _, oid := range oids {
			if !yield(szz.Question{Fix: oid, Annotations: true, Max: 1, Index: index}, nil) {
				return
			}
		}
	}
	o, err := t.szz.engine().Sum(ctx, questions, runtime.GOMAXPROCS(0), func(n int) {
		progress(ctx, fmt.Sprintf("tracing: %d of %d commits", n, len(oids)))
	})
	if err != nil {
		return agent.Result{}, err
	}
	var text strings.Builder
	if err := render.Stat(&text, ui.Palette{}, o, false); err != nil {
		return agent.Result{}, err
	}
	return agent.Result{Text: agent.Clean(text.String()), Value: render.StatJSONOf(o)}, nil
}
