package format

import (
	"bytes"
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"git-agent/agent/source"
)

// These are the forms of a time with its day in a line of a log or a report: 2018-06-28T12:00:00,
// 28 Jun 2018 12:00:00, 28-Jun-2018::12:00:00 of Erlang, Jun 28, 2018 9:00:00 AM or UTC, and Jun 28 12:00:00 2018.
var (
	isoTime   = source.Lazy(`\b(\d{4})[-/](\d\d)[-/](\d\d)[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(Z\b)?`)
	dayFirst  = source.Lazy(`\b(\d{1,2})[ -](Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*[ -](\d{4})(?:,? |::)\d\d:\d\d:\d\d`)
	dayThen   = source.Lazy(`\b(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* (\d{1,2}),? (\d{4}),? \d{1,2}:\d\d:\d\d ?(?:[AaPp][Mm]|UTC|GMT)\b`)
	epochTime = source.Lazy(`"(?:ts|time|timestamp)": ?(1\d{9})(?:\d{3})?(?:[.,}\s]|$)|^1\.(\d{9})\d*e\+09\s`)
	yearAtEnd = source.Lazy(`\b(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +(\d{1,2}) \d\d:\d\d:\d\d (?:[A-Z]{3,5} )?(\d{4})\b`)
)

// These are the forms of the day of a post in a thread: "somebody opened this issue on Oct 26, 2016" as pages say, and
// "somebody · description · 2016-10-26" as archives head a post.
var (
	postedOn = source.Lazy(
		`\b(?:opened|commented|posted|reported|asked|wrote|created)(?: this)?(?: issue)? on ` +
			`(?:(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* (\d{1,2}), (\d{4})|(\d{1,2}) (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]* (\d{4}))\b`,
	)
	headsPost = source.Lazy(`^\S+ · [a-z]+ · (\d{4}-\d\d-\d\d)\s*$`)
)

// maxSearched is the part of a line in which times and the ids of commits are searched.
const maxSearched = 200

// date keeps the last day of the report's lines.
func (s *scanner) date(line []byte) {
	line = line[:min(len(line), maxSearched)]
	day, utc := "", false
	if !hasClock(line) {
		if day = postedDay(line); day != "" && s.Report.Written != "" && s.Last > 0 {
			return // an answer to the post with the stack
		}
		if day == "" {
			day = epochDay(line)
			utc = day != ""
		}
	} else if m := isoTime().FindSubmatch(line); m != nil {
		day = fmt.Sprintf("%s-%s-%s", m[1], m[2], m[3])
		utc = len(m[4]) > 0
	} else if m := dayFirst().FindSubmatch(line); m != nil {
		day = fmt.Sprintf("%s-%02d-%02s", m[3], month(m[2]), m[1])
	} else if m := dayThen().FindSubmatch(line); m != nil {
		day = fmt.Sprintf("%s-%02d-%02s", m[3], month(m[1]), m[2])
	} else if m := yearAtEnd().FindSubmatch(line); m != nil {
		day = fmt.Sprintf("%s-%02d-%02s", m[3], month(m[1]), m[2])
	}
	switch r := &s.Report; {
	case day > r.Written:
		r.Written, r.WrittenUTC = day, utc
	case day == r.Written:
		r.WrittenUTC = r.WrittenUTC && utc
	}
}

// epochDay returns the day of a time that zap or pino prints as the seconds or milliseconds since 1970, or "".
func epochDay(line []byte) string {
	if !bytes.Contains(line, []byte(`"t`)) && !bytes.Contains(line, []byte("e+09")) {
		return ""
	}
	m := epochTime().FindSubmatch(line)
	if m == nil {
		return ""
	}
	seconds, err := strconv.ParseInt(cmp.Or(string(m[1]), "1"+string(m[2])), 10, 64)
	if err != nil {
		return ""
	}
	return time.Unix(seconds, 0).UTC().Format(time.DateOnly)
}

// postedDay returns the day of a post that a line heads, or "".
func postedDay(line []byte) string {
	if bytes.Contains(line, []byte(" on ")) {
		switch m := postedOn().FindSubmatch(line); {
		case m == nil:
		case len(m[1]) > 0:
			return fmt.Sprintf("%s-%02d-%02s", m[3], month(m[1]), m[2])
		default:
			return fmt.Sprintf("%s-%02d-%02s", m[6], month(m[5]), m[4])
		}
	}
	if bytes.Contains(line, []byte(" · ")) {
		if m := headsPost().FindSubmatch(line); m != nil {
			return string(m[1])
		}
	}
	return ""
}

// hasClock reports whether a line has a time of a day, such as 12:34:56.
func hasClock(line []byte) bool {
	digitAt := func(i int) bool { return source.IsDigit(line[i]) }
	for i := 1; i+5 < len(line); i++ {
		if line[i] == ':' && line[i+3] == ':' && digitAt(i-1) && digitAt(i+1) && digitAt(i+4) && digitAt(i+5) {
			return true
		}
	}
	return false
}

// month returns the number of a month from the first letters of its name.
func month(name []byte) int {
	return strings.Index("JanFebMarAprMayJunJulAugSepOctNovDec", string(name))/3 + 1
}
