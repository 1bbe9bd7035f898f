// Package trace reads recorded runs of an agent. It presents a run as a
// [Trajectory] in memory, as an HTML page, in the formats of other viewers, and as a
// list of signs of trouble ([Smells]). A [Player] replays a run with the recorded
// replies.
//
// A run can be read at any time: in progress, after a crash, and with damaged steps. Missing
// parts are reported. Unknown steps are shown unchanged. Exports contain only recorded data, so
// redacted text stays redacted.
//
// The package never changes a run, never asks a model, and does not judge answers.
package trace

import (
	"encoding/json"
	"time"

	"git-agent/agent"
	"git-agent/agent/model"
	"git-agent/cache"
)

// Trajectory is one recorded run, arranged as a conversation.
type Trajectory struct {
	Run     cache.Run
	About   About
	Opening *agent.Opening // nil if the run has no conversation
	Turns   []Turn
	Closing *agent.Closing // nil if the run has not ended or was interrupted
	Notes   []Note         // steps that belong to no turn
	Patch   *Patch         // the patch of a trajectory of fix; nil if there is none, or an older build recorded the run
	Damaged []string       // one description for each step that cannot be read
	Results int            // recorded results of any kind
	Last    time.Time      // time of the last step; zero if there is none

	deeds map[string]agent.Deed // the deed of each tool
	needs []agent.Deed          // deeds that the answer needs
}

// About describes the subject and the settings of a run, as far as known from its spec.
type About struct {
	Name     string `json:"name"` // name of an evaluation
	Repo     string `json:"repo"` // repository of an evaluation's case, else ""
	Case     string `json:"case"`
	Fix      string `json:"fix"`
	Parent   string `json:"parent"`
	Patch    string `json:"patch"`  // hash of an uncommitted fix
	Commit   string `json:"commit"` // commit that crashed, or commit to repair
	Title    string `json:"title"`  // of the crash, such as "SIGSEGV in main", or the failing command
	Model    string `json:"model"`
	BaseURL  string `json:"base_url"`
	Settings string `json:"settings"`
	Version  string `json:"version"` // version of the program that answered
	Sample   int    `json:"sample"`  // number of the run in its ensemble, from 0
}

// Turn is one request to the model, the reply, and the tool calls in the reply.
// Requests without a reply are turns too.
type Turn struct {
	N        int              // from 1
	Limit    *agent.LimitStep // the limit that ended the run with this request; nil for other requests
	Asked    time.Time
	Attempts int // number of recorded intents; more than one if the run was resumed here
	Intent   agent.AskIntent
	Done     time.Time
	Result   *agent.AskResult // nil if the record ends before the result
	Calls    []Call
	Said     *agent.Said    // text to the model after a reply without calls
	Removed  *agent.Removed // parts removed from the conversation after this turn
}

// Reply returns the model's reply, or nil if there is none.
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
	Began    time.Time
	Ended    time.Time
	Attempts int               // number of recorded intents; 0 if the call was never begun
	Result   *agent.CallResult // nil if the call has no answer
}

// Note is a step of interest beside the conversation.
type Note struct {
	After int // number of turns begun before it
	Key   string
	Text  string
}

// Answers returns the number of requests that the model answered.
func (t *Trajectory) Answers() int {
	n := 0
	for _, turn := range t.Turns {
		if turn.Reply() != nil {
			n++
		}
	}
	return n
}

// Usage returns the sum of the usage of all turns. The cost is nil if any turn's cost is unknown.
func (t *Trajectory) Usage() model.Usage {
	var list []model.Usage
	for _, turn := range t.Turns {
		if r := turn.Reply(); r != nil {
			list = append(list, r.Usage)
		}
	}
	return Sum(list)
}

// Sum adds up usages. The cost of an empty list is unknown.
func Sum(list []model.Usage) model.Usage {
	var all model.Usage
	for _, u := range list {
		all = all.Add(u)
	}
	return all
}

// Status returns one of the agent's Status constants if the run has ended, and otherwise the
// state of the run. For an answer that names nothing, the loop's status is "found", but Status
// returns "nothing", since the user got no answer.
func (t *Trajectory) Status() string {
	switch {
	case t.Closing != nil && t.Closing.Status == agent.StatusFound && t.Answer().nothing():
		return agent.StatusNothing
	case t.Closing != nil:
		return agent.CleanLine(t.Closing.Status)
	case t.Run.State == cache.Done:
		return "done"
	}
	return agent.CleanLine(string(t.Run.State))
}

// Model returns the name of the requested model.
func (t *Trajectory) Model() string {
	if t.Opening != nil && t.Opening.Model != "" {
		return t.Opening.Model
	}
	return t.About.Model
}

// Calls returns the number of calls that a tool answered.
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

// Took returns the time from the start of the run to its end, or to the last step if
// it has not ended.
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

// step returns the key of a call in the journal.
func (c Call) step(turn int) string { return agent.ToolStep(turn, c.I) }

func decode[T any](data []byte) (T, error) {
	var v T
	err := json.Unmarshal(data, &v)
	return v, err
}
