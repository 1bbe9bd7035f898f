package engine

import (
	"context"
	"slices"
	"strings"
	"testing"

	"git-agent/agent"
	"git-agent/agent/szz"
	"git-agent/agent/szz/szztest"
	"git-agent/cache"
	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// questions are about two fixes, and between them about a missing commit.
func questions(t *testing.T) (*gitext.Repo, []szz.Question, gitext.OID) {
	t.Helper()
	h := szztest.New(t)
	h.Commit("start", gittest.Files{"a.c": "int a = 1;\n", "b.c": "int b = 1;\n"})
	bug := h.Commit("count from two", gittest.Files{"a.c": "int a = 2;\n"})
	one := h.Commit("count from one", gittest.Files{"a.c": "int a = 1;\n"})
	two := h.Commit("count from zero", gittest.Files{"a.c": "int a = 0;\n"})
	var list []szz.Question
	for _, fix := range []gitext.OID{one, gitext.OID(strings.Repeat("1", len(one))), two} {
		list = append(list, szz.Question{Fix: fix, Algorithm: "b"})
	}
	return h.Open(), list, bug
}

func all(list []szz.Question) func(func(szz.Question, error) bool) {
	return func(yield func(szz.Question, error) bool) {
		for _, q := range list {
			if !yield(q, nil) {
				return
			}
		}
	}
}

// Answers come in the order of the questions. If the batch keeps going, an unreadable fix
// costs only its own answer; otherwise it ends the batch.
func TestAll(t *testing.T) {
	t.Parallel()
	repo, list, bug := questions(t)
	e := &Engine{Repo: repo}
	quiet := func(szz.Question, agent.Event) {}
	var got []gitext.OID
	failed := 0
	for ans, err := range e.All(t.Context(), all(list), Batch{Workers: 3, KeepGoing: true, OnEvent: quiet}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, ans.Answer.Fix)
		if ans.Failed() != nil {
			failed++
		} else if len(got) == 1 && ans.Answer.Suspects[0].Commit.OID != bug {
			t.Errorf("suspects %+v", ans.Answer.Suspects)
		}
	}
	if want := []gitext.OID{list[0].Fix, list[1].Fix, list[2].Fix}; !slices.Equal(got, want) || failed != 1 {
		t.Errorf("answers for %v, %d failed; want %v", got, failed, want)
	}
	answers, errs := 0, 0
	for _, err := range e.All(t.Context(), all(list), Batch{Workers: 1, OnEvent: quiet}) {
		if err != nil {
			errs++
		} else {
			answers++
		}
	}
	if answers != 1 || errs != 1 {
		t.Errorf("%d answers and %d errors, want one of each", answers, errs)
	}
}

// A kept answer is returned for the same question and build only.
func TestAnswersAreKept(t *testing.T) {
	t.Parallel()
	repo, list, _ := questions(t)
	kept := cache.Open(context.Background(), t.TempDir(), cache.Options{})
	defer kept.Close()
	e := &Engine{Repo: repo, Cache: kept, Build: "one"}
	first, err := e.Answer(t.Context(), list[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	closed := &Engine{Repo: nil, Cache: kept, Build: "one"} // cannot compute an answer
	again, err := closed.Answer(t.Context(), list[0], nil)
	if err != nil || len(again.Answer.Suspects) != len(first.Answer.Suspects) || again.Fix.OID != first.Fix.OID {
		t.Errorf("%+v, %v", again, err)
	}
	for name, q := range map[string]szz.Question{"other switches": {Fix: list[0].Fix, Algorithm: "b", Max: 1}, "annotations": {Fix: list[0].Fix, Algorithm: "b", Annotations: true}, "index": {Fix: list[0].Fix, Algorithm: "b", Index: true}} {
		if _, ok := kept.Get(t.Context(), e.key(q)); ok {
			t.Errorf("%s: the same key", name)
		}
	}
	e.Build = "two"
	if _, ok := kept.Get(t.Context(), e.key(list[0])); ok {
		t.Error("another build has the same key")
	}
}
