package sandbox

import (
	"context"
	"fmt"
	"strings"
	"sync"
)

// A Level is how much a command is kept from doing.
type Level string

// The levels. Auto takes Bwrap when it works here, else Landlock, and never
// None, which somebody has to ask for by name.
const (
	Auto     Level = "auto"
	Bwrap    Level = "bwrap"
	Landlock Level = "landlock"
	None     Level = "none"
)

// Levels are all that may be asked for.
var Levels = []Level{Auto, Bwrap, Landlock, None}

// A Standing is what confines commands on this machine. Whatever it says has
// been tried: see selftest_linux.go.
type Standing struct {
	Level  Level
	Failed []string // why no better level is in force, best first; empty for Bwrap
	Limits []string // what the level cannot hold here, each a phrase without a verb of its own
	Tried  int      // checks of the self-test that held

	how variant
}

// A variant is one way to reach a level. Older programs and kernels know fewer.
type variant struct {
	userNS     bool // Bwrap: a user namespace of its own
	noNestedNS bool // Bwrap: --disable-userns and --size, from bubblewrap 0.8
	isolated   bool // Landlock: namespaces of its own, where the kernel lets us
}

// An Unavailable is the error of a level that does not work here.
type Unavailable struct {
	Asked  Level
	Failed []string // why, for each level that was tried
}

func (e *Unavailable) Error() string {
	what := "nothing confines commands on this system"
	if e.Asked == Bwrap || e.Asked == Landlock {
		what = fmt.Sprintf("sandbox level %s does not work on this system", e.Asked)
	}
	return what + ": " + strings.Join(e.Failed, "; ")
}

// standings keeps what was found for each level that was asked for. A process
// tries a level once; an interrupted trial is not kept.
var standings = struct {
	sync.Mutex
	known map[Level]Standing
}{known: map[Level]Standing{}}

// Probe says what will confine a command, after having tried it. Asked for Auto
// it takes the best level that works, and it is an [Unavailable] when none
// does. Its answer holds for the life of the process.
func Probe(ctx context.Context, asked Level) (Standing, error) {
	switch asked {
	case "":
		asked = Auto
	case None:
		return Standing{Level: None, Limits: noneLimits()}, nil
	case Auto, Bwrap, Landlock:
	default:
		return Standing{}, fmt.Errorf("unknown sandbox level %q", string(asked))
	}
	standings.Lock()
	defer standings.Unlock()
	if known, ok := standings.known[asked]; ok {
		return known, nil
	}
	var failed []string
	for _, level := range []Level{Bwrap, Landlock} {
		if asked != Auto && asked != level {
			continue
		}
		st, err := try(ctx, level)
		if ctx.Err() != nil {
			return Standing{}, context.Cause(ctx)
		}
		if err == nil {
			st.Level, st.Failed = level, failed
			standings.known[asked], standings.known[level] = st, st
			return st, nil
		}
		failed = append(failed, fmt.Sprintf("%s: %v", level, err))
	}
	return Standing{}, &Unavailable{asked, failed}
}

// String says in a line what confines a command.
func (s Standing) String() string {
	var text string
	switch s.Level {
	case Bwrap:
		text = "bubblewrap: no network, only the scratch work tree can be written, the home directory is hidden but for toolchains"
	case Landlock:
		text = "landlock: no network, only the scratch work tree can be written, the home directory is hidden but for toolchains"
	default:
		return "none: the command runs with your rights"
	}
	if len(s.Limits) > 0 {
		text += "; not held here: " + strings.Join(s.Limits, ", ")
	}
	return text
}
