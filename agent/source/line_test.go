package source

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/chroma/v2"
)

// Each line of a file gets the kind that a reader would choose, even if the patterns of the
// reference implementation fail.
func TestLineKinds(t *testing.T) {
	tests := []struct{ path, lines string }{
		{"a.c", `
comment |/* on line 1 */
import  |#include <stdio.h>
import  |# include "x.h"
code    |#define X 1
code    |/* a */ code();
code    |x++; /* c
comment | * inside
blank   |
comment | */
code    |*p = x;
code    |use(n + 1);
code    |char *s = "/* no comment */";
comment |// line
brace   |}
brace   |} else {
brace   |};
brace   |} /* end of f */
code    |return 0; // why
`}, {"a.js", `
code    |/* a */ code();
code    |more();
code    |/* c */ x++;
import  |import a from 'b';
code    |var re = /\/*x*\//;
comment |// c
brace   |});
`}, {"a.py", `
code    |#!/usr/bin/python
comment |"""The module's
comment |documentation."""
import  |import os
import  |from a import b
code    |def f():
comment |    """Does f."""
comment |    # c
code    |    x = """
code    |    # no comment
code    |    """
code    |    g(
code    |    '''no docstring''')
code    |    y = \
code    |    "neither"
code    |    "nor this", 1
code    |    return x  # c
`}, {"a.rb", `
comment |=begin
comment |text
comment |=end
import  |require 'x'
code    |x = "#{y}" # c
comment |# c
brace   |end
`}, {"a.phpt", `
code    |--TEST--
`}, {"a.php", `
code    |<?php
comment |// c
comment |# c
comment |/** doc */
code    |$x = 1; // c
import  |use A\B;
brace   |}
`}, {"a.go", `
import  |package a
comment |// c
import  |import "fmt"
code    |var s = ` + "`" + `
code    |// no comment
code    |` + "`" + `
`}, {"a.rs", `
comment |/// doc
comment |// c
import  |use std::io;
code    |fn f() {}
`}, {"a.cs", `
import  |using System;
code    |using (var x = f()) {
code    |using(var x = f()) {
comment |/* c */
code    |}  x();
`}, {"a.lua", `
comment |-- c
comment |--[[ long
comment |]]
brace   |end
`}, {"a.sh", `
comment |# c
code    |x=${y#z}
brace   |fi
`}, {"nolexer.qqq", `
code    |// c
code    |# c
blank   |
brace   |}
`}, {"a file;touch X.c", `
comment |// c
`}}
	for _, tt := range tests {
		var body []string
		var want []string
		for _, l := range strings.Split(strings.Trim(tt.lines, "\n"), "\n") {
			k, text, _ := strings.Cut(l, "|")
			want, body = append(want, strings.TrimSpace(k)), append(body, text)
		}
		got := lineKinds(tt.path, []byte(strings.Join(body, "\n")+"\n"))
		if len(got) != len(want) {
			t.Fatalf("%s: %d lines, want %d", tt.path, len(got), len(want))
		}
		for i := range want {
			if kindNames[got[i]] != want[i] {
				t.Errorf("%s:%d: %s, want %s: %q", tt.path, i+1, kindNames[got[i]], want[i], body[i])
			}
		}
	}
}

var kindNames = map[LineKind]string{LineCode: "code", LineBlank: "blank", LineComment: "comment", LineBrace: "brace", LineImport: "import"}

// Lines are counted as in git, for blobs with CRLF, a lone CR, no last newline, NUL, broken UTF-8
// and any size.
func TestLineKindsCountsAsGit(t *testing.T) {
	big := strings.Repeat("// c\n", MaxLexed/5+1)
	for _, tt := range []struct {
		blob string
		want int
	}{{"", 0}, {"\n", 1}, {"a", 1}, {"a\r\n// b\r\n", 2}, {"a\rb\n", 1}, {"a\x00\n", 1}, {"\xff\n// c", 2}, {big, MaxLexed/5 + 1}} {
		if got := len(lineKinds("a.c", []byte(tt.blob))); got != tt.want {
			t.Errorf("%.20q: %d lines, want %d", tt.blob, got, tt.want)
		}
	}
	if k := lineKinds("a.c", []byte("x();\r\n// c\r\n\r\n")); fmt.Sprint(k) != fmt.Sprint([]LineKind{LineCode, LineComment, LineBlank}) {
		t.Errorf("CRLF: %v", k)
	}
}

// BenchmarkLineKinds measures a lexer. Lexers are read from files at their first use,
// which never blocks two callers at the same time.
func BenchmarkLineKinds(b *testing.B) {
	src := []byte(strings.Repeat("static int f(int a) { return a + 1; } /* c */\n", 2000))
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		lineKinds("a.c", src)
	}
}

// lineKinds returns the kinds of all lines of a blob.
func lineKinds(path string, blob []byte) []LineKind { return LineKinds(path, blob, math.MaxInt) }

func TestLongNamesHaveNoLexer(t *testing.T) {
	// A name that no file can have is not matched against patterns, which would
	// take minutes.
	if lexerFor(strings.Repeat("n", 1<<20)+".c") != nil || lexerFor("n.c") == nil {
		t.Error("a name of a megabyte has a lexer, or a short one has none")
	}
}

// The commands of a script in YAML are code, and only # begins a comment.
func TestYAMLScript(t *testing.T) {
	t.Parallel()
	text := "steps:\n  # build\n  - run: |\n      make all\n      make check\n  - uses: x\n"
	want := []LineKind{LineCode, LineComment, LineCode, LineCode, LineCode, LineCode}
	if got := LineKinds("ci.yml", []byte(text), 6); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// A line may have as many tokens as bytes. Each costs as much as the first: when the line was copied for each
// of them, a minified file of a megabyte took minutes.
func TestLongLineIsNotCopiedForEachToken(t *testing.T) {
	const tokens = 20_000
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var line lineParts
	for range tokens {
		markPiece(&line, chroma.Punctuation, "[")
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 100*tokens {
		t.Errorf("%d tokens took %d bytes", tokens, n)
	}
}
