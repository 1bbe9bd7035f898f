package prior

import (
	"math"

	"git-agent/agent/source"
)

// compare compares the functions with the test, as a search engine compares documents with a
// query (BM25: Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009).
func (k *code) compare(f *focus) {
	words := map[string][]string{}
	for token := range k.used {
		words[token] = sharedParts(token, f.name)
	}
	used := map[string]float64{}
	bags := make([]source.Bag, len(k.functions))
	for i, fn := range k.functions {
		bags[i] = source.Bag{}
		for token, n := range fn.calls {
			for _, w := range words[token] {
				bags[i][w] += n
			}
		}
		for w := range source.PathWords(fn.name + " " + stemOf(fn.file)) {
			if f.name[w] > 0 {
				bags[i][w] += 3
			}
		}
		for w := range bags[i] {
			used[w]++
		}
	}
	long := 0.0
	for _, fn := range k.functions {
		long += float64(len(fn.calls))
	}
	long /= max(float64(len(k.functions)), 1)
	like, likely := 0.0, 0.0
	for i, fn := range k.functions {
		size := float64(len(fn.calls)) / max(long, 1)
		fn.like = k.score(f.narrow, fn.calls, k.used, size)
		fn.likely = k.score(f.name, bags[i], used, size)
		like, likely = max(like, fn.like), max(likely, fn.likely)
	}
	for _, fn := range k.functions {
		fn.like /= max(like, 1e-9)
		fn.likely /= max(likely, 1e-9)
		k.like[fn.file] = max(k.like[fn.file], fn.like)
		k.likely[fn.file] = max(k.likely[fn.file], fn.likely)
	}
}

// sharedParts returns the words of a query that are parts of an identifier.
func sharedParts(token string, query source.Bag) []string {
	parts := source.Bag{}
	parts.AddWords(token)
	var words []string
	for w := range parts {
		if query[w] > 0 {
			words = append(words, w)
		}
	}
	return words
}

// score is the weight of the shared tokens. used counts the functions with a token, and size is
// the function's size as a multiple of the mean.
func (k *code) score(query, have source.Bag, used map[string]float64, size float64) float64 {
	const saturation, bySize = 1.2, 0.5
	sum := 0.0
	for _, t := range have.Shared(query) {
		n := float64(have[t])
		idf := math.Log1p((float64(len(k.functions)) - used[t] + 0.5) / (used[t] + 0.5))
		sum += idf * n / (n + saturation*(1-bySize+bySize*size))
	}
	return sum
}
