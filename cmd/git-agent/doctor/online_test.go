package doctor

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"git-agent/agent/model"
	"git-agent/agent/model/modeltest"
	"git-agent/agent/session"
)

// sendTo sends every request to the server at this URL.
type sendTo string

func (s sendTo) RoundTrip(req *http.Request) (*http.Response, error) {
	to, err := url.Parse(string(s))
	if err != nil {
		return nil, err
	}
	req.URL.Scheme, req.URL.Host = to.Scheme, to.Host
	return http.DefaultTransport.RoundTrip(req)
}

// Anthropic's compatibility layer works, but is the dear way to ask Claude.
func TestChatAtAnthropicIsDear(t *testing.T) {
	for wire, want := range map[model.Wire]string{
		model.WireChat:     "warn: the chat API of api.anthropic.com has no prompt caching: each turn pays for the whole conversation again; git config --global agent.wire messages",
		model.WireMessages: "", model.WireAuto: "",
	} {
		srv := modeltest.Serve(t, func(modeltest.Request) modeltest.Reply { return modeltest.Call("ready", `{"ok":true}`) })
		settings := session.Settings{BaseURL: "https://api.anthropic.com/v1", Model: "claude-opus-5-5", Wire: wire}
		config := settings.ClientConfig("key-0123456789", "1")
		config.HTTP = &http.Client{Transport: sendTo(srv.URL)}
		client, err := model.New(config)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range (&server{settings, config, client, "ANTHROPIC_API_KEY"}).check(t.Context()) {
			if f.Check == "wire" {
				got = append(got, f.Status+": "+f.Detail+"; "+f.Fix)
			} else if f.Status != checkOK {
				t.Errorf("%s: %+v", wire, f)
			}
		}
		if strings.Join(got, "\n") != want {
			t.Errorf("%s: %q, want %q", wire, got, want)
		}
	}
}
