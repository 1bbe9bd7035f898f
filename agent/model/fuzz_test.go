package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"git-agent/agent/model/modeltest"
)

// seeds are good bodies and a few bad ones.
func seeds(f *testing.F) {
	for _, wire := range allWires {
		whole := good(wire)
		for _, body := range []string{whole, strings.ReplaceAll(whole, "\n", "\r\n"), whole[:len(whole)/2],
			bodyOf(wire, modeltest.Say("")), bodyOf(wire, modeltest.Call("a", "{").And("b", "").Ending("length"))} {
			f.Add(uint(slices.Index(allWires, wire)), []byte(body))
		}
	}
	for _, body := range []string{`{"error":{"message":"x","code":429}}`, `[{"error":{"code":"7"}}]`, `{"object":"error","message":"x"}`, `{"detail":[{"loc":["a","b"],"msg":"c"}]}`,
		"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":{}}}]}}]}\r\rdata: [DONE]"} {
		for i := range allWires {
			f.Add(uint(i), []byte(body))
		}
	}
}

// checkReply checks the rules for every reply, for any bytes.
func checkReply(t *testing.T, wire Wire, reply *Reply, err error) {
	t.Helper()
	if err != nil {
		var e *Error
		if !errors.As(err, &e) || e.Class == "" {
			t.Fatalf("a strange error: %v", err)
		}
		if len(e.Message) > maxMessage+64 || strings.ContainsAny(e.Message, "\x00\x1b\n") || strings.Contains(e.Error(), "sk-secret-0123") {
			t.Fatalf("an unclean error: %q", e.Message)
		}
		return
	}
	seen := map[string]bool{}
	for _, call := range reply.Message.Calls {
		if call.ID == "" || call.Name == "" || seen[call.ID] {
			t.Fatalf("bad calls: %+v", reply.Message.Calls)
		}
		seen[call.ID] = true
	}
	if u := reply.Usage; u.Uncached < 0 || u.CacheRead < 0 || u.CacheWrite < 0 || u.Output < 0 || u.Reasoning < 0 {
		t.Fatalf("bad counts: %+v", u)
	}
	c, err := New(Config{Model: "m", Wire: wire})
	if err != nil {
		t.Fatal(err)
	}
	body, err := c.Body(Request{Messages: []Message{{Role: User, Text: "x"}, reply.Message}})
	if err != nil || !json.Valid(body) {
		t.Fatalf("the reply cannot be given back: %v", err)
	}
}

// Good answers with a few bytes changed end in a whole reply or in an error.
// GIT_AGENT_DAMAGE sets how many of each wire are tried.
func TestDamagedAnswers(t *testing.T) {
	rounds := 300
	if n, err := strconv.Atoi(os.Getenv("GIT_AGENT_DAMAGE")); err == nil {
		rounds = n
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, wire := range allWires {
		bodies := []string{good(wire), bodyOf(wire, modeltest.Call("a", `{"b":[1,2]}`).And("c", "").Ending("length"))}
		for range rounds {
			a := &answer{body: damaged(rnd, bodies[rnd.IntN(2)])}
			reply, err := a.reply(wire, 2)
			checkReply(t, wire, reply, err)
		}
	}
	t.Logf("%d damaged answers", rounds*len(allWires))
}

// damaged changes a few places: bytes, cuts, copies, numbers for texts.
func damaged(rnd *rand.Rand, body string) []byte {
	b := []byte(body)
	for range 1 + rnd.IntN(4) {
		if len(b) < 2 {
			return b
		}
		i, j := rnd.IntN(len(b)), rnd.IntN(len(b))
		i, j = min(i, j), max(i, j)
		switch rnd.IntN(6) {
		case 0:
			b[i] = byte(rnd.IntN(256))
		case 1:
			b[i] = "\"{}[]:,\n\r\\ 0n"[rnd.IntN(13)]
		case 2:
			b = slices.Delete(b, i, min(j, i+1+rnd.IntN(20)))
		case 3:
			b = slices.Insert(b, i, slices.Clone(b[i:min(j, i+60)])...)
		case 4:
			b = b[:j]
		case 5:
			b = bytes.Replace(b, []byte(`":"`), []byte(`":7,"z":"`), 1+rnd.IntN(3))
		}
	}
	return b
}

// FuzzBody reads any bytes as an answer.
func FuzzBody(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, n uint, body []byte) {
		a, wire := answer{body: body, keys: newKeys([]string{"sk-secret-0123"})}, allWires[n%uint(len(allWires))]
		reply, err := a.reply(wire, 2)
		checkReply(t, wire, reply, err)
	})
}

// FuzzFault reads any bytes as an error's body.
func FuzzFault(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, _ uint, body []byte) {
		for _, status := range []int{400, 429, 500} {
			checkReply(t, WireChat, nil, readServerError(body).error(status, newKeys([]string{"sk-secret-0123"})))
		}
	})
}
