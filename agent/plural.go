package agent

import "fmt"

// Plural returns a number and a word in singular or plural: "1 turn", "2 turns".
func Plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// PluralOf returns one for the number 1, and many for any other number.
func PluralOf(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
