package eval

// Contradicted returns the number of cases for which the details of some score name fields
// that what was computed of the case contradicts.
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
