package input

import (
	"cmp"
	"slices"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// A Member is the part of a report that grouping needs.
type Member struct {
	Name      string
	Problem   string // see KindOf
	Signature Signature
}

// MemberOf returns the Member for a report.
func MemberOf(name string, report *crash.Report) Member {
	return Member{Name: name, Signature: SignatureOf(report), Problem: KindOf(report)}
}

// detail matches a sanitizer's text after the kind of a failure.
var detail = source.Lazy(`(?: on | in thread |:? \(|: memory ranges|[ \[]0x[0-9a-f]).*$|:$`)

// KindOf returns the kind of the first failure in a report, or "" if there is none. It removes
// addresses and other details, so that equal failures have equal kinds. ClusterFuzz's kinds are
// converted to those of sanitizers.
func KindOf(report *crash.Report) string {
	if len(report.Problems) == 0 {
		return ""
	}
	kind := report.Problems[0].Kind
	if short := strings.TrimSpace(detail().ReplaceAllString(kind, "")); short != "" {
		kind = short
	}
	if first, rest, ok := strings.Cut(kind, "-"); ok && !strings.Contains(kind, ".") &&
		strings.ToLower(first[min(1, len(first)):]+rest) == first[min(1, len(first)):]+rest {
		kind = strings.ToLower(kind)
	}
	return kind
}

// A Summary describes a group of reports of one fault.
type Summary struct {
	ID       string      `json:"id"`        // identifies the signature
	Names    []string    `json:"signature"` // significant functions, innermost first
	Count    int         `json:"count"`
	Problems []KindCount `json:"problems"` // the most frequent first
	Members  []string    `json:"members"`  // names of the reports, sorted
}

// A KindCount is a kind of failure, and the number of reports in a group with this kind.
type KindCount struct {
	Kind  string `json:"kind"`
	Count int    `json:"count"`
}

// Summarize groups reports, the largest group first. The result does not depend on the order of
// the reports.
func Summarize(members []Member) []Summary {
	members = slices.Clone(members)
	slices.SortStableFunc(members, func(a, b Member) int { return cmp.Compare(a.Name, b.Name) })
	signatures := make([]Signature, len(members))
	for i, m := range members {
		signatures[i] = m.Signature
	}
	out := []Summary{}
	for _, g := range groups(signatures) {
		s := Summary{ID: g.Signature.ID(), Names: append([]string{}, g.Signature.Names...), Count: len(g.Members)}
		kinds := map[string]int{}
		for _, i := range g.Members {
			s.Members = append(s.Members, members[i].Name)
			if members[i].Problem != "" {
				kinds[members[i].Problem]++
			}
		}
		s.Problems = counted(kinds)
		out = append(out, s)
	}
	return out
}

// counted lists kinds by frequency.
func counted(kinds map[string]int) []KindCount {
	out := []KindCount{}
	for kind, n := range kinds {
		out = append(out, KindCount{kind, n})
	}
	slices.SortFunc(out, func(a, b KindCount) int { return cmp.Or(b.Count-a.Count, cmp.Compare(a.Kind, b.Kind)) })
	return out
}
