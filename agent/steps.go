package agent

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"git-agent/agent/model"
)

// A Loop writes these steps to its journal, all as JSON. Requests to the model
// are numbered from 1, including those without an answer, and so are the calls
// of one answer:
//
//	result opening     Opening
//	result limit/N     LimitStep     before model/N, if that is the last word
//	intent model/N     AskIntent
//	result model/N     AskResult
//	intent tool/N/I    model.Call
//	result tool/N/I    CallResult
//	result removed/N   Removed       tool answers removed from the conversation after model/N failed
//	result user/N      Said          how an answer without calls was handled
//	note   closing     Closing
//
// A Loop is deterministic between these steps. It resumes by running again and taking the
// recorded results. It always continues with a result as read back from its step, so that
// the first and the resumed run see the same. Calls that are answered without running a
// tool have no intent. A request that failed and ended the run is sent again on resuming.
// The last result of a key counts, and so does the last closing.
const (
	StepOpening = "opening"
	StepClosing = "closing"
)

// modelStep is the key of the n-th request to the model, from 1.
func modelStep(n int) string { return fmt.Sprintf("model/%d", n) }

// ToolStep is the key of the i-th call of the n-th answer, both from 1.
func ToolStep(n, i int) string { return fmt.Sprintf("tool/%d/%d", n, i) }

// userStep is the key of the message to the model after its n-th answer.
func userStep(n int) string { return fmt.Sprintf("user/%d", n) }

// limitKey is the key of the limit that makes the n-th request the last word.
func limitKey(n int) string { return fmt.Sprintf("limit/%d", n) }

// removedKey is the key of the answers removed after the n-th request failed.
func removedKey(n int) string { return fmt.Sprintf("removed/%d", n) }

// Opening is the beginning of a conversation.
type Opening struct {
	Model  string       `json:"model"`
	System string       `json:"system"`
	Prompt string       `json:"prompt"`
	Tools  []model.Tool `json:"tools"`
	Limits Limits       `json:"limits"`
	// Deeds maps tools to their deeds, and Needs lists the deeds that a careful answer is
	// based on. Only readers of the recording use them. Older runs have null.
	Deeds map[string]Deed `json:"deeds"`
	Needs []Deed          `json:"needs,omitempty"`
}

// AskIntent is a request that is about to be sent.
type AskIntent struct {
	Request  string  `json:"request"`            // requestHash of it
	Estimate int64   `json:"estimate,omitempty"` // tokens of the prompt, by this program's count
	HoldUSD  float64 `json:"hold_usd,omitempty"` // reserved for it
}

// AskResult is the result of a request: a reply, or the reason why there is
// none.
type AskResult struct {
	Reply   *model.Reply `json:"reply,omitempty"`
	Class   model.Class  `json:"class,omitempty"` // classWall or one of package model's
	Error   string       `json:"error,omitempty"`
	Seconds float64      `json:"seconds,omitempty"`
	// Wasted is the number of attempts that brought no answer and may have been charged.
	Wasted int `json:"wasted,omitempty"`
}

// classWall is the class of a request that was given up because the run's time ended.
const classWall model.Class = "wall"

// CallResult is the answer to a tool call.
type CallResult struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Text      string          `json:"text"`             // as the model saw it
	Full      string          `json:"full,omitempty"`   // Text before it was condensed, if that removed something
	Detail    json.RawMessage `json:"detail,omitempty"` // of a final result: its value
	Failed    bool            `json:"failed,omitempty"`
	Malformed bool            `json:"malformed,omitempty"` // the call could not be understood
	SameAs    string          `json:"same_as,omitempty"`   // key of the step with the answer that Text refers to
	NotRun    bool            `json:"not_run,omitempty"`   // Text says why
	Cached    bool            `json:"cached,omitempty"`
	Truncated bool            `json:"truncated,omitempty"`
	Final     bool            `json:"final,omitempty"`
	Nothing   bool            `json:"nothing,omitempty"`   // the search found nothing; of a final result: it names nothing
	TimedOut  bool            `json:"timed_out,omitempty"` // Failed, because of the call's time limit
	Fault     Fault           `json:"fault,omitempty"`     // why it Failed, if a more exact reason is known
	Seconds   float64         `json:"seconds,omitempty"`
}

// Said says how an answer without calls was handled: it was final, or Text was
// sent to the model as the user's message.
type Said struct {
	Text   string          `json:"text,omitempty"`
	Final  bool            `json:"final,omitempty"`
	Detail json.RawMessage `json:"detail,omitempty"` // of a final result: its value
	// Nothing says that a final answer names nothing.
	Nothing bool `json:"nothing,omitempty"`
}

// LimitStep records which limit was reached, and what the model was told.
type LimitStep struct {
	Reason string `json:"reason"`
	Text   string `json:"text"`
}

// Removed lists tool answers that were replaced in the conversation at once. Why is
// ClassOverflow or ClassRefused.
type Removed struct {
	Why     model.Class   `json:"why"`
	Answers []Replacement `json:"answers"`
}

// Replacement is one replaced answer: the key of its call, and the new text.
type Replacement struct {
	Step string `json:"step"`
	Text string `json:"text"`
}

// Closing says how a conversation ended.
type Closing struct {
	Status string      `json:"status"`
	Reason string      `json:"reason,omitempty"`
	Turns  int         `json:"turns"`
	Calls  int         `json:"calls"`
	Usage  model.Usage `json:"usage"`
}

// requestHash returns the hex SHA-256 of a request in its neutral form. A replay uses it
// to check that it sends the same request.
func requestHash(req model.Request) (string, error) {
	text, err := encodeJSON(req)
	if err != nil {
		return "", fmt.Errorf("encode a request: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// encodeJSON encodes v without a newline, and leaves <, > and & unescaped: a model pays
// for \u003c, and raw messages are sent back in the form that the journal returns.
func encodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
