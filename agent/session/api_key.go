package session

import (
	"context"
	"fmt"
	"strings"

	"git-agent/agent/model"
	"git-agent/gitext/usercmd"
)

// anthropicHost is the server for which ANTHROPIC_API_KEY is meant.
const anthropicHost = "api.anthropic.com"

// KeyVariables lists the variables of the environment that can have a key.
var KeyVariables = []string{"GIT_AGENT_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"}

// FindKey returns the API key, or "" if there is none, and its origin. OPENAI_API_KEY is
// used only for OpenAI or for the server named by OPENAI_BASE_URL, and ANTHROPIC_API_KEY only
// for Anthropic: any other server would learn a key that is not meant for it. If wanted is
// false, agent.apiKeyCommand is not run, and its key is left empty.
func (s Settings) FindKey(ctx context.Context, env func(string) string, wanted bool) (key, origin string, err error) {
	if key := env("GIT_AGENT_API_KEY"); key != "" {
		return key, "GIT_AGENT_API_KEY", nil
	}
	if s.KeyCommand != "" {
		from := s.From["agent.apiKeyCommand"]
		if wanted {
			key, err = usercmd.Credential(ctx, s.KeyCommand)
		}
		if err != nil {
			err = fmt.Errorf("agent.apiKeyCommand (%s): %w", from, err)
		}
		return key, "agent.apiKeyCommand (" + from + ")", err
	}
	theirs := s.BaseURL == model.DefaultBaseURL || s.From["agent.baseUrl"] == "OPENAI_BASE_URL"
	if key := env("OPENAI_API_KEY"); key != "" && theirs {
		return key, "OPENAI_API_KEY", nil
	}
	if key := env("ANTHROPIC_API_KEY"); key != "" && s.Host() == anthropicHost && strings.HasPrefix(s.BaseURL, "https://") {
		return key, "ANTHROPIC_API_KEY", nil
	}
	return "", "", nil
}
