package render

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"testing"
	"time"

	"git-agent/agent/release"
	"git-agent/gitext"
)

// osvPrefixes are the beginnings of ids that the published schema knows and that we write.
var osvPrefixes = regexp.MustCompile(`^(OSV|CVE|GHSA)-`)

// A record has the structure that the published schema of OSV demands: a known beginning of the id,
// dates in UTC, a repository for each range of commits, and one key in each event.
func TestOSVStructure(t *testing.T) {
	commit := func(digit, message string) gitext.Commit {
		oid := gitext.OID(bytes.Repeat([]byte(digit), 40))
		at := gitext.Person{Time: time.Unix(1_600_000_000, 0).In(time.FixedZone("", 7200))}
		return gitext.Commit{OID: oid, Message: message, Author: at, Committer: at}
	}
	fix := commit("f", "lib: a fix\n\nCVE-2020-12345, GHSA-2345-6789-cfgh, CVE-2020-12345")
	single := commit("e", "lib: a fix\n\nThis is CVE-2020-12345.")
	culprit := release.Culprit{Commit: commit("c", "lib: a culprit"), Probability: 0.3}
	full := &release.Answer{
		Fix: &fix, Culprits: []release.Culprit{culprit}, Affected: []string{"v1.0", "v1.1"},
		Semantic: []release.Semantic{{Introduced: "1.0.0", Fixed: "1.0.1"}, {Introduced: "1.1.0", Last: "1.1.0", Probability: 0.3}},
		Picks:    []release.Pick{{Commit: commit("a", "").OID, Of: fix.OID}, {Commit: commit("b", "").OID, Of: culprit.Commit.OID}},
	}
	for _, c := range []struct {
		v        *release.Answer
		id, repo string
		events   int
	}{
		{full, "OSV-0000-ffffffffffff", "https://example.org/lib", 4},
		{&release.Answer{Fix: &single, Culprits: full.Culprits}, "CVE-2020-12345", "https://example.org/lib", 2},
		{&release.Answer{Culprits: full.Culprits}, "OSV-0000-cccccccccccc", "", 0},
	} {
		id := OSVID(c.v)
		if id != c.id || !osvPrefixes.MatchString(id) {
			t.Errorf("the id is %s, not %s", id, c.id)
		}
		text, err := json.Marshal(OSVOf(c.v, id, c.repo, "git-agent test"))
		if err != nil {
			t.Fatal(err)
		}
		checkOSV(t, text, c.events)
	}
}

// checkOSV checks what the schema demands of a record.
func checkOSV(t *testing.T, text []byte, events int) {
	t.Helper()
	var r struct {
		Schema   string `json:"schema_version"`
		ID       string
		Modified string
		Affected []struct {
			Ranges []struct {
				Type, Repo string
				Events     []map[string]string
			}
			Versions []string
		}
		References []struct{ Type, URL string }
	}
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if at, err := time.Parse(time.RFC3339, r.Modified); err != nil || r.Modified[len(r.Modified)-1] != 'Z' || at.Unix() != 1_600_000_000 {
		t.Errorf("modified is %s", r.Modified)
	}
	if r.Schema == "" || r.ID == "" || len(r.Affected) != 1 || r.Affected[0].Versions == nil {
		t.Errorf("incomplete: %s", text)
	}
	n, introduced := 0, false
	for _, one := range r.Affected[0].Ranges {
		if (one.Type != "GIT" || one.Repo == "") && (one.Type != "SEMVER" || one.Repo != "") {
			t.Errorf("range of %q in %q", one.Type, one.Repo)
		}
		if one.Type == "SEMVER" {
			if text := fmt.Sprint(one.Events); text != "[map[introduced:1.0.0] map[fixed:1.0.1]]" && text != "[map[introduced:1.1.0] map[last_affected:1.1.0]]" {
				t.Errorf("events %s", text)
			}
			continue
		}
		for _, e := range one.Events {
			n++
			introduced = introduced || e["introduced"] != ""
			if len(e) != 1 || len(e["introduced"]+e["fixed"]) != 40 {
				t.Errorf("event %v", e)
			}
		}
	}
	if n != events || (n > 0) != introduced {
		t.Errorf("%d events, want %d: %s", n, events, text)
	}
	known := map[string]bool{}
	var all map[string]any
	json.Unmarshal(text, &all)
	for _, key := range []string{"schema_version", "id", "modified", "aliases", "summary", "details", "affected", "references", "database_specific"} {
		known[key] = true
	}
	for key := range all {
		if !known[key] {
			t.Errorf("the schema has no %s", key)
		}
	}
}
