// Package session is the common part of all commands that ask a language model: it reads
// the settings, connects to the server, keeps to a budget, redacts keys, and records runs
// so that an interrupted run can be resumed.
//
// It does not depend on the question. A command opens one [Session], and a [Record] for
// each question. [Investigate] lets an engine work on the question: its conversations,
// often an [Ensemble] of them, use the session's client, ledger and mask, and the
// record's journals. record.go finds the run to resume; the loop of package agent then takes its
// steps from the journal.
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
)

// Session is one model at one server, with the budget of one command. It is safe
// for concurrent use.
type Session struct {
	Settings Settings
	Client   *model.Client
	Ledger   *agent.Ledger
	Mask     func(string) string // redacts keys and other secrets
	KeyFrom  string              // origin of the key; "" if there is none
	Version  string              // of the program; a part of a run's identity
	Say      func(text string)   // shows a notice to the user
	Warn     func(text string)   // shows a warning, once for each text

	traces *cache.Traces // the store of recorded runs; nil to record nothing
	follow Follow        // nil if nobody follows the runs
}

// Options say how a session is opened.
type Options struct {
	Settings Settings
	Env      func(name string) string // the environment, for keys
	Secrets  []string                 // more texts to redact, beside the key
	Traces   *cache.Traces            // the store of recorded runs, nil to record nothing; the caller closes it
	Preview  bool                     // nothing will be sent: no key and no price is needed, and agent.apiKeyCommand is not run
	Client   string                   // version of the program, sent to the server
	Version  string                   // of the program; a part of a run's identity
	Say      func(text string)
	Warn     func(text string)
	Follow   Follow // gets the steps of recorded runs; may be nil
}

// Open prepares a session with the server of the settings, and sends nothing yet. It
// fails if there is no key for a server on the network, or if the model's price is
// unknown and the settings do not allow that.
func Open(ctx context.Context, opt Options) (*Session, error) {
	s := opt.Settings
	key, origin, err := s.FindKey(ctx, opt.Env, !opt.Preview)
	if err != nil {
		return nil, err
	}
	if key == "" && !s.Local() && !opt.Preview {
		return nil, WithHint(errors.New("there is no API key for "+s.Host()), "%s", keyHint)
	}
	cfg := s.ClientConfig(key, opt.Client)
	client, err := model.New(cfg)
	if err != nil {
		return nil, err
	}
	if _, known := client.Price(); !known && !s.AllowUnpriced && !opt.Preview {
		return nil, WithHint(fmt.Errorf("the price of %q at %s is unknown", s.Model, s.Host()), "%s", priceHint)
	}
	if key != "" && len(key) < secret.MinKnown && !s.Local() && !opt.Preview {
		opt.Say(fmt.Sprintf("the API key has fewer than %d characters: it is not masked in what is sent and recorded", secret.MinKnown))
	}
	return &Session{
		Settings: s, Client: client, KeyFrom: origin, Version: opt.Version, Say: opt.Say, Warn: opt.Warn, traces: opt.Traces, follow: opt.Follow,
		Ledger: agent.NewLedger(agent.Budget{USD: s.MaxCost}),
		Mask:   secret.New(append(cfg.Secrets(), opt.Secrets...)...).Mask,
	}, nil
}

// Unpriced reports whether the session may use a model whose price is unknown.
func (s *Session) Unpriced() bool { return s.Settings.AllowUnpriced || s.Settings.Local() }

// SpentError says that the rest of the budget does not cover the next call of a model.
type SpentError struct{ Limit, Spent float64 } // in USD

func (e *SpentError) Error() string {
	return fmt.Sprintf("the budget of $%.4g has no room for another call: $%.4g are spent", e.Limit, e.Spent)
}

// Spent returns the error that ends a command after its budget is spent.
func (s *Session) Spent() error {
	return WithHint(&SpentError{s.Settings.MaxCost, s.Ledger.Spent().USD}, "raise the limit with --max-cost=<usd>; finished work is kept")
}

// advise adds advice for the user as a hint to an error of the server.
func (s *Session) advise(failed *model.Error) error {
	switch failed.Class {
	case model.ClassAuth:
		if s.KeyFrom == "" {
			return WithHint(failed, "%s", keyHint)
		}
		return WithHint(failed, "check the key for %s; it is from %s", s.Settings.Host(), s.KeyFrom)
	case model.ClassQuota:
		return WithHint(failed, "check the account at %s", s.Settings.Host())
	case model.ClassModel:
		if failed.Status == http.StatusOK { // the name is right, and the error names the problem
			return failed
		}
		return WithHint(failed, "check the model's name, %q, which is from %s", s.Settings.Model, s.Settings.From["agent.model"])
	}
	return failed
}
