package eval

import (
	"fmt"
	"slices"
	"strings"
)

const (
	upsetLeft   = 250.0 // room for names
	upsetTop    = 20.0  // room for the number over the highest bar
	upsetBars   = 130.0 // height of the highest bar
	upsetColumn = 34.0
	upsetRow    = 24.0
	maxSets     = 22 // number of columns in the width of the page
)

// upsetPlot shows the sets of an overlap: a column for each set, with a bar for its size, and
// below it a dot for each algorithm, filled if it belongs to the set (Lex et al., UpSet, IEEE
// TVCG 2014).
type upsetPlot struct {
	Width, Height   string
	Left, End, Base string // ends of the rows, and the line at the bottom of the bars
	Names           []upsetName
	Columns         []upsetSet
	Hidden          int // sets without a column
}

type upsetName struct{ Text, Y, Middle string }

type upsetSet struct {
	X, BarX, BarY, BarWidth, BarHeight string
	Count, CountY                      string
	Dots                               []upsetDot
	From, To                           string // ends of the line that joins the dots; "" if there is none
	About                              string
}

type upsetDot struct {
	Y  string
	In bool
}

// newUpset returns nil if there is nothing to show. The cases that no algorithm gets right have
// no column.
func newUpset(o *Overlap) *upsetPlot {
	if o == nil || o.Any.All == 0 {
		return nil
	}
	sets := slices.DeleteFunc(slices.Clone(o.Sets), func(s Set) bool { return len(s.Algorithms) == 0 })
	p := &upsetPlot{Hidden: max(0, len(sets)-maxSets)}
	sets = sets[:len(sets)-p.Hidden]
	base := upsetTop + upsetBars
	end := upsetLeft + upsetColumn*float64(len(sets))
	row := func(i int) float64 { return base + 8 + upsetRow*(float64(i)+0.5) }
	p.Width, p.Height = px(max(end+10, 560)), px(base+8+upsetRow*float64(len(o.Algorithms))+6)
	p.Left, p.End, p.Base = px(upsetLeft), px(end), px(base)
	for i, a := range o.Algorithms {
		p.Names = append(p.Names, upsetName{fmt.Sprintf("%s: %d", a.Name, a.Right.All), px(row(i) + 4), px(row(i))})
	}
	for i, s := range sets {
		x := upsetLeft + upsetColumn*(float64(i)+0.5)
		height := upsetBars * float64(s.All) / float64(sets[0].All)
		column := upsetSet{X: px(x), BarX: px(x - 10), BarWidth: px(20), BarY: px(base - height), BarHeight: px(height),
			Count: fmt.Sprint(s.All), CountY: px(base - height - 5), About: s.name() + ": " + strings.Join(s.IDs, ", ")}
		var in []float64
		for j, a := range o.Algorithms {
			member := slices.Contains(s.Algorithms, a.Name)
			column.Dots = append(column.Dots, upsetDot{px(row(j)), member})
			if member {
				in = append(in, row(j))
			}
		}
		if len(in) > 1 {
			column.From, column.To = px(in[0]), px(in[len(in)-1])
		}
		p.Columns = append(p.Columns, column)
	}
	return p
}
