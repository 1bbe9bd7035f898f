package session

import "fmt"

// Hints that say how to configure a model.
const (
	keyHint   = "export GIT_AGENT_API_KEY=<key>\nor git config --global agent.apiKeyCommand <a command that prints it>"
	priceHint = "git config --global agent.price <input>/<output>, in US dollars for a million tokens\nor --allow-unpriced"
)

// HintedError is an error with a hint: a command or setting that helps.
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
