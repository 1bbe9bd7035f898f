package eval

import (
	_ "embed"
	"html/template"
	"io"
	"strings"

	"git-agent/agent"
	"git-agent/agent/htmlpage"
	"git-agent/agent/stat"
)

//go:embed report.html
var reportHTML string

// page is the data of the template report.html.
type page struct {
	*Report
	Sheet       *Sheet
	Main        string   // title of the main metric
	Small       string   // title of the metric in small print
	Mark        string   // short form of Small, which precedes its values
	Beside      []Metric // estimated metrics except the main one
	Columns     []string // column heads of the table of algorithms
	Asked       bool     // an algorithm asked a model
	Estimated   []string // titles of the metrics that measure the task
	Bars        barPlot
	Reliability *squarePlot
	Coverage    *squarePlot
	Tables      []pageTable
	Upset       *upsetPlot
	Overlaps    []*table
	Outcomes    *table // the effort by outcome; nil if there is none
	Tests       *table // tests of differences in effort; nil if there are none
}

// pageTable shows all algorithms side by side for the strata of one dimension.
type pageTable struct {
	Dimension   string
	Overlapping bool
	Algorithms  []string
	Detailed    bool // there is only one algorithm, so there is room for intervals
	Rows        []pageRow
}

type pageRow struct {
	Name    string
	Cases   int
	Cells   []pageCell
	Ceiling string
	First   Row
}

// pageCell shows the main metric and the metric in small print. Percent is the length of the bar
// behind the numbers.
type pageCell struct {
	Main, Small, About string
	Percent            int
	Best               bool
}

// WriteHTML writes the report as one self-contained page for mail, archives and use without a
// network.
func (r *Report) WriteHTML(w io.Writer) error {
	t, err := htmlpage.Parse("report", reportHTML, template.FuncMap{
		"three": three, "maybe": threeOrDash, "pvalue": pValue, "signed": stat.Estimate.Signed, "plural": agent.Plural, "builds": Algorithm.otherBuilds,
		"rows": (*Effort).rows, "about": func(e *Effort) string { return e.about(r.sheet) }, "share": (*Effort).percentOfMost, "turns": (*Effort).turnNumbers, "dash": countOrDash,
		"faults": shownFaults, "plain": Table.plain, "whole": (*Table).plain,
		"fallbacks": Row.fallbacks, "cells": func(row Row) []string { return row.cells(inTable) }, "judged": func(row Row) []string { return row.cells(isEstimated) },
	})
	if err != nil {
		return err
	}
	return htmlpage.Write(w, t, r.page())
}

func isEstimated(m Metric) bool { return m.Estimated }

func (r *Report) page() page {
	small := r.sheet.Metrics[r.sheet.at(r.sheet.Small)].Title
	p := page{Report: r, Sheet: r.sheet, Main: r.sheet.main().Title, Small: small, Mark: mark(small),
		Columns: r.sheet.titles(inTable), Asked: r.asked(), Estimated: r.sheet.titles(isEstimated), Bars: newBarPlot(r.sheet, r.Algorithms)}
	for _, at := range r.sheet.mainFirst()[1:] {
		p.Beside = append(p.Beside, r.sheet.Metrics[at])
	}
	if plot := newReliability(r.sheet, r.Algorithms); len(plot.Series) > 0 {
		p.Reliability = &plot
	}
	if plot := newCoverage(r.sheet, r.Algorithms); len(plot.Series) > 0 {
		p.Coverage = &plot
	}
	if len(r.Algorithms) == 0 {
		return p
	}
	p.addConfigurations()
	for i, d := range r.Algorithms[0].By {
		if len(d.Rows) > 0 && !(d.Dimension == "file" && len(d.Rows) == 1) {
			p.Tables = append(p.Tables, r.pageTable(i, d))
		}
	}
	return p
}

// addConfigurations adds the comparison of the configurations of one method.
func (p *page) addConfigurations() {
	if p.Sheet.Configurations == nil {
		return
	}
	if t := p.outcomeTable(); len(t.rows) > 1 {
		p.Outcomes = t
	}
	if p.EffortTests != nil {
		p.Tests = p.effortTestTable()
	}
	if p.Overlap != nil && p.Overlap.Cases > 0 {
		p.Upset, p.Overlaps = newUpset(p.Overlap), p.overlapTables()
	}
}

func (r *Report) pageTable(dimension int, d Breakdown) pageTable {
	t := pageTable{Dimension: d.Dimension, Overlapping: d.Overlapping, Detailed: len(r.firsts()) == 1}
	for _, a := range r.firsts() {
		t.Algorithms = append(t.Algorithms, a.Name)
	}
	for _, first := range d.Rows {
		row := pageRow{Name: first.Name, Cases: first.Cases, First: first}
		ceiling, best := 0.0, 0.0
		for _, a := range r.firsts() {
			cell := pageCell{Main: "-", Small: "-"}
			if other, ok := a.row(dimension, first.Name); ok {
				is := value(other.Value(r.sheet.Main))
				ceiling, best = max(ceiling, value(other.Value(r.sheet.Ceiling))), max(best, is)
				cell = pageCell{
					Main:    threeOrDash(other.Value(r.sheet.Main).Value),
					Small:   threeOrDash(other.Value(r.sheet.Small).Value),
					Percent: int(100*is + 0.5),
					About:   a.Name + " on " + first.Name + ": " + strings.Join(other.named(r.sheet.estimated()), ", "),
				}
			}
			row.Cells = append(row.Cells, cell)
		}
		for i := range row.Cells {
			row.Cells[i].Best = len(row.Cells) > 1 && best > 0 && row.Cells[i].Main == three(best)
		}
		row.Ceiling = three(ceiling)
		t.Rows = append(t.Rows, row)
	}
	return t
}

// mark shortens a title for small print: "recall" to "R", and "acc@10" to "@10".
func mark(title string) string {
	if i := strings.IndexByte(title, '@'); i >= 0 {
		return title[i:]
	}
	return strings.ToUpper(title[:1])
}

// named formats metrics with their titles, as in "recall 0.436 [.401, .470]".
func (r Row) named(metrics []int) []string {
	var list []string
	for _, at := range metrics {
		list = append(list, r.sheet.Metrics[at].Title+" "+r.Values[at].String())
	}
	return list
}
