package trace

import (
	"io"
	"time"

	"git-agent/agent"
)

// MiniFormat is the format of mini-swe-agent's trajectory files ("*.traj.json"),
// which its inspector and the tools around SWE-bench read.
const MiniFormat = "mini-swe-agent-1.1"

type miniTrajectory struct {
	Info     miniInfo      `json:"info"`
	Messages []miniMessage `json:"messages"`
	Format   string        `json:"trajectory_format"`
}

type miniInfo struct {
	Stats struct {
		Cost  float64 `json:"instance_cost"` // 0 if unknown, as in mini-swe-agent
		Calls int     `json:"api_calls"`
	} `json:"model_stats"`
	Config struct {
		Agent     map[string]any `json:"agent"`
		AgentType string         `json:"agent_type"`
		Model     map[string]any `json:"model"`
		ModelType string         `json:"model_type"`
	} `json:"config"`
	Version    string `json:"mini_version"`
	Exit       string `json:"exit_status"`
	Submission string `json:"submission"`
}

// miniMessage is a message of chat completions with an additional field "extra".
type miniMessage struct {
	Role    string         `json:"role"`
	Content string         `json:"content"`
	Thought string         `json:"reasoning_content,omitempty"`
	Calls   []miniCall     `json:"tool_calls,omitempty"`
	CallID  string         `json:"tool_call_id,omitempty"`
	Extra   map[string]any `json:"extra,omitempty"`
}

type miniCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name string `json:"name"`
		Args string `json:"arguments"`
	} `json:"function"`
}

// WriteMini writes the run in the format of mini-swe-agent. It returns an error for a
// run without a conversation.
func (t *Trajectory) WriteMini(w io.Writer) error {
	if err := t.needConversation(); err != nil {
		return err
	}
	out := miniTrajectory{Format: MiniFormat}
	out.Info.Stats.Calls = t.Answers()
	if u := t.Usage(); u.CostUSD != nil {
		out.Info.Stats.Cost = *u.CostUSD
	}
	limits := t.Opening.Limits
	out.Info.Config.Agent = t.summary()
	out.Info.Config.Agent["step_limit"], out.Info.Config.Agent["cost_limit"] = limits.Turns, limits.USD
	out.Info.Config.Agent["wall_time_limit_seconds"] = int(limits.Wall.Seconds())
	out.Info.Config.AgentType, out.Info.Config.ModelType = "git-agent."+t.Run.Kind, "git-agent"
	out.Info.Config.Model = map[string]any{"model_name": t.Model()}
	out.Info.Version = "git-agent " + t.version()
	out.Info.Exit, out.Info.Submission = t.miniExit(), t.submission()
	out.Messages = t.miniMessages()
	return writeJSON(w, out)
}

// miniExit returns how the run ended, in the terms of mini-swe-agent if it has one.
func (t *Trajectory) miniExit() string {
	switch s := t.Status(); s {
	case agent.StatusFound:
		return "Submitted"
	case agent.StatusLimit:
		return "LimitsExceeded"
	default:
		return s
	}
}

// submission returns the answer, as its recorded value or else as text.
func (t *Trajectory) submission() string {
	v := t.Answer()
	switch {
	case v == nil:
		return ""
	case len(v.Detail) > 0:
		return string(v.Detail)
	}
	return v.Text
}

func (t *Trajectory) miniMessages() []miniMessage {
	list := []miniMessage{{Role: "system", Content: t.Opening.System}, {Role: "user", Content: t.Opening.Prompt}}
	for _, turn := range t.Turns {
		if turn.Limit != nil {
			list = append(list, miniMessage{Role: "user", Content: turn.Limit.Text, Extra: extraAt(turn.Asked)})
		}
		switch {
		case turn.Reply() != nil:
			list = append(list, miniTurn(turn)...)
		case turn.Result != nil:
			list = append(list, miniMessage{Role: "user", Content: "no answer: " + turn.Result.Error,
				Extra: map[string]any{"interrupt_type": turn.Result.Class, "timestamp": unix(turn.Done)}})
		}
		if turn.Said != nil && !turn.Said.Final && turn.Said.Text != "" {
			list = append(list, miniMessage{Role: "user", Content: turn.Said.Text, Extra: extraAt(turn.Done)})
		}
	}
	if t.Closing == nil {
		return list
	}
	return append(list, miniMessage{Role: "exit", Content: t.miniExit(),
		Extra: map[string]any{"exit_status": t.miniExit(), "submission": t.submission(), "timestamp": unix(t.Last)}})
}

// miniTurn returns the model's reply and one message for each answer of a tool.
func miniTurn(turn Turn) []miniMessage {
	r := turn.Reply()
	said := miniMessage{Role: "assistant", Content: r.Message.Text, Thought: r.Message.Thought, Extra: extraAt(turn.Done)}
	actions := []map[string]any{}
	answers := []miniMessage{}
	for _, c := range turn.Calls {
		call := miniCall{ID: c.id(turn.N), Type: "function"}
		call.Function.Name, call.Function.Args = c.Name, c.Args
		said.Calls = append(said.Calls, call)
		actions = append(actions, map[string]any{"command": c.Name + " " + ArgsText(c.Args), "tool_call_id": call.ID})
		if c.Result != nil {
			answers = append(answers, c.miniAnswer(call.ID))
		}
	}
	u := r.Usage
	said.Extra["actions"] = actions
	said.Extra["response"] = map[string]any{"id": r.ID, "model": r.Model, "usage": map[string]any{
		"prompt_tokens": u.Prompt(), "completion_tokens": u.Output, "total_tokens": u.Prompt() + u.Output,
		"prompt_tokens_details":     map[string]any{"cached_tokens": u.CacheRead},
		"completion_tokens_details": map[string]any{"reasoning_tokens": u.Reasoning},
	}}
	if u.CostUSD != nil {
		said.Extra["cost"] = *u.CostUSD
	}
	return append([]miniMessage{said}, answers...)
}

func (c Call) miniAnswer(id string) miniMessage {
	m := miniMessage{Role: "tool", CallID: id, Content: c.Result.Text, Extra: extraAt(c.Ended)}
	m.Extra["returncode"] = 0
	if c.Result.Failed {
		m.Extra["returncode"] = 1
	}
	m.Extra["raw_output"] = c.Result.Text
	if c.Result.Full != "" {
		m.Extra["raw_output"] = c.Result.Full
	}
	return m
}

func extraAt(at time.Time) map[string]any { return map[string]any{"timestamp": unix(at)} }

// unix returns a time in seconds as Python does, or 0 if it is unknown.
func unix(at time.Time) float64 {
	if at.IsZero() {
		return 0
	}
	return float64(at.UnixMicro()) / 1e6
}
