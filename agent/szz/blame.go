package szz

import (
	"strings"

	"git-agent/agent/source"
)

// These are parts of the patterns below. In a matched sentence, @ stands for the commit
// in question, COMMIT for any other, and TITLE for a quoted text.
const (
	// toCommit matches the words between a preposition and the name of a commit.
	toCommit = `(?:(?:(?:the|this|that|my|our|an?|one|both|its?|own|of|in|by|from|with|and|or|commits?|commit-?id|changesets?|revisions?|rev|changes?|changed|made|patch(?:es)?|pr|pull|requests?|merg\w*|following|previous\w*|last|first|earlier|recent\w*|original\w*|upstream|git|sha1?|id|hash|series|refactor\w*|clean-?up|rework|fix|introduction|via|COMMIT|TITLE)\b|(?:\w+-)?v?\d[\w.]*|[-*,:;("'\[#&` + "`" + `]|\S+/)\s*){0,8}@`
	// prepositions stand between a defect and its commit.
	prepositions = `(?:in|by|with|within|from|since|at|of|during|through|as part of|as of|via|on|after|due to|because of):?`
	// aDefect matches the names of defects.
	aDefect = `(?:bugs?|regress\w*|errors?|issues?|problems?|crash\w*|leaks?|leakage|typos?|mistakes?|breakages?|failures?|faults?|flaws?|defects?|deadlocks?|hangs?|races?|\w*overflows?|underflows?|segfaults?|warnings?|oversights?|thinkos?|inconsistenc\w+|corruption|fallout|glitch\w*|misbehaviou?r|off-by-one|mismatch\w*|use-after-free|double[- ]free|dereference|omissions?|confusion|\w+exceptions?|broken\w*|misspell\w*|(?:infinite|endless|busy) loops?|slowdown|vulnerabilit\w+|mis-?use|incompatibilit\w+|damage)`
	// bringing matches verbs for the effect of a commit on a defect.
	bringing = `(?:introduc\w+|caused|created|added|brought|appeared|arrived|crept|creeped|came|slipped|arose|started|began|injected|left|made|triggered|exposed|uncovered|revealed|unmasked|surfaced|happen\w*|result\w*|stemm\w+|broken?|originat\w+|coming|stems|dates?)`
	// carelessly matches words for unintended actions.
	carelessly = `(?:accident\w*|inadvert\w*|mistake\w*|mistook|erroneous\w*|unintention\w*|unintended\w*|incorrect\w*|wrong\w*|improper\w*|forg[eo]t\w*|missed|overlook\w*|neglect\w*|botched|messed|screwed|misplaced|oversight|omitted)`
	// failing matches words for broken behavior.
	failing = `(?:brok\w+|breaks?|fail\w*|regress\w*|crash\w*|leak\w*|wrong\w*|incorrect\w*|hangs?|hung|segfault\w*|\w*errors?|\w+exceptions?|triggered|missing|unable|unusable|impossible|stopp\w+|(?:not|n't|no longer|never) (?:\w+ly )?(?:be )?(?:work|build|compile|link|start|run|match|pass|show|display|get|set|return|handle|respect|honou?r|possible|detect|found|load|available)\w*|corrupt\w*|deadlock\w*|bogus|buggy|invalid|overflow\w*)`
)

// These patterns match the sentences that blame a commit.
var (
	blamedBefore = source.Lazy(`(?i)(?:` + strings.Join([]string{
		`\b` + aDefect + `\b(?:[^.]|\.\w){0,100}?\b` + bringing + `(?:\s+[\w.]+){0,3}?\s+` + prepositions + `\s+` + toCommit,
		`\b(?:` + aDefect + `|broken?|breaks|regressed|broken up)\s*(?:was |were |is |has |[:,] )?\s*` + prepositions + `\s+` + toCommit,
		`\b` + carelessly + `\b(?:[^.]|\.\w){0,80}\b(?:` + prepositions + `|when|while|to)\s+` + toCommit,
		`(?:^|[-*:>(\]]\s*|\bthis (?:commit|patch|change)?\s*|\band\s+)(?:really |partially |properly )?(?:fix(?:e[sd]|ing|-?ups?)?|corrects?|unbreaks?|repairs?)[:,]?\s+(?:(?:up|for|of|to|after)\s+)?` + toCommit,
		`^(?:(?:\S+:|\[[^\]]*\])\s+)*(?:fix\w*|repair\w*|correct\w*)\b(?:[^.]|\.\w){0,70}\b(?:from|after|following|for|broken by|missed by)\s+` + toCommit,
		`\b(?:fix\w*|repair\w*|correct(?:s|ed|ing)?)\s+(?:\w+\s+){1,5}?(?:used|made|done|added|introduced|changed)\s+(?:in|by|with)\s+` + toCommit,
		`\b` + aDefect + `\b(?:[^.]|\.\w){0,30}\b(?:present|there|around|since|dates back to)\b(?:[^.]|\.\w){0,80}\b(?:in|with|of|by)\s+` + toCommit,
		`\b(?:due to|because of|caused by|comes? from|coming from) (?:the |an? )?(?:introduction|addition|use|refactoring|rework|removal|change|changes|conversion)\b(?:[^.]|\.\w){0,60}\b(?:in|by|with|of)\s+` + toCommit,
		`\bproblems? (?:in|with) (?:the way|how) ` + toCommit,
		`\b(?:culprit|bisect\w*|blame)\b(?:[^.]|\.\w){0,60}@`,
		`\b(?:left-?overs?|left (?:over|behind|out)|fallout|side[- ]effects?|consequence|forgotten|aftermath)\s+(?:of|from|by|in|after)\s+` + toCommit,
	}, "|") + `)`)
	blamedBehind = source.Lazy(`(?i)(?:` + strings.Join([]string{
		`@\W*(?:[^.]|\.\w){0,70}?\b(?:broke|breaks|to break|regressed|regresses|` + carelessly + `)\b`,
		`@\W*(?:[^.]|\.\w){0,70}?\b(?:introduc\w+|caus\w+|creat\w+|led to|leads to|leading to|result\w* in|added)\b(?:[^.]|\.\w){0,50}?\b` + aDefect + `\b`,
		`@\W*(?:\w+\W+){0,4}?(?:caus(?:ed|es)|made it (?:impossible|fail)|is (?:the )?culprit|was (?:wrong|incorrect|buggy|bad)|is (?:wrong|incorrect|buggy|bad))\b`,
		`@\W*(?:[^.]|\.\w){0,90}?\b(?:but|and|however|though|yet)\s+(?:it |that |this |also |then |then also )?(?:failed to|fails to|did not|didn't|does not|doesn't|never|not)\b`,
		`@\W*(?:[^.]|\.\w){0,90}?\bwithout (?:also |actually |properly )?(?:updat|add|handl|consider|recogni|tak|check|adjust|account|chang|mak|realiz|notic|remov|initiali)\w*ing\b`,
		`@\W*(?:\w+\W+){0,5}?(?:failed|neglected) to\b`,
		`\bintroduced (?:in|by|with) ` + toCommit + `(?:[^.]|\.\w){0,100}\b(?:bugs?|broken|wrong|trigger\w*|caus\w+)\b`,
	}, "|") + `)`)
	// blamedByFix matches words that mean a defect if the title of the message is about a
	// fix, and often something intended otherwise.
	blamedByFix = source.Lazy(`(?i)(?:` + strings.Join([]string{
		`\b(?:since|after|with|as of|starting with|because of|due to)\s+` + toCommit + `(?:[^.]|\.\w){0,160}\b` + failing + `\b`,
		`\b` + failing + `\b(?:[^.]|\.\w){0,80}\b(?:since|ever since|after|as of|starting with|beginning with)\s+` + toCommit,
		`\b(?:but|and)\s+(?:it |this |that )?(?:was|were|got|has been|had been)\s+(?:\w+\s+)?(?:removed|dropped|lost|changed|broken|disabled)\s+(?:in|by|with|from|since)\s+` + toCommit,
		`\b(?:worked|works|working|used to work|worked fine)\b(?:[^.]|\.\w){0,60}\b(?:until|before|prior to|up to)\s+` + toCommit,
		`@\W*(?:[^.]|\.\w){0,90}?\b(?:but|and|however|which|though)\s+(?:it |that |this |also |then )*(?:caus\w+|trigger\w*|regress\w*|made)\b`,
	}, "|") + `)`)
	// pronounBlamed matches "This was introduced in", which blames a commit if the title
	// of the message is about a fix.
	pronounBlamed = source.Lazy(
		`(?i)(?:^|[-*(:;,]\s*|\band )(?:(?:this|that|it|which|these|those|they|there)\s+(?:\w+\s+)?)?(?:(?:was|were|is|are|has|have|had|got|been|may|might|likely|probably|seems?|appears?|to|be|i|apparently|presumably|originally|first|mistakenly|only)\s+){0,4}(?:introduced?|made \S+|caused|broken?|broke|triggered|exposed|revealed|created|changed|lost|dropped|removed)\s+` + prepositions + `\s+` + toCommit + `|\b(?:due to|because of|caused by|result of)\s+` + toCommit + `|\bshould have been (?:included |done |updated |changed |fixed )?(?:(?:a )?part of|in|with|by)\s+` + toCommit,
	)
	tellsOfFix = source.Lazy(
		`(?i)\b(?:(?:un)?fix\w*|repair\w*|correct\w*|regress\w*|restor\w*|revert\w*|bugs?|crash\w*|leaks?|avoid|prevent|(?:do not|don'?t)|typos?|broken|break\w*|unbreak|fail\w*|warning|wrong|missing|re-?enable|again|overflow|races?|error|handle|proper\w*)\b`,
	)
)

// These patterns match sentences that name a commit without blaming it, although they
// have words of blame.
var (
	excusedBefore = source.Lazy(`(?i)(?:` + strings.Join([]string{
		`\b(?:pre-?dat\w*|older than|exist\w* (?:\w+ )?before|long before|even before|precedes?)\b(?:[^.]|\.\w){0,40}@`,
		`(?:\bnot|\bnever|n't)\s+(?:\w+\s+){0,2}(?:broken|caused|introduced|due|fault|regress(?:ion|ed)?|related)\b`,
		`\b(?:rel(?:y|ies|ied|ying) (?:\w+ )?on|depend\w* (?:\w+ )?on|dependency|needed (?:for|by)|requires|required (?:by|for)|prerequisite|builds? (?:up)?on|built on|based on)\b(?:[^.]|\.\w){0,80}@`,
		`\b(?:fix(?:ed|es)?|resolved|solved|addressed|mitigat\w*|repaired|corrected|handled|worked around|work-?around\w*|superseded|obsoleted|reverted)(?:\s+(?:upstream|already|previously|partially|properly|later|earlier|recently|there|then|up|again|as well|for \w+|correctly|it|this|that))*,?\s+(?:in|by|with|from|via|as of|upstream in)\s+` + toCommit,
		`\b(?:proper|complete|full|real|better|alternative|another|initial|previous|earlier|first|extend\w*|original|the|same|similar)\s+(?:fix|solution|work-?around)\s+(?:for|to|in|of|from|than)\s+` + toCommit,
		`\b(?:same|similar\w*|likewise|analogous\w*|equivalent|identical|akin)\b(?:[^.]|\.\w){0,60}\b(?:as|to|of|in|with|than)\s+(?:\w+\s+){0,3}?` + toCommit,
		`\b(?:as|just like|like|unlike|cf\.?|see|see also|refer to|per|also)\s+(?:done |was done |in |also |with |by )*` + toCommit,
		`\b(?:cherry[- ]pick\w*|backport\w*|upstream commit|follow(?:s|ed|ing)?[- ]?ups?|complement\w*|continu\w+|inspired|incorporat\w*|adapted|copied|ported|borrowed|stolen|derived|supersed\w+|improves? (?:on|upon))\b(?:[^.]|\.\w){0,60}@`,
		`\b(?:notic|spott|found|discover|review|see)\w*\s+(?:while|when|during|in|by)\s+(?:\w+\s+){0,3}?` + toCommit,
		`/(?:blame|blob|tree|raw)/@`,
		`\b(?:that|which) (?:was|were|got|had been) (?:later |then )?(?:rolled back|reverted|backed out|undone) (?:in|by|with)\s+` + toCommit,
		`\broll-?forward of\b(?:[^.]|\.\w){0,60}@`,
		`\b(?:consistent|in line|consistency) with\b(?:[^.]|\.\w){0,60}@`,
		`\b(?:in|by|with)\s+COMMIT\W+(?:after|before|when|once)\b(?:[^.]|\.\w){0,80}@`,
		`\bavoid\w*\s+(?:the\s+|any\s+)?(?:problems?|issues?|bugs?)\s+(?:with|of|in|from)\s+` + toCommit,
		`\breleased (?:after|before|between|with)\b(?:[^.]|\.\w){0,60}@`,
		`\b(?:re-?appl(?:y|ies|ied|ying)|(?:explain|describ|document|mention)ed (?:in|as)|\w+[- ]picked)\b(?:[^.]|\.\w){0,60}@`,
		`\bmessage\b(?:[^.]|\.\w){0,30}\b(?:introduced|added)\b(?:[^.]|\.\w){0,20}@`,
		`\b(?:dropped|removed|lost|omitted|missed|forgot\w*)\b(?:[^.]|\.\w){0,100}\b(?:that|which) (?:was|were) (?:introduced|added)\b(?:[^.]|\.\w){0,30}@`,
		`\bbetween\b(?:[^.]|\.\w){0,80}@`,
		`\btests? (?:for|of) (?:this|that|the) fix\b(?:[^.]|\.\w){0,20}@`,
		`\bnote that (?:this|it) (?:also )?(?:reveals|exposes|uncovers)\b(?:[^.]|\.\w){0,80}@`,
		`\b(?:can|could|may) (?:\w+ )?(?:revert|remove|drop|undo)\b(?:[^.]|\.\w){0,60}@`,
		`\bun-?revert\w*\b(?:[^.]|\.\w){0,40}@`,
		`\b(?:accident|inadvert|mistaken|wrong)\w*\s+revert\w*\b(?:[^.]|\.\w){0,40}@`,
		`\brevert\w* (?:back )?to (?:the )?(?:commit |state |version |content )?(?:of |in |from )?@`,
		`COMMIT\b(?:[^.]|\.\w){0,120}\breverted\b(?:[^.]|\.\w){0,60}@`,
		`\b(?:unnecessary|superfluous|redundant|obsolete|no longer (?:needed|necessary|required))\b(?:[^.]|\.\w){0,40}\b(?:due to|because of|thanks to)\s+` + toCommit,
		`\b(?:restored|re-?added|re-?instated|resurrected|brought back|put back)\s+(?:in|by|with)\s+` + toCommit,
		`\b(?:re-?instat\w*|re-?land\w*|restor(?:es?|ed|ing)|resurrect\w*|recover\w*)\s+(?:(?:the|commit|parts?|of|changes?|fix|from|in)\s+)*@`,
		`(?:COMMIT|#\d+)\s+(?:(?:has|have|had|was|which|already)\s+)*(?:solved|fixed|resolved|addressed)\b(?:[^.]|\.\w){0,100}@`,
		`\bfix(?:es)?\s+(?:for\s+(?:\w+\s+){1,5})?(?:was|were|is|has|have|had)\s+(?:been\s+|already\s+|then\s+)*(?:committed|made|added|merged|done|applied)\s+(?:in|by|with|as)\s+` + toCommit,
		`\bwork-?arounds?\s+(?:was |were |that was |already )*(?:added|introduced|made|committed|implemented)\b(?:[^.]|\.\w){0,30}@`,
		`\b(?:limit\w*|restrictions?|requirements?|needs?|work-?arounds?)\s+(?:was|were|has been|is)\s+(?:\w+\s+)?(?:removed|lifted|dropped)\b(?:[^.]|\.\w){0,30}@`,
		`\b(?:was|were) (?:originally|initially) (?:in|part of)\s+` + toCommit,
		`\b(?:allowed|enabled|permitted) (?:this|that|it)\b(?:[^.]|\.\w){0,20}@`,
		`COMMIT\W+which (?:came|comes|stems|originated) from @`,
		`\b(?:previously|already|earlier)\s+(?:disabled|removed|dropped)\b(?:[^.]|\.\w){0,15}@`,
		`\b(?:research|work|discussion|testing|investigation)\s+(?:for|of|on)\s+` + toCommit,
		`\b(?:code|files?|lines?)\b(?:[^.]|\.\w){0,30}\boriginat\w+\s+(?:from|in)\s+` + toCommit,
		`\breverted\s+(?:patch|commit|change)\s+@`,
		`\bmis-?merge of\b(?:[^.]|\.\w){0,40}@`,
		`\bmade possible\b(?:[^.]|\.\w){0,30}@`,
		`\b(?:errors?|warnings?|exceptions?|messages?) (?:for|about|when|if|on) (?:[^.]|\.\w){0,60}\b(?:was|were|is|are|has been|have been)\s+(?:\w+ )?(?:introduced|added)\b(?:[^.]|\.\w){0,30}@`,
		`\b(?:previous|earlier|initial|original|first|last) fix\W+(?:\w+\W+){0,2}@`,
		`\banother (?:solution|fix|way|approach|attempt)\b(?:[^.]|\.\w){0,80}@`,
		`\bthis is (?:how|the way|what)\b(?:[^.]|\.\w){0,40}\b(?:before|prior to)\s+` + toCommit,
		`\bblame-ignore\b(?:[^.]|\.\w){0,30}@`,
		`\bconflicts?:(?:[^.]|\.\w){0,240}@`,
		`\bas (?:also )?(?:outlined|explained|noted|mentioned|described|discussed|hinted|suggested|stated|promised|announced|shown)\s+(?:in|by|with)\s+` + toCommit,
		`\bblame\W{1,3}(?:output\b|-\w)(?:[^.]|\.\w){0,100}@`,
		`\beven (?:after|with)\s+` + toCommit,
		`\balready (?:works?|worked|done|handled|possible)\s+(?:\w+ )?(?:since|with|in|by)\s+` + toCommit,
		`\b(?:masked|papered over)\b(?:[^.]|\.\w){0,40}@`,
		`\bfixed\s+(?:\w+\s+){1,3}ago\b(?:[^.]|\.\w){0,40}@`,
		`\bas passing\b(?:[^.]|\.\w){0,60}@`,
		`\bas since @`,
		`\bwhy\b(?:[^.]|\.\w){0,20}\brevert\w*\b(?:[^.]|\.\w){0,20}@`,
		`\battempt\w*\b(?:[^.]|\.\w){0,60}\b(?:in|by|with)\s+` + toCommit,
		`\bmerged? (?:\w+ ){0,3}@`,
		`\bapply (?:the )?(?:same )?(?:changes?|fix\w*|logic|idea)\b(?:[^.]|\.\w){0,40}@`,
		`\b(?:reversing|changes made to)\b(?:[^.]|\.\w){0,30}@`,
		`\b(?:error|warning|crash|exception|issue|failure|bug|regression) (?:messages?|handling|codes?|checks?|paths?|strings?|reports?|reporting|logs?|values?|pages?|tracker|recovery|fix(?:es)?|tests?|return)\b(?:[^.]|\.\w){0,60}@`,
		`\b(?:unused|obsolete|deprecated|superfluous|redundant|unnecessary|(?:not|n't|never) (?:been )?(?:used|needed|required|necessary)|no longer (?:\w+ly )?(?:be )?(?:use|need|require|necessary|relevant|call|true|exist|support|refer)\w*|no longer any)\b(?:[^.]|\.\w){0,60}\b(?:since|after|as of|in|by|with)\s+` + toCommit,
	}, "|") + `)`)
	excusedBehind = source.Lazy(`(?i)(?:` + strings.Join([]string{
		`@\W*(?:introduced|added|adds) (?:an? |the |some |new )*(?:\w+ )?tests?\b`,
		`@\W*(?:\w+\W+){0,3}?(?:fix(?:ed|es)|resolved|solved|addresse[sd]|claimed to|did not fix|does not fix|didn't fix|tried to|attempted|correctly (?:points|fixed)|partially fixe[sd]|points? out|worked around|mitigate\w*|alleviate\w*|narrowed|(?:caught|spotted) (?:the|this|that|an?)|repaired|corrected|restored|improved|(?:added|introduced|adds) (?:an? |the )?(?:\w+ )?work-?arounds?)\b`,
		`@(?:[^.]|\.\w){0,60}\b(?:no longer (?:\w+ly )?(?:need\w*|require\w*|necessary|used)|not (?:needed|necessary)|we can|it is (?:\w+ )?(?:possible|valid|allowed|safe|ok)|allows|unnecessary|unused|redundant|obsolete)\b`,
		`@(?:[^.]|\.\w){0,80}\b(?:until|before|up to|prior to) (?:that|this|the) (?:commit|change|point)\b`,
		`@(?:[^.]|\.\w){0,120}\b(?:so (?:that )?we can|(?:does|do|did) ?(?:not|n't) (?:need|require)|is not modified)\b`,
		`@(?:[^.]|\.\w){0,60}\btests? (?:was|were) added\b`,
		`@(?:[^.]|\.\w){0,60}\badded to (?:validate|test|check|verify)\b`,
		`@\W*which (?:was|is) (?:\w+ ){0,3}work-?around`,
		`@(?:[^.]|\.\w){0,30}\b(?:only )?(?:exposed the|is fine|is not the|was not the|is correct|was correct)\b`,
	}, "|") + `)`)
	// excusedWhole matches sentences that excuse a commit despite any words of blame.
	excusedWhole = source.Lazy(`(?i)(?:` + strings.Join([]string{
		`@\W*(?:\w+\W+){0,3}?but (?:(?:it |this )?(?:was |got )?(?:later |then )?)?(?:\w+ly )?(?:removed|dropped|lost|reverted|deleted) (?:in|by|with)\b`,
		`@\W*(?:may|might|should|could) have (?:fixed|resolved|solved|addressed)\b`,
		`\b(?:disabled|removed|dropped|deprecated) (?:in|by|with) @\W*because (?:it|they|that)\b`,
		`@\W*is about to be\b`,
		`@\W*already broke\b`,
		`@\W*(?:has|have|is|was|were|are) (?:been )?(?:preserved|kept|retained)\b`,
		`@(?:[^.]|\.\w){0,40}\bdo(?:es)?(?: not|n't) (?:seem|appear) to (?:have )?(?:caus|br[eo]|introduc)\w*`,
		`@\W*(?:reproduces|brings back|re-?introduces) (?:the |this |that )`,
		`@\W*(?:and|but)\W+(?:(?:was|were|got|has|had|been|it|later|then|subsequently|afterwards|eventually|since)\s+)*(?:\w+ly )?(?:removed|dropped|deleted|disabled|obsoleted|lost|broken)\b(?:\s+(?:\w+ly|again|later)\b|\W+(?:\(?but not \w+\W+)?(?:in|by|with|when|while|during)\b)`,
		`@\W*(?:in order )?to (?:deal|cope) with\b`,
		`@\W*(?:\w+\W+){0,3}?end(?:ed|ing)? up revert\w*`,
		`\b(?:since|after|with|as of) (?:commit )?@(?:[^.]|\.\w){0,80}\bthere(?: is|'s| was) (?:now |also )?no (?:more |longer )?(?:sense|point|need|reason)\b`,
		`\bdoes(?: not|n't) change (?:the |any )?behaviou?r`,
		`@\W*(?:and|which) (?:\w+ly )?(?:is|was) an? work-?around\b`,
		`\bnew\b(?:[^.]|\.\w){0,40}@\W*(?:which |that |it |now )*\w+s (?:[a-z]+ ){0,4}correctly\b`,
		`\buntil\b(?:[^.]|\.\w){0,80}@(?:[^.]|\.\w){0,30}\b(?:is|are|gets?|has been) (?:fixed|resolved|solved)\b`,
		`@(?:[^.]|\.\w){0,120}\b(?:but|and)\s+(?:it |this |that |which )?(?:do not|does not|doesn't|did not|didn't|do|does|did)\s+(?:\w+ly )?(?:not )?(?:seem|appear|serve)\b`,
		`@(?:[^.]|\.\w){0,120}\b(?:but|and)\s+(?:was |were |is |are )?(?:never|not|no longer) (?:\w+ly )?used\b`,
		`@\W*caus\w+ (?:\w+ )?(?:coverity|clang|gcc|the compiler|compilers|smatch|cppcheck|sparse) to (?:begin|start)\b`,
		`@(?:[^.]|\.\w){0,60}\bis not included as\b`,
		`@(?:[^.]|\.\w){0,40}\bmade it (?:possible|easier|simpler|safe)\b`,
		`@\W*(?:\w+\W+){0,3}?(?:intended|meant|aimed|supposed) to (?:fix|solve|address)\b`,
		`\b(?:broken|wrong) since @\W*anyways?\b`,
		`\b(?:coding|code|doc) style\b`,
		`\b(?:while|although|though)\b(?:[^.]|\.\w){0,20}@\W*(?:\w+ ){0,2}(?:fixed|solved|resolved|addressed)\b`,
		`\b(?:unclear|not clear|not sure|unsure) (?:if|whether)\b`,
		`@(?:[^.]|\.\w){0,120}\b(?:did|does|do)(?: not|n't)\s+(?:[^.]|\.\w){0,40}\byet\b`,
		`@(?:[^.]|\.\w){0,80}\bso (?:that )?(?:[^.]|\.\w){0,80}\b(?:isn't|is not|aren't|are not|no longer)\s+(?:\w+ )?(?:needed|required|necessary|used)\b`,
		`\bby default since @\W*because (?:we|they|it)\b`,
		`@\W*(?:\w+ ){0,2}?(?:made|makes) (?:this|that|it) possible\b`,
		`@\W*(?:introduced|added|adds) (?:an? |the |some )?(?:\w+ ){0,2}?(?:errors?|warnings?|exceptions?) (?:to|for|about|when|if)\b`,
		`\bdoes(?: not|n't) seem (?:to be )?(?:needed|necessary|required)\b`,
		`\b(?:isn't|is not|aren't|are not|no longer|not) (?:really )?(?:needed|necessary|required)(?: any ?more| nowadays| now)\b`,
		`\b(?:is|are|seems?|it's) (?:now |thus |therefore )?(?:no longer (?:\w+ )?(?:needed|necessary|required)|superflu?ous)\b`,
		`\bbroke (?:\S+ ){1,4}out\b`,
		`@(?:[^.]|\.\w){0,80}\b(?:has|have)\s+been\s+(?:\w+ly\s+)?fixed\b`,
		`@(?:[^.]|\.\w){0,100}\bto (?:fix|solve|avoid|work around) (?:an? |the )?(?:\w+ ){0,2}(?:issues?|problems?|bugs?|errors?|warnings?) (?:caused|introduced|created|triggered) by\b`,
		`@\W*(?:\w+\W+){0,6}?(?:was|were|got)\s+(?:\w+ly\s+)?(?:reverted|undone|lost|overwritten)\s+(?:in|by|with|when|during)\b`,
		`@(?:[^.]|\.\w){0,120}\b(?:but|and)\s+(?:it |was |were )*(?:never|not)\s+(?:been |actually |really |properly )*(?:tested|covered)\b`,
		`@(?:[^.]|\.\w){0,120}\b(?:forgot to|(?:did|does)(?: not|n't)|neglected to|failed to|without) add(?:ing)? (?:\w+ ){0,3}?(?:tests?|test cases?|syntax check)\b`,
		`@\W*(?:\w+\W+){0,8}?(?:added|adds|adding) (?:an? |the |some )?(?:\w+ )?warnings? (?:about|when|if|to)\b`,
		`@(?:[^.]|\.\w){0,120}\b(?:prevent|avoid|suppress|detect|catch)\w*\s+(?:\w+\s+){0,3}?(?:accident\w*|inadvert\w*|mistake\w*|false|unintention\w*|unintended)\b`,
	}, "|") + `)`)
	// fixedDefect matches sentences that name a commit as a fix, even the fix of a defect
	// with a known cause. turns matches those that continue with the mistake of that fix.
	fixedDefect = source.Lazy(
		`(?i)@\W*(?:\w+ly )?fix(?:ed|es) (?:an? |the |some )?(?:\w+ ){0,3}?(?:problems?|issues?|bugs?|crash\w*|leaks?|regress\w*|errors?|races?)\b`,
	)
	turns = source.Lazy(`(?i)\b(?:but|however|unfortunately|accident\w*|inadvert\w*|mistaken\w*|introduc\w+|also|which|broke|without|only)\b`)
	// releaseTitle matches the titles of commits about a release, about the start of the
	// next development, or about code style.
	releaseTitle = source.Lazy(`(?i)^\W*(?:release\b|(?:version |v)?\d+\.\d+)|\bdevelopment again\b|\b(?:coding|code|doc)[- ]style\b`)
	// outright matches the words that blame a commit even if it is a fix.
	outright = source.Lazy(
		`(?i)@(?:[^.]|\.\w){0,120}\b(?:broke|breaks|regress\w*|introduc\w+ (?:an? |the |some )?(?:\w+ )?(?:bug|regression|error|crash|problem|issue|leak)|caus(?:ed|es|ing)|inadvert\w*|accident\w*|mistaken\w*)\b`,
	)
	// alsoNamed matches further commits of a list.
	alsoNamed = source.Lazy(`^(?:(?:,|\s+and|\s+or|\s*\+)\s+(?:commit\s+)?COMMIT(?:\W*TITLE\W*)?)+`)
	// goesOn matches the sentence after "Commit X did this." if that sentence has the
	// blame.
	goesOn = source.Lazy(
		`(?i)^\s*(?:(?:but|however|unfortunately|sadly|alas),?\s+)?(?:that|this|it|which)\s+(?:(?:commit|change|patch|also|in turn|inadvertently|accidentally)\s+)*(?:unfortunately |sadly )?(?:broke|breaks|caused|causes|regressed|resulted in|led to|(?:has|had|have) the (?:\w+ )?effect|introduced (?:a|the|some) (?:bug|regression))\b`,
	)
	// othersFault matches the words before another commit that did the damage.
	othersFault = source.Lazy(
		`(?i)\b(?:and|but|which|that|then|later|until|(?:it|this|they|I|we) (?:was|were|got)?)\s+(?:\w+\s+){0,4}?(?:missed|removed|dropped|lost|broken|regressed|forgotten|reverted|disabled|overlooked|undone|deleted)\b(?:\s+\w+){0,6}?\s+(?:in|by|with|during)\s+(?:the\s+)?(?:\w+\s+){0,4}?\W*$`,
	)
	// settledSince matches a next sentence which says that a later commit fixed or
	// reverted the change, or that the change is no reason for a fix but for a clean-up.
	settledSince = source.Lazy(
		`(?i)^\s*(?:(?:this|that|it|which)\b(?:[^.]|\.\w){0,60}\bthen fixed\b|(?:that|this|the) (?:commit|change|patch) is not the (?:cause|culprit|reason)\b|(?:[^.]|\.\w){0,80}\bbut (?:commit )?[0-9a-f]{7,}\W+(?:\w+ly )?(?:removed|dropped|broke|changed|reverted)\b|(?:this|that|it|which)\s+(?:has been|was|is|got)\s+(?:\w+ )?fixed\s+(?:in|by|with)\b|however,?\s+(?:[^.]|\.\w){0,60}\b(?:was|were|got|has been)\s+(?:\w+ )?reverted\b|however,?\s+(?:[^.]|\.\w){0,100}\b(?:lost|removed|dropped)\b(?:[^.]|\.\w){0,40}\b(?:in|by|since|with) (?:commit )?[0-9a-f]{7,}|(?:in order )?to (?:address|fix|solve|avoid) (?:that|this|the) (?:issue|problem|bug),? (?:commit )?[0-9a-f]{7,}|(?:so|thus|hence|therefore|now),?\s+(?:we can |let's |let us )?(?:remove|drop|delete|clean up)\b(?:[^.]|\.\w){0,60}\b(?:dead|unused|unneeded|unnecessary|obsolete|redundant)\b)`,
	)
	// rangeBehind matches the text after the left end of a range of commits. git leaves
	// this end out of the range.
	rangeBehind = source.Lazy(`^\.\.\.?[0-9a-f]{7,}`)
	onlyCommit  = source.Lazy(`(?i)^\W*` + toCommit)
	quotedIn    = source.Lazy(`["“][^"“”]{8,150}["”]`)
)

// blames reports whether the sentence blames its commit. title is the first line of the
// message.
func (s sentence) blames(title string) bool {
	text := s.pattern()
	if rangeBehind().MatchString(s.behind) || s.blamesOther() {
		return false
	}
	if releaseTitle().MatchString(title) || addsTest(title) || excusedWhole().MatchString(text) || settledSince().MatchString(s.next) {
		return false
	}
	if revertsIt().MatchString(text) && noLongerNeeded().MatchString(s.prev) {
		return false
	}
	if fixedDefect().MatchString(text) && !turns().MatchString(text) {
		return false
	}
	if at := strings.IndexByte(text, '@'); excusedBefore().MatchString(text[:at+1]) {
		return false
	}
	if excusedBehind().MatchString(text) && !outright().MatchString(text) {
		return false
	}
	if blamedBefore().MatchString(text) || blamedBehind().MatchString(text) || s.revertsDefect(title, text) {
		return true
	}
	return tellsOfFix().MatchString(title) &&
		(pronounBlamed().MatchString(text) || blamedByFix().MatchString(text) || onlyCommit().MatchString(text) && goesOn().MatchString(s.next))
}

// pattern returns the sentence in the form for the patterns. It ends at the next named
// commit, unless both are blamed together.
func (s sentence) pattern() string {
	behind, _, _ := strings.Cut(s.plainBehind(), "COMMIT")
	return strings.TrimLeft(plainWords(s.before), " ") + "@ " + strings.TrimLeft(behind, " ,;:)]\"'`")
}

// plainBehind returns the text after the commit, without the commit's title and without
// commits named together with it.
func (s sentence) plainBehind() string {
	behind := s.behind
	if m := titleTail().FindString(behind); m != "" {
		behind = behind[len(m):]
	}
	behind = plainWords(behind)
	return behind[len(alsoNamed().FindString(behind)):]
}

// blamesOther reports whether the sentence continues with another commit that undid the
// change of this one, as in "added in A and lost in B".
func (s sentence) blamesOther() bool {
	behind, _, other := strings.Cut(s.plainBehind(), "COMMIT")
	return other && othersFault().MatchString(behind)
}

// plainWords replaces the commits and titles of a text and joins its lines.
func plainWords(text string) string {
	text = strings.ReplaceAll(text, "@", " ")
	text = hexWord().ReplaceAllStringFunc(text, func(w string) string {
		if strings.ContainsAny(w, "0123456789") {
			return "COMMIT"
		}
		return w
	})
	text = quotedIn().ReplaceAllString(text, "TITLE")
	return oneLine(text)
}
