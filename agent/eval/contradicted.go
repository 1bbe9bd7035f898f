package eval

// Contradicted returns the number of cases with fields that contradict the computed facts. fields
// returns the names of such fields from the details of a score.
func Contradicted(res *Results, fields func(row any) []string) int {
	doubtful := map[int]bool{}
	for _, rows := range res.Outcomes {
		for i, o := range rows {
			if len(fields(o.Row)) > 0 {
				doubtful[i] = true
			}
		}
	}
	return len(doubtful)
}
