package szztrain

import (
	"fmt"
	"maps"
	"math"
	"os"
	"slices"

	"git-agent/agent/stat"
	"git-agent/agent/szz/fixlike"
	"git-agent/cmd/train/material"
)

// shareOfFixes is the share of fixes among the other commits of purpose: among 196 random commits
// of 54 repositories with a purpose clear to a reader, 47 were fixes.
const shareOfFixes = 0.24

// fitPurpose fits the model of package fixlike to rows of purpose, and prints it as Go source. On
// stderr, it reports how well the model separates commits in repositories outside its training.
func fitPurpose(args []string) error {
	rows, err := material.ReadTraining("szz", args, purposeRow.repository)
	if err != nil {
		return err
	}
	reportPurpose(rows)
	for i, w := range sharpened(fitRows(rows), rows) {
		fmt.Printf("{%q, %.2f},\n", append(fixlike.Names(), "constant")[i], w)
	}
	return nil
}

// sharpened scales a model so that it is calibrated on the commits read by hand, which are
// outside its training. The noise among the random commits makes the fit too cautious. The
// constant stays valid for equal numbers of fixes and other commits.
func sharpened(m []float64, rows []purposeRow) []float64 {
	var read []stat.LogisticRow
	fixes := 0.0
	for _, r := range rows {
		if r.Read != "" {
			read = append(read, stat.LogisticRow{X: [3]float64{scoreOf(m, r.X), 1}, Target: stat.Flag(r.Read == "fix"), Weight: 1})
			fixes += stat.Flag(r.Read == "fix")
		}
	}
	if fixes == 0 {
		return m
	}
	prior := stat.LogisticPrior{At: [3]float64{1}, Force: [3]float64{1}, Held: [3]bool{false, false, true}}
	fit := stat.FitLogistic(read, prior)
	out := make([]float64, len(m))
	for i, w := range m {
		out[i] = fit[0] * w
	}
	out[len(m)-1] += fit[1] - math.Log(fixes/(float64(len(read))-fixes))
	return out
}

// reportPurpose scores each commit with a model fitted without its repository, and prints the
// areas under the ROC curve.
func reportPurpose(rows []purposeRow) {
	groups := map[string][2][]float64{} // scores of others and of fixes
	add := func(group string, fix bool, score float64) {
		g := groups[group]
		g[stat.Count(fix)] = append(g[stat.Count(fix)], score)
		groups[group] = g
	}
	material.EachRepo(rows, purposeRow.repository, func(_ string, own, others []purposeRow) {
		m := fitRows(others)
		for _, r := range own {
			score, silent := scoreOf(m, r.X), scoreOf(m, fixlike.WithoutMessage(r.X))
			if r.Read == "" {
				add("named fixes and random commits", r.Fix, score)
				continue
			}
			add("read by hand", r.Read == "fix", score)
			add("read by hand, without messages", r.Read == "fix", silent)
		}
	})
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		g := groups[name]
		fmt.Fprintf(os.Stderr, "%s: AUC %.3f (%d fixes, %d others); quartiles of others %.1f, of fixes %.1f\n",
			name, areaUnderROC(g[1], g[0]), len(g[1]), len(g[0]), quartiles(g[0]), quartiles(g[1]))
	}
}

func quartiles(x []float64) (q [3]float64) {
	slices.Sort(x)
	for i := range q {
		if len(x) > 0 {
			q[i] = x[(i+1)*(len(x)-1)/4]
		}
	}
	return q
}

// areaUnderROC returns the share of pairs with the high score above the low one.
func areaUnderROC(high, low []float64) float64 {
	slices.Sort(low)
	sum := 0.0
	for _, s := range high {
		from, _ := slices.BinarySearch(low, s)
		to := from
		for to < len(low) && low[to] == s {
			to++
		}
		sum += float64(from) + float64(to-from)/2
	}
	return sum / float64(max(1, len(high)*len(low)))
}

func scoreOf(m, x []float64) float64 {
	z := m[len(x)]
	for i, v := range x {
		z += m[i] * v
	}
	return z
}

// A softRow is an observation with a probability instead of a known class.
type softRow struct {
	x              []float64
	target, weight float64
}

// fitRows fits a logistic regression that separates fixes from other commits, with the same
// weight for both classes. Fixes that name their culprit certainly are fixes. The class of a
// random commit is unknown, so it counts for both classes, with its probability from an earlier
// fit (expectation maximization; compare Elkan and Noto, KDD 2008). Words like "fix" therefore
// label nothing. Each commit also counts without its message. Commits read by hand are left out.
// The last of the weights is the constant.
func fitRows(rows []purposeRow) []float64 {
	count := map[bool]map[string]float64{true: {}, false: {}}
	for _, r := range rows {
		if r.Read == "" {
			count[r.Fix][r.Repo]++
		}
	}
	sum := map[bool]float64{}
	for fix, repos := range count {
		for _, n := range repos {
			sum[fix] += math.Sqrt(n)
		}
	}
	var m []float64
	const rounds = 3
	for range rounds {
		var soft []softRow
		for _, r := range rows {
			if r.Read != "" {
				continue
			}
			weight := 1000 / math.Sqrt(count[r.Fix][r.Repo]) / sum[r.Fix] // a big repository does not dominate
			for _, x := range [][]float64{r.X, fixlike.WithoutMessage(r.X)} {
				if r.Fix {
					soft = append(soft, softRow{x, 1, weight * (1 - 2*shareOfFixes)})
					continue
				}
				p := shareOfFixes
				if m != nil {
					p = stat.Logistic(scoreOf(m, r.X) + math.Log(shareOfFixes/(1-shareOfFixes)))
				}
				soft = append(soft, softRow{x, p, weight})
			}
		}
		m = fitSoft(soft)
	}
	return m
}

// fitSoft fits the weights and the constant of a logistic regression by Newton's
// method, with a weak prior on the weights.
func fitSoft(rows []softRow) []float64 {
	n := len(rows[0].x) + 1
	w := make([]float64, n)
	for range 25 {
		g, h := make([]float64, n), make([][]float64, n)
		for i := range h {
			h[i] = make([]float64, n+1)
			g[i] = w[i]
			h[i][i] = 1
		}
		for _, r := range rows {
			x := append(slices.Clone(r.x), 1)
			p := stat.Logistic(scoreOf(w, r.x))
			for i, a := range x {
				g[i] += r.weight * (p - r.target) * a
				for j, b := range x {
					h[i][j] += r.weight * p * (1 - p) * a * b
				}
			}
		}
		for i := range h {
			h[i][n] = g[i]
		}
		for i, s := range solved(h) {
			w[i] -= s
		}
	}
	return w
}

// solved solves the equations whose coefficients and right sides are the rows of a,
// by elimination. The matrix is positive definite, so no pivot is 0.
func solved(a [][]float64) []float64 {
	n := len(a)
	for i := range n {
		for k := range n {
			if k == i {
				continue
			}
			f := a[k][i] / a[i][i]
			for j := i; j <= n; j++ {
				a[k][j] -= f * a[i][j]
			}
		}
	}
	x := make([]float64, n)
	for i := range x {
		x[i] = a[i][n] / a[i][i]
	}
	return x
}
