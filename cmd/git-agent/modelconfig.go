package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"git-agent/agent/model"
	"git-agent/gitext"
)

// modelSettings say who is asked and what it may cost. They come from options,
// then the environment, then git's configuration. Its zero value configures no
// model.
type modelSettings struct {
	Model         string
	BaseURL       string
	Wire          model.Wire
	KeyCommand    string        // prints the key
	MaxCost       float64       // USD of one command; 0 for no limit
	MaxTokens     int64         // of one conversation; 0 for the engine's default
	Turns         int           // answers of the model in one conversation; 0 for the engine's default
	Timeout       time.Duration // of one conversation; 0 for the engine's default
	ReplyTimeout  time.Duration // of one answer of the server; 0 for the client's default
	Price         *tokenPrice   // nil: what the server or the price table says
	AllowUnpriced bool
	Temperature   *float64 // nil: what the server takes
	Effort        string   // of reasoning; "": what the server takes
	Calibration   string   // file with a calibration of the model's probabilities; "" for none
	Engine        string   // "offline" keeps the model out unless an option asks for it

	from map[string]string // where each setting that is set comes from, by its key
}

// modelSetting is one agent.* setting of a model.
type modelSetting struct {
	key  string // as the manual spells it
	env  string // variable that goes before the configuration; "" for none
	late string // variable that goes after it, because other programs share it; "" for none
	// tightens says which values a repository itself may set: those that keep
	// data on the machine. nil for none.
	tightens func(value string) bool
	set      func(s *modelSettings, value string) error
}

// modelSettingsTable is every setting of a model.
var modelSettingsTable = []modelSetting{
	{key: "agent.model", env: "GIT_AGENT_MODEL", set: func(s *modelSettings, v string) error { s.Model = v; return nil }},
	{key: "agent.baseUrl", env: "GIT_AGENT_BASE_URL", late: "OPENAI_BASE_URL", set: func(s *modelSettings, v string) error { s.BaseURL = v; return nil }},
	{key: "agent.wire", set: func(s *modelSettings, v string) error { return setWire(&s.Wire, v) }},
	{key: "agent.apiKeyCommand", set: func(s *modelSettings, v string) error { s.KeyCommand = v; return nil }},
	{key: "agent.maxCost", set: func(s *modelSettings, v string) error { return setUSD(&s.MaxCost, v) }},
	{key: "agent.maxTokens", set: func(s *modelSettings, v string) error { return setTokens(&s.MaxTokens, v) }},
	{key: "agent.turns", set: func(s *modelSettings, v string) error { return setCount(&s.Turns, v) }},
	{key: "agent.timeout", set: func(s *modelSettings, v string) error { return setDuration(&s.Timeout, v) }},
	{key: "agent.replyTimeout", set: func(s *modelSettings, v string) error { return setDuration(&s.ReplyTimeout, v) }},
	{key: "agent.price", set: func(s *modelSettings, v string) error { return setPrice(&s.Price, v) }},
	{key: "agent.allowUnpriced", set: func(s *modelSettings, v string) error { return setBool(&s.AllowUnpriced, v) }},
	{key: "agent.temperature", set: func(s *modelSettings, v string) error { return setTemperature(&s.Temperature, v) }},
	{key: "agent.reasoningEffort", set: func(s *modelSettings, v string) error { s.Effort = v; return nil }},
	{key: "agent.calibration", set: func(s *modelSettings, v string) error { return setCalibration(&s.Calibration, v) }},
	{key: "agent.engine", tightens: func(v string) bool { return v == "offline" }, set: func(s *modelSettings, v string) error { return setEngine(&s.Engine, v) }},
}

// modelSettings reads what is configured. What a repository itself sets is
// left out and warned about, for it decides where data goes and what is spent.
func (a *app) modelSettings(ctx context.Context) (modelSettings, error) {
	config, err := a.config(ctx)
	if err != nil {
		return modelSettings{}, err
	}
	s := modelSettings{Wire: model.WireAuto, from: map[string]string{}}
	for _, row := range modelSettingsTable {
		value, origin := row.find(a, config[strings.ToLower(row.key)])
		if origin == "" {
			continue
		}
		if err := row.set(&s, value); err != nil {
			return s, fmt.Errorf("%s is %q (from %s): %w", row.key, value, origin, err)
		}
		s.from[row.key] = origin
	}
	if s.BaseURL == "" {
		s.BaseURL = model.DefaultBaseURL
	}
	s.BaseURL = strings.TrimRight(s.BaseURL, "/")
	return s, nil
}

// find returns the value that counts and its origin, "" when there is none.
func (row modelSetting) find(a *app, configured []gitext.ConfigValue) (value, origin string) {
	if v := a.env.get(row.env); row.env != "" && v != "" {
		return v, row.env
	}
	for _, v := range configured { // the last one wins, as in git
		if v.Bare {
			v.Value = "true"
		}
		switch {
		case v.Trusted(), row.tightens != nil && row.tightens(v.Value):
			value, origin = v.Value, "git config, "+v.Scope
		default:
			a.warnUntrusted(row.key, v.Scope)
		}
	}
	if v := a.env.get(row.late); origin == "" && row.late != "" && v != "" {
		return v, row.late
	}
	return value, origin
}

// warnUntrusted says once that a setting is left out.
func (a *app) warnUntrusted(key, scope string) {
	if a.warned[key] {
		return
	}
	if a.warned == nil {
		a.warned = map[string]bool{}
	}
	a.warned[key] = true
	fmt.Fprintf(a.stderr, "warning: %s (%s) is ignored: a repository may not set it; use 'git config --global %s <value>'\n", key, scope, key)
}

// host is the server's name, for people.
func (s modelSettings) host() string {
	if u, err := url.Parse(s.BaseURL); err == nil && u.Host != "" {
		return u.Host
	}
	return s.BaseURL
}

// place is the server without what changes when a local one is started again:
// its port. Recorded runs and kept answers are found by it.
func (s modelSettings) place() string {
	u, err := url.Parse(s.BaseURL)
	if err != nil || !s.local() {
		return s.BaseURL
	}
	u.Host = u.Hostname()
	if strings.Contains(u.Host, ":") {
		u.Host = "[" + u.Host + "]"
	}
	return u.String()
}

// local is true for a server that is asked without a key and without a price.
func (s modelSettings) local() bool {
	u, err := url.Parse(s.BaseURL)
	return err == nil && model.IsLocal(u)
}

// sampling says how the model is asked to sample, "" for the server's way.
func (s modelSettings) sampling() string {
	var words []string
	if s.Effort != "" {
		words = append(words, "effort="+s.Effort)
	}
	if s.Temperature != nil {
		words = append(words, fmt.Sprintf("temperature=%g", *s.Temperature))
	}
	return strings.Join(words, " ")
}

func setWire(to *model.Wire, v string) error {
	switch w := model.Wire(v); w {
	case model.WireAuto, model.WireChat, model.WireResponses:
		*to = w
		return nil
	}
	return errors.New("it must be auto, chat or responses")
}

func setEngine(to *string, v string) error {
	if v != "auto" && v != "offline" && v != "agent" {
		return errors.New("it must be auto, offline or agent")
	}
	*to = v
	return nil
}

func setUSD(to *float64, v string) error {
	n, err := strconv.ParseFloat(v, 64)
	if err != nil || !(n >= 0) {
		return errors.New("it must be an amount in US dollars, such as 0.50")
	}
	*to = n
	return nil
}

func setTokens(to *int64, v string) error {
	n, ok := parseSize(v)
	if !ok || n < 0 {
		return errors.New("it must be a number of tokens, such as 200k")
	}
	*to = n
	return nil
}

func setCount(to *int, v string) error {
	n, err := strconv.Atoi(v)
	if err != nil || n < 1 {
		return errors.New("it must be a number from 1")
	}
	*to = n
	return nil
}

func setDuration(to *time.Duration, v string) error {
	d, err := time.ParseDuration(v)
	if err != nil || d <= 0 {
		return errors.New("it must be a duration, such as 90s or 10m")
	}
	*to = d
	return nil
}

func setTemperature(to **float64, v string) error {
	n, err := strconv.ParseFloat(v, 64)
	if err != nil || !(n >= 0) {
		return errors.New("it must be a number, such as 0 or 0.7")
	}
	*to = &n
	return nil
}

// tokenPrice is in USD for a million tokens.
type tokenPrice struct{ Input, Output, CacheRead, CacheWrite float64 }

// setPrice reads "input/output" or "input/output/cache read/cache write";
// what is read from and written to a cache costs as much as input when nothing
// is said of it.
func setPrice(to **tokenPrice, v string) error {
	var n []float64
	for part := range strings.SplitSeq(v, "/") {
		x, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || !(x >= 0) {
			n = nil
			break
		}
		n = append(n, x)
	}
	switch len(n) {
	case 2:
		*to = &tokenPrice{n[0], n[1], n[0], n[0]}
	case 4:
		*to = &tokenPrice{n[0], n[1], n[2], n[3]}
	default:
		return errors.New("it must be US dollars for a million tokens, as input/output or input/output/cache read/cache write, such as 0.25/2")
	}
	return nil
}

func setBool(to *bool, v string) error {
	switch strings.ToLower(v) {
	case "true", "yes", "on", "1":
		*to = true
	default:
		if !isFalse(v) {
			return errors.New("it must be true or false")
		}
		*to = false
	}
	return nil
}
