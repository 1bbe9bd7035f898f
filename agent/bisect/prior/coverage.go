package prior

import "math"

// executing are the features that need the lines that the failing tests execute. Where these are
// not known, the features are 0, and the model has other weights.
var executing = []string{"executed_share", "executed_hot", "executed_mass", "executed_fn_hot", "executed_like"}

// addExecuted notes the executed lines of a file by their texts, as a patch has them, and adds
// them to their functions.
func (k *code) addExecuted(f *codeFile, lines [][]byte, owner []*function, executed map[int]float64) {
	f.executed = map[string]float64{}
	for i, line := range lines {
		s := executed[i+1]
		if s == 0 {
			continue
		}
		if owner[i] != nil {
			owner[i].hot = max(owner[i].hot, s)
		}
		k.mass += s * s
		if key := lineKey(line); key != "" {
			f.executed[key] = max(f.executed[key], s)
		}
	}
}

// An executedPart is what the failing tests execute of the lines that a commit added and that the
// failing commit still has.
type executedPart struct {
	lines float64
	hot   float64   // greatest suspiciousness of a line
	mass  []float64 // square of each line's suspiciousness
}

// add counts a line by its suspiciousness, which is 0 if no failing test executes it.
func (p *executedPart) add(suspicion float64) {
	if suspicion == 0 {
		return
	}
	p.lines++
	p.hot = max(p.hot, suspicion)
	p.mass = append(p.mass, suspicion*suspicion)
}

// leastMass stands for no executed line, because the feature is a logarithm.
const leastMass = 1e-3

// executedFeatures sets the features of what the failing tests execute of a commit's changes. r is nil
// if the patch was not read.
func (x *examination) executedFeatures(r *reading, set func(string, float64)) {
	if x.ev.Executed == nil {
		return
	}
	if r == nil {
		set("executed_mass", math.Log(leastMass))
		return
	}
	if r.alive > 0 {
		set("executed_share", r.executed.lines/r.alive)
	}
	set("executed_hot", r.executed.hot)
	mass := 0.0
	if x.code.mass > 0 {
		mass = sorted(r.executed.mass) / x.code.mass
	}
	set("executed_mass", math.Log(mass+leastMass))
	hot, like := 0.0, 0.0
	for fn, share := range r.functions {
		if fn.hot > 0 {
			hot, like = max(hot, fn.hot*share), max(like, fn.like*share)
		}
	}
	set("executed_fn_hot", hot)
	set("executed_like", like)
}
