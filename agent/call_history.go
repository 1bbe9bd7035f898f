package agent

import (
	"encoding/json"
	"fmt"
	"strings"

	"git-agent/agent/model"
)

// These bound how often a model may repeat a call in a conversation of any verb. The trajectories of
// fix are also watched for circles, in agent/fix/fixtool/smell.go. Crush ends a run after more than 5
// equal calls with equal answers in the last 10 steps.
const (
	repeatWindow = 10
	maxRepeats   = 5
)

// callHistory records the answered calls of this conversation, and the most recent calls.
type callHistory struct {
	answered map[string]answered // by sameness
	recent   []model.Call
}

// answered locates the answer to a call.
type answered struct {
	step string // key
	turn int    // the model's turn, as the model can count them
}

// callKey is equal for calls that mean the same: the order of fields and the
// blanks between them do not matter.
func callKey(call model.Call) string {
	name, args := call.Means()
	var v any
	if json.Unmarshal([]byte(args), &v) == nil {
		if text, err := json.Marshal(v); err == nil {
			args = string(text)
		}
	}
	return name + " " + args
}

// note records a call that was answered.
func (m *callHistory) note(call model.Call) {
	m.recent = append(m.recent, call)
	m.recent = m.recent[max(0, len(m.recent)-repeatWindow):]
}

// remember records the place of the answer to a call.
func (m *callHistory) remember(call model.Call, at answered) {
	if m.answered == nil {
		m.answered = map[string]answered{}
	}
	m.answered[callKey(call)] = at
}

// find returns the place of the answer to a call.
func (m *callHistory) find(call model.Call) (answered, bool) {
	at, ok := m.answered[callKey(call)]
	return at, ok
}

// forget removes an answer that is no longer in the conversation.
func (m *callHistory) forget(step string) {
	for key, at := range m.answered {
		if at.step == step {
			delete(m.answered, key)
		}
	}
}

// repeated names the call that was repeated too often, or returns "".
func (m *callHistory) repeated() string {
	count := map[string]int{}
	for _, call := range m.recent {
		key := callKey(call)
		if count[key]++; count[key] > maxRepeats {
			return fmt.Sprintf("%d of the last %d calls are %s %s", count[key], len(m.recent), brief(call.Name), brief(call.Args))
		}
	}
	return ""
}

// brief shortens a text from a model or server to one line for a reason.
func brief(text string) string {
	const most = 300 // characters
	return Shorten(CleanLine(strings.TrimSpace(text)), most)
}
