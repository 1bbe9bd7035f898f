package agent

import "fmt"

// Plural returns a number and a word in singular or plural: "1 turn", "2 turns".
func Plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}
