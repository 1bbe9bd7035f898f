package trace

import (
	"encoding/json"

	"git-agent/agent/model"
)

// otelMessage is a message in gen_ai.input.messages or gen_ai.output.messages, as the
// conventions define it.
type otelMessage struct {
	Role   string     `json:"role"`
	Parts  []otelPart `json:"parts"`
	Finish string     `json:"finish_reason,omitempty"` // only for output
}

// otelPart is part of a message. Its type is text, reasoning, tool_call or
// tool_call_response.
type otelPart struct {
	Type     string          `json:"type"`
	Content  string          `json:"content,omitempty"`
	ID       string          `json:"id,omitempty"`
	Name     string          `json:"name,omitempty"`
	Args     json.RawMessage `json:"arguments,omitempty"`
	Response string          `json:"response,omitempty"`
}

// otelMessages converts messages, except system messages, which have a separate attribute.
func otelMessages(talk []model.Message, finish string) []otelMessage {
	list := []otelMessage{}
	for _, m := range talk {
		if m.Role == model.System {
			continue
		}
		out := otelMessage{Role: string(m.Role), Finish: finish}
		if m.Role == model.ToolReply {
			out.Parts = []otelPart{{Type: "tool_call_response", ID: m.CallID, Response: m.Text}}
			list = append(list, out)
			continue
		}
		if m.Thought != "" {
			out.Parts = append(out.Parts, otelPart{Type: "reasoning", Content: m.Thought})
		}
		if m.Text != "" || len(m.Calls) == 0 {
			out.Parts = append(out.Parts, otelPart{Type: "text", Content: m.Text})
		}
		for _, c := range m.Calls {
			out.Parts = append(out.Parts, otelPart{Type: "tool_call", ID: c.ID, Name: c.Name, Args: Call{Call: c}.object()})
		}
		list = append(list, out)
	}
	return list
}
