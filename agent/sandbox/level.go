package sandbox

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
)

// A Level says how far a command is confined.
type Level string

// These are the levels. Auto is Bwrap if it works here, else Landlock, and
// never None, which must be requested by name.
const (
	Auto     Level = "auto"
	Bwrap    Level = "bwrap"
	Landlock Level = "landlock"
	None     Level = "none"
)

// Levels lists all levels that a user may request.
var Levels = []Level{Auto, Bwrap, Landlock, None}

// An Isolation describes the sandbox for commands on this machine. Everything in it has been
// tested: see selftest_linux.go.
type Isolation struct {
	Level  Level
	Failed []string // reasons why better levels do not work, best level first; empty for Bwrap
	Limits []string // gaps of the level on this machine, as noun phrases
	Tried  int      // checks of the self-test that held

	how variant
}

// A variant is one way to implement a level. Older programs and kernels support
// fewer.
type variant struct {
	userNS     bool // Bwrap: with its own user namespace
	noNestedNS bool // Bwrap: --disable-userns and --size, from bubblewrap 0.8
	isolated   bool // Landlock: with its own namespaces, if the kernel allows them
}

// An Unavailable is the error for a level that does not work here.
type Unavailable struct {
	Asked  Level
	Failed []string // the reason for each tried level
}

func (e *Unavailable) Error() string {
	what := "nothing confines commands on this system"
	if e.Asked == Bwrap || e.Asked == Landlock {
		what = fmt.Sprintf("sandbox level %s does not work on this system", e.Asked)
	}
	return what + ": " + strings.Join(e.Failed, "; ")
}

// A TemporaryError says that a sandbox could not be tested, because the directory of temporary
// files is not writable. The error says nothing about the sandbox.
type TemporaryError struct{ Err error }

func (e *TemporaryError) Error() string {
	return fmt.Sprintf("the sandbox cannot be tested: %v", e.Err)
}

func (e *TemporaryError) Unwrap() error { return e.Err }

// isolations caches the result for each level. A process tests a level once; an
// interrupted test is not cached.
var isolations = struct {
	sync.Mutex
	known map[Level]Isolation
}{known: map[Level]Isolation{}}

// Probe tests a level and returns its Isolation. For Auto it returns the best level that works.
// If no level works, the error is an [Unavailable]. The answer holds for the life of the
// process.
func Probe(ctx context.Context, asked Level) (Isolation, error) {
	switch asked {
	case "":
		asked = Auto
	case None:
		return Isolation{Level: None, Limits: noneLimits()}, nil
	case Auto, Bwrap, Landlock:
	default:
		return Isolation{}, fmt.Errorf("unknown sandbox level %q", string(asked))
	}
	isolations.Lock()
	defer isolations.Unlock()
	if known, ok := isolations.known[asked]; ok {
		return known, nil
	}
	var failed []string
	for _, level := range []Level{Bwrap, Landlock} {
		if asked != Auto && asked != level {
			continue
		}
		st, err := probeLevel(ctx, level)
		if ctx.Err() != nil {
			return Isolation{}, context.Cause(ctx)
		}
		if err == nil {
			st.Level, st.Failed = level, failed
			isolations.known[asked], isolations.known[level] = st, st
			return st, nil
		}
		if errors.As(err, new(*TemporaryError)) {
			return Isolation{}, err
		}
		failed = append(failed, fmt.Sprintf("%s: %v", level, err))
	}
	return Isolation{}, &Unavailable{asked, failed}
}

// String describes the sandbox in one line.
func (s Isolation) String() string { return s.Describe(false) }

// Describe describes in one line the sandbox of a command. network says that it may use the network.
func (s Isolation) Describe(network bool) string {
	var text string
	switch s.Level {
	case Bwrap:
		text = "bubblewrap"
	case Landlock:
		text = "landlock"
	default:
		return "none: the command runs with your rights"
	}
	if text += ": "; !network {
		text += "no network, "
	}
	text += "only the scratch work tree can be written, the home directory is hidden but for toolchains"
	if len(s.Limits) > 0 {
		text += "; not held here: " + strings.Join(s.Limits, ", ")
	}
	return text
}
