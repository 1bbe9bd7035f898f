package session

import (
	"testing"

	"git-agent/agent/model"
)

// An address without the version of the API is completed in the server's form; an address
// with a version does not change.
func TestLikelyBaseURL(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"https://api.openai.com/v1":                               "",
		"https://api.openai.com":                                  "https://api.openai.com/v1",
		"http://localhost:11434":                                  "http://localhost:11434/v1",
		"http://localhost:8000/v1":                                "",
		"http://10.0.0.1:8080/llm":                                "http://10.0.0.1:8080/llm/v1",
		"https://openrouter.ai":                                   "https://openrouter.ai/api/v1",
		"https://openrouter.ai/v1":                                "https://openrouter.ai/api/v1",
		"https://openrouter.ai/api/v1":                            "",
		"https://generativelanguage.googleapis.com/v1beta":        "https://generativelanguage.googleapis.com/v1beta/openai",
		"https://generativelanguage.googleapis.com/v1beta/openai": "",
		"https://x.openai.azure.com":                              "https://x.openai.azure.com/openai/v1",
		"https://x.openai.azure.com/openai/v1":                    "",
		"https://x.openai.azure.com/openai/deployments/d":         "",
		"https://api.anthropic.com":                               "",
		"https://x.services.ai.azure.com/anthropic":               "",
		"https://bedrock-runtime.eu-west-1.amazonaws.com/v1":      "https://bedrock-runtime.eu-west-1.amazonaws.com/openai/v1",
		"https://api.example.com/v4":                              "",
		"not a url":                                               "",
	} {
		if got := (Settings{BaseURL: base}).LikelyBaseURL(); got != want {
			t.Errorf("%s: %q, want %q", base, got, want)
		}
	}
	for base, want := range map[string]string{
		"https://x.services.ai.azure.com":                 "https://x.services.ai.azure.com/anthropic",
		"https://openrouter.ai":                           "https://openrouter.ai/api",
		"https://openrouter.ai/api/v1":                    "",
		"https://bedrock-mantle.eu-west-1.api.aws":        "https://bedrock-mantle.eu-west-1.api.aws/anthropic",
		"https://bedrock-runtime.eu-west-1.amazonaws.com": "https://bedrock-runtime.eu-west-1.amazonaws.com/anthropic",
		"http://localhost:11434":                          "",
		"http://localhost:11434/v1":                       "",
	} {
		if got := (Settings{BaseURL: base, Wire: model.WireMessages}).LikelyBaseURL(); got != want {
			t.Errorf("messages at %s: %q, want %q", base, got, want)
		}
	}
	if got := (Settings{BaseURL: "https://api.anthropic.com", Wire: model.WireChat}).LikelyBaseURL(); got != "https://api.anthropic.com/v1" {
		t.Errorf("chat at Anthropic: %q", got)
	}
}
