package trace

import (
	"slices"
	"strings"

	"git-agent/agent/model"
)

// requests reconstructs the messages of each request. Entry i is the conversation in the request
// of Turns[i], as far as recorded.
func (t *Trajectory) requests() [][]model.Message {
	var all [][]model.Message
	var now []model.Message
	step := map[string]int{} // index in now of the answer to a call
	say := func(role model.Role, text string) {
		if text != "" {
			now = append(now, model.Message{Role: role, Text: text})
		}
	}
	say(model.System, t.Opening.System)
	say(model.User, t.Opening.Prompt)
	for _, turn := range t.Turns {
		if turn.Limit != nil {
			say(model.User, turn.Limit.Text)
		}
		all = append(all, slices.Clip(now))
		if r := turn.Reply(); r != nil && joinsConversation(*r) {
			now = append(now, r.Message)
		}
		for _, c := range turn.Calls {
			if c.Result != nil {
				step[c.step(turn.N)] = len(now)
				now = append(now, model.Message{Role: model.ToolReply, Text: c.Result.Text, CallID: c.id(turn.N), Name: c.Name})
			}
		}
		if turn.Removed != nil {
			now = slices.Clone(now) // earlier requests keep their messages
			for _, a := range turn.Removed.Answers {
				if at, ok := step[a.Step]; ok {
					now[at].Text = a.Text
				}
			}
		}
		if turn.Said != nil && !turn.Said.Final {
			say(model.User, turn.Said.Text)
		}
	}
	return all
}

// joinsConversation reports whether a reply became part of the conversation. Cut and empty
// replies did not.
func joinsConversation(r model.Reply) bool {
	m := r.Message
	return r.Finish == model.FinishStop && (len(m.Calls) > 0 || strings.TrimSpace(m.Text) != "")
}
