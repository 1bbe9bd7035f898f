package format

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"git-agent/agent/crash"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// maxMentions is the number of versions that are kept of a report: half of them are the first ones,
// where a program says what it is, and half the last ones, near the crash.
const maxMentions = 200

// mention keeps the versions in a line: words with digits around a dot.
func (s *scanner) mention(line []byte) {
	s.folder(line)
	s.mentionsOf(line)
	s.commitsOf(line)
	if text := bytes.TrimSpace(line); len(text) > 0 {
		s.heading = append(s.heading[:0], text[max(0, len(text)-maxNameBefore):]...)
	}
}

func (s *scanner) mentionsOf(line []byte) {
	var last lastMention
	for i := 1; ; i++ {
		dot := bytes.IndexByte(line[i:], '.')
		if dot < 0 || i+dot+1 >= len(line) {
			return
		}
		i += dot
		if i == 0 || !source.IsDigit(line[i-1]) || !source.IsDigit(line[i+1]) {
			continue
		}
		start, end := i, i
		for start > 0 && inVersion(line[start-1]) {
			start--
		}
		for end < len(line) && inVersion(line[end]) {
			end++
		}
		if beginsNumber(line[start:end], i-start) && !isTime(line, start, end) &&
			(source.IsDigit(line[start]) || !bytes.Equal(line[start:end], s.mentioned)) {
			s.mentionAt(line, start, end, &last)
			s.mentioned = append(s.mentioned[:0], line[start:end]...) // each frame of a stack may have the same jar
		}
		i = end - 1
		if i+1 >= len(line) {
			return
		}
	}
}

// A lastMention is the version before another one in a line.
type lastMention struct {
	name  string // of the program, "" for none
	end   int
	sound bool // the report calls it one without the failure
}

// mentionAt keeps the version at a place of a line, if it may be that of the failure.
func (s *scanner) mentionAt(line []byte, start, end int, last *lastMention) {
	before := line[max(0, start-maxNameBefore):start]
	heading := before
	if len(bytes.TrimSpace(line[:start])) == 0 {
		heading = s.heading // as in a form: "What is your version?", and the version below
	}
	m, ok := mentionIn(string(heading), string(line[start:min(end, start+maxRaw)]))
	follows := ok && last.name != "" && follows().Match(line[last.end:start])
	if follows {
		m.Name = last.name
	}
	if ok && len(s.heading) == 0 && inTitle(m, before, line[start:]) {
		m.Name = crash.VersionLabel
	}
	ok = ok && !environment().Match(before)
	sound := ok && (follows && last.sound || isSound(before, line[end:]))
	*last = lastMention{name: m.Name, end: end, sound: sound}
	if ok && !sound {
		m.Built = s.ofWorkTree(line)
		s.keepMention(m)
	}
}

// These match the text before a version in the title of a report that names no program, and a version that says that it is one.
var (
	beforeTitled = source.Lazy(`(?i)(?:[(\[]\s*|\b(?:in|on|with|of|using) \x60?)v?$`)
	titled       = source.Lazy(`(?i)^(?:v\d+(?:\.\d+)+|\d+(?:\.\d+){2})(?:-?(?:rc|beta|alpha|b|a)\.?\d*)?(?:[\s)\]:,\x60"]|$)`)
)

// inTitle reports whether a version in the first line of a report is that of the program, though no program is named: "Crash in 0.27.3",
// "[v1.06] crash on start". The word before such a version is no name.
func inTitle(m crash.Mention, before, version []byte) bool {
	return m.Name != crash.BuildLabel && beforeTitled().Match(before) && titled().Match(version)
}

// environment matches the folder of virtual environments of Python before their names: .pyenv/versions/sqlfluff-3.6.4/bin.
var environment = source.Lazy(`/(?:\.pyenv/versions|envs|\.virtualenvs)/[\w-]*$`)

// follows matches what stands between two versions of the same program: "from 2.9.0 to 3.2.0", "0.12.21 and 0.12.22".
var follows = source.Lazy(`^[\x60"'*]{0,2}(?: to| and|,| ?->| ?→| ?=>) (?:v(?:ersion )?)?[\x60"'*]{0,2}$`)

// These match what stands before a version that the report calls one without the failure, or behind it.
var (
	failsNot  = source.Lazy(`(?i)(?:n't|\b(?:not|never|no longer))\b[^.,;:()]*\b(?:errors?|crash\w*|fail\w*|happen\w*|occur\w*|bugs?|issues?|problems?|panic\w*|reproduc\w*|see|exist\w*|present|affect\w*)\b[^.,;:()]*$`)
	worksWith = source.Lazy(`(?i)(?:^|[.,;:(]|\b(?:it|this|all|everything|which|that|and|but)\b)[^.,;:()]*\b(?:works?|worked|(?:is|was|were|been|still) working|fine|ok|okay)\b[^.,;:()]*\b(?:in|with|on|at|until|using|before)\b[^.,;:()]*$|(?i)\b(?:downgrad\w+|revert\w*|roll\w* back|went back|going back)\b[^.,;:()]*\bto\b[^.,;:()]*$`)
	worksNot  = source.Lazy(`(?i)(?:n't|\b(?:not|never|no longer|nothing|cannot|stop\w*|broken?|breaks|only))\b[^.,;:()]*$`)
	// An answer names the version that mends the failure.
	mendedIn = source.Lazy(`(?i)\b(?:please|can you|could you|you can|you could|should)\b[^.,;()]*\b(?:try|test|upgrade|update|use|install)\b[^.;()]*$|\b(?:fixed|fix|resolved|solved|released|landed|mended)\b[^.;()]*\b(?:in|with|as|by)\b[^.;()]*$|\breleased\s+\S{0,20}$`)
	mends    = source.Lazy(`(?i)^[\x60"'*)\]]{0,3} (?:has been released|was released|is out|fixes|fixed|resolves|resolved|solves|solved|should (?:fix|resolve|solve)|(?:has|contains) (?:the|a) fix)\b`)
	isFine   = source.Lazy(`(?i)^[\x60"'*)\]]{0,3} (?:also |still |all )?(?:works?|worked|is (?:fine|ok|okay|good|not affected)|was (?:fine|ok|okay|good)|(?:runs|ran) fine)\b`)
)

// isSound reports whether a report calls a version one without the failure, by the text before and behind it: "I didn't get this error with",
// "works fine on", "is fine", "please try".
func isSound(before, behind []byte) bool {
	if bytes.IndexByte(before, ' ') < 0 && bytes.IndexByte(behind, ' ') < 0 {
		return false
	}
	before = bytes.TrimRight(before, " v\x60\"'*")
	works := worksWith().Match(before) || mendedIn().Match(before)
	return failsNot().Match(before) || works && !worksNot().Match(before) || isFine().Match(behind) || mends().Match(behind)
}

// beginsNumber reports whether the numbers around a dot of a word may begin a version: they are its
// beginning, or follow a separator or a v.
func beginsNumber(word []byte, dot int) bool {
	i := dot
	for i > 0 && (source.IsDigit(word[i-1]) || word[i-1] == '.' && i > 1 && source.IsDigit(word[i-2])) {
		i--
	}
	return i == 0 || strings.IndexByte("-_@.v", word[i-1]) >= 0
}

// isTime reports whether a word of a line is a time: seconds with a fraction of five digits or
// more, or seconds behind minutes.
func isTime(line []byte, start, end int) bool {
	if start > 1 && line[start-1] == ':' && source.IsDigit(line[start-2]) {
		return true
	}
	whole, fraction, _ := bytes.Cut(line[start:end], []byte("."))
	return len(fraction) >= 5 && len(bytes.Trim(whole, "0123456789")) == 0 && len(bytes.Trim(fraction, "0123456789")) == 0
}

func (s *scanner) keepMention(m crash.Mention) {
	kept := &s.Report.Mentions
	if i := slices.Index(*kept, m); i >= 0 {
		if m.Name != "" && len(*kept) < maxMentions/2 { // of several versions of the program, the last one counts
			*kept = append(slices.Delete(*kept, i, i+1), m)
		}
		return
	}
	if m.Name == "" && len(*kept) >= maxMentions/4 && !described().MatchString(m.Version) {
		return
	}
	if len(*kept) == maxMentions {
		*kept = slices.Delete(*kept, maxMentions/2, maxMentions/2+1)
	}
	*kept = append(*kept, m)
}

// maxNameBefore bounds the text before a version in which its name is searched.
const maxNameBefore = 80

func inVersion(c byte) bool {
	return source.IsDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'z' || c == '.' || c == '_' || c == '-' || c == '+' || c == '~' || c == '@'
}

// versionForm matches a version in a word: its numbers, and what distinguishes it from the release
// of these numbers.
var versionForm = source.Lazy(
	`(^|[-_@.]|^v\.?|[-_@]v)(\d+(?:\.\d+)+(?:[-.+~]?(?:dev|pre|nightly)[-.+~]g?[0-9a-f]{7,64}\b|[-.~_]?(?:alpha|beta|rc|pre|dev|post|a|b|M|RC|SNAPSHOT|RELEASE|Final|GA)[-.]?\d*(?:\.\w[\w.+~-]*)?)?(?:[-+~][\w.+~-]*)?)`,
)

// described matches versions as git describe prints them: they have the id of a commit.
var described = source.Lazy(`-\d+-g[0-9a-f]{7,64}`)

// folderID matches the folder of a source archive of one commit: exiv2-b6a8d39613a28603a989bd5278798db8a54eeb1e.
var folderID = source.Lazy(`[/\\]([\w.-]+)-([0-9a-f]{40}|[0-9a-f]{64})[/\\]`)

// onBranch matches the id of a commit behind the name of its branch, and repairs what a repair is told with.
var (
	onBranch = source.Lazy(`(?i)\b(?:master|main|trunk|head|git)(?:\s+branch)?[\s:,@]*[(\[\x60]*(?:at\s+)?(?:commit\s+)?\x60?([0-9a-f]{7,64})\b`)
	repairs  = source.Lazy(`(?i)\b(?:fix\w*|repair\w*|merged?|landed|resolve\w*|patch\w*|solve\w*|broke\w*|since|introduc\w*|caused?|by|in)\b[^.;]*$`)
)

// fileEndings end the names of packages, behind the version.
var fileEndings = source.Lazy(`(?:\.(?:jar|war|dist-info|egg-info|egg|zip|tar|gz|tgz|whl|gem|so|dll|exe|dylib|js|py)\b.*|-py\d[\d.]*.*|[-._+~@]+)$`)

// labelled matches the id of a commit that the report calls the build's: by a label, as the output
// of git rev-parse, or as the version of a program.
var labelled = source.Lazy(
	`(?i)(?:\blines? (?:numbers? )?(?:correspond|refer|belong)s? to (?:the )?(?:commit )?|\b(?:git[-_ ]?)?(?:commit|revision|sha|hash|rev)(?:[-_ ]?(?:id|hash|sha))?\s*[:=|]\s*"?|^rev-parse |^\W*build:\s*(?:\$Id:\s*)?|\b(?:found|reproduc\w+|tested|built|compiled|observed|fuzz\w*)\s+(?:[\w-]+\s+){0,3}?(?:with|at|on|in|from|against)\s+(?:the\s+)?(?:latest\s+)?(?:git\s+)?(?:commit|revision):?\s+(?:https?://\S{1,200}/commit/|\x60)?|\b(?:latest|last|current)\s+(?:master|main|trunk|head)(?:\s+branch)?[\s:,@]*(?:[(\[\x60]+)?(?:commit\s+)?(?:[0-9a-f]{6,64}\]\(\S{1,200}/commit/)?|\bas of (?:commit )?\x60?|\b([a-z][\w-]*) v?\d+(?:\.\d+)* \(?)([0-9a-f]{7,64})\b`,
)

// atHead matches the id of the commit that a report calls the newest: "revision 0a7295 (HEAD)".
var atHead = source.Lazy(`(?i)\b(?:commit|revision|rev)\s+\x60?([0-9a-f]{6,64})\x60?\s*\((?:HEAD|master|main|trunk)\)`)

// newest matches the id of the commit that a report calls the newest one, or one on the main branch: "the latest commit `15db94b` on master".
var newest = source.Lazy(
	`(?i)\b(?:latest|newest|current|last)\s+(?:git\s+)?commit\s*:?\s*[(\[\x60]*([0-9a-f]{7,64})\b|` +
		`\bcommit:?\s+[(\[\x60]*([0-9a-f]{7,64})[)\]\x60]*\s+(?:on|of|from)\s+(?:the\s+)?\x60?(?:master|main|trunk|HEAD)\b`,
)

// packaged matches a version as packages made of a repository have it: the number of commits behind an r, and the id, 3.2.r45.g0a1b2c3.
var packaged = source.Lazy(`(?:^|[\s(\[:*\x60"'v-])\d[\w.]*?[.+_-]?r(?:\d+[.+_])?g?([0-9a-f]{7,64})\b`)

// mayBePackaged is a quick test that rejects most lines without such a version.
func mayBePackaged(line []byte) bool {
	const shortest = 7 // of the id
	for i, c := range line[:max(0, len(line)-shortest)] {
		if c == 'r' && i > 0 && (source.IsDigit(line[i-1]) || i > 1 && source.IsDigit(line[i-2]) && strings.IndexByte(".+_-", line[i-1]) >= 0) {
			return true
		}
	}
	return false
}

// counted matches a version as git describe prints it of a tag without a dot, or other tools do, with or without the g
// before the id: 20180716-952-a2da0a. The repository tells whether it is one.
var counted = source.Lazy(`(?:^|[\s(\[:*\x60"'])v?(\d[\w.+~]*-\d{1,6}-g?[0-9a-f]{6,64})\b`)

// commitsOf keeps the ids of commits in a line that are a version of a program.
func (s *scanner) commitsOf(line []byte) {
	line = line[:min(len(line), maxSearched)]
	if bytes.Count(line, []byte("-")) > 1 {
		if m := counted().FindSubmatchIndex(line); m != nil && !bytes.Contains(line[m[2]:m[3]], []byte(".")) {
			s.keepMention(crash.Mention{Name: nameBefore(string(line[max(0, m[2]-maxNameBefore):m[2]])), Version: string(line[m[2]:m[3]])})
		}
	}
	if bytes.IndexByte(line, '-') > 0 && len(line) > len("/x-/")+40 {
		if m := folderID().FindSubmatch(line); m != nil {
			s.keepMention(crash.Mention{Name: string(m[1]), Version: string(m[2])})
		}
	}
	if mayBePackaged(line) {
		if m := packaged().FindSubmatch(line); m != nil && isMixed(string(m[1])) {
			s.keepMention(crash.Mention{Name: crash.BuildLabel, Version: string(m[1])})
		}
	}
	s.accuseRequest(line)
	if !mayHaveID(line) {
		return
	}
	text := string(line)
	if bytes.HasSuffix(s.heading, []byte("git rev-parse HEAD")) {
		text = "rev-parse " + strings.TrimSpace(text)
	}
	if m := labelled().FindStringSubmatch(text); m != nil && (strings.Trim(m[2], "0123456789") != "" || !strings.EqualFold(m[0], "as of "+m[2])) {
		name := m[1]
		if !isWholeID(m[2]) && strings.Trim(m[2], "0123456789") != "" {
			name = "" // "helix 22.08.1 (4ec2a21c)": the repository tells whether it is its commit
		}
		if name == "" || isWholeID(m[2]) {
			s.keepMention(crash.Mention{Name: cmp.Or(name, crash.BuildLabel), Version: m[2]})
		}
	} else if m := onBranch().FindStringSubmatchIndex(text); m != nil && isMixed(text[m[2]:m[3]]) && !repairs().MatchString(text[:m[0]]) {
		s.keepMention(crash.Mention{Name: crash.BuildLabel, Version: text[m[2]:m[3]]})
	}
	if m := atHead().FindStringSubmatch(text); m != nil && isMixed(m[1]) {
		s.keepMention(crash.Mention{Name: crash.BuildLabel, Version: m[1]})
	}
	if m := newest().FindStringSubmatchIndex(text); m != nil {
		if id := text[max(m[2], m[4]):max(m[3], m[5])]; isMixed(id) && !repairs().MatchString(text[:m[0]]) {
			s.keepMention(crash.Mention{Name: crash.BuildLabel, Version: id})
		}
	}
	if m := accused().FindStringSubmatch(text); m != nil {
		if id := cmp.Or(m[1], m[2]); isWholeID(id) || strings.Trim(id, "0123456789") != "" {
			s.accuse(id)
		}
	}
}

// isWholeID reports whether an id of a commit has all its digits, in upper or lower case.
func isWholeID(id string) bool {
	_, err := gitext.ParseOID(strings.ToLower(id))
	return err == nil
}

// isMixed reports whether an id has digits and letters: others are numbers or words.
func isMixed(id string) bool {
	return strings.Trim(id, "0123456789") != "" && strings.Trim(id, "abcdef") != ""
}

// accused matches the id of a commit that the report calls the cause, as git bisect does, before or behind the word.
var accused = source.Lazy(
	`(?i)\b([0-9a-f]{7,64})[\x60)\]]* (?:is the first bad commit|(?:seems? to |might |may )?(?:have |has )?(?:introduced?|caused?|broken?) (?:an?|the|this|these|it|our|my|some)\b)|\b(?:introduced|caused|broken?|regress\w*|bisect\w*)\b(?:[^.\n]|\.\S){0,120}?[\s/@(\[\x60]([0-9a-f]{7,64})\b`,
)

// maxAccused bounds the commits that a report may call the cause.
const maxAccused = 8

// accuse keeps a commit that the report calls the cause: its id, or the number of a pull request.
func (s *scanner) accuse(id string) {
	if a := &s.Report.Accused; len(*a) < maxAccused && !slices.Contains(*a, id) {
		*a = append(*a, id)
	}
}

// accusedRequest matches the number of a pull request that the report calls the cause, before or behind the word, with the name of the
// repository if there is a link, and what is between.
var accusedRequest = source.Lazy(
	`(?i)(?:\bhttps?://[\w.-]+/[\w.-]+/([\w.-]+)/pull/|(?:\b(?:PR|pull request) ?|(?:^|[\s(])|\[)#)(\d+)[)\]]* ` +
		`(?:seems? to |might |may )?(?:have |has )?(?:introduced?|caused?|broken?) |` +
		`\b(?:introduced|caused|broken?|regress(?:ed|ion)|bisect\w*)\b((?:[^.\n]|\.\S){0,60}?)(?:\bhttps?://[\w.-]+/[\w.-]+/([\w.-]+)/pull/|(?:\b(?:PR|pull request) ?|[\s(]|\[)#)(\d+)\b`,
)

// notCause matches words between the two that make the request a repair of what was caused, or one of the same kind.
var notCause = source.Lazy(`(?i)\b(?:fix|repair|resolv|patch|solv|revert|same|like|duplicate)`)

// accuseRequest keeps the pull request that a line calls the cause, as "repository#number".
func (s *scanner) accuseRequest(line []byte) {
	if bytes.IndexByte(line, '#') < 0 && !bytes.Contains(line, []byte("/pull/")) {
		return
	}
	if low := strings.ToLower(string(line)); !slices.ContainsFunc(causing, func(word string) bool { return strings.Contains(low, word) }) {
		return // as nearly all lines of stacks with "#0"
	}
	if m := accusedRequest().FindStringSubmatch(string(line)); m != nil && !notCause().MatchString(m[3]) {
		s.accuse(m[1] + m[4] + "#" + m[2] + m[5])
	}
}

// causing are the words of accusedRequest, one of which is in each line that it matches.
var causing = []string{"introduce", "cause", "broke", "regress", "bisect"}

// mayHaveID reports whether a line has a word of six hexadecimal digits or more at its beginning
// or behind a space, a bracket or the sign of a label. The addresses of frames follow 0x.
func mayHaveID(line []byte) bool {
	run := 0
	for i, c := range line {
		if !source.IsDigit(c) && (c < 'a' || 'f' < c) {
			run = 0
			continue
		}
		if run == 0 && i > 0 && strings.IndexByte(" \t(:=|\"/@[`", line[i-1]) < 0 {
			continue // within another word
		}
		if run++; run == 6 {
			return true
		}
	}
	return false
}

// mentionIn returns the version in a word, with the name from the word or from the text before it.
func mentionIn(before, word string) (crash.Mention, bool) {
	at := versionForm().FindStringSubmatchIndex(word)
	if at == nil {
		return crash.Mention{}, false
	}
	m := crash.Mention{Name: strings.Trim(word[:at[4]], "-_@.v"), Version: word[at[4]:at[5]]}
	m.Version = fileEndings().ReplaceAllString(m.Version, "")
	if at[4] <= 2 || m.Name == "" {
		m.Name = nameBefore(before)
	} else if goMajor().MatchString(m.Name) {
		m.Name = nameBefore(strings.TrimSuffix(before, "/"))
	}
	if extensions().MatchString(before) {
		_, name, _ := strings.Cut(m.Name, ".")
		m.Name, m.Version = cmp.Or(name, m.Name), ofSystem().ReplaceAllString(m.Version, "")
	}
	return m, strings.Contains(m.Version, ".")
}

// The folder of Visual Studio Code's extensions, publisher.name-1.0.6-win32-x64, and the end of such a name.
var (
	extensions = source.Lazy(`[/\\]\.[\w-]+[/\\]extensions[/\\]$`)
	ofSystem   = source.Lazy(`-(?:win32|linux|darwin|alpine|web)(?:-\w+)?$`)
)

// goMajor matches the last element of a module path that is only a major version.
var goMajor = source.Lazy(`^v?\d+$`)

// thisProgram are words of forms for the program of the report: "Application Version: 6.3.1".
var thisProgram = map[string]bool{
	"affected": true, "app": true, "application": true, "current": true, "installed": true, "library": true, "package": true, "plugin": true,
	"product": true, "program": true, "project": true, "software": true, "tool": true, "used": true,
}

// onVersion are words before "version" that name no program: "I am on version 3.17.1".
var onVersion = map[string]bool{"at": true, "for": true, "in": true, "on": true, "using": true, "with": true}

// versionOfName matches what a form asks for: "Version of Kiwix Android: 3.9.1".
var versionOfName = source.Lazy(`(?i)\bversion of (?:the )?([a-z][\w. -]{1,40}?)[\s:*=]*$`)

// nameBefore returns the word before a version, without its path and without words such as
// "version", "" if there is none. What a report is of, "this is 1.6.2", has the label of a version.
func nameBefore(text string) string {
	label := ""
	if m := versionOfName().FindStringSubmatch(text); m != nil {
		return m[1]
	}
	if strings.HasSuffix(strings.ToLower(text), "this is ") {
		return crash.VersionLabel
	}
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t,;:=()[]{}<>'\"`/\\|#!?*", r) })
	for i := len(words) - 1; i >= 0 && i >= len(words)-3; i-- {
		word := strings.Trim(words[i], "-_.@+")
		switch strings.ToLower(word) {
		case "version", "versionname", "app_version_name": // the last of ACRA, a library of Android for reports
			label = crash.VersionLabel
			continue
		case "", "v", "v1", "v2", "v3", "v4", "ver", "release", "rel", "rev", "build", "tag", "is", "running", "server":
			continue
		}
		if label != "" && thisProgram[strings.ToLower(word)] {
			continue
		}
		if label != "" && onVersion[strings.ToLower(word)] {
			return label
		}
		if label != "" && strings.HasSuffix(words[i], ".") {
			return label // of the sentence before
		}
		if strings.ContainsFunc(word, func(r rune) bool { return 'a' <= r|0x20 && r|0x20 <= 'z' }) {
			return word
		}
		return label
	}
	return label
}
