package mcpcmd

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// counted is the number of bytes read from the input.
type counted struct {
	r io.Reader
	n atomic.Int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// calls is an input of calls without an end.
type calls struct {
	next int
	rest []byte
}

func (c *calls) Read(p []byte) (int, error) {
	if len(c.rest) == 0 {
		c.next++
		c.rest = []byte(callOf(c.next, "echo", `{"a":"b"}`))
		if c.next == 1 {
			c.rest = append([]byte(hello), c.rest...)
		}
	}
	n := copy(p, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

// A client that always sends and never reads must wait, and then the session ends
// with the reason.
func TestClientThatNeverReads(t *testing.T) {
	t.Parallel()
	_, out := io.Pipe() // nobody reads
	in := &counted{r: &calls{}}
	opt := testOptions(nil, nil)
	opt.Patience = 100 * time.Millisecond
	err := Serve(t.Context(), in, out, opt)
	if err == nil || !strings.Contains(err.Error(), "the client has not read its answers for 100ms") {
		t.Errorf("ends with %v", err)
	}
	if most := int64(2*maxOpen*len(callOf(1000, "echo", `{"a":"b"}`)) + 128<<10); in.n.Load() > most {
		t.Errorf("%d bytes were read, at most %d are held", in.n.Load(), most)
	}
}

// Reading stops if too many requests are open, and continues when there is room.
func TestBoundedWork(t *testing.T) {
	t.Parallel()
	p := newPending()
	big := message{text: make([]byte, maxOpenBytes-10)}
	requests := func(n int) []message {
		list := make([]message, n)
		for i := range list {
			list[i] = message{id: fmt.Sprint(i), text: make([]byte, 1)}
		}
		return list
	}
	for name, c := range map[string]struct {
		open []message
		more message
		room bool
	}{
		"empty":          {nil, message{id: "x", text: make([]byte, 2*maxOpenBytes)}, true},
		"as many":        {requests(maxOpen - 1), message{id: "x"}, true},
		"too many":       {requests(maxOpen), message{id: "x"}, false},
		"too many bytes": {[]message{{id: "big", text: big.text}}, message{id: "x", text: make([]byte, 11)}, false},
		"as many bytes":  {[]message{{id: "big", text: big.text}}, message{id: "x", text: make([]byte, 10)}, true},
	} {
		p = newPending()
		for _, m := range c.open {
			if !p.asked(t.Context(), m) {
				t.Fatal(name)
			}
		}
		admitted := make(chan bool, 1)
		go func() { admitted <- p.asked(t.Context(), c.more) }()
		for _, m := range c.open { // cancelled work is still work
			if c.room {
				break
			}
			if p.cancel(m.id); !p.taken(m.id) {
				t.Errorf("%s: %s is forgotten", name, m.id)
			}
		}
		if !c.room {
			if len(admitted) > 0 {
				t.Errorf("%s: there was room", name)
			}
			for _, m := range c.open {
				if !p.unwanted(json.RawMessage(m.id)) && m.id != "big" {
					t.Errorf("%s: the answer to %s is wanted", name, m.id)
				}
			}
			p.unwanted(json.RawMessage(`big`))
		}
		if !<-admitted {
			t.Errorf("%s: there is no room", name)
		}
	}
}

// Messages that the SDK would queue or wait for without an end do not reach it.
// Ids are short, and the ids of open requests cannot be used again.
func TestWhatIsNotHandedOn(t *testing.T) {
	t.Parallel()
	const note = `{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}` + "\n"
	const initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	reader := func(text string, out io.Writer) *messageReader {
		return newMessageReader(t.Context(), strings.NewReader(text), out, newPending(), func() {})
	}
	var out bytes.Buffer
	m := reader(strings.Repeat(note, 3)+initialized+initialized+callOf(1, "echo", "{}")+callOf(1, "echo", "{}")+
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`+"\n"+
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`+"\n"+
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`+"\n"+
		`{"jsonrpc":"2.0","id":1,"result":{}}`+"\n"+
		`{"jsonrpc":"2.0","id":7,"method":"subscriptions/listen","params":{}}`+"\n"+
		`{"jsonrpc":"2.0","id":"`+strings.Repeat("x", maxID)+`","method":"ping"}`+"\n"+
		`{"jsonrpc":"2.0","id":"`+"\xff"+`","method":"ping"}`+"\n", &out)
	var handed []string
	for {
		line, err := m.line()
		if len(line) > 0 {
			handed = append(handed, string(line))
		}
		if err != nil {
			break
		}
	}
	if len(handed) != 3 || handed[0] != initialized || !strings.Contains(handed[1], `"tools/call"`) || !strings.Contains(handed[2], `"requestId":1`) {
		t.Errorf("handed on: %q", handed)
	}
	for _, want := range []string{"its id is that of a request that has no answer yet", `"code":-32601,"message":"there is nothing to subscribe to"},"id":7`, "longer than 256 bytes", "not JSON in UTF-8"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in %s", want, &out)
		}
	}
}

// After a client closes both streams, a running call ends at once, although no
// write has failed.
func TestClientGone(t *testing.T) {
	t.Parallel()
	blocked, ended := make(chan struct{}, 1), make(chan struct{}, 1)
	opt := testOptions(blocked, ended)
	looks := 0
	opt.Gone = func() bool {
		if looks++; looks < 3 && len(ended) > 0 {
			t.Error("the call ended while the client could still read")
		}
		return looks == 3
	}
	in, feed := io.Pipe()
	left := make(chan error, 1)
	go func() { left <- Serve(t.Context(), in, io.Discard, opt) }()
	io.WriteString(feed, hello+callOf(1, "block", "{}"))
	<-blocked
	feed.Close()
	<-ended
	if err := <-left; err != nil {
		t.Error(err)
	}
}

// A session ends although an answer is stuck in a full pipe.
func TestEndsWhileWriting(t *testing.T) {
	t.Parallel()
	in, feed := io.Pipe()
	read, out := io.Pipe()
	left := make(chan error, 1)
	opt := testOptions(nil, nil)
	opt.Patience = 50 * time.Millisecond
	go func() { left <- Serve(t.Context(), in, out, opt) }()
	io.WriteString(feed, hello)
	bufio.NewReaderSize(read, 16).ReadByte() // the beginning of the first answer, and no more
	if err := <-left; err == nil {
		t.Error("ends as if all had been read")
	}
}

// Frames have the values of answers without hidden characters in their bytes.
func TestFramesAreHarmless(t *testing.T) {
	t.Parallel()
	answers, all := serve(t, callOf(1, "echo", "{\"a\":\"\u202e\u009b\u200b\U000e0041\"}"))
	var m struct {
		Result struct {
			StructuredContent map[string]string
			Content           []struct{ Text string }
		}
	}
	for line := range strings.Lines(answers["1"]) {
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
	}
	if m.Result.StructuredContent["a"] != "\u202e\u009b\u200b\U000e0041" || strings.ContainsFunc(all, func(r rune) bool { return r > 0x7e }) {
		t.Errorf("%+q in %+q", m.Result, all)
	}
}
