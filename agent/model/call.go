package model

import (
	"encoding/json"
	"strings"
)

// Means returns the tool and the arguments of a call without the wrapping that
// some servers leave around them: gpt-oss writes "functions.report" and
// "report<|channel|>commentary", and some servers encode the object of arguments
// twice, as a JSON string in JSON. Name and Args stay as sent.
func (c Call) Means() (tool, args string) {
	tool, _, _ = strings.Cut(strings.TrimPrefix(c.Name, "functions."), "<|")
	if tool == "" {
		tool = c.Name
	}
	var inner string
	if json.Unmarshal([]byte(c.Args), &inner) == nil && strings.HasPrefix(strings.TrimSpace(inner), "{") {
		return tool, inner
	}
	return tool, c.Args
}
