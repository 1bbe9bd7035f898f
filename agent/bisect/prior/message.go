package prior

import (
	"math"

	"git-agent/agent/source"
)

// A purpose is what the words of a subject say that a commit is for.
type purpose struct {
	name  string
	words source.Pattern
}

var purposes = []purpose{
	{"says_fix", source.Lazy(`(?i)\b(?:fix\w*|bugs?|closes|resolves|correct\w*|crash\w*|issues?)\b|#\d+`)},
	{"says_rewrite", source.Lazy(`(?i)\b(?:refactor\w*|rewr\w+|clean\w*|simplif\w+|restructur\w+|rework\w*|reorgani\w+|mov\w+|renam\w+|extract\w*|split\w*|unif\w+)\b`)},
	{"says_feature", source.Lazy(`(?i)\b(?:add\w*|support\w*|implement\w*|allow\w*|new|introduc\w+|enabl\w+|feat\w*)\b`)},
	{"says_remove", source.Lazy(`(?i)\b(?:remov\w+|drop\w*|delet\w+|deprecat\w+|no longer|disallow\w*)\b`)},
	{"says_fast", source.Lazy(`(?i)\b(?:optimi\w+|speed\w*|fast\w*|perf\w*|cach\w+|alloc\w*|effic\w+)\b`)},
	{"says_change", source.Lazy(`(?i)\b(?:chang\w+|improv\w+|use|mak\w+|handl\w+|updat\w+|replac\w+|convert\w*)\b`)},
	{"says_release", source.Lazy(`(?i)\b(?:bump\w*|releas\w+|version\w*|upgrad\w+|dependenc\w+|changelog)\b|^v?\d+\.\d+`)},
	{"says_docs", source.Lazy(`(?i)\b(?:docs?|documentation|readme|typos?|comments?|spelling|license|javadoc\w*|docstrings?)\b`)},
	{"says_test", source.Lazy(`(?i)\b(?:tests?|testing|coverage|ci|travis|benchmarks?|build|github|appveyor)\b`)},
	{"says_style", source.Lazy(`(?i)\b(?:format\w*|lint\w*|styl\w+|whitespace|gofmt|golint|pep ?8|flake8|black|indent\w*|prettier|eslint|warnings?)\b`)},
}

// messageFeatures sets the features of the message.
func (x *examination) messageFeatures(c *change, set func(string, float64)) {
	for _, p := range purposes {
		if p.words().MatchString(c.subject) {
			set(p.name, 1)
		}
	}
	set("body", math.Log1p(float64(c.long)))
	set("words", x.messages.Overlap(c.message, x.focus.words))
	set("name", x.messages.Overlap(x.focus.name, c.message))
	set("best_name", x.messages.Best(x.focus.name, c.message))
	set("best_word", x.messages.Best(c.message, x.focus.words))
}
