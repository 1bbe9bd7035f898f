package prior

import (
	"math"
	"path"

	"git-agent/agent/source"
)

// A fileView is what the evidence says of one path of the range.
type fileView struct {
	kind      source.FileKind
	today     string // its path at the failing commit, or ""
	opened    bool   // the failing run opened it; false if that is not known
	stem      bool   // a test file of the failing test is named after it
	near      bool   // it is in a directory of the failing test's subject
	named     bool   // the output names it
	mentioned bool   // the failing test has its name as an identifier
	test      bool   // it is a file of the failing test
	commits   int    // of the range that change it
}

// views looks at all paths of the range once.
func (x *examination) lookAtFiles() {
	x.views = map[string]*fileView{}
	for _, c := range x.changes {
		for _, p := range c.paths {
			v := x.views[p]
			if v == nil {
				v = x.view(p)
				x.views[p] = v
			}
			v.commits++
		}
	}
}

func (x *examination) view(p string) *fileView {
	v := &fileView{kind: source.FileKindOf(p), today: x.tree.today(p)}
	at := v.today
	if at == "" {
		at = p
	}
	stem := stemOf(at)
	v.opened = x.ev.Opened[at]
	v.near = x.focus.dirs[path.Dir(at)]
	v.named = x.focus.named[at]
	for _, f := range x.focus.files {
		v.test = v.test || f == at || f == p
	}
	if v.kind == source.SourceFile {
		v.stem = len(stem) > 1 && x.focus.stems[stem]
		v.mentioned = len(stem) > 2 && x.focus.names[stem]
	}
	return v
}

// relevance is a rough guess how much more likely the culprit is in this file than in another
// one of the range. The model corrects it through the single features.
func (v *fileView) relevance(openedKnown bool) float64 {
	if v.kind != source.SourceFile {
		return 0
	}
	r := 1.0
	switch {
	case v.opened:
	case v.today == "":
		r = 0.1
	case openedKnown:
		r = 0.03
	}
	for _, sign := range []bool{v.stem, v.near, v.named, v.mentioned} {
		if sign {
			r *= 2
		}
	}
	return r
}

// relevant reports whether a commit may have an influence on the command: it changes a file that
// the failing run opened or, if the opened files are not known, a file that is no document.
func (x *examination) relevant(c *change) bool {
	for _, p := range c.paths {
		v := x.views[p]
		if v.opened || v.test || v.today == "" && v.kind == source.SourceFile || x.ev.Opened == nil && !source.IsDocument(p) {
			return true
		}
	}
	return len(c.paths) == mostPaths
}

// fileFeatures sets the features that the names of the changed files give.
func (x *examination) fileFeatures(c *change, set func(string, float64)) {
	known := x.ev.Opened != nil
	sources, share, top, reach, all, like, likely := 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
	flags := map[string]bool{}
	words := source.Bag{}
	for _, p := range c.paths {
		v := x.views[p]
		switch v.kind {
		case source.SourceFile:
			sources++
			r := v.relevance(known)
			share += r / float64(v.commits)
			top = max(top, r)
			reach += x.code.weights[v.today] / float64(v.commits)
			all += x.code.weights[v.today]
			like = max(like, x.code.like[v.today])
			likely = max(likely, x.code.likely[v.today])
			flags["source"] = true
			flags["opened"] = flags["opened"] || v.opened
			flags["stem"] = flags["stem"] || v.stem
			flags["near"] = flags["near"] || v.near
			flags["named"] = flags["named"] || v.named
			flags["mentioned"] = flags["mentioned"] || v.mentioned
			if sources <= 20 {
				words = source.Unite(words, source.PathWords(p))
			}
		case source.TestFile:
			flags["its_test"] = flags["its_test"] || v.test
			flags["tests"] = true
		default:
			flags["opened_other"] = flags["opened_other"] || v.opened
		}
	}
	for name, on := range flags {
		if on {
			set(name, 1)
		}
	}
	if x.relevant(c) {
		set("relevant", 1)
	}
	set("share", math.Log(share*float64(len(x.changes))+0.1))
	set("top", math.Log(top+0.02))
	set("file_reach", math.Log(reach*float64(len(x.changes))+0.01))
	set("file_reach_all", math.Log(all+0.001))
	set("file_like", like)
	set("file_likely", likely)
	set("files", math.Log1p(float64(c.files)))
	set("sources", math.Log1p(sources))
	set("path_words", x.messages.Overlap(words, x.focus.words))
	set("path_name", x.messages.Overlap(x.focus.name, words))
}
