package agent

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"git-agent/agent/model"
)

// What a Loop writes to its journal, all as JSON. Requests to the model are
// numbered from 1, those that brought no answer too, and so are the calls of
// one answer:
//
//	result opening     Opening
//	result limit/N     LimitStep     before model/N, if that is the last word
//	intent model/N     AskIntent
//	result model/N     AskResult
//	intent tool/N/I    model.Call
//	result tool/N/I    CallResult
//	result removed/N   Removed       tool answers taken out of the conversation after model/N failed
//	result user/N      Said          what became of an answer without calls
//	note   closing     Closing
//
// A Loop is deterministic between these steps, so that it resumes by running
// again and taking the results that are there. It goes on with what a step
// reads as when it comes back, so that both lives of a run see the same.
// Calls that are answered without running a tool have no intent. A request
// that failed and ended the run is sent again when the run is resumed; the
// last result of a key counts, and so does the last closing.
const (
	StepOpening = "opening"
	StepClosing = "closing"
)

// ModelStep is the key of the n-th request to the model, from 1.
func ModelStep(n int) string { return fmt.Sprintf("model/%d", n) }

// ToolStep is the key of the i-th call of the n-th answer, both from 1.
func ToolStep(n, i int) string { return fmt.Sprintf("tool/%d/%d", n, i) }

// UserStep is the key of what is said to the model after its n-th answer.
func UserStep(n int) string { return fmt.Sprintf("user/%d", n) }

// LimitKey is the key of the limit that makes the n-th request the last word.
func LimitKey(n int) string { return fmt.Sprintf("limit/%d", n) }

// RemovedKey is the key of what was taken out after the n-th request failed.
func RemovedKey(n int) string { return fmt.Sprintf("removed/%d", n) }

// Opening is how a conversation begins.
type Opening struct {
	Model  string       `json:"model"`
	System string       `json:"system"`
	Prompt string       `json:"prompt"`
	Tools  []model.Tool `json:"tools"`
	Limits Limits       `json:"limits"`
	// Deeds are those of the tools, by name, and Needs those without which a
	// verdict is rash. Only readers of the record use them; runs that were
	// recorded before there were deeds have null.
	Deeds map[string]Deed `json:"deeds"`
	Needs []Deed          `json:"needs,omitempty"`
}

// AskIntent is a request that is about to be sent.
type AskIntent struct {
	Request  string  `json:"request"`            // RequestHash of it
	Estimate int64   `json:"estimate,omitempty"` // tokens of the prompt, by our own count
	HoldUSD  float64 `json:"hold_usd,omitempty"` // reserved for it
}

// AskResult is what came of it: a reply, or the reason why there is none.
type AskResult struct {
	Reply   *model.Reply `json:"reply,omitempty"`
	Class   model.Class  `json:"class,omitempty"` // ClassWall beside those of package model
	Error   string       `json:"error,omitempty"`
	Seconds float64      `json:"seconds,omitempty"`
	// Wasted is how many requests were sent that brought nothing and may have
	// been paid for.
	Wasted int `json:"wasted,omitempty"`
}

// ClassWall is a request that was given up because the time of the run ended.
const ClassWall model.Class = "wall"

// CallResult is what a tool answered.
type CallResult struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Text      string          `json:"text"`             // as the model saw it
	Full      string          `json:"full,omitempty"`   // before compression, where that took something away
	Detail    json.RawMessage `json:"detail,omitempty"` // of a final result: its value
	Failed    bool            `json:"failed,omitempty"`
	Malformed bool            `json:"malformed,omitempty"` // the call could not be understood
	SameAs    string          `json:"same_as,omitempty"`   // key of the step that gave the answer which Text refers to
	NotRun    bool            `json:"not_run,omitempty"`   // Text says why
	Cached    bool            `json:"cached,omitempty"`
	Truncated bool            `json:"truncated,omitempty"`
	Final     bool            `json:"final,omitempty"`
	Nothing   bool            `json:"nothing,omitempty"`   // there is nothing of what was looked for; of a final result: it names nothing
	TimedOut  bool            `json:"timed_out,omitempty"` // Failed, because of the call's time limit
	Seconds   float64         `json:"seconds,omitempty"`
}

// Said is what became of an answer without calls: it was final, or Text was
// said to the model as the user.
type Said struct {
	Text   string          `json:"text,omitempty"`
	Final  bool            `json:"final,omitempty"`
	Detail json.RawMessage `json:"detail,omitempty"` // of a final result: its value
	// Nothing says that a final answer names nothing.
	Nothing bool `json:"nothing,omitempty"`
}

// LimitStep says which limit was met, and what the model was told then.
type LimitStep struct {
	Reason string `json:"reason"`
	Text   string `json:"text"`
}

// Removed lists tool answers that were replaced in the conversation, all at
// once. Why is ClassOverflow or ClassRefused.
type Removed struct {
	Why     model.Class   `json:"why"`
	Answers []Replacement `json:"answers"`
}

// Replacement is one of them: the key of the call, and the text that now
// stands in the place of its answer.
type Replacement struct {
	Step string `json:"step"`
	Text string `json:"text"`
}

// Closing is how it ended.
type Closing struct {
	Status string      `json:"status"`
	Reason string      `json:"reason,omitempty"`
	Turns  int         `json:"turns"`
	Calls  int         `json:"calls"`
	Usage  model.Usage `json:"usage"`
}

// RequestHash is the hex SHA-256 of a request in its neutral form, by which a
// replay knows that it asks the same.
func RequestHash(req model.Request) (string, error) {
	text, err := encodeStep(req)
	if err != nil {
		return "", fmt.Errorf("encode a request: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// encodeStep leaves <, > and & as they are: raw messages are resent as the
// journal gives them back.
func encodeStep(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
