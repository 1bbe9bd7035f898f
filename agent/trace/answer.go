package trace

import (
	"cmp"
	"encoding/json"
)

// Answer is the final answer of a run.
type Answer struct {
	Turn    int
	Claims  []Claim         // nil for an unknown format, or an answer without commits
	Files   []FileClaim     // the files in the answer of a crash
	Story   string          // the chain of events in the answer of a crash; what a patch does; the plan of an analysis
	Cause   string          // why the bug is there, in the answer of a repair or an analysis
	Origin  string          // the commit that introduced the bug, in the answer of a repair
	Detail  json.RawMessage // the recorded value
	Text    string          // the model's answer, or the tool's reply to it
	Nothing bool            // the answer names nothing
}

// Claim is one commit in an answer.
type Claim struct {
	Commit     string  `json:"commit"`
	Confidence float64 `json:"confidence"`
	Type       string  `json:"type"`
	Reasoning  string  `json:"reasoning"`
	Reason     string  `json:"reason,omitempty"` // name of Reasoning in the answer of a crash
	Checked    string  `json:"checked"`          // objection of the claim check
}

// FileClaim is one file in the answer of a crash.
type FileClaim struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// Answer returns the answer of the run, or nil if it has none.
func (t *Trajectory) Answer() *Answer {
	v := t.finalAnswer()
	if v == nil {
		return nil
	}
	of, err := decode[struct {
		Explanation string      `json:"explanation"`
		Files       []FileClaim `json:"files"`
		RootCause   string      `json:"root_cause"`
		Introduced  string      `json:"introduced"`
		Hypothesis  string      `json:"hypothesis"` // these two are of an analysis
		Plan        string      `json:"plan"`
	}](v.Detail)
	if err == nil {
		v.Files, v.Story, v.Cause, v.Origin = of.Files, cmp.Or(of.Explanation, of.Plan), cmp.Or(of.RootCause, of.Hypothesis), of.Introduced
	}
	return v
}

// Told reports whether the answer has parts that a reader can be shown, beside the tool's reply.
func (v *Answer) Told() bool {
	return len(v.Claims)+len(v.Files) > 0 || v.Story != "" || v.Cause != "" || v.Origin != ""
}

// finalAnswer returns the answer without its files.
func (t *Trajectory) finalAnswer() *Answer {
	for i := len(t.Turns) - 1; i >= 0; i-- {
		turn := t.Turns[i]
		for _, c := range turn.Calls {
			if r := c.Result; r != nil && r.Final {
				_, args := c.Means()
				return &Answer{Turn: turn.N, Claims: claims(r.Detail, args), Detail: r.Detail, Text: r.Text, Nothing: r.Nothing}
			}
		}
		if s := turn.Said; s != nil && s.Final {
			v := &Answer{Turn: turn.N, Claims: claims(s.Detail, ""), Detail: s.Detail, Text: s.Text, Nothing: s.Nothing}
			if r := turn.Reply(); r != nil {
				v.Text = r.Message.Text
			}
			return v
		}
	}
	return nil
}

// nothing reports whether there is an answer that names nothing.
func (v *Answer) nothing() bool { return v != nil && v.Nothing }

// claims reads the claims of an answer from its recorded value, or else from the
// arguments of the call.
func claims(detail json.RawMessage, args string) []Claim {
	if list := claimsIn(detail, 2); list != nil {
		return list
	}
	return claimsIn(json.RawMessage(args), 2)
}

// claimsIn reads a list of claims, or a single claim, from a value or from one of its
// fields. It searches depth levels.
func claimsIn(value json.RawMessage, depth int) []Claim {
	if depth == 0 || len(value) == 0 {
		return nil
	}
	if list, err := decode[[]Claim](value); err == nil {
		if len(list) > 0 && list[0].Commit != "" {
			return list
		}
		return nil
	}
	if one, err := decode[Claim](value); err == nil && one.Commit != "" {
		return []Claim{one}
	}
	fields, err := decode[map[string]json.RawMessage](value)
	if err != nil {
		return nil
	}
	for _, name := range []string{"commits", "claims", "Commits", "Claims"} {
		if list := claimsIn(fields[name], depth-1); list != nil {
			return list
		}
	}
	return nil
}
