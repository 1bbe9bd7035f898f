package session

import "testing"

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
		"https://api.anthropic.com":                               "https://api.anthropic.com/v1",
		"https://api.example.com/v4":                              "",
		"not a url":                                               "",
	} {
		if got := (Settings{BaseURL: base}).LikelyBaseURL(); got != want {
			t.Errorf("%s: %q, want %q", base, got, want)
		}
	}
}
