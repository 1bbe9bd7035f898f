package prior

import (
	"math"
	"strings"

	"git-agent/agent/source"
)

// purposes has words of subjects by what they say that a commit is for. A word that ends with *
// stands for all that begin so.
var purposes = []struct {
	name  string
	words []string
}{
	{"says_fix", strings.Fields("fix* bug bugs closes resolves correct* crash* issue issues")},
	{"says_rewrite", strings.Fields("refactor* rewr* clean* simplif* restructur* rework* reorgani* mov* renam* extract* split* unif*")},
	{"says_feature", strings.Fields("add* support* implement* allow* new introduc* enabl* feat*")},
	{"says_remove", strings.Fields("remov* drop* delet* deprecat* disallow*")},
	{"says_fast", strings.Fields("optimi* speed* fast* perf* cach* alloc* effic*")},
	{"says_change", strings.Fields("chang* improv* use mak* handl* updat* replac* convert*")},
	{"says_release", strings.Fields("bump* releas* version* upgrad* dependenc* changelog")},
	{"says_docs", strings.Fields("doc docs documentation readme typo typos comment comments spelling license javadoc* docstring docstrings")},
	{"says_test", strings.Fields("test tests testing coverage ci travis benchmark benchmarks build github appveyor")},
	{"says_style", strings.Fields("format* lint* styl* whitespace gofmt golint pep8 flake8 black indent* prettier eslint warning warnings")},
}

// isRelease matches subjects that are only a number of a release.
var isRelease = source.Lazy(`^v?\d+\.\d+`)

// sayings calls set for each purpose that a subject states.
func sayings(subject string, set func(string, float64)) {
	lower := strings.ToLower(subject)
	for _, word := range strings.FieldsFunc(lower, source.NotIdent) {
		for _, p := range purposes {
			for _, w := range p.words {
				if stem, open := strings.CutSuffix(w, "*"); word == w || open && strings.HasPrefix(word, stem) {
					set(p.name, 1)
					break
				}
			}
		}
	}
	if strings.Contains(lower, "no longer") {
		set("says_remove", 1)
	}
	if i := strings.IndexByte(subject, '#'); i >= 0 && i+1 < len(subject) && source.IsDigit(subject[i+1]) {
		set("says_fix", 1)
	}
	if isRelease().MatchString(subject) {
		set("says_release", 1)
	}
}

// messageFeatures sets the features of the message.
func (x *examination) messageFeatures(c *change, set func(string, float64)) {
	sayings(c.subject, set)
	set("body", math.Log1p(float64(c.long)))
	set("words", x.messages.Overlap(c.message, x.focus.words))
	set("name", x.messages.Overlap(x.focus.name, c.message))
	set("best_name", x.messages.Best(x.focus.name, c.message))
	set("best_word", x.messages.Best(c.message, x.focus.words))
}
