package szz

import "fmt"

// PartOf says how many of total things n is, such as "3 of the 5 lines", "all 3
// lines" or "the line". n is at least 1.
func PartOf(n, total int, thing string) string {
	switch {
	case total == 1:
		return "the " + thing
	case n == total && n == 2:
		return "both " + thing + "s"
	case n == total:
		return fmt.Sprintf("all %d %ss", n, thing)
	}
	return fmt.Sprintf("%d of the %d %ss", n, total, thing)
}
