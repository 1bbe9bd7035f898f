// Package trace reads what a run of an agent recorded and makes it readable:
// as a [Trajectory] in memory, as a page of HTML, in the formats of other
// people's viewers, and as a list of what went badly ([Smells]). A [Player]
// answers with the recorded replies, so that a run can be played again.
//
// What it promises: a run can be read at any time, also while it goes on,
// after a crash, and when single steps of it are damaged; what is missing is
// said. Steps that it does not know are kept and shown as they are. Everything
// that is exported is what was recorded, so what was masked stays masked.
//
// What it does not: it writes to no run, asks no model and judges no verdict.
package trace

import (
	"encoding/json"
	"time"

	"git-agent/agent"
	"git-agent/agent/model"
	"git-agent/cache"
)

// Trajectory is one recorded run in the shape of a conversation.
type Trajectory struct {
	Run     cache.Run
	About   About
	Opening *agent.Opening // nil when the run holds no conversation
	Turns   []Turn
	Closing *agent.Closing // nil while the run goes on or is interrupted
	Notes   []Note         // what has no place of its own
	Damaged []string       // steps that cannot be read, in words
	Results int            // recorded results of any kind
	Last    time.Time      // of the last step, zero without one

	deeds map[string]agent.Deed // of its tools
	needs []agent.Deed          // without which its verdict is rash
}

// About is what a run is about, as far as its spec says so.
type About struct {
	Name     string `json:"name"` // of an evaluation
	Repo     string `json:"repo"` // of an evaluation's case, else ""
	Case     string `json:"case"`
	Fix      string `json:"fix"`
	Parent   string `json:"parent"`
	Patch    string `json:"patch"` // hash of a fix that is not committed
	Model    string `json:"model"`
	BaseURL  string `json:"base_url"`
	Settings string `json:"settings"`
	Version  string `json:"version"` // of the program that answered
	Sample   int    `json:"sample"`  // from 0, of runs that vote
}

// Turn is one request to the model and what came of it. Requests that brought
// no answer are turns too.
type Turn struct {
	N       int              // from 1
	Limit   *agent.LimitStep // why this request was the last word; nil when it was none
	Asked   time.Time
	Asks    int // intents: more than one when the run was resumed here
	Intent  agent.AskIntent
	Done    time.Time
	Result  *agent.AskResult // nil when the request was open at the end
	Calls   []Call
	Said    *agent.Said    // what became of an answer without calls
	Removed *agent.Removed // what was taken out of the conversation after it
}

// Reply is what the model said, nil when it gave no answer.
func (t Turn) Reply() *model.Reply {
	if t.Result == nil {
		return nil
	}
	return t.Result.Reply
}

// Call is one tool call of a turn.
type Call struct {
	I int // from 1
	model.Call
	Began  time.Time
	Ended  time.Time
	Asks   int               // intents: 0 for a call that was never begun
	Result *agent.CallResult // nil when it has no answer
}

// Note is a step that a reader may want to see beside the conversation.
type Note struct {
	After int // turns begun before it
	Key   string
	Text  string
}

// Answers counts the requests that were answered.
func (t *Trajectory) Answers() int {
	n := 0
	for _, turn := range t.Turns {
		if turn.Reply() != nil {
			n++
		}
	}
	return n
}

// Usage adds up what the turns consumed. Its cost is nil when that of one of
// them is not known.
func (t *Trajectory) Usage() model.Usage {
	var list []model.Usage
	for _, turn := range t.Turns {
		if r := turn.Reply(); r != nil {
			list = append(list, r.Usage)
		}
	}
	return Sum(list)
}

// Sum adds usages. No usage costs nothing known.
func Sum(list []model.Usage) model.Usage {
	var all model.Usage
	for _, u := range list {
		all = all.Add(u)
	}
	return all
}

// Status is how the run ended or where it stands: one of the agent's Status
// constants once it has ended, else the state of the run. A verdict that names
// nothing is one to the loop, and no answer to whoever asked.
func (t *Trajectory) Status() string {
	switch {
	case t.Closing != nil && t.Closing.Status == agent.StatusFound && t.Verdict().nothing():
		return agent.StatusNothing
	case t.Closing != nil:
		return agent.CleanLine(t.Closing.Status)
	case t.Run.State == cache.Done:
		return "done"
	}
	return agent.CleanLine(string(t.Run.State))
}

// Model is the name under which the model was asked.
func (t *Trajectory) Model() string {
	if t.Opening != nil && t.Opening.Model != "" {
		return t.Opening.Model
	}
	return t.About.Model
}

// Calls counts the calls that tools answered.
func (t *Trajectory) Calls() int {
	n := 0
	for _, turn := range t.Turns {
		for _, c := range turn.Calls {
			if r := c.Result; r != nil && !r.NotRun && !r.Malformed && r.SameAs == "" {
				n++
			}
		}
	}
	return n
}

// Took is the time from the start to the end, or to the last step.
func (t *Trajectory) Took() time.Duration {
	end := t.Run.Ended
	if end.IsZero() {
		end = t.Last
	}
	if end.Before(t.Run.Started) {
		return 0
	}
	return end.Sub(t.Run.Started)
}

// step is the key of a call in the journal.
func (c Call) step(turn int) string { return agent.ToolStep(turn, c.I) }

func decode[T any](data []byte) (T, error) {
	var v T
	err := json.Unmarshal(data, &v)
	return v, err
}
