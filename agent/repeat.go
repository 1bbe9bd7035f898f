package agent

import (
	"encoding/json"
	"fmt"
	"strings"

	"git-agent/agent/model"
)

// A model that repeats itself: Crush ends a run when the same call with the
// same answer came more than 5 times in the last 10 steps.
const (
	repeatWindow = 10
	maxRepeats   = 5
)

// memory knows which calls were answered in this conversation, and what the
// last ones were.
type memory struct {
	answered map[string]answered // by sameness
	recent   []model.Call
}

// answered is where the answer of a call stands.
type answered struct {
	step string // key
	turn int    // of the model, counted as it can count them
}

// sameness is equal for calls that ask the same: the order of fields and the
// blanks between them do not matter.
func sameness(call model.Call) string {
	name, args := call.Means()
	var v any
	if json.Unmarshal([]byte(args), &v) == nil {
		if text, err := json.Marshal(v); err == nil {
			args = string(text)
		}
	}
	return name + " " + args
}

// note counts a call that is answered.
func (m *memory) note(call model.Call) {
	m.recent = append(m.recent, call)
	m.recent = m.recent[max(0, len(m.recent)-repeatWindow):]
}

// keep remembers where the answer of a call stands.
func (m *memory) keep(call model.Call, at answered) {
	if m.answered == nil {
		m.answered = map[string]answered{}
	}
	m.answered[sameness(call)] = at
}

// find returns where a call was answered.
func (m *memory) find(call model.Call) (answered, bool) {
	at, ok := m.answered[sameness(call)]
	return at, ok
}

// forget drops an answer that no longer stands in the conversation.
func (m *memory) forget(step string) {
	for key, at := range m.answered {
		if at.step == step {
			delete(m.answered, key)
		}
	}
}

// stuck says which call keeps coming; "" if none does.
func (m *memory) stuck() string {
	count := map[string]int{}
	for _, call := range m.recent {
		key := sameness(call)
		if count[key]++; count[key] > maxRepeats {
			return fmt.Sprintf("%d of the last %d calls are %s %s", count[key], len(m.recent), brief(call.Name), brief(call.Args))
		}
	}
	return ""
}

// brief is something that a model or server wrote, fit for one line of a
// reason.
func brief(text string) string {
	const most = 300 // characters
	return Shorten(CleanLine(strings.TrimSpace(text)), most)
}
