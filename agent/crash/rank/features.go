package rank

import (
	"math"

	"git-agent/agent/source"
	"git-agent/agent/stat"
)

// featureNames lists the features of a file, in the order of its vector. The names are part of
// model.json.
var featureNames = []string{
	"outside", "order", "suspicious", "position", "frames", "helper", "only_helper", "mentions", "sole_mention",
	"assertion", "again", "freed", "stored", "access", "cause", "header", "generic", "harness", "library", "named",
	"gave_null", "by_cause", "origin", "uses_parameter", "uses_own", "passes", "throws", "error_class", "entry",
	"users", "more_users", "age", "older", "forwards", "quotes", "quoted", "near", "copied",
}

// vectorsOf returns the features of the files of a report.
func vectorsOf(files []*evidence) [][]float64 {
	users, age := 0.0, 0.0 // means
	for _, e := range files {
		users += e.logUsers() / float64(len(files))
		age += e.logAge() / float64(len(files))
	}
	out := make([][]float64, len(files))
	for i, e := range files {
		out[i] = append(e.vector(), e.logUsers(), e.logUsers()-users, e.logAge(), e.logAge()-age,
			stat.Flag(e.forwards), stat.Flag(e.quotes), e.quoted, e.near, stat.Flag(source.IsVendored(e.path)))
	}
	return out
}

func (e *evidence) logUsers() float64 {
	if e.users == unknown {
		return unknown
	}
	return math.Log1p(float64(e.users))
}

func (e *evidence) logAge() float64 { return math.Log1p(float64(e.age)) }

// vector returns the features of a file, without those that compare it with the others.
func (e *evidence) vector() []float64 {
	v := make([]float64, 0, len(featureNames))
	main := func(x float64) float64 {
		if !e.isMain {
			return 0
		}
		return x
	}
	mentions := e.mentions
	if mentions == math.MaxInt {
		mentions = 0
	}
	return append(v,
		stat.Flag(!e.isMain),
		main(math.Log1p(float64(e.order))),
		main(math.Log1p(float64(e.suspicious))),
		main(math.Log1p(float64(e.position))),
		main(math.Log(float64(max(e.inMain, 1)))),
		main(stat.Flag(e.helper)),
		main(stat.Flag(e.onlyHelper)),
		main(math.Log1p(float64(mentions))),
		main(stat.Flag(mentions <= 1)),
		stat.Flag(e.assertion),
		float64(e.elsewhere[again]),
		float64(e.elsewhere[freed]),
		float64(e.elsewhere[stored]),
		float64(e.elsewhere[access]),
		float64(e.elsewhere[cause]),
		stat.Flag(isHeader(e.path)),
		stat.Flag(isGeneric(e.path)),
		stat.Flag(isHarness(e.path)),
		stat.Flag(isLibrary(e.path)),
		stat.Flag(e.named),
		stat.Flag(e.gaveNull),
		math.Log1p(float64(e.byCause)),
		stat.Flag(e.origin),
		stat.Flag(e.use == useParameter),
		stat.Flag(e.use == useOwn),
		stat.Flag(e.passes),
		stat.Flag(e.throws),
		stat.Flag(isErrorClass(e.path)),
		stat.Flag(e.entry),
	)
}
