package investigate

import (
	"encoding/json"
	"strings"
	"testing"

	"git-agent/agent/szz"
	"git-agent/prompts"
)

func TestTextReport(t *testing.T) {
	// An answer is read from the forms that models write, and from nothing else.
	const hash = "0123456789abcdef0123456789abcdef01234567"
	for _, test := range []struct {
		text, commit string
		confidence   float64
		reason       string
	}{
		{"BIC: " + hash + " 0.8 it dropped the check", hash, 0.8, "it dropped the check"},
		{"I am sure now.\n**BIC:** `0123456789ab` (85%) - why not", "0123456789ab", 0.85, "why not"},
		{"- BIC: c2", "c2", 0.5, ""},
		{"bic: 0123456 1", "0123456", 1, ""},
		{`{"commits":[{"commit":"0123456789","confidence":"70%","type":"omission","reasoning":"r"}]}`, "0123456789", 0.7, "r"},
		{"```json\n{\"commit\": \"0123456789\", \"confidence\": 60}\n```", "0123456789", 0.6, ""},
		{"see {x} [1] then [{\"commit\":\"0123456789\"}]", "0123456789", 0.5, ""},
		{"The bug-introducing commit is `0123456789ab`.", "0123456789ab", 0.5, "The bug-introducing commit is `0123456789ab`."},
		{"0123456789ab changed the limit; let me look further", "", 0, ""},
		{"BIC: unknown", "", 0, ""},
		{`{"commits":[]}`, "", 0, ""},
		{strings.Repeat("{", 10_000), "", 0, ""},
		{"", "", 0, ""},
	} {
		list := textReport(test.text)
		if test.commit == "" {
			if list != nil {
				t.Errorf("%.60q: read %+v", test.text, list)
			}
			continue
		}
		if len(list) != 1 || list[0].Commit != test.commit || list[0].confidence() != test.confidence || list[0].Reasoning != test.reason {
			t.Errorf("%q: read %+v", test.text, list)
		}
	}
	if list := textReport("BIC: 0123456789 0.5 one\nBIC: abcdef0123 0.4 two"); len(list) != 2 {
		t.Errorf("two lines give %+v", list)
	}
}

func TestDecodeReport(t *testing.T) {
	// Besides the form of the schema, other forms from models are read. An ambiguous form
	// is an error.
	const one = `{"commit":"0123456","confidence":0.5,"type":"omission","reasoning":"r"}`
	quoted, err := json.Marshal("[" + one + "]")
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range []string{`{"commits":[` + one + `]}`, `{"commits":` + string(quoted) + `}`, `[` + one + `]`, one} {
		list, err := decodeReport([]byte(form))
		if err != nil || len(list) != 1 || list[0].Commit != "0123456" || list[0].Type != "omission" {
			t.Errorf("%s: read %+v, %v", form, list, err)
		}
	}
	for _, form := range []string{`{"commits":"c1"}`, `{"commits":"[{\"commit\":\"0123456\""}`, `{"commits":"[1]"}`, `{"commits":7}`, `"[]"`} {
		if list, err := decodeReport([]byte(form)); err == nil {
			t.Errorf("%s: read %+v", form, list)
		}
	}
}

func TestConfidence(t *testing.T) {
	// Every form of a confidence is read as a share.
	for _, test := range []struct {
		in   any
		want float64
	}{{0.3, 0.3}, {1.0, 1}, {90.0, 0.9}, {"0.25", 0.25}, {" 75 % ", 0.75}, {"high", 0.5}, {nil, 0.5}, {-3.0, 0}, {1e9, 1}, {"NaN", 0.5}} {
		if got := (reported{Confidence: test.in}).confidence(); got != test.want {
			t.Errorf("%v gives %g, want %g", test.in, got, test.want)
		}
	}
}

func TestReportSchema(t *testing.T) {
	// The schema is valid JSON and strict on both levels.
	p, err := prompts.Get("szz/report")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := reportSchema(p.Tool().Params)
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Properties struct {
			Commits struct {
				Items struct {
					Properties           map[string]struct{ Enum []string }
					Required             []string
					AdditionalProperties *bool
				}
			}
		}
		Required             []string
		AdditionalProperties *bool
	}
	if err := json.Unmarshal(raw, &schema); err != nil {
		t.Fatalf("%v in %s", err, raw)
	}
	items := schema.Properties.Commits.Items
	if len(items.Properties) != 4 || len(items.Required) != 4 || len(items.Properties["type"].Enum) != len(szz.ClaimTypes) ||
		items.AdditionalProperties == nil || *items.AdditionalProperties || len(schema.Required) != 1 || *schema.AdditionalProperties {
		t.Errorf("schema %s", raw)
	}
	if _, err := reportSchema(nil); err == nil {
		t.Error("a parameter without a description passes")
	}
}
