package szz

import "git-agent/agent/source"

// These patterns decide whether a revert in prose blames the reverted commit. Most such
// reverts are changes of mind, or remove unnecessary code.
var (
	revertsIt = source.Lazy(
		`(?i)\b(?:revert(?:s|ed|ing)?|reverse apply|undo(?:es|ing)?|back(?:s|ed|ing)? out|roll(?:s|ed|ing)? back)\s+(?:\w+\s+){0,5}?` + toCommit,
	)
	// revertTold matches a revert by another commit, or one that did not happen.
	revertTold = source.Lazy(
		`(?i)\b(?:would|could|should|can|may|might|if|git|not|n't|without|try\w*|tried|allows?|lets?|possible|able|was|were|been|be|got|note,?)\s+(?:\w+\s+){0,4}?(?:revert|undo|back|roll)\w*\b|\balso\s+(?:\w+\s+)?revert\w*|\b(?:no longer|no more|not) (?:\w+ )?(?:needed|required|necessary)\b|\bincomplete revert|\b(?:verified|re-?introduc\w*|before)\b(?:[^.]|\.\w){0,80}\brevert\w*|\bwork-?arounds?\b|\binstead\b|\bin favou?r of\b|\b(?:initial|original|previous) (?:fix|change|commit) was (?:for|to)\b|\bsame (?:issue|problem|bug)\b|\b(?:issues?|problems?|bugs?)\s+(?:has|have|is|are|was|were)\s+(?:been\s+|now\s+)*(?:sorted|fixed|resolved|gone)\b|\bit (?:has|is|was) (?:been |now )*(?:resolved|fixed|sorted)\b|\bissues?\b[^.]{0,60}\bshould (?:now )?be (?:resolved|fixed)\b`,
	)
	// noLongerNeeded matches the sentence before a revert of unnecessary code.
	noLongerNeeded = source.Lazy(`(?i)\b(?:no longer|not|isn't|aren't) (?:\w+ )?(?:needed|required|necessary)\b`)
	// unreverts matches the words before a commit in the quoted title of a revert.
	unreverts = source.Lazy(`(?i)\brevert\w*\s+["“'][^"”\n]*\brevert\w*[^"”\n]*$`)
	// revertsPart matches a revert of a part of a commit.
	revertsPart = source.Lazy(
		`(?i)\b(?:part\w*|effective\w*|essential\w*|basic\w*|moral\w*|functional\w*|conceptual\w*|most\w*|half|some|wording|kind|sort|similar\w*|behaviou?r\w*)\b`,
	)
	// tellsDefect matches the words for a defect.
	tellsDefect = source.Lazy(`(?i)\b(?:` + aDefect + `|` + failing + `|` + carelessly + `|bad|bugfix)\b`)
	// speaksOn matches the start of a sentence that has the same subject.
	speaksOn = source.Lazy(`(?i)^\s*(?:it|this|that|these|those|they|because|since|as|the (?:commit|change|patch|original|reverted|new)\w*)\b`)
	// fixTitle matches the titles of fixes. "fix(net): ..." may be any change.
	fixTitle = source.Lazy(
		`(?i)\b(?:fix(?:e[sd]|ing)?(?:[^(\w]|$)|repair\w*|unbreak\w*|regress\w*|broken|breakages?|bugs?\b|crash\w*|leaks?\b|fail(?:s|ed|ures?|ing)?\b|hangs?\b|deadlock\w*|segfault\w*|corrupt\w*|wrong\w*|incorrect\w*|mistak\w*|accident\w*)`,
	)
	// listTitle matches the titles of merges and others whose messages list changes.
	listTitle = source.Lazy(`(?i)^(?:merge\b|auto merge\b)|\bdifferently\b|\bwork-?around`)
	// revertedTitle matches the title that git gives to a revert.
	revertedTitle = source.Lazy(`^Revert ["']`)
	revertTitle   = source.Lazy(`(?i)^(?:\S+:\s+)*(?:revert\w*|undo\w*|back out|roll back)\b`)
	// testAdded matches the titles of commits that add tests, and testFixed the titles of
	// commits that also, or only, repair something.
	testAdded = source.Lazy(
		`(?i)^(?:\S*\btests?\S*|t\d{4}\S*|\S*testsuite\S*)(?:\s*\([^)]*\))?:\s+(?:(?:also|further|more|new)\s+)*(?:add|capture|ensure|cover|demonstrate|document|show|check|verify|reproduc|exercise|expect|illustrate|mark|describe|test|update expected)\w*\b` +
			`|^(?:\S+:\s+)*(?:add|adding|adds|added|create|introduce|write|new|more)\s+(?:(?:an?|the|some|more|new|another|few|failing|regression|unit|basic|simple|integration|\w+ing)\s+){0,3}(?:tests?|unit[- ]?tests?)\b` +
			`|^(?:\S+:\s+)*(?:add|adding|adds|added|create|write|new|more)\s+(?:\S+\s+){0,7}?test[- ]?cases?\b` +
			`|^(?:basic|more|some|new|unit|regression|simple|further) tests? (?:for|of|to)\b` +
			`|^(?:\S+:\s+)*(?:skip|disable)\b.*\b(?:tests?|for now)\b`,
	)
	testFixed = source.Lazy(`(?i)(?:^|[:,;&+]\s*|\band\s+)(?:fix|repair|correct|add missing (?:[^t]|$))`)
)

// revertsDefect reports whether the sentence says that the commit is reverted, and the
// title, the sentence or the next one tells of a defect; if the message is only about the
// revert, the sentence before counts too. If only a part of the commit is reverted, the
// title must tell of the defect.
func (s sentence) revertsDefect(title, text string) bool {
	if !revertsIt().MatchString(text) || unreverts().MatchString(s.before) || revertTold().MatchString(text) ||
		revertTold().MatchString(s.firstNext()) ||
		listTitle().MatchString(title) {
		return false
	}
	if fixTitle().MatchString(plainWords(title)) {
		return true
	}
	return !revertsPart().MatchString(text) &&
		(tellsDefect().MatchString(text) ||
			(speaksOn().MatchString(s.firstNext()) || revertTitle().MatchString(title)) && tellsDefect().MatchString(plainWords(s.firstNext())) ||
			revertTitle().MatchString(title) && tellsDefect().MatchString(plainWords(s.prev)))
}

// firstNext returns the first sentence after this one.
func (s sentence) firstNext() string {
	if ends := sentenceEnds(s.next); len(ends) > 0 {
		return s.next[:ends[0][0]]
	}
	return s.next
}

// addsTest reports whether a commit with this title adds tests, perhaps for the repair of
// another commit, and repairs nothing.
func addsTest(title string) bool {
	return testAdded().MatchString(title) && !testFixed().MatchString(title)
}
