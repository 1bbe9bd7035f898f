package mcpcmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"git-agent/agent"
	"git-agent/agent/crash"
	"git-agent/agent/crash/engine"
	"git-agent/agent/crash/format"
	"git-agent/cmd/git-agent/render"
	"git-agent/gitext"
	"git-agent/prompts"
)

// crashParams are the parameters of the tool crash. The tool takes the text of a report instead
// of a file name: a client must not read the machine's files through the tool.
type crashParams struct {
	Report string `json:"report" arg:"required,nul,bytes=800000"`
	At     string `json:"at"`
	Since  string `json:"since"`
	Max    int    `json:"max" arg:"min=1,max=20"`
}

const (
	crashMax      = 5 // default number of files in an answer
	crashSuspects = 3
	crashStacks   = 8  // number of a report's stacks in an answer
	crashFrames   = 40 // number of a stack's frames in an answer
)

// crashTool serves the offline engine as a tool.
type crashTool struct {
	server *Server
	text   prompts.Tool
	args   agent.Args[crashParams]
}

func newCrashTool(s *Server) (*crashTool, error) {
	p, err := prompts.Get("mcp/crash")
	if err != nil {
		return nil, err
	}
	text := p.Tool()
	args, err := agent.NewArgs[crashParams](text.Params)
	return &crashTool{server: s, text: text, args: args}, err
}

func (t *crashTool) tool() Tool {
	return Tool{
		Spec:  agent.Spec{Name: "crash", Description: t.text.Description, Parameters: t.args.Schema},
		Title: "Files and commits behind a crash", Call: t.call, Structured: true,
	}
}

// call answers one call of the tool: it ranks the files behind one report.
func (t *crashTool) call(ctx context.Context, args json.RawMessage) (agent.Result, error) {
	p := crashParams{Max: crashMax}
	if err := t.args.Decode("crash", args, &p); err != nil {
		return agent.Result{}, err
	}
	report, err := format.Read(strings.NewReader(p.Report))
	if errors.Is(err, format.ErrUnknown) {
		return agent.Result{}, fmt.Errorf("%w in the text; %s", err, format.Known)
	}
	if err != nil {
		return agent.Result{}, err
	}
	question, err := t.question(ctx, p, report)
	if err != nil {
		return agent.Result{}, err
	}
	e := &engine.Engine{Repo: t.server.Repo}
	ranking, err := e.Rank(ctx, question)
	if err != nil {
		return agent.Result{}, err
	}
	for _, s := range ranking.Suspects {
		redactSuspect(s)
	}
	return t.result(report, ranking, p.Max)
}

// question returns the question about a report. With --fix or --tip, it is about the commit that
// the tools may see, even if the report names another commit.
func (t *crashTool) question(ctx context.Context, p crashParams, report *crash.Report) (crash.Question, error) {
	q := crash.Question{Report: report, Suspects: crashSuspects}
	if t.server.Fix != "" || t.server.Tip != "" {
		scope, err := t.server.Scope(ctx)
		if err != nil {
			return q, err
		}
		q.Commit = scope.Tip
	}
	for _, rev := range []struct {
		name string
		oid  *gitext.OID
	}{{p.At, &q.Commit}, {p.Since, &q.Since}} {
		if rev.name == "" {
			continue
		}
		oid, err := t.server.Repo.ResolveName(ctx, rev.name)
		if err == nil {
			err = t.server.checkVisible(ctx, oid)
		}
		if err != nil {
			return q, err
		}
		*rev.oid = oid
	}
	return q, nil
}

// result renders an answer. The client already has the report, so the answer has only its first
// stacks and frames.
func (t *crashTool) result(report *crash.Report, ranking *crash.Answer, most int) (agent.Result, error) {
	var text strings.Builder
	human := &render.CrashHuman{W: &text, Width: clientWidth, Max: most, NoFlags: true, Place: func(path string) string { return path }}
	if err := human.Crash("-", report, ranking); err != nil {
		return agent.Result{}, err
	}
	value := render.CrashAnswerOf("-", shortReport(report), shortRanking(ranking), most)
	value.Notes = clientNotes(value.Notes)
	return agent.Result{Text: clientText(text.String()), Value: value}, nil
}

// shortReport returns a report with its first stacks and their first frames.
func shortReport(report *crash.Report) *crash.Report {
	out := *report
	out.Stacks = append([]crash.Stack{}, report.Stacks[:min(len(report.Stacks), crashStacks)]...)
	out.Problems = report.Problems[:min(len(report.Problems), crashStacks)]
	for i, s := range out.Stacks {
		if n := len(s.Frames) - crashFrames; n > 0 {
			out.Stacks[i].Frames, out.Stacks[i].Omitted = s.Frames[:crashFrames], s.Omitted+n
		}
	}
	if n := len(report.Stacks) - len(out.Stacks); n > 0 {
		out.Notes = append(append([]string{}, report.Notes...), agent.Plural(n, "more stack")+" left out")
	}
	return &out
}

// shortRanking returns a ranking whose files name only frames in the answer.
func shortRanking(ranking *crash.Answer) *crash.Answer {
	out := *ranking
	out.Files = nil
	for _, f := range ranking.Files {
		var frames []crash.FrameRef
		for _, ref := range f.Frames {
			if ref.Stack < crashStacks && ref.Frame < crashFrames {
				frames = append(frames, ref)
			}
		}
		f.Frames = frames
		out.Files = append(out.Files, f)
	}
	return &out
}
