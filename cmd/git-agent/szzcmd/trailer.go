package szzcmd

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"git-agent/agent/szz"
	"git-agent/cmd/git-agent/app"
	"git-agent/cmd/git-agent/ui"
	"git-agent/gitext"
	"git-agent/gitext/gitconfig"
)

// TrailerFloorKey is the setting for --trailer-floor.
const TrailerFloorKey = "agent.trailerFloor"

// defaultTrailerFloor is the lowest probability of a suspect for --trailer. Four in five of the
// resulting trailers are right, as measured on 400 fixes of 19 repositories outside the ranker's
// training, whose messages name their culprit and were hidden: 268 of the first suspects reach 55
// %, and .82 of these are right (.77 to .86 with 95 % confidence). With a floor of 50 %, .80
// would be right, with 60 %, .84, and without a floor, .66.
//
//	go run ./cmd/train szz mine -repos DIR NAME... > cases.jsonl
//	go run ./cmd/train szz floor -repos DIR -most 30 cases.jsonl
const defaultTrailerFloor = 0.55

// trailerFloor returns the floor of --trailer: the option, else the setting, else the
// default. Without --trailer it is 0.
func (c *Szz) trailerFloor(ctx context.Context) (float64, error) {
	if !c.Trailer {
		return 0, nil
	}
	if c.TrailerFloor != nil {
		floor, _ := parseProbability(*c.TrailerFloor) // check rejects an invalid one
		return floor, nil
	}
	config, err := gitext.Settings(ctx)
	if err != nil {
		return 0, err
	}
	values := config[strings.ToLower(TrailerFloorKey)]
	if len(values) == 0 {
		return defaultTrailerFloor, nil
	}
	last := values[len(values)-1] // the last one wins, as in git
	if err := CheckTrailerFloor(last); err != nil {
		return 0, app.WithHint(err, "git config --unset %s", TrailerFloorKey)
	}
	floor, _ := parseProbability(last.Value)
	return floor, nil
}

// CheckTrailerFloor returns an error for an invalid value of agent.trailerFloor.
func CheckTrailerFloor(v gitconfig.Value) error {
	if v.Bare {
		return &gitconfig.BadValueError{Key: TrailerFloorKey, Value: v, Err: gitconfig.ErrNoValue}
	}
	if _, ok := parseProbability(v.Value); !ok {
		return &gitconfig.BadValueError{Key: TrailerFloorKey, Value: v, Err: errors.New("it must be a probability, such as 60% or 0.6")}
	}
	return nil
}

// parseProbability reads a number from 0 to 1, or a percentage such as 60%. ok is
// false for anything else.
func parseProbability(s string) (p float64, ok bool) {
	number, isPercent := strings.CutSuffix(s, "%")
	p, err := strconv.ParseFloat(number, 64)
	if isPercent {
		p /= 100
	}
	return p, err == nil && p >= 0 && p <= 1
}

// belowFloor reports whether the first suspect of an answer is too improbable for a trailer. The
// result is false for the classic variants, which estimate no probability, and for an annotation
// in the message, which is no estimate.
func belowFloor(v *szz.Answer, floor float64) bool {
	if len(v.Suspects) == 0 {
		return false
	}
	p := v.Suspects[0].Probability
	return p > 0 && p < floor
}

// warnBelowFloor prints why there is no trailer for a fix, and how to get one.
func warnBelowFloor(ctx context.Context, a *app.App, v *szz.Answer, floor float64) {
	s, fix := v.Suspects[0], "the fix"
	if v.Fix != "" {
		fix = v.Fix.Short()
	}
	a.Say("warning: %s: no trailer, because %s (\"%s\") has only %s, and the floor is %s",
		fix, s.Commit.OID.Short(), ui.OneLine(s.Commit.Subject()),
		percentBelow(s.Probability, floor), strconv.FormatFloat(math.Round(1e4*floor)/100, 'f', -1, 64)+"%")
	a.Hint(
		ctx,
		"without --trailer, the suspects are shown with their reasons; --trailer-floor=0 prints the trailer anyway, and agent.trailerFloor sets the floor",
	)
}

// percentBelow returns a probability in percent as in the list of suspects. If that would look
// like the floor or more, it adds a decimal and rounds down.
func percentBelow(p, floor float64) string {
	if whole := math.Round(100 * p); whole+0.001 < 100*floor {
		return fmt.Sprintf("%.0f%%", whole)
	}
	return fmt.Sprintf("%.1f%%", math.Floor(1000*p)/10)
}
