package szztrain

import (
	"flag"
	"fmt"
	"strings"

	"git-agent/agent/szz/rank"
)

// lists prints what lists of suspects hold if a second and a third suspect are named only from a
// probability on, by the shipped model. Name only cases of repositories that it was not trained on.
func lists(args []string) error {
	fs := flag.NewFlagSet("lists", flag.ContinueOnError)
	all := fs.Bool("all", false, "keep the cases of repositories that the model was trained on")
	if err := fs.Parse(args); err != nil {
		return err
	}
	m, err := readModel("")
	if err != nil {
		return err
	}
	rows, err := readRows(fs.Args())
	if err != nil {
		return err
	}
	runs, err := applied(m, rows)
	if err != nil {
		return err
	}
	var kept []rank.Example
	var ps [][]float64
	for i, ex := range rows {
		if *all || m.Made.Repos[ex.Repo] == 0 {
			kept, ps = append(kept, ex), append(ps, runs[0].ps[i])
		}
	}
	fmt.Printf("%d cases\n%s\n", len(kept), listHeading)
	for _, from := range []float64{0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.34, 0.4, 0.5, 2} {
		fmt.Printf("%5.2f  %v\n", from, listsOf(kept, ps, from))
	}
	return nil
}

// longestList is the largest number of suspects in a counted list.
const longestList = 3

// listHeading is above the lines of listFigures.
const listHeading = " from  length  longer than one  right in the list     second right      third right"

// listFigures count the lists of some cases.
type listFigures struct {
	cases, named, longer, right int
	places, hits                [longestList]int // suspects that stand at a place, and the culprits among them
}

// listsOf names at most three suspects of each case: the first, and others whose probability is
// at least from.
func listsOf(rows []rank.Example, ps [][]float64, from float64) listFigures {
	f := listFigures{cases: len(rows)}
	for i, ex := range rows {
		list := chosen(ps[i], from)
		list = list[:min(len(list), longestList)]
		f.named += len(list)
		found := false
		for place, j := range list {
			f.places[place]++
			if ex.Hit[j] {
				f.hits[place]++
				found = true
			}
		}
		if len(list) > 1 {
			f.longer++
		}
		if found {
			f.right++
		}
	}
	return f
}

func (f listFigures) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%6.2f %10d (%.2f) %10d (%.3f)", share(f.named, f.cases), f.longer, share(f.longer, f.cases), f.right, share(f.right, f.cases))
	for place := 1; place < longestList; place++ {
		fmt.Fprintf(&b, " %5d of %3d (%.2f)", f.hits[place], f.places[place], share(f.hits[place], f.places[place]))
	}
	return b.String()
}
