// Package mcpcmd serves the git tools, szz, crash, the read-only parts of fix and, if the user
// allows it, bisect to other agents. It implements the verb mcp except for its command line.
package mcpcmd

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"git-agent/agent"
	"git-agent/agent/gittool"
	"git-agent/agent/secret"
	"git-agent/agent/szz/investigate"
	"git-agent/agent/trial"
	"git-agent/cache"
	"git-agent/cmd/git-agent/render"
	"git-agent/cmd/git-agent/schema"
	"git-agent/cmd/git-agent/store"
	"git-agent/gitext"
	"git-agent/prompts"
)

// A Server answers the calls of one session about one repository.
type Server struct {
	Repo     *gitext.Repo
	Tip, Fix string       // the revisions of --tip and --fix; at most one is not ""
	Cache    *cache.Cache // nil: no answer is stored
	Version  string       // of the program, for the client
	Build    string       // identifies the build, so that cached answers of other builds are not reused
	Keys     []string     // API keys, to be masked in answers
	// Runs opens the recorded runs, which the caller closes. nil offers none.
	Runs func(ctx context.Context) (*store.Stores, error)
	// Trial says how commands of the client are confined. nil offers no tool that runs any.
	Trial *trial.Options
}

// Scope returns the current scope of the git tools. HEAD may move while the server runs.
func (s *Server) Scope(ctx context.Context) (gittool.Scope, error) {
	if s.Fix == "" {
		rev := s.Tip
		if rev == "" {
			rev = "HEAD"
		}
		tip, err := s.Repo.Resolve(ctx, rev)
		return gittool.Scope{Tip: tip}, err
	}
	fix, err := s.Repo.Resolve(ctx, s.Fix)
	if err != nil {
		return gittool.Scope{}, err
	}
	c, err := s.Repo.Commit(ctx, fix)
	if err != nil {
		return gittool.Scope{}, err
	}
	if len(c.Parents) == 0 {
		return gittool.Scope{}, fmt.Errorf("%s is the first commit of its history: there is nothing before it", fix.Short())
	}
	return gittool.Scope{Tip: c.Parents[0], Fix: fix}, nil
}

// newest returns the revision of the newest commit that szz may trace. It is also
// the default fix.
func (s *Server) newest() string { return cmp.Or(s.Fix, s.Tip, "HEAD") }

// checkVisible returns an error if --fix or --tip hides the commit. A trace of such a commit
// would reveal later history. The commit of --fix itself may be traced.
func (s *Server) checkVisible(ctx context.Context, oid gitext.OID) error {
	if s.Fix == "" && s.Tip == "" {
		return nil
	}
	newest, err := s.Repo.Resolve(ctx, s.newest())
	if err != nil {
		return err
	}
	within, err := s.Repo.IsAncestor(ctx, oid, newest)
	if err == nil && !within {
		err = fmt.Errorf("%s is not visible here: this server shows %s and its ancestors only", oid.Short(), newest.Short())
	}
	return err
}

// Options describes the server: its tools, its prompt and its instructions.
func (s *Server) Options() (Options, error) {
	specs, err := gittool.Specs()
	if err != nil {
		return Options{}, err
	}
	hello, err := s.instructions()
	if err != nil {
		return Options{}, err
	}
	szz, err := newSzzTool(s)
	if err != nil {
		return Options{}, err
	}
	ranges, err := newRangeTools(szz)
	if err != nil {
		return Options{}, err
	}
	crash, err := newCrashTool(s)
	if err != nil {
		return Options{}, err
	}
	repair, err := newFixTools(s)
	if err != nil {
		return Options{}, err
	}
	opt := Options{Version: s.Version, Instructions: hello, Mask: secret.New(s.Keys...).Mask}
	opt.Tools = append([]Tool{szz.tool(), crash.tool()}, repair.tools()...)
	opt.Tools = append(opt.Tools, ranges.tools()...)
	if s.Trial != nil {
		search, err := newBisectTool(s)
		if err != nil {
			return Options{}, err
		}
		opt.Tools = append(opt.Tools, search.tool())
	}
	if err := announceOutputs(opt.Tools); err != nil {
		return Options{}, err
	}
	for _, spec := range specs {
		opt.Tools = append(
			opt.Tools,
			Tool{Spec: spec, Title: titles[spec.Name], Call: func(ctx context.Context, args json.RawMessage) (agent.Result, error) {
				return s.callGit(ctx, spec.Name, args)
			}},
		)
	}
	opt.Prompts = []Prompt{{
		Name: "trace-bug", Title: "Trace a bug to its origin",
		Description: "Find the commit that introduced the bug that a given commit fixes.",
		Arguments:   []Argument{{Name: "fix", Description: "the commit that fixes the bug; default: HEAD"}},
		Text:        traceBugPrompt,
	}}
	opt.Prompts = append(opt.Prompts, skillPrompts(s.Trial != nil)...)
	opt.Resources = s.recordedRuns()
	return opt, nil
}

// instructions returns the first information for a client's model.
func (s *Server) instructions() (string, error) {
	p, err := prompts.Get("mcp/instructions")
	if err != nil {
		return "", err
	}
	return p.Render(map[string]bool{"Runs": s.Trial != nil})
}

// modelOrTests are the parts of an answer that only a model, a command that verifies suspects, or the option -v adds.
// The tools have none of these, and clients may show a model all that is announced.
var modelOrTests = []string{
	"agent", "opinion", "files.vote", "own_test", "own_tested", "unproved",
	"suspects.prior", "suspects.type", "suspects.confirmation", "suspects.request",
	"owner.prior", "owner.type", "owner.confirmation", "owner.request",
}

// announceOutputs sets the schemas of the structured answers.
func announceOutputs(tools []Tool) error {
	forms := map[string]schema.Format{
		"szz": render.AnswerForm(), "szz_check": render.CheckListForm(), "szz_risk": render.RiskForm(), "szz_stat": render.StatForm(),
		"crash": render.CrashForm(), "fix_locate": render.FixForm(), "bisect": render.BisectForm(),
	}
	for i := range tools {
		form, ok := forms[tools[i].Spec.Name]
		if !ok {
			continue
		}
		form.Without = modelOrTests
		if tools[i].Spec.Name == "fix_locate" {
			form.Empty = []string{"patches", "others"}
		}
		var err error
		if tools[i].Output, err = form.Compact(); err != nil {
			return err
		}
	}
	return nil
}

// titles are the titles of the tools, which clients show to people.
var titles = map[string]string{
	"git_blame":        "Who last changed lines",
	"git_show":         "Show a commit",
	"git_log_search":   "Commits that added or removed a text",
	"git_log_function": "History of a function or lines",
	"git_grep":         "Find text in a revision",
}

// callGit answers one call of a git tool in the current scope.
func (s *Server) callGit(ctx context.Context, name string, args json.RawMessage) (agent.Result, error) {
	scope, err := s.Scope(ctx)
	if err != nil {
		return agent.Result{}, err
	}
	box, err := gittool.New(s.Repo, scope, gittool.Options{Memory: s.Cache})
	if err != nil {
		return agent.Result{}, err
	}
	return box.Call(ctx, name, args)
}

// traceBugPrompt returns the text of the prompt trace-bug.
func traceBugPrompt(args map[string]string) (string, error) {
	method, err := investigate.Method(true)
	if err != nil {
		return "", err
	}
	p, err := prompts.Get("mcp/trace-bug")
	if err != nil {
		return "", err
	}
	fix := agent.CleanLine(args["fix"])
	if fix == "" {
		fix = "HEAD"
	}
	return p.Render(map[string]string{"Fix": fix, "Method": method})
}
