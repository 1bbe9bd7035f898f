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
	"git-agent/cmd/git-agent/terminal"
	"git-agent/gitext"
	"git-agent/prompts"
)

// mcpCmd is `git agent mcp`: it serves the git tools, szz, crash and the read-only
// parts of fix to other agents.
type mcpCmd struct {
	Repo  string `placeholder:"<directory>" kind:"path" help:"serve the repository at <directory>; default: the current one"`
	Tip   string `xor:"tip" placeholder:"<revision>" help:"let the tools see only <revision> and its ancestors; default: HEAD"`
	Fix   string `xor:"tip" placeholder:"<revision>" help:"let the tools see only what existed before this fix, and make it the default fix of szz"`
	Cache bool   `negatable:"" default:"true" help:"reuse cached answers, and cache new ones"`
}

// Run serves standard input and output until the client leaves.
func (c *mcpCmd) Run(ctx context.Context, a *app) error {
	repo, err := a.open(ctx, gitext.OpenOptions{Dir: c.Repo})
	if err != nil {
		return err
	}
	s := &mcpServer{app: a, cmd: c, repo: repo}
	if _, err := s.scope(ctx); err != nil && (c.Tip != "" || c.Fix != "") {
		return err // without --tip and --fix, the first commit may come while the server runs
	}
	if c.Cache {
		s.cache = a.data.OpenCache(ctx, repo)
		defer s.cache.Close() // the cache has warned about answers that it could not store
	}
	opt, err := s.options()
	if err != nil {
		return err
	}
	if out := terminal.File(a.raw); out != nil {
		opt.Gone = func() bool { return terminal.ReaderGone(out) }
	}
	if terminal.IsTerminal(a.stdin) {
		a.say("this speaks the Model Context Protocol and waits for a client; 'git agent mcp --help' says how to add it to one")
	}
	return mcp.Serve(ctx, a.stdin, a.raw, opt)
}

// mcpServer answers the calls of one session.
type mcpServer struct {
	app   *app
	cmd   *mcpCmd
	repo  *gitext.Repo
	cache *cache.Cache // nil with --no-cache
}

// scope returns what the git tools may see at this moment. HEAD may move while
// the server runs.
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

// newest returns the revision of the newest commit that szz may trace. It is also
// the default fix.
func (s *mcpServer) newest() string { return cmp.Or(s.cmd.Fix, s.cmd.Tip, "HEAD") }

// checkVisible returns an error if --fix or --tip hides the commit. Tracing it
// would reveal what happened later. The commit of --fix itself may be traced.
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

// options describes the server: its tools, its prompt and its instructions.
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
	crash, err := newMCPCrash(s)
	if err != nil {
		return mcp.Options{}, err
	}
	repair, err := newMCPFix(s)
	if err != nil {
		return mcp.Options{}, err
	}
	opt := mcp.Options{Version: versionString(), Instructions: hello.Text, Mask: secret.New(s.app.keys()...).Mask}
	opt.Tools = append([]mcp.Tool{szz.tool(), crash.tool()}, repair.tools()...)
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

// mcpTitles are the titles of the tools, which clients show to people.
var mcpTitles = map[string]string{
	"git_blame":        "Who last changed lines",
	"git_show":         "Show a commit",
	"git_log_search":   "Commits that added or removed a text",
	"git_log_function": "History of a function or lines",
	"git_grep":         "Find text in a revision",
}

// callGit answers one call of a git tool, in the scope at this moment.
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

// traceBugPrompt returns the text of the prompt trace-bug.
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

// keys returns the API keys in the environment of this process.
func (a *app) keys() []string {
	var keys []string
	for _, name := range []string{"GIT_AGENT_API_KEY", "OPENAI_API_KEY"} {
		if key := a.env.get(name); key != "" {
			keys = append(keys, key)
		}
	}
	return keys
}
