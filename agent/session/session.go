// Package session turns settings into work with a language model: it connects
// to the server, keeps to a budget, takes keys out of what is sent, and records
// the runs so that an interrupted one is taken up again.
//
// It knows no verb. A verb opens a [Session] for a command, a [Record] for each
// question, and gives the loop of its conversations the session's client,
// ledger and mask, and the record's journals.
package session

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"git-agent/agent"
	"git-agent/agent/model"
	"git-agent/agent/secret"
	"git-agent/cache"
	"git-agent/gitext"
)

// Session is one model at one server, with what a command may spend there. It
// is safe for concurrent use.
type Session struct {
	Settings Settings
	Client   *model.Client
	Ledger   *agent.Ledger
	Mask     func(string) string // takes keys and other secrets out of a text
	KeyFrom  string              // where the key comes from; "" without one
	Version  string              // of the program, as part of what identifies a run
	Say      func(text string)   // tells the user something beside the answer
	Warn     func(text string)   // does so once for each text

	traces *cache.Traces // nil: nothing is recorded
}

// Options say how a session is opened.
type Options struct {
	Settings Settings
	Env      func(name string) string // the environment, for keys
	Secrets  []string                 // further texts that never leave the machine
	Traces   *cache.Traces            // where runs are recorded, nil for nowhere; it stays the caller's to close
	Preview  bool                     // nothing will be sent: neither key nor price is needed, and no command is run
	Client   string                   // version of the program, as servers are told
	Version  string                   // of the program, as part of what identifies a run
	Say      func(text string)
	Warn     func(text string)
}

// Hints that say how to configure a model.
const (
	KeyHint   = "export GIT_AGENT_API_KEY=<key>\nor git config --global agent.apiKeyCommand <a command that prints it>"
	PriceHint = "git config --global agent.price <input>/<output>, in US dollars for a million tokens\nor --allow-unpriced"
)

// HintedError adds to an error the command or key that helps.
type HintedError struct {
	Err  error
	Hint string
}

func (e *HintedError) Error() string { return e.Err.Error() }
func (e *HintedError) Unwrap() error { return e.Err }

// WithHint adds a hint to err.
func WithHint(err error, format string, args ...any) error {
	return &HintedError{err, fmt.Sprintf(format, args...)}
}

// Open connects to the server that the settings name, without asking it
// anything. It is an error when a server on the network has no key, or when
// nobody knows what the model costs and the settings do not allow that.
func Open(ctx context.Context, opt Options) (*Session, error) {
	s := opt.Settings
	key, origin, err := s.FindKey(ctx, opt.Env, !opt.Preview)
	if err != nil {
		return nil, err
	}
	if key == "" && !s.Local() && !opt.Preview {
		return nil, WithHint(errors.New("there is no API key for "+s.Host()), "%s", KeyHint)
	}
	cfg := s.ClientConfig(key, opt.Client)
	client, err := model.New(cfg)
	if err != nil {
		return nil, err
	}
	if _, known := client.Price(); !known && !s.AllowUnpriced && !opt.Preview {
		return nil, WithHint(fmt.Errorf("nobody knows what %q at %s costs", s.Model, s.Host()), "%s", PriceHint)
	}
	if key != "" && len(key) < secret.MinKnown && !s.Local() && !opt.Preview {
		opt.Say(fmt.Sprintf("the API key has fewer than %d characters: it is not masked in what is sent and recorded", secret.MinKnown))
	}
	return &Session{
		Settings: s, Client: client, KeyFrom: origin, Version: opt.Version, Say: opt.Say, Warn: opt.Warn, traces: opt.Traces,
		Ledger: agent.NewLedger(agent.Budget{USD: s.MaxCost}),
		Mask:   secret.New(append(cfg.Secrets(), opt.Secrets...)...).Mask,
	}, nil
}

// Unpriced reports whether the session may go on without knowing what the model
// costs.
func (s *Session) Unpriced() bool { return s.Settings.AllowUnpriced || s.Settings.Local() }

// SpentError says that a budget has no room for the next call of a model.
type SpentError struct{ Limit, Spent float64 } // in USD

func (e *SpentError) Error() string {
	return fmt.Sprintf("the budget of $%.4g has no room for another call: $%.4g are spent", e.Limit, e.Spent)
}

// Spent is the error that ends a command whose budget is spent.
func (s *Session) Spent() error {
	return WithHint(&SpentError{s.Settings.MaxCost, s.Ledger.Spent().USD}, "raise the limit with --max-cost=<usd>; finished work is kept")
}

// Advise adds to an error of the server what the user can do about it.
func (s *Session) Advise(failed *model.Error) error {
	switch failed.Class {
	case model.ClassAuth:
		if s.KeyFrom == "" {
			return WithHint(failed, "%s", KeyHint)
		}
		return WithHint(failed, "check the key for %s; it is from %s", s.Settings.Host(), s.KeyFrom)
	case model.ClassQuota:
		return WithHint(failed, "check the account at %s", s.Settings.Host())
	case model.ClassModel:
		if failed.Status == http.StatusOK { // the server knows the model, and says what else is wrong
			return failed
		}
		return WithHint(failed, "check the model's name, %q, which is from %s", s.Settings.Model, s.Settings.From["agent.model"])
	}
	return failed
}

// FindKey returns the API key, "" when there is none, and says where it comes
// from. OPENAI_API_KEY is for OpenAI, or for the server that OPENAI_BASE_URL
// names beside it: sent to another server, it would be given away.
// agent.apiKeyCommand is only run when the key is wanted.
func (s Settings) FindKey(ctx context.Context, env func(string) string, wanted bool) (key, origin string, err error) {
	if key := env("GIT_AGENT_API_KEY"); key != "" {
		return key, "GIT_AGENT_API_KEY", nil
	}
	if s.KeyCommand != "" {
		from := s.From["agent.apiKeyCommand"]
		if wanted {
			key, err = gitext.Credential(ctx, s.KeyCommand)
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
	return "", "", nil
}
