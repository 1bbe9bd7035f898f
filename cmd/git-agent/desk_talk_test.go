package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"git-agent/agent/model/modeltest"
)

// A talk is a conversation about one fix, or one crash, of testdata/desk/relay.mbox, or about the
// bug of tally.mbox. A person played the model at a desk that showed each request. testdata/desk
// has the replies unchanged, and the requests for comparison.
type talk struct {
	Command []string `json:"command"`          // commits by their short names in SHA-1
	Report  string   `json:"report,omitempty"` // a file that the command reads, put beside the repository
	File    string   `json:"file,omitempty"`   // the file that the talk ends with, if it is about a crash
	Culprit string   `json:"culprit"`          // the commit that it ends with
	// These are the objections of the claim check, and their form in the trace.
	Objections int    `json:"objections,omitempty"`
	Smell      string `json:"smell,omitempty"`

	Turns []talkTurn `json:"turns"`
	name  string
}

// A talkTurn is a request, as far as it differs from the previous one, and its answer. Only new
// messages are kept.
type talkTurn struct {
	Request map[string]any `json:"request"`
	Reply   talkReply      `json:"reply"`
}

type talkReply struct {
	Text  string     `json:"text,omitempty"`
	Calls []talkCall `json:"calls,omitempty"`
}

type talkCall struct {
	Name string         `json:"name"`
	Args map[string]any `json:"args"`
}

func (c *talk) file() string { return filepath.Join("testdata", "desk", c.name+".json") }

func readTalk(t *testing.T, name string) *talk {
	t.Helper()
	c := &talk{name: name}
	data, err := os.ReadFile(c.file())
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, c); err != nil {
		t.Fatalf("%s: %v", c.file(), err)
	}
	return c
}

// write keeps the talk with other requests.
func (c *talk) write(t *testing.T, requests []map[string]any) {
	t.Helper()
	if len(requests) != len(c.Turns) {
		t.Fatalf("there were %d requests, but %d turns are recorded: hold the conversation anew", len(requests), len(c.Turns))
	}
	var last map[string]any
	for i, req := range requests {
		news, err := newIn(last, req)
		if err != nil {
			t.Fatalf("request %d: %v", i+1, err)
		}
		c.Turns[i].Request, last = news, req
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "\t")
	if err := enc.Encode(c); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(c.file(), b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// newIn returns the additions of a request to the previous one, with texts split into lines.
func newIn(last, req map[string]any) (map[string]any, error) {
	news := map[string]any{}
	for key, value := range req {
		if key != "messages" && !reflect.DeepEqual(value, last[key]) {
			news[key] = inLines(value)
		}
	}
	for key := range last {
		if _, ok := req[key]; !ok {
			news[key] = nil
		}
	}
	was, _ := last["messages"].([]any)
	is, _ := req["messages"].([]any)
	if len(is) <= len(was) || len(was) > 0 && !reflect.DeepEqual(is[:len(was)], was) {
		return nil, fmt.Errorf("its messages do not go on from those before")
	}
	news["messages"] = inLines(is[len(was):])
	return news, nil
}

// requests are the whole requests of the talk.
func (c *talk) requests() []map[string]any {
	var all []map[string]any
	last := map[string]any{}
	for _, turn := range c.Turns {
		req := maps.Clone(last)
		for key, value := range turn.Request {
			if req[key] = inOne(value); value == nil {
				delete(req, key)
			}
		}
		was, _ := last["messages"].([]any)
		is, _ := req["messages"].([]any)
		req["messages"] = slices.Concat(was, is)
		all, last = append(all, req), req
	}
	return all
}

// textKey marks a text that is stored as lines, to simplify comparing two versions of a recorded
// request.
const textKey = "text in lines"

func inLines(v any) any {
	switch v := v.(type) {
	case string:
		if strings.Contains(v, "\n") {
			return map[string]any{textKey: strings.Split(v, "\n")}
		}
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = inLines(v[i])
		}
		return list
	case map[string]any:
		fields := map[string]any{}
		for key := range v {
			fields[key] = inLines(v[key])
		}
		return fields
	}
	return v
}

func inOne(v any) any {
	switch v := v.(type) {
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = inOne(v[i])
		}
		return list
	case map[string]any:
		if lines, ok := v[textKey].([]any); ok {
			text := make([]string, len(lines))
			for i := range lines {
				text[i], _ = lines[i].(string)
			}
			return strings.Join(text, "\n")
		}
		fields := map[string]any{}
		for key := range v {
			fields[key] = inOne(v[key])
		}
		return fields
	}
	return v
}

// A desk is a server that gives the replies of a talk while the requests are the recorded ones.
type desk struct {
	*modeltest.Server

	t     *testing.T
	talk  *talk
	names *strings.Replacer // of commits: from here to the record
	here  *strings.Replacer // and back
	want  []map[string]any

	// before is called before the answer to the n-th request, counted from 1, and may answer
	// instead. May be nil.
	before func(n int) *modeltest.Reply

	mu    sync.Mutex
	asked []int            // the turns, in the order of the requests
	got   []map[string]any // the first request of each turn
}

// serve opens a desk; before may be nil.
func (b *deskBench) serve(t *testing.T, c *talk, before func(n int) *modeltest.Reply) *desk {
	t.Helper()
	if c.Report != "" {
		data, err := os.ReadFile(filepath.Join("testdata", "desk", c.Report))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(filepath.Dir(b.dir), c.Report), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	d := &desk{t: t, talk: c, names: b.recorded, here: b.here, want: c.requests(), before: before}
	d.Server = modeltest.Serve(t, d.answer)
	return d
}

func (d *desk) answer(req modeltest.Request) modeltest.Reply {
	d.mu.Lock()
	defer d.mu.Unlock()
	turn := req.Turn()
	d.asked = append(d.asked, turn)
	if problem := d.compare(turn, req.Raw); problem != "" {
		d.t.Errorf("%s: request %d: %s\n%s", d.talk.file(), turn+1, problem, updateDesk)
		return modeltest.Status(400, `{"error":{"message":"this was not asked when the conversation was recorded"}}`)
	}
	if d.before != nil {
		if reply := d.before(len(d.asked)); reply != nil {
			return *reply
		}
	}
	return d.reply(turn)
}

// seen returns the requested turns, and the first request for each.
func (d *desk) seen() ([]int, []map[string]any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.asked), slices.Clone(d.got)
}

// compare compares a request with the recorded one and describes the difference.
func (d *desk) compare(turn int, raw []byte) string {
	if turn >= len(d.want) {
		return "the record is over"
	}
	var req map[string]any
	if err := json.Unmarshal([]byte(d.names.Replace(string(raw))), &req); err != nil {
		return err.Error()
	}
	if turn == len(d.got) {
		d.got = append(d.got, req)
	}
	if *update {
		return ""
	}
	return differs("", req, d.want[turn])
}

// differs names the first place in which two values of JSON are not equal.
func differs(at string, got, want any) string {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			break
		}
		keys := maps.Clone(w)
		maps.Copy(keys, g)
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			if s := differs(at+"."+key, g[key], w[key]); s != "" {
				return s
			}
		}
		return ""
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			break
		}
		for i := range w {
			if s := differs(fmt.Sprintf("%s[%d]", at, i), g[i], w[i]); s != "" {
				return s
			}
		}
		return ""
	case string:
		if g, ok := got.(string); ok && g != w {
			return at + " differs: " + firstLine(g, w)
		}
	}
	if reflect.DeepEqual(got, want) {
		return ""
	}
	return fmt.Sprintf("%s is %v, not %v", at, got, want)
}

func firstLine(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return fmt.Sprintf("line %d is\n\t%s\nnot\n\t%s", i+1, g[i], w[i])
		}
	}
	return fmt.Sprintf("it has %d lines, not %d", len(g), len(w))
}

// reply returns the recorded reply of a turn, with the commit ids of this repository.
func (d *desk) reply(turn int) modeltest.Reply {
	said := d.talk.Turns[turn].Reply
	r := modeltest.Say(d.here.Replace(said.Text))
	for i, c := range said.Calls {
		args, err := json.Marshal(c.Args)
		if err != nil {
			d.t.Error(err)
		}
		r.Calls = append(r.Calls, modeltest.Function{
			ID: fmt.Sprintf("call_%d_%d", turn+1, i+1), Name: c.Name, Args: d.here.Replace(string(args))})
	}
	return r
}
