package input

import (
	"cmp"
	"slices"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
)

// A Member is what is kept of a report to put it into a group.
type Member struct {
	Name      string
	Problem   string // see KindOf
	Signature Signature
}

// MemberOf returns what is kept of a report.
func MemberOf(name string, report *crash.Report) Member {
	return Member{Name: name, Signature: SignatureOf(report), Problem: KindOf(report)}
}

// detail matches what a sanitizer puts behind the kind of a failure.
var detail = source.Lazy(`(?: on | in thread |:? \(|: memory ranges|[ \[]0x[0-9a-f]).*$|:$`)

// KindOf returns the kind of the first failure that a report names, without addresses
// and other details, so that it is the same for each such failure; "" if the report
// names none. ClusterFuzz's kinds are written as those of sanitizers.
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

// A KindCount is a kind of failure, and how many reports of a group have it.
type KindCount struct {
	Kind  string `json:"kind"`
	Count int    `json:"count"`
}

// Summarize puts reports into groups, the largest first. It depends on the order of
// the reports in nothing.
func Summarize(members []Member) []Summary {
	members = slices.Clone(members)
	slices.SortStableFunc(members, func(a, b Member) int { return cmp.Compare(a.Name, b.Name) })
	signatures := make([]Signature, len(members))
	for i, m := range members {
		signatures[i] = m.Signature
	}
	out := []Summary{}
	for _, g := range Groups(signatures) {
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

// counted lists kinds by how often they occur.
func counted(kinds map[string]int) []KindCount {
	out := []KindCount{}
	for kind, n := range kinds {
		out = append(out, KindCount{kind, n})
	}
	slices.SortFunc(out, func(a, b KindCount) int { return cmp.Or(b.Count-a.Count, cmp.Compare(a.Kind, b.Kind)) })
	return out
}
