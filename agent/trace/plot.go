package trace

import "fmt"

// plot shows the cost of each turn as a column. It shows tokens instead if the cost
// of any turn is unknown.
type plot struct {
	Title         string
	Width, Height float64
	Base          float64 // y of the bottom of the columns
	Columns       []column
	Top           string // value of the highest column
	Every         int    // every so many columns have a number below them
}

type column struct {
	X, Width float64
	Parts    []segment // from bottom to top
	Number   int       // number of the turn
	Labelled bool
	About    string
}

// segment is a part of a column. The style sheet colours it by its class.
type segment struct {
	Y, Height float64
	Class     string
}

const (
	plotHeight = 96.0
	plotBase   = 78.0 // leaves room for the numbers below
	plotTop    = 8.0
	columnStep = 26.0
	mostWidth  = 720.0
)

// newPlot returns the plot of a run, or nil for a run without usage.
func newPlot(t *Trajectory) *plot {
	values, highest, priced := plotValues(t)
	if highest == 0 {
		return nil
	}
	step := min(columnStep, mostWidth/float64(len(values)))
	p := &plot{Title: "tokens by turn", Width: step * float64(len(values)), Height: plotHeight, Base: plotBase, Every: 1}
	for float64(p.Every)*step < 18 {
		p.Every++
	}
	p.Top = CountText(int64(highest))
	if priced {
		p.Title, p.Top = "cost by turn", CostText(&highest)
	}
	for i, v := range values {
		c := column{X: float64(i)*step + step*0.12, Width: step * 0.76, Number: i + 1, Labelled: i%p.Every == 0, About: v.about}
		y := plotBase
		for _, s := range v.parts {
			h := (plotBase - plotTop) * s.size / highest
			y -= h
			c.Parts = append(c.Parts, segment{y, h, s.class})
		}
		p.Columns = append(p.Columns, c)
	}
	return p
}

type plotValue struct {
	parts []plotPart
	about string
}

type plotPart struct {
	size  float64
	class string
}

func plotValues(t *Trajectory) (values []plotValue, highest float64, priced bool) {
	cost := t.Usage().CostUSD
	priced = cost != nil && *cost > 0
	for _, turn := range t.Turns {
		v := plotValue{about: fmt.Sprintf("turn %d: no answer", turn.N)}
		if r := turn.Reply(); r != nil {
			u := r.Usage
			v.about = fmt.Sprintf("turn %d: %s", turn.N, UsageText(u))
			if priced {
				v.parts = []plotPart{{*u.CostUSD, "cost"}}
			} else {
				v.parts = []plotPart{{float64(u.CacheRead), "cached"}, {float64(u.Uncached + u.CacheWrite), "sent"}, {float64(u.Output), "received"}}
			}
		}
		sum := 0.0
		for _, p := range v.parts {
			sum += p.size
		}
		highest = max(highest, sum)
		values = append(values, v)
	}
	return values, highest, priced
}
