package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"git-agent/agent"
	"git-agent/agent/gittool"
	"git-agent/agent/mcp"
	"git-agent/agent/secret"
	"git-agent/agent/szz/detect"
	"git-agent/cache"
	"git-agent/gitext"
	"git-agent/prompts"
)

// mcpCmd is `git agent mcp`: the tools and szz for other agents.
type mcpCmd struct {
	Repo  string `placeholder:"<directory>" kind:"path" help:"serve the repository at <directory>; default: the current one"`
	Tip   string `xor:"tip" placeholder:"<revision>" help:"let the tools see only <revision> and its ancestors; default: HEAD"`
	Fix   string `xor:"tip" placeholder:"<revision>" help:"let the tools see only what existed before this fix, and make it the default fix of szz"`
	Cache bool   `negatable:"" default:"true" help:"reuse cached answers, and cache new ones"`
}

// Run serves standard input and output until the client leaves.
func (c *mcpCmd) Run(ctx context.Context, a *app) error {
	repo, err := a.open(ctx, gitext.OpenOptions{Dir: c.Repo, AllowShallow: true})
	if err != nil {
		return err
	}
	s := &mcpServer{app: a, cmd: c, repo: repo}
	if _, err := s.scope(ctx); err != nil && (c.Tip != "" || c.Fix != "") {
		return err // a repository without commits may get one while we serve
	}
	if c.Cache {
		s.cache = a.openCache(ctx, repo)
		defer s.cache.Close() // what it could not keep it has warned about
	}
	opt, err := s.options()
	if err != nil {
		return err
	}
	if out := asFile(a.raw); out != nil {
		opt.Gone = func() bool { return readerGone(out) }
	}
	if isTerminal(a.stdin) {
		a.say("this speaks the Model Context Protocol and waits for a client; 'git agent mcp --help' says how to add it to one")
	}
	return mcp.Serve(ctx, a.stdin, a.raw, opt)
}

// mcpServer answers the calls of one session.
type mcpServer struct {
	app   *app
	cmd   *mcpCmd
	repo  *gitext.Repo
	cache *cache.Cache // nil keeps nothing
}

// scope is what the git tools see now: HEAD moves while a session lasts.
func (s *mcpServer) scope(ctx context.Context) (gittool.Scope, error) {
	if s.cmd.Fix == "" {
		rev := s.cmd.Tip
		if rev == "" {
			rev = "HEAD"
		}
		tip, err := s.repo.Resolve(ctx, rev)
		return gittool.Scope{Tip: tip}, err
	}
	fix, err := s.repo.Resolve(ctx, s.cmd.Fix)
	if err != nil {
		return gittool.Scope{}, err
	}
	c, err := s.repo.Commit(ctx, fix)
	if err != nil {
		return gittool.Scope{}, err
	}
	if len(c.Parents) == 0 {
		return gittool.Scope{}, fmt.Errorf("%s is the first commit of its history: there is nothing before it", fix.Short())
	}
	return gittool.Scope{Tip: c.Parents[0], Fix: fix}, nil
}

// newest is the newest commit that szz may trace, and what it traces when no
// other one is named.
func (s *mcpServer) newest() string { return cmp.Or(s.cmd.Fix, s.cmd.Tip, "HEAD") }

// checkVisible refuses to trace a commit that --fix or --tip hides: what it fixes and
// why would tell what came later. The fix itself is the question.
func (s *mcpServer) checkVisible(ctx context.Context, oid gitext.OID) error {
	if s.cmd.Fix == "" && s.cmd.Tip == "" {
		return nil
	}
	newest, err := s.repo.Resolve(ctx, s.newest())
	if err != nil {
		return err
	}
	within, err := s.repo.IsAncestor(ctx, oid, newest)
	if err == nil && !within {
		err = fmt.Errorf("%s is not visible here: this server shows %s and its ancestors only", oid.Short(), newest.Short())
	}
	return err
}

func (s *mcpServer) options() (mcp.Options, error) {
	specs, err := gittool.Specs()
	if err != nil {
		return mcp.Options{}, err
	}
	hello, err := prompts.Get("mcp/instructions")
	if err != nil {
		return mcp.Options{}, err
	}
	szz, err := newMCPSzz(s)
	if err != nil {
		return mcp.Options{}, err
	}
	opt := mcp.Options{Version: versionString(), Instructions: hello.Text, Mask: secret.New(s.app.keys()...).Mask, Tools: []mcp.Tool{szz.tool()}}
	for _, spec := range specs {
		opt.Tools = append(opt.Tools, mcp.Tool{Spec: spec, Title: mcpTitles[spec.Name], Call: func(ctx context.Context, args json.RawMessage) (agent.Result, error) {
			return s.callGit(ctx, spec.Name, args)
		}})
	}
	opt.Prompts = []mcp.Prompt{{
		Name: "trace-bug", Title: "Trace a bug to its origin",
		Description: "Find the commit that introduced the bug that a given commit fixes.",
		Arguments:   []mcp.Argument{{Name: "fix", Description: "the commit that fixes the bug; default: HEAD"}},
		Text:        traceBugPrompt,
	}}
	return opt, nil
}

// mcpTitles are the tools' names for people.
var mcpTitles = map[string]string{
	"git_blame":        "Who last changed lines",
	"git_show":         "Show a commit",
	"git_log_search":   "Commits that added or removed a text",
	"git_log_function": "History of a function or lines",
	"git_grep":         "Find text in a revision",
}

// callGit answers one call of a git tool in the scope of this moment.
func (s *mcpServer) callGit(ctx context.Context, name string, args json.RawMessage) (agent.Result, error) {
	scope, err := s.scope(ctx)
	if err != nil {
		return agent.Result{}, err
	}
	box, err := gittool.New(s.repo, scope, gittool.Options{Memory: s.cache})
	if err != nil {
		return agent.Result{}, err
	}
	return box.Call(ctx, name, args)
}

// traceBugPrompt is the text of the prompt trace-bug.
func traceBugPrompt(args map[string]string) (string, error) {
	method, err := detect.Method(true)
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

// keys are the secrets that this process was given in its environment.
func (a *app) keys() []string {
	var keys []string
	for _, name := range []string{"GIT_AGENT_API_KEY", "OPENAI_API_KEY"} {
		if key := a.env.get(name); key != "" {
			keys = append(keys, key)
		}
	}
	return keys
}
