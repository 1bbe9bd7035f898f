package session

import (
	"errors"
	"testing"

	"git-agent/agent/model"
)

// Keys go to their own servers: OpenAI's variable to OpenAI, or to the server named
// beside it, and Anthropic's to Anthropic.
func TestWhereKeysGo(t *testing.T) {
	env := map[string]string{"OPENAI_API_KEY": "theirs", "ANTHROPIC_API_KEY": "claude's", "GIT_AGENT_API_KEY": ""}
	for _, tt := range []struct {
		url, from, own, want string
	}{
		{model.DefaultBaseURL, "", "", "theirs"},
		{"https://api.deepseek.com/v1", "git config, global", "", ""},
		{"https://api.deepseek.com/v1", "GIT_AGENT_BASE_URL", "", ""},
		{"https://proxy.example/v1", "OPENAI_BASE_URL", "", "theirs"},
		{"https://api.deepseek.com/v1", "git config, global", "ours", "ours"},
		{"https://api.anthropic.com", "git config, global", "", "claude's"},
		{"https://api.anthropic.com/v1", "git config, global", "ours", "ours"},
		{"http://api.anthropic.com/v1", "git config, global", "", ""},
		{"https://api.anthropic.com.example.org/anthropic", "git config, global", "", ""},
	} {
		env["GIT_AGENT_API_KEY"] = tt.own
		s := Settings{BaseURL: tt.url, From: map[string]string{"agent.baseUrl": tt.from}}
		if got, _, err := s.FindKey(t.Context(), func(name string) string { return env[name] }, true); got != tt.want || err != nil {
			t.Errorf("%+v: %q, %v", tt, got, err)
		}
	}
}

// The hint about a server's refusal fits the mistake: a missing key is no wrong one, and
// a model that answers has the right name.
func TestAdvice(t *testing.T) {
	t.Parallel()
	settings := Settings{BaseURL: "http://h.example/v1", Model: "m", From: map[string]string{"agent.model": "--model"}}
	for _, tt := range []struct {
		name, keyFrom, hint string
		failed              model.Error
	}{
		{"a wrong key", "GIT_AGENT_API_KEY", "check the key for h.example; it is from GIT_AGENT_API_KEY", model.Error{Class: model.ClassAuth, Status: 400}},
		{"no key", "", keyHint, model.Error{Class: model.ClassAuth, Status: 401}},
		{"no such model", "", `check the model's name, "m", which is from --model`, model.Error{Class: model.ClassModel, Status: 404}},
		{"a part was read", "", "", model.Error{Class: model.ClassModel, Status: 200, Message: "OLLAMA_CONTEXT_LENGTH"}},
	} {
		var hinted *HintedError
		hint := ""
		if err := (&Session{Settings: settings, KeyFrom: tt.keyFrom}).advise(&tt.failed); errors.As(err, &hinted) {
			hint = hinted.Hint
		}
		if hint != tt.hint {
			t.Errorf("%s: the hint is %q, want %q", tt.name, hint, tt.hint)
		}
	}
}
