// Package szztest makes repositories with fixes for the tests of szz and its
// rooms.
package szztest

import (
	"context"
	"slices"
	"testing"

	"git-agent/agent/szz"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// History is a repository of a test.
type History struct{ *gittest.History }

// New makes an empty repository.
func New(t testing.TB) *History {
	t.Helper()
	return &History{gittest.New(t)}
}

// Context reads a fix. A failure ends the test.
func (h *History) Context(fix gitext.OID, opt szz.ContextOptions) *szz.FixContext {
	h.T.Helper()
	fc, err := szz.NewContext(context.Background(), h.Open(), fix, opt)
	if err != nil {
		h.T.Fatal(err)
	}
	return fc
}

// Subjects returns the sorted subjects of the suspects.
func Subjects(v *szz.Answer) []string {
	var out []string
	for _, s := range v.Suspects {
		out = append(out, s.Commit.Subject())
	}
	slices.Sort(out)
	return out
}

// CheckAnswer reports an error unless v has the parts of every answer.
func CheckAnswer(t testing.TB, v *szz.Answer) {
	t.Helper()
	for _, s := range v.Suspects {
		if !slices.Contains(v.Candidates, s.Commit.OID) {
			t.Errorf("%s: suspect %s is no candidate", v.Algorithm, s.Commit.OID)
		}
		if s.Reason == "" || len(s.Evidence) == 0 {
			t.Errorf("%s: suspect %s has no reason or no evidence", v.Algorithm, s.Commit.OID)
		}
	}
	if len(v.Suspects) == 0 && len(v.Notes) == 0 {
		t.Errorf("%s: nothing found and nothing said", v.Algorithm)
	}
}

// Program is a small C program into which tests put bugs.
const Program = `#include <stdio.h>

int limit(int n)
{
	int max = 10;

	if (n > max)
		return max;
	return n;
}

int main(void)
{
	printf("%d\n", limit(3));
	return 0;
}
`
