package doctor

import (
	"context"
	"strings"

	"git-agent/agent"
	"git-agent/agent/model"
	"git-agent/agent/session"
	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext/quote"
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
	key, from, err := s.FindKey(ctx, v.Getenv, v.Online)
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
		list = append(list, (&server{s, config, client, from}).check(ctx)...)
	}
	return list
}

// checkAddress returns the finding that the server's address lacks the path of the API.
func checkAddress(s session.Settings, likely string) finding {
	return warn("address", setAddress(s, likely), "%s is not where such a server has its API, which is %s", ui.Printable(s.BaseURL), ui.Printable(likely))
}

// setAddress returns the command that sets the server's address where it is set now.
func setAddress(s session.Settings, to string) string {
	if from := s.From["agent.baseUrl"]; strings.HasSuffix(from, "_BASE_URL") { // a variable
		return "export " + from + "=" + quote.Shell(to)
	}
	return "git config --global agent.baseUrl " + quote.Shell(to)
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
