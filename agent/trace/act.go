package trace

import (
	"bytes"
	"encoding/json"
	"strings"

	"git-agent/agent"
)

// act is a call that was begun, as the detectors of smells see it.
type act struct {
	turn int
	tool string
	does agent.Deed // "" for a tool that says none
	call Call
	key  string // the arguments in a form that is the same for the same question
	args callArgs
}

// callArgs are the arguments that detectors look at, whatever the tool.
type callArgs struct {
	Commit string      `json:"commit"`
	Path   string      `json:"path"`
	Page   json.Number `json:"page"` // may be a string, which the tools take too
}

// acts lists the calls that were begun, but for the verdict's.
func (t *Trajectory) acts() []act {
	var list []act
	for _, turn := range t.Turns {
		for _, c := range turn.Calls {
			tool, said := c.Means()
			does := t.deeds[tool]
			if does == agent.DeedVerdict || c.Asks == 0 && c.Result == nil {
				continue
			}
			args, _ := decode[callArgs]([]byte(said)) // what is no JSON has none of them
			list = append(list, act{turn: turn.N, tool: tool, does: does, call: c, key: canonical(said), args: args})
		}
	}
	return list
}

// canonical sorts the fields of a JSON object and leaves other text alone.
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

// answered is true for a call whose tool gave what it was asked for.
func (a act) answered() bool { return a.call.Result != nil && !a.call.Result.Failed }

func (a act) path() string { return a.args.Path }

// commit is the one that a call asked for, by the id with which the answer
// begins: models also use short names that mean something in one run only.
func (a act) commit() string {
	if word, _, _ := strings.Cut(a.call.Result.Text, " "); len(word) >= shortest && strings.Trim(word, "0123456789abcdef") == "" {
		return word
	}
	return a.args.Commit
}

func (a act) foundNothing() bool { return a.answered() && a.call.Result.Nothing }

func (a act) timedOut() bool { return a.call.Result != nil && a.call.Result.TimedOut }

// narrowing are the arguments that make a tool look at less.
var narrowing = []string{"path", "since", "until", "start", "end", "max", "function", "commit"}

// narrower is true when a gives one of them that before does not give, or
// gives otherwise.
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
