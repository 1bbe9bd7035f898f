package format

import (
	"strings"
	"testing"
)

func TestWritten(t *testing.T) {
	for text, want := range map[string]string{
		"2018-06-28 12:00:00,123 - util.py[WARNING]: failed":                  "2018-06-28",
		"2019/01/02 03:04:05 http: panic serving":                             "2019-01-02",
		"Cloud-init v. 18.2 running at Thu, 28 Jun 2018 12:00:00 +0000.":      "2018-06-28",
		"12345:M 05 May 2018 10:00:00.123 # Redis 4.0.11 crashed":             "2018-05-05",
		"[Wed Dec 13 10:43:00 2023] BUG: kernel NULL pointer":                 "2023-12-13",
		"build\t03-Nov-2020 18:53:57\tat x":                                   "2020-11-03",
		"time: Tue Mar  5 11:22:33 UTC 2019":                                  "2019-03-05",
		"=ERROR REPORT==== 31-Mar-2015::10:18:25 ===":                         "2015-03-31",
		"Thu, Jun 30 2022 9:08:02 am | panic: x":                              "2022-06-30",
		"Nov 3, 2022 11:08:02 AM org.example.Main run":                        "2022-11-03",
		"**Occurred at:** Feb 20, 2017 09:00:00 UTC":                          "2017-02-20",
		"2022-11-03T14:45:07Z INFO x\n2022-11-02 14:45:07 y":                  "2022-11-03",
		"2022-11-03T14:45:07.123Z x\n2022-11-03T14:45:07Z y":                  "2022-11-03",
		"2022-11-03T14:45:07Z x\n2022-11-03 14:45:07 y":                       "2022-11-03",
		"May  6 07:08:09 host program[123]: x":                                "",
		"(default, Nov 28 2017, 14:53:28)":                                    "",
		"at 12:34:56":                                                         "",
		"2018-06-28 12:00:00 a\n2018-06-30 12:00:00 b\n2018-06-29 00:00:00 c": "2018-06-30",
		"no time": "",
		"raylu opened this issue on Jul 17, 2011 · 3 comments":                   "2011-07-17",
		"RaduBerinde opened on Oct 26, 2016\nbenesch commented on 14 Oct 2018":   "2018-10-14",
		"RaduBerinde · description · 2016-10-26":                                 "2016-10-26",
		"go1.7 was released on Aug 15, 2016 · stable · 2016-08-15":               "",
		strings.Repeat("x", 300) + " 2018-06-28 12:00:00 is too far in the line": "",
	} {
		s := &scanner{}
		for line := range strings.Lines(text) {
			s.date([]byte(line))
		}
		if s.Report.Written != want {
			t.Errorf("%s: %q, want %q", text, s.Report.Written, want)
		}
		if n, utc := strings.Count(text, "Z "), s.Report.WrittenUTC; utc != (n > 0 && n == strings.Count(text, want)) {
			t.Errorf("%s: in UTC %v", text, utc)
		}
	}
}

// The lines are of zap, for machines and for people, and of pino.
func TestWrittenSinceEpoch(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"level":"error","ts":1620734746.012334,"logger":"controller"`:   "2021-05-11",
		`  "ts": 1620734746.012334,`:                                      "2021-05-11",
		"1.6836474195594983e+09  ERROR   Reconciler error":                "2023-05-09",
		`{"level":50,"time":1531171082399,"pid":657,"hostname":"x","err"`: "2018-07-09",
		`{"level":50,"time":12,"timestamp":99}`:                           "",
	} {
		s := &scanner{}
		if s.date([]byte(text)); s.Report.Written != want || s.Report.WrittenUTC != (want != "") {
			t.Errorf("%s: %q, want %q", text, s.Report.Written, want)
		}
	}
}

// An answer below the stack is of another day than the crash.
func TestDayOfThePostWithTheStack(t *testing.T) {
	t.Parallel()
	const stack = "panic: no\n\ngoroutine 1 [running]:\nmain.run(0x1)\n\t/src/app/run.go:12 +0x1d\n\n"
	for text, want := range map[string]string{
		"raylu opened this issue on Jul 7, 2011\n\n" + stack + "bob commented on Aug 17, 2015\nThis is fixed in 3.0.\n": "2011-07-07",
		"raylu opened this issue on Jul 7, 2011\nIt ends.\n\nbob commented on Aug 17, 2015\n" + stack:                   "2015-08-17",
		stack + "raylu opened this issue on Jul 7, 2011\n":                                                              "2011-07-07",
	} {
		r, err := scanAll(strings.NewReader(text), formats())
		if err != nil || r.Written != want {
			t.Errorf("%s: %v, %v, want %s", text, r, err, want)
		}
	}
}
