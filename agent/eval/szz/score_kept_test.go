package szzeval

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"git-agent/gitext"
)

// A stored answer is read with the same result as by encoding/json, in the written form and in
// others.
func TestReadKept(t *testing.T) {
	vote := `{"raw":0.5,"agreement":1}`
	for i, answer := range []string{
		`{"suspects":[]}`,
		fmt.Sprintf(`{"suspects":[{"commit":%q,"p":0.5,"vote":%s}],"candidates":[%q,%q],"ranked":true}`, oid("a"), vote, oid("a"), oid("b")),
		fmt.Sprintf(`{"candidates":[%q],"suspects":null,"answered":"annotation","more":1}`, oid("a")),
		fmt.Sprintf(`{"candidates":[],"suspects":[{"commit":%q}]}`, oid("a")),
		`{"candidates":["a\u0062", "c"],"suspects":[]}`,
		`{"candidates":null,"suspects":[]}`,
		`{"candidates":["a" ,"b"]}`,
		`{ "candidates" : [ "a" ] }`,
	} {
		var want Prediction
		if err := json.Unmarshal([]byte(answer), &want); err != nil {
			t.Fatal(err)
		}
		_, got, err := Task{}.ReadKept([]byte(`{"id":"1","repo":"o/r"}`), []byte(answer))
		if err != nil {
			t.Fatal(err)
		}
		p := got.(Prediction)
		if len(want.Candidates) == 0 && len(p.Candidates) == 0 {
			want.Candidates, p.Candidates = nil, nil
		}
		if !reflect.DeepEqual(p, want) {
			t.Errorf("answer %d is %+v, want %+v", i, p, want)
		}
	}
	for _, bad := range []string{`{"candidates":["a]}`, `{"candidates":["a",1],"suspects":[]}`, `{"suspects":[{]}`, `{"suspects":[]`, `5`} {
		if _, a, err := (Task{}).ReadKept([]byte(`{}`), []byte(bad)); err == nil {
			t.Errorf("%s is read as %+v", bad, a)
		}
	}
	if _, a, err := (Task{}).ReadKept([]byte(`{}`), []byte(`null`)); a != nil || err != nil {
		t.Errorf("no answer is %v, %v", a, err)
	}
	if oids, ok := cutOIDs([]byte(`["a","b"]`)); !ok || !slices.Equal(oids, []gitext.OID{"a", "b"}) {
		t.Errorf("%v, %v", oids, ok)
	}
}
