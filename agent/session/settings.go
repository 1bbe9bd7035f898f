package session

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"git-agent/agent"
	"git-agent/agent/model"
	"git-agent/gitext/gitconfig"
)

// Settings name the model and limit its cost. Options override the environment, which
// overrides git's configuration. The zero value configures no model.
type Settings struct {
	Model            string
	BaseURL          string
	Wire             model.Wire
	KeyCommand       string        // a command that prints the key
	MaxCost          float64       // limit of one command in USD; 0 for none
	MaxTokens        int64         // limit of one conversation; 0 for the engine's default
	Turns            int           // limit of the model's answers in one conversation; 0 for the engine's default
	Timeout          time.Duration // limit of one conversation; 0 for the engine's default
	ReplyTimeout     time.Duration // limit of one answer of the server; 0 for the client's default
	Price            *TokenPrice   // nil to use the price that the server or the price table names
	AllowUnpriced    bool          // use a model whose price is unknown
	Temperature      *float64      // nil for the server's default
	TopP             *float64      // share of the likeliest tokens for sampling; nil for the server's default
	Effort           string        // reasoning effort; "" for the server's default
	Calibration      string        // file with a calibration of the model's probabilities in szz; "" for none
	CrashCalibration string        // likewise in crash
	Engine           string        // "offline" means that a model is asked only if an option says so

	From map[string]string // the origin of each configured setting, by its key
}

// Setting is one agent.* key of the configuration about a model.
type Setting struct {
	Key         string // as the manual spells it
	env         string // variable that overrides the configuration; "" for none
	fallbackEnv string // variable for a setting without configured value, because other programs share it; "" for none
	// tightens reports whether a repository itself may set the value, because the value
	// keeps data on the machine; nil if the repository may set no value.
	tightens func(value string) bool
	set      func(s *Settings, value string) error
	flag     func(s *Settings) *bool // instead of set, for a boolean
}

// Table lists the settings of a model.
var Table = []Setting{
	{Key: "agent.model", env: "GIT_AGENT_MODEL", set: func(s *Settings, v string) error { s.Model = v; return nil }},
	{
		Key:         "agent.baseUrl",
		env:         "GIT_AGENT_BASE_URL",
		fallbackEnv: "OPENAI_BASE_URL",
		set:         func(s *Settings, v string) error { s.BaseURL = v; return nil },
	},
	{Key: "agent.wire", set: func(s *Settings, v string) error { return setWire(&s.Wire, v) }},
	{Key: "agent.apiKeyCommand", set: func(s *Settings, v string) error { s.KeyCommand = v; return nil }},
	{Key: "agent.maxCost", set: func(s *Settings, v string) error { return setUSD(&s.MaxCost, v) }},
	{Key: "agent.maxTokens", set: func(s *Settings, v string) error { return setTokens(&s.MaxTokens, v) }},
	{Key: "agent.turns", set: func(s *Settings, v string) error { return setCount(&s.Turns, v) }},
	{Key: "agent.timeout", set: func(s *Settings, v string) error { return setDuration(&s.Timeout, v) }},
	{Key: "agent.replyTimeout", set: func(s *Settings, v string) error { return setDuration(&s.ReplyTimeout, v) }},
	{Key: "agent.price", set: func(s *Settings, v string) error { return setPrice(&s.Price, v) }},
	{Key: "agent.allowUnpriced", flag: func(s *Settings) *bool { return &s.AllowUnpriced }},
	{Key: "agent.temperature", set: func(s *Settings, v string) error { return setTemperature(&s.Temperature, v) }},
	{Key: "agent.topP", set: func(s *Settings, v string) error { return setTopP(&s.TopP, v) }},
	{Key: "agent.reasoningEffort", set: func(s *Settings, v string) error { s.Effort = v; return nil }},
	{Key: "agent.calibration", set: func(s *Settings, v string) error { return setCalibration(&s.Calibration, v) }},
	{Key: "agent.crashCalibration", set: func(s *Settings, v string) error { return setCalibration(&s.CrashCalibration, v) }},
	{
		Key:      EngineKey,
		tightens: func(v string) bool { return v == "offline" },
		set:      func(s *Settings, v string) error { return setEngine(&s.Engine, v) },
	},
}

// Read reads the settings from the environment and from git's configuration, whose keys
// are in lower case. Read ignores values of the repository itself, because they decide
// where data goes and how much is spent; it calls untrusted for each of them. A bad value
// is a *gitconfig.BadValueError; Read still reads all other settings. If several are bad,
// the error is about agent.engine, or else about the first in the table.
func Read(config map[string][]gitconfig.Value, env func(name string) string, untrusted func(key, scope string)) (Settings, error) {
	s := Settings{Wire: model.WireAuto, From: map[string]string{}}
	var bad error
	for _, row := range Table {
		value, origin := row.find(config[strings.ToLower(row.Key)], env, untrusted)
		if origin == "" {
			continue
		}
		if err := row.take(&s, value); err != nil {
			if bad == nil || row.Key == EngineKey {
				bad = err
			}
			continue
		}
		s.From[row.Key] = origin
	}
	if s.BaseURL == "" {
		s.BaseURL = model.DefaultBase(s.Wire)
	}
	s.BaseURL = strings.TrimRight(s.BaseURL, "/")
	return s, bad
}

// EngineKey is the setting that decides whether a model is asked, and so whether the
// other settings matter.
const EngineKey = "agent.engine"

// take sets the setting to a value.
func (row Setting) take(s *Settings, v gitconfig.Value) error {
	var err error
	switch {
	case row.flag != nil:
		*row.flag(s), err = gitconfig.ParseBool(v)
	case v.Bare:
		err = gitconfig.ErrNoValue
	default:
		err = row.set(s, v.Value)
	}
	if err != nil {
		return &gitconfig.BadValueError{Key: row.Key, Value: v, Err: err}
	}
	return nil
}

// Check returns an error for a value that the setting does not take.
func (row Setting) Check(v gitconfig.Value) error {
	var unused Settings
	return row.take(&unused, v)
}

// find returns the value in effect and its origin. The origin is "" if the setting has no
// value.
func (row Setting) find(
	configured []gitconfig.Value,
	env func(string) string,
	untrusted func(key, scope string),
) (value gitconfig.Value, origin string) {
	if row.env != "" {
		if v := env(row.env); v != "" {
			return gitconfig.Value{Value: v}, row.env
		}
	}
	for _, v := range configured { // the last one wins, as in git
		if row.Trusts(v) {
			value, origin = v, "git config, "+v.Scope
		} else {
			untrusted(row.Key, v.Scope)
		}
	}
	if origin == "" && row.fallbackEnv != "" {
		if v := env(row.fallbackEnv); v != "" {
			return gitconfig.Value{Value: v}, row.fallbackEnv
		}
	}
	return value, origin
}

// Trusts reports whether the setting accepts this value from its file. Most values in a
// repository's own configuration are not trusted.
func (row Setting) Trusts(v gitconfig.Value) bool {
	return v.Trusted() || row.tightens != nil && row.tightens(v.Value)
}

// Host returns the server's name for messages.
func (s Settings) Host() string {
	if u, err := url.Parse(s.BaseURL); err == nil && u.Host != "" {
		return u.Host
	}
	return s.BaseURL
}

// ServerID returns the server's URL, without the port if the server is local: a local
// server may get another port when it is restarted. The URL identifies recorded runs and
// cached answers.
func (s Settings) ServerID() string {
	u, err := url.Parse(s.BaseURL)
	switch {
	case err != nil:
		return s.BaseURL
	case !s.Local():
		return model.PublicURL(u)
	}
	u.Host = u.Hostname()
	if strings.Contains(u.Host, ":") {
		u.Host = "[" + u.Host + "]"
	}
	return model.PublicURL(u)
}

// Local reports whether the server is local. Such a server needs neither a key
// nor a price.
func (s Settings) Local() bool {
	u, err := url.Parse(s.BaseURL)
	return err == nil && model.IsLocal(u)
}

// Limits returns the limits of one conversation; a limit of 0 stands for the engine's
// default.
func (s Settings) Limits() agent.Limits {
	return agent.Limits{Turns: s.Turns, Tokens: s.MaxTokens, Wall: s.Timeout}
}

// Sampling describes the sampling parameters that are set, or "" if there are
// none.
func (s Settings) Sampling() string {
	var words []string
	if s.Effort != "" {
		words = append(words, "effort="+s.Effort)
	}
	if s.Temperature != nil {
		words = append(words, fmt.Sprintf("temperature=%g", *s.Temperature))
	}
	if s.TopP != nil {
		words = append(words, fmt.Sprintf("top_p=%g", *s.TopP))
	}
	return strings.Join(words, " ")
}

func setWire(to *model.Wire, v string) error {
	if w := model.Wire(v); w == model.WireAuto || slices.Contains(model.Wires, w) {
		*to = w
		return nil
	}
	return errors.New("it must be auto, chat, responses or messages")
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
	if err != nil || !(n >= 0) || math.IsInf(n, 0) {
		return errors.New("it must be an amount in US dollars, such as 0.50")
	}
	*to = n
	return nil
}

func setTokens(to *int64, v string) error {
	n, err := gitconfig.ParseInt(v)
	switch {
	case err != nil:
		return err
	case n < 0:
		return errors.New("it must be a number of tokens, such as 200k")
	}
	*to = n
	return nil
}

func setCount(to *int, v string) error {
	n, err := gitconfig.ParseInt(v)
	switch {
	case err != nil:
		return err
	case n < 1 || n > math.MaxInt32:
		return errors.New("it must be a number from 1")
	}
	*to = int(n)
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
	if err != nil || !(n >= 0) || math.IsInf(n, 0) {
		return errors.New("it must be a number, such as 0 or 0.7")
	}
	*to = &n
	return nil
}

func setTopP(to **float64, v string) error {
	n, err := strconv.ParseFloat(v, 64)
	if err != nil || !TopP(n) {
		return errors.New("it must be a number above 0 and up to 1, such as 0.95")
	}
	*to = &n
	return nil
}

// TopP reports whether n is a valid share of the likeliest tokens for sampling.
func TopP(n float64) bool { return n > 0 && n <= 1 }

// TokenPrice is in USD for a million tokens.
type TokenPrice struct{ Input, Output, CacheRead, CacheWrite float64 }

// setPrice reads "input/output" or "input/output/cache read/cache write". The
// short form takes the price of input for reading and writing the cache.
func setPrice(to **TokenPrice, v string) error {
	var n []float64
	for part := range strings.SplitSeq(v, "/") {
		x, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || !(x >= 0) || math.IsInf(x, 0) {
			n = nil
			break
		}
		n = append(n, x)
	}
	switch len(n) {
	case 2:
		*to = &TokenPrice{n[0], n[1], n[0], n[0]}
	case 4:
		*to = &TokenPrice{n[0], n[1], n[2], n[3]}
	default:
		return errors.New("it must be US dollars for a million tokens, as input/output or input/output/cache read/cache write, such as 0.25/2")
	}
	return nil
}

// setCalibration sets a path, which must be absolute or below the home directory, so that
// it names the same file in every working directory.
func setCalibration(to *string, v string) error {
	if rest, ok := strings.CutPrefix(v, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return err
		}
		v = filepath.Join(home, rest)
	}
	if !filepath.IsAbs(v) {
		return errors.New("it must be a path from / or ~/")
	}
	*to = v
	return nil
}

// ClientConfig returns the configuration of the model's client. version is the version of
// the program.
func (s Settings) ClientConfig(key, version string) model.Config {
	// Unless agent.replyTimeout is set, an answer may take as long as the conversation.
	reply := cmp.Or(s.ReplyTimeout, s.Timeout)
	cfg := model.Config{
		BaseURL: s.BaseURL, Model: s.Model, Key: key, Wire: s.Wire, Effort: s.Effort, Temperature: s.Temperature, TopP: s.TopP,
		Timeout: reply, IdleTimeout: reply, Version: version,
	}
	if p := s.Price; p != nil {
		cfg.Price = &model.Price{Input: p.Input, Output: p.Output, CacheRead: p.CacheRead, CacheWrite: p.CacheWrite}
	}
	return cfg
}
