package trace

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"git-agent/agent/model"
	"git-agent/gitext/quote"
)

// atifVersion is the version of the Agent Trajectory Interchange Format (Harbor, RFC
// 0001) that WriteATIF writes. Strict readers accept only the fields below.
const atifVersion = "ATIF-v1.7"

type atifTrajectory struct {
	Schema       string         `json:"schema_version"`
	SessionID    string         `json:"session_id"`
	TrajectoryID string         `json:"trajectory_id"`
	Agent        atifAgent      `json:"agent"`
	Steps        []atifStep     `json:"steps"`
	Notes        string         `json:"notes,omitempty"`
	Final        atifFinal      `json:"final_metrics"`
	Extra        map[string]any `json:"extra,omitempty"`
}

type atifAgent struct {
	Name    string         `json:"name"`
	Version string         `json:"version"`
	Model   string         `json:"model_name,omitempty"`
	Tools   []functionTool `json:"tool_definitions,omitempty"`
	Extra   map[string]any `json:"extra,omitempty"`
}

// functionTool describes a tool in the form of chat completions.
type functionTool struct {
	Type     string     `json:"type"`
	Function model.Tool `json:"function"`
}

// atifStep is one step. Only steps of the agent may have reasoning, calls, an
// observation and metrics.
type atifStep struct {
	ID          int              `json:"step_id"`
	At          string           `json:"timestamp,omitempty"`
	Source      string           `json:"source"` // system, user or agent
	Model       string           `json:"model_name,omitempty"`
	Message     string           `json:"message"`
	Thought     string           `json:"reasoning_content,omitempty"`
	Calls       []atifCall       `json:"tool_calls,omitempty"`
	Observation *atifObservation `json:"observation,omitempty"`
	Metrics     *atifMetrics     `json:"metrics,omitempty"`
	Extra       map[string]any   `json:"extra,omitempty"`
}

type atifCall struct {
	ID   string          `json:"tool_call_id"`
	Name string          `json:"function_name"`
	Args json.RawMessage `json:"arguments"` // must be a JSON object
}

type atifObservation struct {
	Results []atifResult `json:"results"`
}

type atifResult struct {
	CallID  string `json:"source_call_id"`
	Content string `json:"content"`
}

type atifMetrics struct {
	Prompt     int64          `json:"prompt_tokens"` // cached tokens included
	Completion int64          `json:"completion_tokens"`
	Cached     int64          `json:"cached_tokens"`
	USD        *float64       `json:"cost_usd,omitempty"`
	Extra      map[string]any `json:"extra,omitempty"`
}

type atifFinal struct {
	Prompt     int64    `json:"total_prompt_tokens"`
	Completion int64    `json:"total_completion_tokens"`
	Cached     int64    `json:"total_cached_tokens"`
	USD        *float64 `json:"total_cost_usd,omitempty"`
	Steps      int      `json:"total_steps"`
}

// WriteATIF writes the run as ATIF, which Harbor, TRL and SkyRL read. It returns an
// error for a run without a conversation, because ATIF needs a step.
func (t *Trajectory) WriteATIF(w io.Writer) error {
	if err := t.needConversation(); err != nil {
		return err
	}
	out := atifTrajectory{
		Schema: atifVersion, SessionID: string(t.Run.ID), TrajectoryID: string(t.Run.ID),
		Agent: atifAgent{Name: "git-agent", Version: t.version(), Model: t.Model(), Tools: t.functionTools()},
		Extra: t.summary(), Notes: strings.Join(t.Damaged, "\n"),
	}
	if t.About.Settings != "" {
		out.Agent.Extra = map[string]any{"settings": t.About.Settings}
	}
	out.Steps = t.atifSteps()
	u := t.Usage()
	out.Final = atifFinal{u.Prompt(), u.Output, u.CacheRead, u.CostUSD, len(out.Steps)}
	return writeJSON(w, out)
}

// needConversation returns an error if the run has no conversation to export.
func (t *Trajectory) needConversation() error {
	if t.Opening == nil {
		return fmt.Errorf("run %s (%s) holds no conversation", t.Run.ID, t.Run.Kind)
	}
	return nil
}

// version returns the version of the program. It is never empty, because readers
// reject that.
func (t *Trajectory) version() string {
	for _, v := range []string{t.About.Version, t.Run.Version} {
		if v != "" {
			return v
		}
	}
	return "unknown"
}

func (t *Trajectory) functionTools() []functionTool {
	var list []functionTool
	for _, tool := range t.Opening.Tools {
		list = append(list, functionTool{"function", tool})
	}
	return list
}

// summary describes the subject and the end of a run, for fields with free content.
func (t *Trajectory) summary() map[string]any {
	s := map[string]any{"kind": t.Run.Kind, "status": t.Status()}
	if t.About.Fix != "" {
		s["fix"] = t.About.Fix
	}
	if t.About.Title != "" {
		s["crash"], s["commit"] = t.About.Title, t.About.Commit
	}
	if t.About.Repo != "" {
		s["repo"], s["case"] = t.About.Repo, t.About.Case
	}
	if t.Closing != nil && t.Closing.Reason != "" {
		s["reason"] = t.Closing.Reason
	}
	if v := t.Answer(); v != nil && len(v.Detail) > 0 {
		s["verdict"] = v.Detail
	}
	return s
}

func (t *Trajectory) atifSteps() []atifStep {
	var steps []atifStep
	add := func(s atifStep, at time.Time) {
		s.ID = len(steps) + 1
		if !at.IsZero() {
			s.At = at.UTC().Format(time.RFC3339Nano)
		}
		steps = append(steps, s)
	}
	add(atifStep{Source: "system", Message: t.Opening.System}, t.Run.Started)
	add(atifStep{Source: "user", Message: t.Opening.Prompt}, t.Run.Started)
	for _, turn := range t.Turns {
		if turn.Limit != nil {
			add(atifStep{Source: "user", Message: turn.Limit.Text, Extra: map[string]any{"limit": turn.Limit.Reason}}, turn.Asked)
		}
		switch {
		case turn.Reply() != nil:
			add(t.atifStep(turn), turn.Done)
		case turn.Result != nil:
			add(atifStep{Source: "system", Message: "no answer: " + turn.Result.Error, Extra: map[string]any{"class": turn.Result.Class}}, turn.Done)
		}
		if turn.Removed != nil {
			add(atifStep{Source: "system", Message: removedText(turn.Removed.Why), Extra: map[string]any{"removed": turn.Removed.Answers}}, turn.Done)
		}
		if turn.Said != nil && !turn.Said.Final && turn.Said.Text != "" {
			add(atifStep{Source: "user", Message: turn.Said.Text}, turn.Done)
		}
	}
	return steps
}

// removedText returns the reason why answers of tools were removed from the conversation.
func removedText(why model.Class) string {
	if why == model.ClassOverflow {
		return "answers of tools were taken out: the conversation was too long"
	}
	return "answers of tools were taken out: the server refused the conversation"
}

func (t *Trajectory) atifStep(turn Turn) atifStep {
	r := turn.Reply()
	s := atifStep{Source: "agent", Model: r.Model, Message: r.Message.Text, Thought: r.Message.Thought}
	if s.Model == "" {
		s.Model = t.Model()
	}
	u := r.Usage
	s.Metrics = &atifMetrics{Prompt: u.Prompt(), Completion: u.Output, Cached: u.CacheRead, USD: u.CostUSD}
	if u.Reasoning > 0 || u.CacheWrite > 0 || u.Estimated {
		s.Metrics.Extra = map[string]any{"reasoning_tokens": u.Reasoning, "cache_write_tokens": u.CacheWrite, "estimated": u.Estimated}
	}
	if r.Finish != model.FinishStop {
		s.Extra = map[string]any{"finish": r.Finish}
	}
	for _, c := range turn.Calls {
		s.Calls = append(s.Calls, atifCall{c.id(turn.N), c.Name, c.object()})
		if c.Result != nil {
			if s.Observation == nil {
				s.Observation = &atifObservation{}
			}
			s.Observation.Results = append(s.Observation.Results, atifResult{c.id(turn.N), c.Result.Text})
		}
	}
	return s
}

// id returns the id that links a call with its answer. It makes one up if the server
// sent none.
func (c Call) id(turn int) string {
	if c.ID != "" {
		return c.ID
	}
	return fmt.Sprintf("call_%d_%d", turn, c.I)
}

// object returns the arguments as a JSON object. It wraps other arguments in an object.
func (c Call) object() json.RawMessage {
	if _, err := decode[map[string]json.RawMessage]([]byte(c.Args)); err == nil && strings.TrimSpace(c.Args) != "null" {
		return json.RawMessage(c.Args)
	}
	raw, err := quote.Marshal(map[string]string{"raw": c.Args})
	if err != nil {
		return json.RawMessage("{}")
	}
	return raw
}

func writeJSON(w io.Writer, v any) error {
	enc := quote.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
