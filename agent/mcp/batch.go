package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
)

// noBatches is the first version of the protocol without batches. A server must
// accept them in earlier versions, and the SDK still negotiates 2025-03-26 and
// 2024-11-05. Versions are dates.
const noBatches = "2025-06-18"

// batch splits a batch for the SDK: a line with its requests, which the SDK
// answers together, and further lines with messages that have no answer, for
// which the SDK would wait.
func (m *messageReader) batch(text []byte) (lines []byte, problem string) {
	var all []json.RawMessage
	switch err := json.Unmarshal(text, &all); {
	case err != nil || len(all) == 0:
		return nil, "a batch holds at least one message"
	case len(all) > maxOpen:
		return nil, fmt.Sprintf("a batch holds at most %d messages", maxOpen)
	}
	var requests, rest []message
	ids := map[string]bool{}
	for i, one := range all {
		msg, problem := parseInBatch(one)
		if problem == "" && (ids[msg.id] || m.pending.taken(msg.id)) {
			problem = takenID
		}
		if problem != "" {
			return nil, fmt.Sprintf("message %d of the batch: %s", i+1, problem)
		}
		if msg.id == "" {
			rest = append(rest, msg)
			continue
		}
		ids[msg.id] = true
		requests = append(requests, msg)
	}
	if admitted := m.admit(requests); len(admitted) > 0 {
		lines = fmt.Appendf(nil, "[%s]\n", bytes.ReplaceAll(bytes.TrimSpace(admitted), []byte("\n"), []byte(",")))
	}
	return append(lines, m.admit(rest)...), ""
}

// parseInBatch reads one message of a batch.
func parseInBatch(text json.RawMessage) (msg message, problem string) {
	if text[0] != '{' {
		return msg, "it is no object"
	}
	msg, problem = parseMessage(text)
	if problem == "" && (msg.method == "initialize" || msg.method == listenMethod) {
		problem = msg.method + " goes alone"
	}
	return msg, problem
}

// takesBatches reports whether the negotiated version has batches. While
// initialize has no answer yet, it waits for that.
func (p *pending) takesBatches(ctx context.Context) bool {
	for {
		p.mu.Lock()
		version, open, changed := p.version, len(p.ids), p.changed
		p.mu.Unlock()
		if version != "" || open == 0 {
			return version != "" && version < noBatches
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}

// setVersion records the version in the answer to initialize.
func (p *pending) setVersion(result json.RawMessage) {
	var r struct {
		ProtocolVersion string `json:"protocolVersion"`
	}
	if json.Unmarshal(result, &r) != nil || r.ProtocolVersion == "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.version = r.ProtocolVersion
}
