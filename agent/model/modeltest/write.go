package modeltest

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// object is a JSON object.
type object = map[string]any

func write(w http.ResponseWriter, req Request, r Reply) {
	var body object
	switch req.Wire {
	case "responses":
		body = responsesBody(req, r)
	case "messages":
		body = messagesBody(req, r)
	default:
		body = chatBody(req, r)
	}
	w.Header().Set("Content-Type", "application/json")
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false) // as no server does
	e.Encode(body)
}

func chatBody(req Request, r Reply) object {
	message := object{"role": "assistant", "content": r.Text}
	if r.Thought != "" {
		message["reasoning_content"] = r.Thought
	}
	var calls []object
	for _, c := range r.Calls {
		calls = append(calls, object{"id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": c.Args}})
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	body := object{"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": req.Model,
		"choices": []object{{"index": 0, "message": message, "finish_reason": r.Finish}}}
	if !r.NoUsage {
		usage := object{"prompt_tokens": r.Usage.Prompt, "completion_tokens": r.Usage.Output,
			"total_tokens": r.Usage.Prompt + r.Usage.Output}
		if r.Usage.CacheRead > 0 || r.Usage.CacheWrite > 0 {
			usage["prompt_tokens_details"] = object{"cached_tokens": r.Usage.CacheRead, "cache_write_tokens": r.Usage.CacheWrite}
		}
		body["usage"] = usage
	}
	return body
}

func responsesBody(req Request, r Reply) object {
	var output []object
	if r.Thought != "" {
		output = append(output, object{"type": "reasoning", "id": "rs_1", "encrypted_content": "c2VhbGVk",
			"summary": []object{{"type": "summary_text", "text": r.Thought}}})
	}
	if r.Text != "" || len(r.Calls) == 0 {
		output = append(output, object{"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
			"content": []object{{"type": "output_text", "text": r.Text, "annotations": []object{}}}})
	}
	for i, c := range r.Calls {
		output = append(
			output,
			object{
				"type":      "function_call",
				"id":        fmt.Sprintf("fc_%d", i),
				"call_id":   c.ID,
				"name":      c.Name,
				"arguments": c.Args,
				"status":    "completed",
			},
		)
	}
	body := object{"id": "resp_1", "object": "response", "created_at": 1, "model": req.Model, "status": "completed", "output": output}
	if reason, cut := map[string]string{"length": "max_output_tokens", "content_filter": "content_filter"}[r.Finish]; cut {
		body["status"], body["incomplete_details"] = "incomplete", object{"reason": reason}
	}
	if !r.NoUsage {
		usage := object{"input_tokens": r.Usage.Prompt, "output_tokens": r.Usage.Output, "total_tokens": r.Usage.Prompt + r.Usage.Output}
		if r.Usage.CacheRead > 0 || r.Usage.CacheWrite > 0 {
			usage["input_tokens_details"] = object{"cached_tokens": r.Usage.CacheRead, "cache_write_tokens": r.Usage.CacheWrite}
		}
		body["usage"] = usage
	}
	return body
}
