package render

import (
	"fmt"
	"strings"
	"time"

	"git-agent/agent/release"
	"git-agent/agent/source"
	"git-agent/gitext"
)

// osvSchemaVersion is the version of the OSV schema that OSVOf follows.
const osvSchemaVersion = "1.6.0"

// OSVPlaceholder begins the id of a record that nobody has given one.
const OSVPlaceholder = "OSV-0000-"

type osvRecord struct {
	SchemaVersion    string         `json:"schema_version"`
	ID               string         `json:"id"`
	Modified         string         `json:"modified"`
	Aliases          []string       `json:"aliases,omitempty"`
	Summary          string         `json:"summary,omitempty"`
	Details          string         `json:"details,omitempty"`
	Affected         []osvAffected  `json:"affected"`
	References       []osvReference `json:"references,omitempty"`
	DatabaseSpecific osvOrigin      `json:"database_specific"`
}

type osvAffected struct {
	Ranges   []osvRange `json:"ranges,omitempty"`
	Versions []string   `json:"versions"`
}

type osvRange struct {
	Type             string     `json:"type"`
	Repo             string     `json:"repo,omitempty"` // of GIT
	Events           []osvEvent `json:"events"`
	DatabaseSpecific osvSurety  `json:"database_specific"`
}

// An osvEvent has one of its fields.
type osvEvent struct {
	Introduced string `json:"introduced,omitempty"`
	Fixed      string `json:"fixed,omitempty"`
	Last       string `json:"last_affected,omitempty"`
}

type osvSurety struct {
	Probability *float64 `json:"introduced_probability"` // null for a suspect without one
}

type osvReference struct {
	Type string `json:"type"`
	URL  string `json:"url"`
}

type osvOrigin struct {
	Tool     string       `json:"tool"`
	Culprits []osvCulprit `json:"introduced"`
	Fix      string       `json:"fixed,omitempty"`
}

type osvCulprit struct {
	Commit      gitext.OID `json:"commit"`
	Probability *float64   `json:"probability"`
}

// public matches the identifiers of public databases.
var public = source.Lazy(`\b(?:CVE-\d{4}-\d{4,}|GHSA(?:-[23456789cfghjmpqrvwx]{4}){3})\b`)

// OSVID returns the id for a record about a fix: the only one that the fix's message names, or else
// a placeholder.
func OSVID(v *release.Answer) string {
	names := v.Culprits[0].Commit.OID.Short()
	if v.Fix != nil {
		if ids := publicIDs(v); len(ids) == 1 {
			return ids[0]
		}
		names = v.Fix.OID.Short()
	}
	return OSVPlaceholder + names
}

// publicIDs lists the identifiers in the message of the fix.
func publicIDs(v *release.Answer) []string {
	var ids []string
	if v.Fix == nil {
		return nil
	}
	known := map[string]bool{}
	for _, id := range public().FindAllString(v.Fix.Message, -1) {
		if !known[id] {
			known[id] = true
			ids = append(ids, id)
		}
	}
	return ids
}

// OSVOf returns a record in the Open Source Vulnerability format. Without the URL of a public
// repository, it has versions only, because a range of commits must name one.
func OSVOf(v *release.Answer, id, repo, tool string) any {
	modified := v.Culprits[0].Commit.Committer.Time
	record := osvRecord{SchemaVersion: osvSchemaVersion, ID: id, DatabaseSpecific: osvOrigin{Tool: tool}}
	if v.Fix != nil {
		modified = v.Fix.Committer.Time
		record.Summary, record.DatabaseSpecific.Fix = v.Fix.Subject(), string(v.Fix.OID)
	}
	record.Modified = modified.UTC().Format(time.RFC3339)
	for _, alias := range publicIDs(v) {
		if alias != id {
			record.Aliases = append(record.Aliases, alias)
		}
	}
	least := 1.0
	var sure []string
	for _, c := range v.Culprits {
		record.DatabaseSpecific.Culprits = append(record.DatabaseSpecific.Culprits, osvCulprit{c.Commit.OID, notZero(c.Probability)})
		least = min(least, c.Probability)
		if c.Probability > 0 && c.Probability < 1 {
			sure = append(sure, fmt.Sprintf("%s introduced it with a probability of %.0f%%.", c.Commit.OID.Short(), 100*c.Probability))
		}
	}
	record.Details = strings.Join(sure, " ")
	one := osvAffected{Versions: append([]string{}, v.Affected...)}
	if repo != "" {
		one.Ranges = []osvRange{{Type: "GIT", Repo: repo, Events: osvEvents(v), DatabaseSpecific: osvSurety{notZero(least)}}}
		record.References = []osvReference{{"PACKAGE", repo}}
	}
	for _, s := range v.Semantic {
		end := osvEvent{Fixed: s.Fixed}
		if s.Fixed == "" {
			end = osvEvent{Last: s.Last}
		}
		one.Ranges = append(one.Ranges, osvRange{
			Type: "SEMVER", Events: []osvEvent{{Introduced: s.Introduced}, end}, DatabaseSpecific: osvSurety{notZero(s.Probability)},
		})
	}
	record.Affected = []osvAffected{one}
	return record
}

// osvEvents lists the commits with which the bug and its fix came, in each branch.
func osvEvents(v *release.Answer) []osvEvent {
	var events, ends []osvEvent
	for _, c := range v.Culprits {
		events = append(events, osvEvent{Introduced: string(c.Commit.OID)})
	}
	if v.Fix != nil {
		ends = append(ends, osvEvent{Fixed: string(v.Fix.OID)})
	}
	for _, p := range v.Picks {
		if p.Revert || v.Fix != nil && p.Of == v.Fix.OID {
			ends = append(ends, osvEvent{Fixed: string(p.Commit)})
		} else {
			events = append(events, osvEvent{Introduced: string(p.Commit)})
		}
	}
	return append(events, ends...)
}
