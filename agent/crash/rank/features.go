package rank

import "math"

// featureNames lists the features of a file, in the order of its vector. The names are part of
// model.json.
var featureNames = []string{
	"outside", "order", "suspicious", "position", "frames", "helper", "only_helper", "mentions", "sole_mention", "users",
	"assertion", "again", "freed", "stored", "access", "cause", "header", "generic", "harness", "library", "named",
	"gave_null",
}

// vector returns the features of a file.
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
		flag(!e.isMain),
		main(math.Log1p(float64(e.order))),
		main(math.Log1p(float64(e.suspicious))),
		main(math.Log1p(float64(e.position))),
		main(math.Log(float64(max(e.inMain, 1)))),
		main(flag(e.helper)),
		main(flag(e.onlyHelper)),
		main(math.Log1p(float64(mentions))),
		main(flag(mentions <= 1)),
		math.Log1p(float64(e.users)),
		flag(e.assertion),
		float64(e.elsewhere[again]),
		float64(e.elsewhere[freed]),
		float64(e.elsewhere[stored]),
		float64(e.elsewhere[access]),
		float64(e.elsewhere[cause]),
		flag(isHeader(e.path)),
		flag(isGeneric(e.path)),
		flag(isHarness(e.path)),
		flag(isLibrary(e.path)),
		flag(e.named),
		flag(e.gaveNull),
	)
}

func flag(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
