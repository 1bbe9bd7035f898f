package offline

import "fmt"

// An effect is the effect of a candidate on the failing tests.
type effect int

// These are the effects, the most promising last.
const (
	unknown effect = iota // the candidate did not build, so there is no result
	none                  // the tests fail as before
	changed               // the tests fail in another way
	fewer                 // fewer tests fail
	passing               // the tests pass
)

// boost is the factor for a further candidate of one with this effect.
func (e effect) boost() float64 { return []float64{1, 1, 3, 8, 25}[e] }

// An order learns where changes matter: each trial of a candidate is information about its
// function and its line.
type order struct {
	functions map[int]*record
	lines     map[string]*record
}

// A record counts the effects of the candidates of one place.
type record struct {
	tried, changed, better float64
	running                int
}

func newOrder() order {
	return order{functions: map[int]*record{}, lines: map[string]*record{}}
}

// value rates a candidate; higher is more promising.
func (o *order) value(c *waiting) float64 {
	v := c.Prior * c.boost
	if r := o.functions[c.Location]; r != nil {
		v *= r.factor(6)
	}
	if r := o.lines[lineOf(c)]; r != nil {
		v *= r.factor(2)
	}
	return v
}

// factor is above 1 if changes of a place change the result of the failing tests, and below 1
// if they do not. patience is the number of candidates without effect that halves the factor.
func (r *record) factor(patience float64) float64 {
	useless := r.tried - r.changed + float64(r.running)/4
	return (1 + min(r.changed, 3)/2 + 2*min(r.better, 3)) * patience / (patience + useless)
}

func lineOf(c *waiting) string {
	path := ""
	if len(c.Files) > 0 {
		path = c.Files[0].Path
	}
	return fmt.Sprintf("%s:%d", path, c.Line)
}

func (o *order) records(c *waiting) []*record {
	line := lineOf(c)
	if o.functions[c.Location] == nil {
		o.functions[c.Location] = &record{}
	}
	if o.lines[line] == nil {
		o.lines[line] = &record{}
	}
	return []*record{o.functions[c.Location], o.lines[line]}
}

// begin notes that a candidate is being tried, so that simultaneous candidates rather come from
// other places.
func (o *order) begin(c *waiting) {
	for _, r := range o.records(c) {
		r.running++
	}
}

// cancel undoes begin.
func (o *order) cancel(c *waiting) {
	for _, r := range o.records(c) {
		r.running--
	}
}

// learn notes the effect of a candidate.
func (o *order) learn(c *waiting, seen effect) {
	for _, r := range o.records(c) {
		r.running--
		switch {
		case seen == unknown:
			r.tried += 0.2
			continue
		case seen >= fewer:
			r.better++
			r.changed++
		case seen >= changed:
			r.changed++
		}
		r.tried++
	}
}
