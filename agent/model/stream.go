package model

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"slices"
)

// event is one server-sent event.
type event struct {
	name string
	data []byte
}

// events reads server-sent events as the HTML standard defines them, with lines
// ended by LF, CRLF or CR and an optional byte order mark. Unlike the standard
// it also passes on a last event that no empty line ends; f decides whether
// that is complete. f returns false to stop.
func events(r io.Reader, f func(event) (more bool, err error)) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 4<<10), maxLine)
	lines.Split(splitLines)
	var e event
	had, begun := false, false
	give := func() (bool, error) {
		if !had {
			e = event{}
			return true, nil
		}
		out := e
		e, had = event{}, false
		return f(out)
	}
	for lines.Scan() {
		line := lines.Bytes()
		if !begun {
			line, begun = bytes.TrimPrefix(line, []byte("\ufeff")), true
		}
		if len(line) == 0 {
			if more, err := give(); err != nil || !more {
				return err
			}
			continue
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "event":
			e.name = string(value)
		case "data":
			if had {
				e.data = append(e.data, '\n')
			}
			e.data, had = append(e.data, value...), true
		}
	}
	if err := lines.Err(); err != nil {
		if errors.Is(err, bufio.ErrTooLong) {
			return malformed("a line of the stream is longer than %d bytes", maxLine)
		}
		return err
	}
	_, err := give()
	return err
}

// maxLine bounds a line of a stream, which may contain a complete response.
const maxLine = 16 << 20

// splitLines splits at LF, CRLF and CR.
func splitLines(data []byte, atEOF bool) (advance int, token []byte, err error) {
	i := bytes.IndexAny(data, "\r\n")
	switch {
	case i < 0 && atEOF && len(data) > 0:
		return len(data), data, nil
	case i < 0:
		return 0, nil, nil
	case data[i] == '\n':
		return i + 1, data[:i], nil
	case i+1 < len(data) && data[i+1] == '\n':
		return i + 2, data[:i], nil
	case i+1 < len(data) || atEOF:
		return i + 1, data[:i], nil
	}
	return 0, nil, nil // a CR at the end: an LF may follow
}

// gather reads a stream to its end and returns the answer that it adds up to,
// in the form of an answer that is not streamed. No request asks for a stream,
// but some servers send one.
func gather(wire Wire, r io.Reader) ([]byte, error) {
	if wire == WireResponses {
		return gatherResponses(r)
	}
	return gatherChat(r)
}

var errCut = errors.New("the stream ended before the answer did")

func gatherResponses(r io.Reader) ([]byte, error) {
	var whole json.RawMessage
	var items []json.RawMessage
	err := events(r, func(e event) (bool, error) {
		if string(e.data) == "[DONE]" {
			return false, nil
		}
		var in struct {
			Type     json.RawMessage `json:"type"`
			Item     json.RawMessage `json:"item"`
			Response json.RawMessage `json:"response"`
			Error    json.RawMessage `json:"error"`
		}
		if tooManyValues(e.data) {
			return false, malformed("an event of the stream has more than %d values", maxValues)
		}
		if err := json.Unmarshal(e.data, &in); err != nil {
			return false, malformed("an event of the stream is not a JSON object: %v", err)
		}
		switch kind := cmp.Or(text(in.Type), e.name); kind {
		case "response.output_item.done":
			items = append(items, bytes.Clone(in.Item))
		case "response.completed", "response.incomplete", "response.failed":
			whole = bytes.Clone(in.Response)
			return false, nil
		case "error":
			whole = bytes.Clone(e.data)
			return false, nil
		case "":
			if !isNull(in.Error) || looksLikeError(e.data) {
				whole = bytes.Clone(e.data)
				return false, nil
			}
		}
		return true, nil
	})
	switch {
	case err != nil && whole == nil:
		return nil, err
	case isNull(whole):
		return nil, errCut
	}
	return withItems(whole, items), nil
}

// withItems fills an empty output with the items that came earlier, because
// some servers send them only once.
func withItems(whole json.RawMessage, items []json.RawMessage) []byte {
	var fields map[string]json.RawMessage
	var output []json.RawMessage
	if json.Unmarshal(whole, &fields) != nil || json.Unmarshal(fields["output"], &output) == nil && len(output) > 0 || len(items) == 0 {
		return whole
	}
	list, err := json.Marshal(items)
	if err != nil {
		return whole
	}
	fields["output"] = list
	out, err := json.Marshal(fields)
	if err != nil {
		return whole
	}
	return out
}

// gatherChat assembles a chat completion from its chunks.
func gatherChat(r io.Reader) ([]byte, error) {
	p := pieces{message: map[string]any{}}
	err := events(r, func(e event) (bool, error) {
		if string(bytes.TrimSpace(e.data)) == "[DONE]" {
			return false, nil
		}
		return p.add(e)
	})
	switch {
	case p.failed != nil:
		return p.failed, nil
	case p.finish == "" && err != nil:
		return nil, err
	case p.finish == "":
		return nil, errCut
	}
	// If the finish reason came before an error of the transport, only the counts
	// may be missing.
	var bad *Error
	if errors.As(err, &bad) {
		return nil, bad
	}
	return p.body()
}

// pieces is an incomplete chat completion.
type pieces struct {
	id, model string
	message   map[string]any // the sum of the deltas
	calls     []piece
	finish    string
	usage     json.RawMessage
	failed    []byte // an error that was sent instead of a chunk
}

// piece is an incomplete call.
type piece struct {
	index int
	call  map[string]any
}

// add adds one chunk.
func (p *pieces) add(e event) (more bool, err error) {
	var in struct {
		ID      json.RawMessage `json:"id"`
		Model   json.RawMessage `json:"model"`
		Choices []struct {
			Index  int             `json:"index"`
			Delta  json.RawMessage `json:"delta"`
			Finish json.RawMessage `json:"finish_reason"`
		} `json:"choices"`
		Usage json.RawMessage `json:"usage"`
		Error json.RawMessage `json:"error"`
	}
	if tooManyValues(e.data) {
		return false, malformed("a chunk of the stream has more than %d values", maxValues)
	}
	if err := json.Unmarshal(e.data, &in); err != nil {
		return false, malformed("a chunk of the stream is not as expected: %v", err)
	}
	if e.name == "error" || !isNull(in.Error) || looksLikeError(e.data) {
		p.failed = bytes.Clone(e.data)
		return false, nil
	}
	p.id, p.model = cmp.Or(p.id, text(in.ID)), cmp.Or(p.model, text(in.Model))
	if !isNull(in.Usage) {
		p.usage = bytes.Clone(in.Usage)
	}
	for _, choice := range in.Choices {
		if choice.Index != 0 {
			continue // only one choice was asked for
		}
		if !isNull(choice.Delta) {
			var delta map[string]any
			if err := unmarshalExact(choice.Delta, &delta); err != nil {
				return false, malformed("a delta of the stream is not an object: %v", err)
			}
			if err := p.merge(delta); err != nil {
				return false, err
			}
		}
		p.finish = cmp.Or(text(choice.Finish), p.finish)
	}
	return true, nil
}

// merge adds a delta to the message.
func (p *pieces) merge(delta map[string]any) error {
	list, ok := delta["tool_calls"].([]any)
	if !ok && delta["tool_calls"] != nil {
		return malformed("tool_calls is not a list")
	}
	if ok {
		for _, one := range list {
			call, ok := one.(map[string]any)
			if !ok {
				return malformed("a call of the stream is not an object")
			}
			if err := p.mergeCall(call); err != nil {
				return err
			}
		}
	}
	delete(delta, "tool_calls")
	grow(p.message, delta, "role")
	return nil
}

// mergeCall adds a delta to the call that it belongs to. Servers number calls,
// but some give all the same number, or none. So a new id begins a new call,
// and so does a name if there are neither numbers nor ids.
func (p *pieces) mergeCall(delta map[string]any) error {
	at := -1
	number, numbered := indexOf(delta)
	for i := len(p.calls) - 1; i >= 0 && at < 0; i-- {
		if !numbered || p.calls[i].index == number {
			at = i
		}
	}
	id, _ := delta["id"].(string)
	if at >= 0 && (id != "" && p.calls[at].call["id"] != nil && p.calls[at].call["id"] != id || id == "" && !numbered && functionOf(delta)["name"] != nil) {
		at = -1
	}
	delete(delta, "index")
	if at < 0 {
		if len(p.calls) >= maxCalls {
			return malformed("the answer has more than %d calls", maxCalls)
		}
		if !numbered {
			number = len(p.calls)
		}
		p.calls = append(p.calls, piece{index: number, call: map[string]any{}})
		at = len(p.calls) - 1
	}
	call := p.calls[at].call
	if args, ok := functionOf(delta)["arguments"]; ok {
		if _, isText := args.(string); !isText && args != nil { // some servers send the object itself
			text, err := json.Marshal(args)
			if err != nil {
				return malformed("the arguments of a call cannot be read")
			}
			functionOf(delta)["arguments"] = string(text)
		}
	}
	// An equal name is a repetition; any other continues the name so far.
	if name, ok := functionOf(delta)["name"].(string); ok {
		if had, ok := functionOf(call)["name"].(*growing); ok && string(had.text) == name {
			delete(functionOf(delta), "name")
		}
	}
	grow(call, delta, "id", "type")
	return nil
}

func functionOf(call map[string]any) map[string]any {
	f, _ := call["function"].(map[string]any)
	return f
}

func indexOf(delta map[string]any) (int, bool) {
	n, ok := delta["index"].(json.Number)
	if !ok {
		return 0, false
	}
	i, err := n.Int64()
	return int(i), err == nil
}

// growing is a text to which deltas are appended. As a string it would be
// copied with each of them, which takes minutes for a million.
type growing struct{ text []byte }

// MarshalJSON writes the text.
func (g *growing) MarshalJSON() ([]byte, error) { return json.Marshal(string(g.text)) }

// grow adds a delta to a value: texts and lists are appended, objects merged,
// anything else replaces the old value. Texts named in whole are not appended,
// because servers send them complete and repeat them.
func grow(to, delta map[string]any, whole ...string) {
	for name, v := range delta {
		old, had := to[name]
		switch v := v.(type) {
		case nil:
			if !had {
				to[name] = nil
			}
		case string:
			if s, ok := old.(string); ok && slices.Contains(whole, name) {
				to[name] = cmp.Or(s, v)
			} else if slices.Contains(whole, name) {
				to[name] = v
			} else if grown, ok := old.(*growing); ok {
				grown.text = append(grown.text, v...)
			} else {
				to[name] = &growing{[]byte(v)}
			}
		case []any:
			list, _ := old.([]any)
			to[name] = append(list, v...)
		case map[string]any:
			object, ok := old.(map[string]any)
			if !ok {
				object = map[string]any{}
				to[name] = object
			}
			grow(object, v, whole...)
		default:
			to[name] = v
		}
	}
}

// body returns the completion in the form of one that is not streamed.
func (p *pieces) body() ([]byte, error) {
	slices.SortStableFunc(p.calls, func(a, b piece) int { return a.index - b.index })
	var calls []any
	for _, one := range p.calls {
		calls = append(calls, one.call)
	}
	if calls != nil {
		p.message["tool_calls"] = calls
	}
	out, err := json.Marshal(map[string]any{
		"id": p.id, "model": p.model, "usage": p.usage,
		"choices": []any{map[string]any{"index": 0, "message": p.message, "finish_reason": p.finish}},
	})
	if err != nil {
		return nil, malformed("the stream does not add up: %v", err)
	}
	return out, nil
}

// unmarshalExact decodes JSON and keeps numbers as they are written.
func unmarshalExact(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return d.Decode(v)
}
