package agent

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// sampleParams are the parameters of a search, one of each kind.
type sampleParams struct {
	Pattern string `json:"pattern" arg:"required"`
	Mode    string `json:"mode" arg:"enum=S|G"`
	Path    string `json:"path"`
	Since   string `json:"since"`
	Until   string `json:"until"`
	Order   string `json:"order" arg:"enum=newest|oldest"`
	Max     int    `json:"max" arg:"min=1,max=100"`
	Commit  string `json:"commit"`
	Page    int    `json:"page" arg:"min=0"`
}

func TestDecodeArgsSaysWhatIsWrong(t *testing.T) {
	// The refusal of every bad call names the right form.
	params := paramsOf(reflect.TypeFor[sampleParams]())
	tests := []struct{ args, want string }{
		{``, "ends too early"},
		{`{`, "ends too early"},
		{`{"pattern":"x"`, "ends too early"},
		{`{"pattern":"x"} extra`, "something follows"},
		{`{"pattern":"x"}{}`, "something follows"},
		{`["x"]`, "does not begin with {"},
		{`"x"`, "does not begin with {"},
		{`null`, "does not begin with {"},
		{"{\"pattern\":\"\xff\"}", "not UTF-8"},
		{`{}`, `"pattern" is missing`},
		{`{"pattern":null}`, `"pattern" is missing`},
		{`{"pattern":""}`, `"pattern" is empty`},
		{`{"pattern":7}`, `"pattern" must be a string, got 7`},
		{`{"pattern":"a\u0000b"}`, `NUL`},
		{`{"Pattern":"x"}`, `no parameter "Pattern"`},
		{`{"pattern":"x","pattern":"y"}`, "given twice"},
		{`{"pattern":"x","file":"a"}`, `did you mean "path"?`},
		{`{"pattern":"x","argv":["--exec"]}`, `no parameter "argv"`},
		{`{"pattern":"x","max":"seven"}`, `"max" must be a whole number, got "seven"`},
		{`{"pattern":"x","max":"101"}`, `from 1 to 100, got 101`},
		{`{"pattern":"x","max":"1.5"}`, "whole number"},
		{`{"pattern":"x","max":"true"}`, "whole number"},
		{`{"pattern":"x","max":["7"]}`, "whole number"},
		{`{"pattern":"x","page":"-1"}`, `at least 0, got -1`},
		{`{"pattern":"x","max":"7","max":8}`, "given twice"},
		{`{"pattern":"x","max":1.5}`, "whole number"},
		{`{"pattern":"x","max":-1}`, `from 1 to 100, got -1`},
		{`{"pattern":"x","max":1e99}`, "whole number"},
		{`{"pattern":"x","page":-1}`, `at least 0, got -1`},
		{`{"pattern":"x","mode":"P"}`, `one of S, G, got "P"`},
		{`{"pattern":"` + strings.Repeat("x", maxStringBytes+1) + `"}`, "at most 4096 are taken"},
		{`{"pattern":"` + strings.Repeat("x", maxArgsBytes) + `"}`, "at most 65536 are read"},
	}
	for _, test := range tests {
		var p sampleParams
		err := decodeArgs(json.RawMessage(test.args), params, &p)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("decodeArgs(%.60q) = %v, want an error with %q", test.args, err, test.want)
		}
	}
}

func TestDecodeArgsKeepsDefaults(t *testing.T) {
	// An omitted or null parameter keeps its default; 20.0 is a whole number.
	p := sampleParams{Mode: "S", Order: "newest", Max: 20}
	args := `{"pattern": "x", "mode": null, "max": 30.0, "path": ""}`
	if err := decodeArgs(json.RawMessage(args), paramsOf(reflect.TypeOf(p)), &p); err != nil {
		t.Fatal(err)
	}
	if want := (sampleParams{Pattern: "x", Mode: "S", Order: "newest", Max: 30}); p != want {
		t.Errorf("got %+v, want %+v", p, want)
	}
}

// Meaningless values from models count as left out, and numbers may be in quotes. Neither
// permits more than the plain form.
func TestDecodeArgsIsLenient(t *testing.T) {
	type params struct {
		Pattern string `json:"pattern" arg:"required"`
		Mode    string `json:"mode" arg:"enum=S|G"`
		Path    string `json:"path"`
		Regex   bool   `json:"regex"`
		Max     int    `json:"max" arg:"min=1,max=100"`
		Page    int    `json:"page" arg:"min=0"`
	}
	for args, want := range map[string]params{
		`{"pattern":"x","mode":"","path":"","regex":"","max":"","page":""}`:           {Pattern: "x", Mode: "S", Path: "a", Max: 20},
		`{"pattern":"x","mode":null,"path":null,"regex":null,"max":null,"page":null}`: {Pattern: "x", Mode: "S", Path: "a", Max: 20},
		`{"pattern":"x","max":0,"page":0}`:                                            {Pattern: "x", Mode: "S", Path: "a", Max: 20},
		`{"pattern":"x","max":"30","page":"2","regex":"true"}`:                        {Pattern: "x", Mode: "S", Path: "a", Max: 30, Page: 2, Regex: true},
		`{"pattern":"x","max":"0","page":" 2 "}`:                                      {Pattern: "x", Mode: "S", Path: "a", Max: 20, Page: 2},
		`{"pattern":"7","path":"true","max":"7.0"}`:                                   {Pattern: "7", Mode: "S", Path: "true", Max: 7},
	} {
		p := params{Mode: "S", Path: "a", Max: 20}
		if err := decodeArgs(json.RawMessage(args), paramsOf(reflect.TypeOf(p)), &p); err != nil || p != want {
			t.Errorf("%s: got %+v, %v", args, p, err)
		}
	}
	for args, want := range map[string]string{
		`{"pattern":"x","regex":"yes"}`: `"regex" must be true or false, got "yes"`,
		`{"pattern":"x","regex":"1"}`:   `"regex" must be true or false, got 1`,
		`{"pattern":"x","regex":0}`:     `"regex" must be true or false, got 0`,
	} {
		var p params
		if err := decodeArgs(json.RawMessage(args), paramsOf(reflect.TypeOf(p)), &p); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", args, err, want)
		}
	}
}

func FuzzDecodeArgs(f *testing.F) {
	// Decoding never panics, and accepts only arguments that are valid for encoding/json.
	for _, seed := range []string{`{"pattern":"x"}`, `{"pattern":"x","max":3}`, `{`, `{"a":{"b":[1,null]}}`, `{"pattern":"\ud800"}`, "\xef\xbb\xbf{}"} {
		f.Add([]byte(seed))
	}
	params := paramsOf(reflect.TypeFor[sampleParams]())
	f.Fuzz(func(t *testing.T, data []byte) {
		p := sampleParams{Max: 20}
		if decodeArgs(data, params, &p) != nil {
			return
		}
		if !json.Valid(data) {
			t.Errorf("accepted invalid JSON %q", data)
		}
		if p.Pattern == "" || p.Max < 1 || p.Max > 100 || p.Page < 0 {
			t.Errorf("accepted %+v from %q", p, data)
		}
	})
}

// A parameter may take a whole text, and then has its own bound.
func TestLongParam(t *testing.T) {
	type params struct {
		Text string `json:"text" arg:"required,nul,bytes=200000"`
		Name string `json:"name"`
	}
	args, err := NewArgs[params](map[string]string{"text": "text", "name": "name"})
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("x", 200000)
	for text, want := range map[string]string{
		`{"text":"` + long + `"}`:            "",
		`{"text":"` + long + `x"}`:           "at most 200000 are taken",
		`{"text":"x","name":"` + long + `"}`: "at most 4096 are taken",
	} {
		var p params
		err := args.Decode("t", json.RawMessage(text), &p)
		if want == "" && (err != nil || p.Text != long) || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%.40s: %v, want %q", text, err, want)
		}
	}
	var p params
	if err := args.Decode("t", json.RawMessage(`{"text":"a\u0000b"}`), &p); err != nil || p.Text != "a\x00b" {
		t.Errorf("a log with a NUL byte: %q, %v", p.Text, err)
	}
}

// A list of objects is described, and read as strictly as other parameters.
func TestArgsOfLists(t *testing.T) {
	type item struct {
		Path string `json:"path" arg:"required"`
		Text string `json:"text" arg:"bytes=100000"`
		All  bool   `json:"all"`
	}
	type params struct {
		Path  string `json:"path"`
		Items []item `json:"items" arg:"max=3"`
	}
	args, err := NewArgs[params](map[string]string{"path": "A file.", "items": "", "text": "", "all": ""})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"type":"object","properties":{"path":{"type":"string","description":"A file."},"items":{"type":"array","items":{"type":"object",` +
		`"properties":{"path":{"type":"string","description":"A file."},"text":{"type":"string"},"all":{"type":"boolean"}},"required":["path"],"additionalProperties":false}}},"required":[],"additionalProperties":false}`
	if string(args.Schema) != want {
		t.Errorf("schema %s", args.Schema)
	}
	for given, want := range map[string]string{
		`{"items":[{"path":"a","text":"x"},{"path":"b","all":"true"}]}`: "{ [{a x false} {b  true}]}",
		`{"items":"[{\"path\":\"a\"}]"}`:                                "{ [{a  false}]}",
		`{"items":[]}`:                                                  "{ []}",
		`{"items":null}`:                                                "{ []}",
		`{"items":[{"path":"a","text":"` + strings.Repeat("x", 90000) + `"},{"path":"b","text":"` + strings.Repeat("x", 90000) + `"}]}`: "",
	} {
		var p params
		err := args.Decode("t", json.RawMessage(given), &p)
		if got := fmt.Sprint(p); err != nil || want != "" && got != want {
			t.Errorf("%.80s: %s, %v", given, got, err)
		}
	}
	for given, want := range map[string]string{
		`{"items":{}}`:   `t: "items" must be a list of objects, got {}`,
		`{"items":"x"}`:  `t: "items" must be a list of objects, got "x"`,
		`{"items":[{}]}`: `t: entry 1 of "items": "path" is missing; the parameters are path (required), text, all`,
		`{"items":[{"path":"a"},{"path":"a","file":"b"}]}`: `t: entry 2 of "items": there is no parameter "file"; did you mean "path"?; the parameters are path (required), text, all`,
		`{"items":[1]}`: `t: entry 1 of "items": the arguments are not one valid JSON object (does not begin with {); the parameters are path (required), text, all`,
		`{"items":[{"path":"a"},{"path":"a"},{"path":"a"},{"path":"a"}]}`: `t: "items" has 4 entries; at most 3 are taken`,
	} {
		var p params
		if err := args.Decode("t", json.RawMessage(given), &p); err == nil || err.Error() != want {
			t.Errorf("%s: %v", given, err)
		}
	}
}
