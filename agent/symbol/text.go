package symbol

// DefinedIn returns the line, from 1, of a text that defines a name by its look, or 0.
// Of several it returns the surest, and of these the one nearest to a line.
func DefinedIn(path string, lines [][]byte, name string, near int) int {
	name = Last(name)
	best, score := 0, 0
	if !isIdentifier(name) {
		return 0
	}
	for i, l := range lines {
		d, ok := definition(path, string(l[:min(len(l), maxDefinition)]), name)
		if !ok || best > 0 && (d.Score < score || d.Score == score && distance(i+1, near) >= distance(best, near)) {
			continue
		}
		best, score = i+1, d.Score
	}
	return best
}

// maxDefinition is how much of a line is looked at, in bytes.
const maxDefinition = 1000

func distance(a, b int) int { return max(a-b, b-a) }
