package eval

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"git-agent/agent/stat"
)

// This file computes the layout of the plots; report.html writes the numbers into SVG. Every axis
// goes from 0 to 1.

const (
	squareSide = 340.0
	squarePad  = 44.0
)

// tick is one grid line with its label.
type tick struct {
	At    string
	Label string
}

// ticks returns the grid lines at 0, 0.2, ... 1. scale maps a value to a
// coordinate.
func ticks(scale func(float64) float64) []tick {
	var list []tick
	for i := range 6 {
		x := float64(i) / 5
		list = append(list, tick{px(scale(x)), fmt.Sprintf("%.1f", x)})
	}
	return list
}

// px formats a coordinate to a tenth of a pixel, which is finer than a screen
// shows.
func px(x float64) string { return fmt.Sprintf("%.1f", x) }

// barPlot shows a bar with the main metric of each algorithm. The interval, the other estimated
// metrics and the ceiling are marked on the bar. Places along the bars are in percent, so that the
// plot is as wide as its page and its letters keep their size.
type barPlot struct {
	Ticks []tick
	Rows  []barRow
}

type barRow struct {
	Name, Value string
	Best        bool
	Width       string // of the bar
	Low, High   string // ends of the interval; "" if there is none
	Dots        []barDot
	Ceiling     string
	About       string // tooltip
}

// barDot marks an estimated metric other than the main one. Class is the metric's name, for the
// style sheet. At is "" if the metric is undefined.
type barDot struct{ Class, At string }

func newBarPlot(sheet *Sheet, algorithms []Algorithm) barPlot {
	p := barPlot{Ticks: ticks(func(x float64) float64 { return 100 * x })}
	best, around := bestOf(sheet, algorithms), sheet.mainFirst()
	for i, a := range algorithms {
		main, ceiling := a.Overall.Value(sheet.Main), value(a.Overall.Value(sheet.Ceiling))
		row := barRow{
			Name: a.Name, Value: threeOrDash(main.Value), Best: i == best, Width: along(value(main)), Ceiling: along(ceiling),
			Low: alongOf(main.Low), High: alongOf(main.High),
			About: a.Name + ": " + strings.Join(append(a.Overall.named(around), fmt.Sprintf("ceiling %.3f", ceiling)), ", "),
		}
		for _, at := range around[1:] {
			row.Dots = append(row.Dots, barDot{sheet.Metrics[at].Name, alongOf(a.Overall.Values[at].Value)})
		}
		p.Rows = append(p.Rows, row)
	}
	return p
}

// along formats a value as a place along a bar.
func along(x float64) string { return fmt.Sprintf("%.2f%%", 100*x) }

// alongOf is along for a value that may be undefined.
func alongOf(x *float64) string {
	if x == nil {
		return ""
	}
	return along(*x)
}

// mainFirst lists the indices of the estimated metrics, the main metric first.
func (s *Sheet) mainFirst() []int {
	main := s.at(s.Main)
	return append([]int{main}, slices.DeleteFunc(s.estimated(), func(at int) bool { return at == main })...)
}

func bestOf(sheet *Sheet, algorithms []Algorithm) int {
	best := 0
	for i, a := range algorithms {
		if value(a.Overall.Value(sheet.Main)) > value(algorithms[best].Overall.Value(sheet.Main)) {
			best = i
		}
	}
	return best
}

func value(e stat.Estimate) float64 {
	if e.Value == nil {
		return 0
	}
	return *e.Value
}

// squarePlot plots two quantities between 0 and 1 against each other.
type squarePlot struct {
	Side, Pad, End string
	XTicks, YTicks []tick
	XLabel, YLabel string
	MidX, MidY     string
	XLabelY        string
	Diagonal       bool
	Series         []series
}

// series is the line of one algorithm. Number selects its colour.
type series struct {
	Name   string
	Number int
	Dashed bool
	Path   string
	Dots   []dot
}

type dot struct{ X, Y, R, About string }

func newSquare(xLabel, yLabel string) squarePlot {
	return squarePlot{
		Side: px(squareSide), Pad: px(squarePad), End: px(squareSide - 12),
		XTicks: ticks(squareX), YTicks: ticks(squareY), XLabel: xLabel, YLabel: yLabel,
		MidX: px(squareX(0.5)), MidY: px(squareY(0.5)), XLabelY: px(squareSide - 6),
	}
}

func squareX(x float64) float64 { return squarePad + x*(squareSide-squarePad-12) }
func squareY(y float64) float64 { return squareSide - squarePad - y*(squareSide-squarePad-12) }

// newReliability plots stated probabilities against the share of right predictions. The size of a
// dot grows with the number of predictions in its bin.
func newReliability(sheet *Sheet, algorithms []Algorithm) squarePlot {
	p := newSquare("stated probability", "share that is true")
	p.Diagonal = true
	for _, a := range algorithms {
		if a.Calibration == nil {
			continue
		}
		s := series{Name: a.Name, Number: len(p.Series)}
		var points [][2]float64
		for _, b := range a.Calibration.Bins {
			points = append(points, [2]float64{b.Mean, b.Right})
			size := 3 + 5*math.Sqrt(float64(b.N)/float64(a.Calibration.Forecasts))
			s.Dots = append(s.Dots, dot{px(squareX(b.Mean)), px(squareY(b.Right)), px(size),
				fmt.Sprintf("%s: stated %.3f, true %.3f, %d %ss", a.Name, b.Mean, b.Right, b.N, sheet.Named)})
		}
		s.Path = path(points)
		p.Series = append(p.Series, s)
	}
	return p
}

// newCoverage plots metrics against the share of answered cases. The main metric is a dashed
// line, and the first other estimated metric is a full one.
func newCoverage(sheet *Sheet, algorithms []Algorithm) squarePlot {
	estimated := sheet.estimated()
	main := sheet.at(sheet.Main)
	dashed := slices.Index(estimated, main)
	full := max(0, slices.IndexFunc(estimated, func(at int) bool { return at != main }))
	p := newSquare("share of cases answered, surest first",
		sheet.Metrics[estimated[full]].Title+" (line), "+sheet.Metrics[estimated[dashed]].Title+" (dashed)")
	number := 0
	for _, a := range algorithms {
		if len(a.Coverage) == 0 {
			continue
		}
		var above, below [][2]float64
		for _, c := range a.Coverage {
			above = append(above, [2]float64{c.Coverage, c.Values[full]})
			below = append(below, [2]float64{c.Coverage, c.Values[dashed]})
		}
		p.Series = append(p.Series,
			series{Name: a.Name, Number: number, Path: path(above)},
			series{Name: a.Name, Number: number, Path: path(below), Dashed: true})
		number++
	}
	return p
}

// path returns the SVG path data of a line through points from left to right.
func path(points [][2]float64) string {
	points = slices.Clone(points)
	slices.SortStableFunc(points, func(a, b [2]float64) int {
		if a[0] < b[0] {
			return -1
		}
		return stat.Count(a[0] > b[0])
	})
	d := ""
	for i, p := range points {
		command := "L"
		if i == 0 {
			command = "M"
		}
		d += command + px(squareX(p[0])) + " " + px(squareY(p[1]))
	}
	return d
}
