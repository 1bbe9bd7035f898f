package eval

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"git-agent/agent"
)

// ToolFault counts the calls of a tool that gave no result for one reason (AutoCrashFL, section
// 5.4 and table 5).
type ToolFault struct {
	Tool  string      `json:"tool"`
	Fault agent.Fault `json:"fault"`
	Calls int         `json:"calls"`
	Of    int         `json:"of"` // calls of the tool
}

// addFaults counts the faults of all tools.
func (e *Effort) addFaults(outcomes []Outcome) {
	counts := map[string]map[agent.Fault]int{}
	for _, o := range outcomes {
		if o.Work == nil {
			continue
		}
		for tool, faults := range o.Work.Faults {
			for fault, n := range faults {
				if counts[tool] == nil {
					counts[tool] = map[agent.Fault]int{}
				}
				counts[tool][fault] += n
			}
		}
	}
	for _, use := range e.Tools {
		faults := slices.SortedFunc(maps.Keys(counts[use.Name]), func(a, b agent.Fault) int {
			return cmp.Or(cmp.Compare(counts[use.Name][b], counts[use.Name][a]), strings.Compare(string(a), string(b)))
		})
		for _, fault := range faults {
			e.Faults = append(e.Faults, ToolFault{use.Name, fault, counts[use.Name][fault], use.Total})
		}
	}
}

// faultTable returns the table of faults. It has no rows without faults.
func (a Algorithm) faultTable() *table {
	t := newTable("calls of "+a.Name+" that brought nothing", "reason", "calls", "of", "share")
	for _, f := range a.Effort.Faults {
		t.add(f.Tool, string(f.Fault), fmt.Sprint(f.Calls), fmt.Sprint(f.Of), fmt.Sprintf("%.0f%%", 100*float64(f.Calls)/float64(max(1, f.Of))))
	}
	return t
}

// textFaults writes the table of faults.
func (a Algorithm) textFaults(b *strings.Builder) {
	if len(a.Effort.Faults) > 0 {
		b.WriteByte('\n')
		a.faultTable().write(b)
	}
}
