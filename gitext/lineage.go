package gitext

import "context"

// A Lineage is a part of a history that answers what the history of a commit has, without a git
// process for each question. A commit's number is greater than those of its parents.
type Lineage struct {
	Number  map[OID]int32
	OIDs    []OID
	Parents [][]int32

	seen     []int32 // the question that reached a commit last
	question int32
}

// Lineage reads the history of tips without that of the commits in not.
func (r *Repo) Lineage(ctx context.Context, tips, not []OID) (*Lineage, error) {
	l := &Lineage{Number: map[OID]int32{}}
	for a, err := range r.Ancestry(ctx, tips, not) { // parents come before their children
		if err != nil {
			return nil, err
		}
		var parents []int32
		for _, p := range a.Parents {
			if i, ok := l.Number[p]; ok {
				parents = append(parents, i)
			}
		}
		l.Number[a.OID] = int32(len(l.OIDs))
		l.OIDs, l.Parents = append(l.OIDs, a.OID), append(l.Parents, parents)
	}
	return l, nil
}

// Has reports whether the history of a commit has another one, or is it.
func (l *Lineage) Has(commit, other int32) bool {
	if commit <= other {
		return commit == other
	}
	if len(l.seen) < len(l.Parents) {
		l.seen = make([]int32, len(l.Parents))
	}
	l.question++
	open := []int32{commit}
	for len(open) > 0 {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		for _, p := range l.Parents[at] {
			if p == other {
				return true
			}
			if p > other && l.seen[p] != l.question {
				l.seen[p] = l.question
				open = append(open, p)
			}
		}
	}
	return false
}
