package doctor

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"git-agent/agent"
	"git-agent/agent/model"
	"git-agent/agent/session"
	"git-agent/cmd/git-agent/render"
	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext/quote"
)

// Limits of the test request of --online. They are lower than for an investigation, because the
// user wants to learn about a problem instead of waiting for its end.
const (
	onlineTimeout  = time.Minute
	onlineAttempts = 2
)

// checkModel checks the configuration of the model. It sends a request only if
// Online is set.
func checkModel(ctx context.Context, v *visit) []finding {
	s, err := v.Model(ctx)
	switch {
	case err != nil:
		return []finding{fail("model", "", "%s", ui.FatalText(err))}
	case s.Model == "":
		return []finding{ok("model", "none is configured: the offline engine answers")}
	}
	list := []finding{ok("model", "%s at %s (%s)", s.Model, s.Host(), s.From["agent.model"])}
	if likely := s.LikelyBaseURL(); likely != "" {
		list = append(list, checkAddress(s, likely))
	}
	list = append(list, checkKey(ctx, v, s))
	key, _, err := s.FindKey(ctx, v.Getenv, v.Online)
	if err != nil {
		return append(list, fail("server", "git config --global agent.apiKeyCommand <command>", "%v", err))
	}
	config := s.ClientConfig(key, v.Version)
	config.Attempts = onlineAttempts
	client, err := model.New(config)
	if err != nil {
		return append(list, fail("server", "", "%v", err))
	}
	list = append(list, checkPrice(client, s))
	for _, of := range v.Calibrations {
		list = append(list, checkCalibration(s, of))
	}
	if v.Online {
		list = append(list, checkServer(ctx, client))
	}
	return list
}

// checkAddress returns the finding that the server's address lacks the path of the API.
func checkAddress(s session.Settings, likely string) finding {
	fix := "git config --global agent.baseUrl " + quote.Shell(likely)
	if from := s.From["agent.baseUrl"]; strings.HasSuffix(from, "_BASE_URL") { // a variable
		fix = "export " + from + "=" + quote.Shell(likely)
	}
	return warn("address", fix, "%s is not where such a server has its API, which is %s", ui.Printable(s.BaseURL), ui.Printable(likely))
}

// checkKey reports the origin of the API key, but never the key.
func checkKey(ctx context.Context, v *visit, s session.Settings) finding {
	_, origin, _ := s.FindKey(ctx, v.Getenv, false) // only running the command can fail
	switch {
	case origin != "":
		return ok("key", "from %s", origin)
	case s.Local():
		return ok("key", "none, and %s is a local server", s.Host())
	}
	return fail("key", "export GIT_AGENT_API_KEY=<key>", "there is none for %s", s.Host())
}

func checkPrice(client *model.Client, s session.Settings) finding {
	p, known := client.Price()
	switch {
	case known:
		return ok("price", "$%.4g sent, $%.4g received for a million tokens (%s)", p.Input, p.Output, p.Source)
	case s.AllowUnpriced:
		return warn(
			"price",
			"git config --global agent.price <input>/<output>",
			"unknown, which agent.allowUnpriced allows: no limit on cost can be kept",
		)
	}
	return fail("price", "git config --global agent.price <input>/<output>", "unknown")
}

// checkServer asks the model to call a tool, because investigations need tool calls.
func checkServer(ctx context.Context, client *model.Client) finding {
	ctx, cancel := context.WithTimeout(ctx, onlineTimeout)
	defer cancel()
	begun := time.Now()
	reply, err := client.Ask(ctx, model.Request{
		Messages: []model.Message{
			{Role: model.System, Text: "You test whether tools can be called."},
			{Role: model.User, Text: `Call the tool "ready" with ok set to true.`},
		},
		Tools: []model.Tool{{Name: "ready", Description: "Say that tools can be called.",
			Parameters: json.RawMessage(`{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"],"additionalProperties":false}`)}},
	})
	if err != nil {
		return fail("server", "", "%v", err)
	}
	took := time.Since(begun).Round(100 * time.Millisecond)
	if len(reply.Message.Calls) == 0 {
		return warn("server", "", "it answered in %s, but called no tool: the model cannot investigate", took)
	}
	return ok("server", "%s answered in %s and calls tools, %s", reply.Model, took, render.UsageText(reply.Usage))
}

// checkCalibration checks that a configured calibration is readable, and that it fits the
// configured model and the current prompts.
func checkCalibration(s session.Settings, of Calibration) finding {
	path := of.Path(s)
	if path == "" {
		return ok(of.Name, "none: a model's probabilities are its own mixed with the ranking's")
	}
	c, err := of.Read(path)
	if err != nil {
		return fail(of.Name, of.Again, "%v", err)
	}
	basis, err := of.Basis(s, c.Runs)
	if err != nil {
		return fail(of.Name, "", "%v", err)
	}
	if why := c.Differs(basis); why != "" {
		return warn(of.Name, of.Again, "%s is not used: %s", path, why)
	}
	return ok(of.Name, "%s, for %s: %s", path, agent.Plural(c.Runs, "run"), c.About())
}
