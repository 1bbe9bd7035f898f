package session

import (
	"net/url"
	"slices"
	"strings"

	"git-agent/agent/model"
)

// hostedPaths maps the end of a hosted server's name to the base path of its API. Other
// servers have the API below /v1.
var hostedPaths = []struct{ host, path string }{
	{"generativelanguage.googleapis.com", "/v1beta/openai"},
	{".openai.azure.com", "/openai/v1"},
	{".services.ai.azure.com", "/openai/v1"},
	{"openrouter.ai", "/api/v1"},
	{".amazonaws.com", "/openai/v1"},
}

// messagesPaths is the same for the messages API, whose version the client adds.
var messagesPaths = []struct{ host, path string }{
	{".services.ai.azure.com", "/anthropic"},
	{"openrouter.ai", "/api"},
	{".api.aws", "/anthropic"},
	{".amazonaws.com", "/anthropic"},
}

// LikelyBaseURL returns the probably intended address if the address in the settings
// lacks the base path of its server's API; else "".
func (s Settings) LikelyBaseURL() string {
	u, err := url.Parse(s.BaseURL)
	if err != nil || u.Host == "" {
		return ""
	}
	messages := s.Wire == model.WireMessages || s.Wire != model.WireChat && s.Wire != model.WireResponses && model.IsAnthropic(u)
	hosted := hostedPaths
	if messages {
		hosted = messagesPaths
	}
	for _, h := range hosted {
		if name := u.Hostname(); name == strings.TrimPrefix(h.host, ".") || strings.HasSuffix(name, h.host) && h.host[0] == '.' {
			if strings.Contains(u.Path+"/", h.path+"/") || strings.Contains(u.Path, "/deployments/") {
				return ""
			}
			u.Path = h.path
			return u.String()
		}
	}
	if messages || slices.ContainsFunc(strings.Split(u.Path, "/"), isVersion) {
		return ""
	}
	u.Path = strings.TrimRight(u.Path, "/") + "/v1"
	return u.String()
}

// isVersion reports whether a part of a path names a version, such as "v1" or "v1beta".
func isVersion(part string) bool {
	return len(part) > 1 && part[0] == 'v' && '0' <= part[1] && part[1] <= '9'
}
