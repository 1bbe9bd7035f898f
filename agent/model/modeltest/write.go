package modeltest

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// object is a JSON object.
type object = map[string]any

func write(w http.ResponseWriter, req Request, r Reply, stream bool) {
	body := chatBody(req, r)
	if req.Wire == "responses" {
		body = responsesBody(req, r)
	}
	if !stream {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(body)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	if req.Wire == "responses" {
		streamResponses(w, body, r)
		return
	}
	streamChat(w, body, r)
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
			"total_tokens":              r.Usage.Prompt + r.Usage.Output,
			"prompt_tokens_details":     object{"cached_tokens": r.Usage.Cached},
			"completion_tokens_details": object{"reasoning_tokens": r.Usage.Reasoning}}
		if r.Usage.CostUSD != 0 {
			usage["cost"] = r.Usage.CostUSD
		}
		body["usage"] = usage
	}
	return body
}

// streamChat cuts the texts in two, to be put together again.
func streamChat(w http.ResponseWriter, body object, r Reply) {
	chunk := func(delta object, finish any) {
		event(w, "", object{"id": body["id"], "object": "chat.completion.chunk", "created": 1, "model": body["model"],
			"choices": []object{{"index": 0, "delta": delta, "finish_reason": finish}}})
	}
	chunk(object{"role": "assistant", "content": ""}, nil)
	if r.Thought != "" {
		chunk(object{"reasoning_content": r.Thought}, nil)
	}
	if half := len(r.Text) / 2; r.Text != "" {
		chunk(object{"content": r.Text[:half]}, nil)
		chunk(object{"content": r.Text[half:]}, nil)
	}
	for i, c := range r.Calls {
		half := len(c.Args) / 2
		chunk(object{"tool_calls": []object{{"index": i, "id": c.ID, "type": "function", "function": object{"name": c.Name, "arguments": c.Args[:half]}}}}, nil)
		chunk(object{"tool_calls": []object{{"index": i, "function": object{"arguments": c.Args[half:]}}}}, nil)
	}
	chunk(object{}, r.Finish)
	if usage, ok := body["usage"]; ok {
		event(w, "", object{"id": body["id"], "object": "chat.completion.chunk", "model": body["model"], "choices": []object{}, "usage": usage})
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
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
		output = append(output, object{"type": "function_call", "id": fmt.Sprintf("fc_%d", i), "call_id": c.ID, "name": c.Name, "arguments": c.Args, "status": "completed"})
	}
	body := object{"id": "resp_1", "object": "response", "created_at": 1, "model": req.Model, "status": "completed", "output": output}
	if reason, cut := map[string]string{"length": "max_output_tokens", "content_filter": "content_filter"}[r.Finish]; cut {
		body["status"], body["incomplete_details"] = "incomplete", object{"reason": reason}
	}
	if !r.NoUsage {
		usage := object{"input_tokens": r.Usage.Prompt, "output_tokens": r.Usage.Output, "total_tokens": r.Usage.Prompt + r.Usage.Output,
			"input_tokens_details":  object{"cached_tokens": r.Usage.Cached},
			"output_tokens_details": object{"reasoning_tokens": r.Usage.Reasoning}}
		if r.Usage.CostUSD != 0 {
			usage["cost"] = r.Usage.CostUSD
		}
		body["usage"] = usage
	}
	return body
}

func streamResponses(w http.ResponseWriter, body object, r Reply) {
	event(w, "response.created", object{"type": "response.created", "response": object{"id": "resp_1", "status": "in_progress", "output": []object{}}})
	if half := len(r.Text) / 2; r.Text != "" {
		event(w, "response.output_text.delta", object{"type": "response.output_text.delta", "delta": r.Text[:half]})
		event(w, "response.output_text.delta", object{"type": "response.output_text.delta", "delta": r.Text[half:]})
	}
	for i, item := range body["output"].([]object) {
		event(w, "response.output_item.done", object{"type": "response.output_item.done", "output_index": i, "item": item})
	}
	end := "response." + body["status"].(string)
	event(w, end, object{"type": end, "response": body})
}

func event(w http.ResponseWriter, name string, v any) {
	if name != "" {
		fmt.Fprintf(w, "event: %s\n", name)
	}
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // our own values
	}
	fmt.Fprintf(w, "data: %s\n\n", data)
}
