package condense

// Fill chooses a form for each part of an answer so that together they have at most room
// characters. The forms of a part go from short to long. Every part gets at least its
// shortest form. Then, while there is room, each part in order gets its next form, before
// any part gets the one after that.
func Fill(forms [][]string, order []int, room int) []Block {
	at := make([]int, len(forms))
	longest := 0
	for _, f := range forms {
		room -= Runes(f[0]) + 1
		longest = max(longest, len(f))
	}
	for next := 1; next < longest; next++ {
		for _, i := range order {
			if at[i] != next-1 || next >= len(forms[i]) {
				continue
			}
			if more := Runes(forms[i][next]) - Runes(forms[i][next-1]); more <= room {
				at[i], room = next, room-more
			}
		}
	}
	out := make([]Block, len(forms))
	for i, f := range forms {
		out[i].Text = f[at[i]]
	}
	return out
}

// InOrder returns the numbers of n parts in their order.
func InOrder(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// OutsideIn returns the numbers of n parts from the ends inwards: the last, the first,
// the last but one, and so on.
func OutsideIn(n int) []int {
	var out []int
	for low, high := 0, n-1; low <= high; low, high = low+1, high-1 {
		out = append(out, high)
		if low < high {
			out = append(out, low)
		}
	}
	return out
}
