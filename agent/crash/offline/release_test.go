package offline

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"git-agent/agent/crash"
	"git-agent/agent/crash/format"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

func init() { releaseTime = time.Minute }

// univocity is the stack of univocity-parsers' issue 449, which names no version of the parser: the
// lines are those of the file below.
const univocity = `java.lang.ArrayIndexOutOfBoundsException: -1
        at com.univocity.parsers.common.AbstractCharInputReader.getString(AbstractCharInputReader.java:%d)
        at com.univocity.parsers.common.AbstractCharInputReader.parseRecord(AbstractCharInputReader.java:%d)
        at com.univocity.parsers.common.AbstractCharInputReader.parseNext(AbstractCharInputReader.java:%d)
`

const charReader = `package com.univocity.parsers.common;

public class AbstractCharInputReader {
	String getString(int i) {
		while (buffer[i] <= ' ') {
			i--;
		}
		return null;
	}

	void parseRecord() {
		getString(length - 2);
	}

	void parseNext() {
		parseRecord();
	}
}
`

// A report that names no version is read at the newest release whose code fits, if HEAD does not fit:
// the commit that mended the crash is no suspect then.
func TestReleaseThatFits(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	const file = "src/main/java/com/univocity/parsers/common/AbstractCharInputReader.java"
	tagged := map[string]gitext.OID{}
	for i := range 30 {
		text := charReader
		switch {
		case i < 10:
			text = strings.Replace(text, "public class", strings.Repeat("\n", 10)+"public class", 1)
		case i > 18 && i <= 20: // as in goldmark's issue 12: the repair moves no call
			text = strings.Replace(text, "while (buffer[i]", "while (at(i)", 1)
		case i == 13: // as browserstack-runner 0.1.10: no other release has its lines
			text = strings.Replace(text, "public class", strings.Repeat("\n", 40)+"public class", 1)
		case i > 20:
			text = strings.Replace(text, "while (", "// the start of the buffer\n"+strings.Repeat("\n", 5)+"\t\twhile (i >= 0 && ", 1)
		}
		name := fmt.Sprintf("v2.%d.0", i)
		tagged[name] = h.Commit(name, gittest.Files{file: text, "version": name})
		h.Git("tag", name)
	}
	head := h.Commit("work", gittest.Files{"version": "next"})
	repo := h.Open()
	for name, test := range map[string]struct {
		text string
		want gitext.OID
		note string
	}{
		"the release before the fix": {fmt.Sprintf(univocity, 5, 12, 16), tagged["v2.18.0"], "fit the code of v2.18.0, and 3 lines not that of " + head.Short()},
		"an old release":             {fmt.Sprintf(univocity, 15, 22, 26), tagged["v2.9.0"], "fit the code of v2.9.0"},
		"the only release":           {fmt.Sprintf(univocity, 45, 52, 56), tagged["v2.13.0"], "fit the code of v2.13.0"},
		"HEAD":                       {fmt.Sprintf(univocity, 11, 18, 22), head, ""},
		"no release":                 {fmt.Sprintf(univocity, 105, 112, 116), head, ""},
		"a version":                  {"univocity-parsers 2.99.0\n" + fmt.Sprintf(univocity, 5, 12, 16), tagged["v2.18.0"], ""},
		"one line, of no release":    {fmt.Sprintf(strings.Join(strings.SplitAfter(univocity, "\n")[:3], ""), 5, 12), tagged["v2.14.0"], "the newest such change of these files"},
	} {
		report, err := format.Read(strings.NewReader(test.text))
		if err != nil {
			t.Fatal(err)
		}
		got, err := Rank(t.Context(), repo, crash.Question{Report: report})
		if err != nil {
			t.Fatal(err)
		}
		if notes := strings.Join(got.Notes, "\n"); got.Commit != test.want || !strings.Contains(notes, test.note) {
			t.Errorf("%s: at %s from %q, want %s; fit %+v, notes %q", name, got.Commit.Short(), got.CommitFrom, test.want.Short(), got.Fit, got.Notes)
		}
	}
}

// Of the releases that fit, one after the day of the report comes only if no other fits.
func TestReleaseOfTheDay(t *testing.T) {
	t.Parallel()
	h := gittest.New(t)
	const file = "src/main/java/com/univocity/parsers/common/AbstractCharInputReader.java"
	tagged := map[string]gitext.OID{}
	for _, name := range []string{"v1.0.0", "v2.0.0"} {
		tagged[name] = h.Commit(name, gittest.Files{file: charReader, "version": name})
		h.Git("tag", name)
		h.Time += 400 * 24 * 3600
	}
	h.Commit("longer", gittest.Files{file: strings.Replace(charReader, "public class", strings.Repeat("\n", 10)+"public class", 1)})
	repo := h.Open()
	for day, want := range map[string]string{"2020-09-14 12:00:00 ": "v1.0.0", "2021-11-01 12:00:00 ": "v2.0.0", "2019-01-01 12:00:00 ": "v2.0.0", "": "v2.0.0"} {
		report, err := format.Read(strings.NewReader(day + fmt.Sprintf(univocity, 5, 12, 16)))
		if err != nil {
			t.Fatal(err)
		}
		got, err := Rank(t.Context(), repo, crash.Question{Report: report})
		if err != nil {
			t.Fatal(err)
		}
		if got.Commit != tagged[want] {
			t.Errorf("%q: at %s (%s), want %s; notes %q", day, got.Commit.Short(), got.CommitFrom, want, got.Notes)
		}
	}
}
