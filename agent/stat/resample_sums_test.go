package stat

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The indices of a sample equal those drawn by math/rand/v2, also for powers of two and for more
// cases than one slice of draws.
func TestDraws(t *testing.T) {
	for _, n := range []int{2, 3, 64, 1000, 1024, 1025, 2500, 3 << 20} {
		random := rand.New(rand.NewPCG(Seed, uint64(n)))
		d := newDraws(n)
		for range 2 {
			total := 0
			for pick := range d.sample() {
				for _, i := range pick {
					if want := random.IntN(n); int(i) != want {
						t.Fatalf("%d cases: index %d is %d, want %d", n, total, i, want)
					}
					total++
				}
			}
			if total != n {
				t.Errorf("a sample of %d cases has %d", n, total)
			}
		}
	}
	unfair := &draws{source: rand.NewPCG(1, 2), n: 1<<63 + 1<<62} // rejects a quarter of all numbers
	random := rand.New(rand.NewPCG(1, 2))
	pick := make([]uint32, 100)
	unfair.fill(pick)
	for i := range pick {
		if want := uint32(random.Uint64N(unfair.n)); pick[i] != want {
			t.Fatalf("number %d is %d, want %d", i, pick[i], want)
		}
	}
}

// The sums equal those of adding up the rows of each sample in order, to the last bit, for whole
// numbers, fractions, and numbers too large to be exact.
func TestResampleSums(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for name, number := range map[string]func() float64{
		"whole":     func() float64 { return float64(random.IntN(4)) },
		"fractions": func() float64 { return 1 / float64(1+random.IntN(7)) },
		"large":     func() float64 { return math.Pow(2, float64(random.IntN(60))) + 1 },
		"not finite": func() float64 {
			return []float64{0, 1, math.NaN(), math.Inf(1)}[random.IntN(4)]
		},
	} {
		for _, n := range []int{0, 1, 2, 1300} {
			rows := make([][]float64, n)
			for i := range rows {
				for range 3 + i%2 { // short rows end with an implicit zero
					rows[i] = append(rows[i], number())
				}
			}
			var want [][]float64
			Resample(n, func(pick []int) {
				sum := make([]float64, 4)
				for _, i := range pick {
					for j, x := range rows[i] {
						sum[j] += x
					}
				}
				want = append(want, sum)
			})
			at := 0
			ResampleSums(rows, func(sum []float64) {
				if slices.CompareFunc(sum, want[at], func(a, b float64) int { return cmp.Compare(math.Float64bits(a), math.Float64bits(b)) }) != 0 {
					t.Fatalf("%s numbers, %d cases: sum %d is %v, want %v", name, n, at, sum, want[at])
				}
				at++
			})
			if at != len(want) {
				t.Errorf("%s numbers, %d cases: %d sums, want %d", name, n, at, len(want))
			}
		}
	}
}

// Rows are distinguished for any number of different ones.
func TestManyKinds(t *testing.T) {
	for _, kinds := range []int{1<<16 - 1, 1 << 16, 1<<16 + 1} {
		rows := make([][]float64, kinds+5)
		for i := range rows {
			rows[i] = []float64{float64(i % kinds)}
		}
		table := newRowTable(rows)
		if got := len(table.counts); got != kinds || table.flat[table.kinds[kinds+2]] != 2 {
			t.Errorf("%d different rows, want %d", got, kinds)
		}
		sum := []float64{0}
		table.addCounted(newDraws(len(rows)), sum)
		want := []float64{0}
		table.addInOrder(newDraws(len(rows)), want)
		if sum[0] != want[0] {
			t.Errorf("%d different rows: the sum is %v, want %v", kinds, sum[0], want[0])
		}
	}
}

// A bin of a sample equals, to the last bit, the bin of a list with each forecast as often as it
// was picked.
func TestReliabilityOfSample(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	var cases [][]Forecast
	for range 300 {
		var forecasts []Forecast
		for range random.IntN(4) {
			forecasts = append(forecasts, Forecast{float64(random.IntN(40)) / 41, random.IntN(2) == 0})
		}
		cases = append(cases, forecasts)
	}
	picked, listed := forecastsOf(cases), [][]Forecast{}
	picked.size = 0
	times := make([]uint32, len(cases))
	for i, c := range cases {
		times[i] = uint32(max(0, random.IntN(5)-2))
		for range times[i] {
			listed = append(listed, c)
		}
	}
	for i, owner := range picked.owners {
		picked.times[i] = times[owner]
		picked.size += int(times[owner])
	}
	if got, want := picked.reliability(), forecastsOf(listed).reliability(); !slices.Equal(got, want) {
		t.Errorf("the bins are\n%v, want\n%v", got, want)
	}
}
