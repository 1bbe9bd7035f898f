package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"git-agent/agent"
	"git-agent/agent/gittool"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/render"
	"git-agent/gitext"
	"git-agent/gitext/quote"
)

// toolCmd is `git agent tool`: it calls a tool like an agent.
type toolCmd struct {
	List        bool   `xor:"what" help:"list the tools"`
	Schema      string `xor:"what" placeholder:"<tool>" help:"print a tool's description and parameters, as a model gets them"`
	At          string `default:"HEAD" placeholder:"<revision>" help:"show only <revision> and its ancestors; default: HEAD"`
	Compression bool   `negatable:"" default:"true" help:"condense long answers, as for agents"`
	JSON        bool   `name:"json" help:"print the structured answer as one JSON object"`
	Cache       bool   `negatable:"" default:"true" help:"reuse cached answers, and cache new ones"`
	Tool        string `arg:"" optional:"" name:"tool" help:"name of the tool, such as git_blame"`
	Arguments   string `arg:"" optional:"" name:"json" help:"its parameters, a JSON object"`
}

// toolSchema is the schema of --json.
const toolSchema = "git-agent/tool/1"

// Run prints exactly the text that an agent would see, even for a refused call.
func (c *toolCmd) Run(ctx context.Context, a *app.App) error {
	switch {
	case (c.List || c.Schema != "") && c.Tool != "":
		return app.Usagef("--list and --schema call no tool, but got %q", c.Tool)
	case c.List:
		return listTools(a.Stdout, c.JSON)
	case c.Schema != "":
		return printToolSpec(a.Stdout, c.Schema)
	case c.Tool == "":
		return app.Usagef("give a tool and its parameters, or --list")
	case c.Arguments == "":
		if _, err := toolSpec(c.Tool); err != nil {
			return err
		}
		return app.Usagef("give the parameters of %s as a JSON object, or see --schema=%s", c.Tool, c.Tool)
	}
	repo, err := a.Open(ctx, gitext.OpenOptions{})
	if err != nil {
		return err
	}
	tip, err := repo.Resolve(ctx, c.At)
	if err != nil {
		return err
	}
	opt := gittool.Options{Plain: !c.Compression}
	if c.Cache {
		store := a.Data.OpenCache(ctx, repo)
		defer store.Close() // the cache has warned about unstored answers
		opt.Memory = store
	}
	box, err := gittool.New(repo, gittool.Scope{Tip: tip}, opt)
	if err != nil {
		return err
	}
	res, err := box.Call(ctx, c.Tool, json.RawMessage(c.Arguments))
	var refused *agent.CallError
	if errors.As(err, &refused) {
		if !strings.HasPrefix(strings.TrimSpace(c.Arguments), "{") { // in the form of other commands' arguments
			a.Hint(ctx, `give the parameters as one JSON object, such as '{"path":"a.c"}'; --schema=`+c.Tool+" lists them")
		}
		status := app.ExitStatus(app.ExitNothing)
		if errors.As(refused.Err, new(*gitext.MissingObjectError)) {
			status = lackedByTool(ctx, a)
		}
		return errors.Join(c.refuse(a.Stdout, refused), status)
	}
	if err != nil {
		return err
	}
	if err = c.print(a.Stdout, res); err == nil && res.Lacks {
		return lackedByTool(ctx, a)
	}
	return err
}

// lackedByTool prints advice on getting the missing objects. A tool does not fetch.
func lackedByTool(ctx context.Context, a *app.App) app.ExitStatus {
	a.Hint(ctx, a.LackAdvice())
	return app.ExitIncomplete
}

// toolAnswer is the documented JSON form of an answer or a refusal.
type toolAnswer struct {
	Schema    string `json:"schema"`
	Tool      string `json:"tool"`
	Error     string `json:"error,omitempty"`
	Cached    bool   `json:"cached"`
	Truncated bool   `json:"truncated"` // the text is truncated; the value is not
	// Incomplete is the reason why the value covers only a part of the question, for example an
	// object missing in the clone.
	Incomplete string `json:"incomplete,omitempty"`
	Value      any    `json:"value,omitempty"`
}

func (c *toolCmd) print(w io.Writer, res agent.Result) error {
	if !c.JSON {
		_, err := io.WriteString(w, res.Text)
		return err
	}
	return render.WriteJSON(
		w,
		toolAnswer{Schema: toolSchema, Tool: c.Tool, Cached: res.Cached, Truncated: res.Truncated, Incomplete: res.Incomplete, Value: res.Value},
		"\n",
	)
}

func (c *toolCmd) refuse(w io.Writer, refused *agent.CallError) error {
	if !c.JSON {
		_, err := io.WriteString(w, refused.Answer())
		return err
	}
	return render.WriteJSON(w, toolAnswer{Schema: toolSchema, Tool: c.Tool, Error: refused.Text}, "\n")
}

func listTools(w io.Writer, asJSON bool) error {
	specs, err := gittool.Specs()
	if err != nil {
		return err
	}
	if asJSON {
		return render.WriteJSON(w, specs, "\n")
	}
	for _, s := range specs {
		first, _, _ := strings.Cut(s.Description, "\n")
		if i := strings.Index(first, ". "); i >= 0 {
			first = first[:i+1]
		}
		if _, err := fmt.Fprintf(w, "%-17s %s\n", s.Name, first); err != nil {
			return err
		}
	}
	return nil
}

func printToolSpec(w io.Writer, name string) error {
	spec, err := toolSpec(name)
	if err != nil {
		return err
	}
	enc := quote.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(spec)
}

// toolSpec returns the description of a tool.
func toolSpec(name string) (agent.Spec, error) {
	specs, err := gittool.Specs()
	if err != nil {
		return agent.Spec{}, err
	}
	for _, s := range specs {
		if s.Name == name {
			return s, nil
		}
	}
	return agent.Spec{}, app.WithHint(fmt.Errorf("there is no tool %q", name), "git agent tool --list")
}
