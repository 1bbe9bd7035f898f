package szztrain

import (
	"fmt"

	"git-agent/agent/eval"
	"git-agent/agent/stat"
	"git-agent/agent/szz/check"
	"git-agent/agent/szz/rank"
)

// plantMissing prints, for rows of the step rank, what szz --check says of fixes whose trailer is
// taken away, and of commits that have none. It also prints how often the next suspect is right if
// the first one is wrong and excluded with --not, against its probability.
func plantMissing(files []string) error {
	rows, err := eval.ReadLines[plantRow](files...)
	if err != nil {
		return err
	}
	var removed, without []plantRow
	var firsts, seconds []stat.Forecast
	for _, r := range rows {
		switch {
		case len(r.Ranked) == 0:
		case r.Named == "":
			without = append(without, r)
		default:
			if check.SaysFix(r.Subject) {
				removed = append(removed, r)
			}
			firsts = append(firsts, stat.Forecast{P: r.Ranked[0].P, Right: r.Ranked[0].Commit == r.Named})
			if f, ok := r.afterNot(); ok {
				seconds = append(seconds, f)
			}
		}
	}
	for _, level := range []float64{0.7, 0.8, 0.85, 0.9, 0.95} {
		said, right, others := 0, 0, 0
		for _, r := range removed {
			if r.Ranked[0].P*r.Fixlike >= level {
				said++
				right += stat.Count(r.Ranked[0].Commit == r.Named)
			}
		}
		for _, r := range without {
			others += stat.Count(r.Ranked[0].P*r.Fixlike >= level)
		}
		fmt.Printf("from %.2f: %d of %d trailers that were taken away are missed, %d by the right name (%.3f); of commits without one, %d of %d\n",
			level, said, len(removed), right, share(right, said), others, len(without))
	}
	printForecasts("first suspect", firsts)
	printForecasts("with --not of a wrong first suspect", seconds)
	return nil
}

// afterNot returns the forecast of the second suspect if the first one is wrong and excluded, as
// package rank computes it.
func (r plantRow) afterNot() (stat.Forecast, bool) {
	if len(r.Ranked) < 2 || r.Ranked[0].Commit == r.Named {
		return stat.Forecast{}, false
	}
	first, next := r.Ranked[0], r.Ranked[1]
	return stat.Forecast{P: rank.WithoutShare(next.P, first.P), Right: next.Commit == r.Named}, true
}

// printForecasts prints the mean of probabilities, how many were right, and the same in steps.
func printForecasts(name string, list []stat.Forecast) {
	if len(list) == 0 {
		return
	}
	mean := func(low, high float64) (n int, p, right float64) {
		for _, f := range list {
			if f.P >= low && f.P < high {
				n, p, right = n+1, p+f.P, right+stat.Flag(f.Right)
			}
		}
		return n, p / float64(max(1, n)), right / float64(max(1, n))
	}
	n, p, right := mean(0, 2)
	fmt.Printf("%s: %d, mean probability %.3f, right %.3f, ECE %.3f\n", name, n, p, right, stat.ECE(alone(list)))
	for _, b := range [][2]float64{{0, 0.2}, {0.2, 0.4}, {0.4, 0.6}, {0.6, 0.8}, {0.8, 2}} {
		if n, p, right := mean(b[0], b[1]); n > 0 {
			fmt.Printf("  from %.1f: %4d, mean probability %.3f, right %.3f\n", b[0], n, p, right)
		}
	}
}
