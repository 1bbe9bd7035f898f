package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"git-agent/agent"
	"git-agent/agent/model"
	"git-agent/agent/secret"
	"git-agent/gitext"
)

// connect makes the client, without asking the server anything. One that only
// shows what would be sent needs neither a key nor a price, and no command is
// run to get the key.
func (a *app) connect(ctx context.Context, d *detective) error {
	s, shows := d.settings, d.traces == nil
	key, origin, err := a.modelKey(ctx, s, !shows)
	if err != nil {
		return err
	}
	if key == "" && !s.local() && !shows {
		return withHint(errors.New("there is no API key for "+s.host()), keyHint)
	}
	cfg := s.config(key)
	client, err := model.New(cfg)
	if err != nil {
		return err
	}
	d.client, d.body, d.keyFrom = client, client.Body, origin
	if _, known := client.Price(); !known && !s.AllowUnpriced && !shows {
		return withHint(fmt.Errorf("nobody knows what %q at %s costs", s.Model, s.host()), priceHint)
	}
	d.mask = secret.New(append(cfg.Secrets(), a.keys()...)...).Mask
	if key != "" && len(key) < secret.MinKnown && !s.local() && !shows {
		d.say(fmt.Sprintf("the API key has fewer than %d characters: it is not masked in what is sent and recorded", secret.MinKnown))
	}
	d.ledger = agent.NewLedger(agent.Budget{USD: s.MaxCost})
	return nil
}

// config is what the client is told.
func (s modelSettings) config(key string) model.Config {
	// An answer may take as long as the conversation, if nothing else is said.
	reply := cmp.Or(s.ReplyTimeout, s.Timeout)
	cfg := model.Config{
		BaseURL: s.BaseURL, Model: s.Model, Key: key, Wire: s.Wire, Effort: s.Effort, Temperature: s.Temperature,
		Timeout: reply, IdleTimeout: reply, Version: versionString(),
	}
	if p := s.Price; p != nil {
		cfg.Price = &model.Price{Input: p.Input, Output: p.Output, CacheRead: p.CacheRead, CacheWrite: p.CacheWrite}
	}
	return cfg
}

// What a user can type about a key and about a price.
const (
	keyHint   = "export GIT_AGENT_API_KEY=<key>\nor git config --global agent.apiKeyCommand <a command that prints it>"
	priceHint = "git config --global agent.price <input>/<output>, in US dollars for a million tokens\nor --allow-unpriced"
)

// modelKey finds the key, "" when there is none, and says where it comes from.
// OPENAI_API_KEY is for OpenAI, or for the server that OPENAI_BASE_URL names
// beside it: sent to another one, it would be given away. A command is only
// run when the key is wanted.
func (a *app) modelKey(ctx context.Context, s modelSettings, wanted bool) (key, origin string, err error) {
	if key := a.env.get("GIT_AGENT_API_KEY"); key != "" {
		return key, "GIT_AGENT_API_KEY", nil
	}
	if s.KeyCommand != "" {
		if wanted {
			key, err = gitext.Credential(ctx, s.KeyCommand)
		}
		if err != nil {
			err = fmt.Errorf("agent.apiKeyCommand (%s): %w", s.from["agent.apiKeyCommand"], err)
		}
		return key, "agent.apiKeyCommand (" + s.from["agent.apiKeyCommand"] + ")", err
	}
	theirs := s.BaseURL == model.DefaultBaseURL || s.from["agent.baseUrl"] == "OPENAI_BASE_URL"
	if key := a.env.get("OPENAI_API_KEY"); key != "" && theirs {
		return key, "OPENAI_API_KEY", nil
	}
	return "", "", nil
}
