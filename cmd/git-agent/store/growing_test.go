package store

import (
	"strings"
	"testing"

	"git-agent/gitext"
	"git-agent/gitext/gittest"
)

// inTemporary returns a store with temporary folders, and its warnings.
func inTemporary(t *testing.T) (*Store, *strings.Builder) {
	dir := t.TempDir()
	var said strings.Builder
	getenv := func(key string) string {
		if strings.HasPrefix(key, "XDG_") {
			return dir + "/" + key
		}
		return ""
	}
	return New(getenv, func(text string) { said.WriteString(text + "\n") }, "test"), &said
}

func TestGrowIndex(t *testing.T) {
	h := gittest.New(t)
	made := h.Commit("made", gittest.Files{"a.c": "int needle(void);\n"})
	h.Commit("other", gittest.Files{"b.c": "int other;\n"})
	store, said := inTemporary(t)
	repo := h.Open()
	index := store.GrowIndex(t.Context(), repo)
	list, err := index.TextChanges(t.Context(), h.Head(), []string{"needle"}) // waits until the index is built
	if err != nil || len(list[0].Changes) != 1 || list[0].Changes[0].OID != made {
		t.Errorf("%+v, %v", list, err)
	}
	if _, ok := index.Candidates(t.Context(), gitext.ChangeQuery{Text: "needle", Tip: h.Head()}); !ok {
		t.Error("the built index does not answer")
	}
	if err := index.Close(); err != nil {
		t.Error(err)
	}
	if store.Index(t.Context(), repo) == nil {
		t.Error("the index is not kept")
	}
	if said.Len() > 0 {
		t.Errorf("warned: %s", said)
	}
	// Closing at once ends a build.
	other := gittest.New(t)
	other.Commit("made", gittest.Files{"a.c": "int needle(void);\n"})
	if err := store.GrowIndex(t.Context(), other.Open()).Close(); err != nil || said.Len() > 0 {
		t.Errorf("%v, warned: %s", err, said)
	}
}
