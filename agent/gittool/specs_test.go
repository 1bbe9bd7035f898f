package gittool

import (
	"encoding/json"
	"strings"
	"testing"

	"git-agent/prompts"
)

func TestSpecs(t *testing.T) {
	// Every tool and each parameter is described, and nothing else is; the schemas are
	// strict JSON schemas.
	specs, err := Specs()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range specs {
		names = append(names, s.Name)
		var schema struct {
			Type       string                     `json:"type"`
			Properties map[string]json.RawMessage `json:"properties"`
			Required   []string                   `json:"required"`
			Additional *bool                      `json:"additionalProperties"`
		}
		if err := json.Unmarshal(s.Parameters, &schema); err != nil {
			t.Fatalf("%s: %v", s.Name, err)
		}
		if schema.Type != "object" || schema.Additional == nil || *schema.Additional || schema.Required == nil {
			t.Errorf("%s: schema is not strict: %s", s.Name, s.Parameters)
		}
		text, err := prompts.ForTool(s.Name, true)
		if err != nil {
			t.Fatal(err)
		}
		if s.Description == "" || text.Narrow == "" {
			t.Errorf("%s: no description, or no advice how to ask for less", s.Name)
		}
		for name := range text.Params {
			if _, ok := schema.Properties[name]; !ok {
				t.Errorf("%s: the prompt describes %q, which is no parameter", s.Name, name)
			}
		}
	}
	if got := strings.Join(names, " "); got != "git_blame git_show git_log_search git_log_function git_grep" {
		t.Errorf("tools are %s", got)
	}
}
