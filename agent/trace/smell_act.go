package trace

import (
	"bytes"
	"encoding/json"
	"strings"

	"git-agent/agent"
)

// act is a begun tool call, in a form for the detectors of smells.
type act struct {
	turn int
	tool string
	does agent.Deed // what the tool does; "" if unknown
	call Call
	key  string // the arguments in canonical form
	args callArgs
}

// callArgs are the arguments that the detectors use, of any tool.
type callArgs struct {
	Commit  string      `json:"commit"`
	Path    string      `json:"path"`
	Page    json.Number `json:"page"`    // number or string, since the tools accept both
	Command string      `json:"command"` // of a shell
}

// acts lists the begun calls, except those that give the answer.
func (t *Trajectory) acts() []act {
	var list []act
	for _, turn := range t.Turns {
		for _, c := range turn.Calls {
			tool, said := c.Means()
			does := t.deeds[tool]
			if does == agent.DeedAnswer || c.Attempts == 0 && c.Result == nil {
				continue
			}
			args, _ := decode[callArgs]([]byte(said)) // text that is not JSON has no arguments
			if does == "" && args.Command != "" {
				does, args.Path = shellDeed(args.Command)
			}
			list = append(list, act{turn: turn.N, tool: tool, does: does, call: c, key: canonical(said), args: args})
		}
	}
	return list
}

// canonical sorts the fields of a JSON object and returns other text unchanged.
func canonical(args string) string {
	dec := json.NewDecoder(strings.NewReader(args))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return args
	}
	b, err := json.Marshal(v)
	if err != nil {
		return args
	}
	return string(b)
}

// answered reports whether the tool answered without an error.
func (a act) answered() bool { return a.call.Result != nil && !a.call.Result.Failed }

func (a act) path() string { return a.args.Path }

// commit returns the commit in a call. It prefers the object id at the start of the answer,
// because the argument may be a short name that is valid only within this run.
func (a act) commit() string {
	if word, _, _ := strings.Cut(a.call.Result.Text, " "); len(word) >= minAbbreviation && strings.Trim(word, "0123456789abcdef") == "" {
		return word
	}
	return a.args.Commit
}

func (a act) foundNothing() bool { return a.answered() && a.call.Result.Nothing }

func (a act) timedOut() bool { return a.call.Result != nil && a.call.Result.TimedOut }

// narrowing lists the arguments that limit a tool's search.
var narrowing = []string{"path", "since", "until", "start", "end", "max", "function", "commit"}

// narrower reports whether a has a narrowing argument that before lacks or has with
// another value.
func (a act) narrower(before act) bool {
	now, err := decode[map[string]json.RawMessage]([]byte(a.key))
	if err != nil {
		return false
	}
	was, _ := decode[map[string]json.RawMessage]([]byte(before.key))
	for _, name := range narrowing {
		if v := now[name]; len(v) > 0 && string(v) != `""` && !bytes.Equal(v, was[name]) {
			return true
		}
	}
	return false
}
