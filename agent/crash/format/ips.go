package format

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"git-agent/agent/crash"
)

// An ipsBody is the body of a report of macOS or iOS. The head, an object on the first line,
// gives the program's version.
type ipsBody struct {
	Process   string `json:"procName"`
	Exception struct {
		Type    string `json:"type"`
		Signal  string `json:"signal"`
		Subtype string `json:"subtype"`
		Codes   string `json:"codes"`
	} `json:"exception"`
	Faulting      *int                          `json:"faultingThread"`
	Threads       []ipsThread                   `json:"threads"`
	LastException []ipsFrame                    `json:"lastExceptionBacktrace"`
	Images        []struct{ Name, Path string } `json:"usedImages"`
	Termination   struct {
		Indicator string `json:"indicator"`
	} `json:"termination"`
	Said map[string]json.RawMessage `json:"asi"`
}

type ipsThread struct {
	ID        json.Number `json:"id"`
	Name      string      `json:"name"`
	Queue     string      `json:"queue"`
	Triggered bool        `json:"triggered"`
	Frames    []ipsFrame  `json:"frames"`
}

type ipsFrame struct {
	Image  int    `json:"imageIndex"`
	Offset int64  `json:"imageOffset"`
	Symbol string `json:"symbol"`
	File   string `json:"sourceFile"`
	Line   int    `json:"sourceLine"`
	Inline bool   `json:"inline"`
}

// readIPS reads Apple's reports: a head and a body, or the body alone.
func readIPS(s *scanner, data []byte) bool {
	dec := json.NewDecoder(bytes.NewReader(data))
	var raw json.RawMessage
	if dec.Decode(&raw) != nil {
		return false
	}
	var head struct {
		Version string `json:"app_version"`
	}
	_ = json.Unmarshal(raw, &head)
	var body ipsBody
	if json.Unmarshal(raw, &body) != nil || len(body.Threads) == 0 {
		body = ipsBody{}
		if dec.Decode(&body) != nil {
			return false
		}
	}
	if len(body.Threads) == 0 || body.Exception.Type == "" && body.Faulting == nil {
		return false
	}
	s.Report.Build.Version = cut(head.Version, maxRaw)
	body.tell(s)
	return true
}

// tell passes the content of the report to the scanner.
func (b *ipsBody) tell(s *scanner) {
	p := crash.Problem{Kind: b.Exception.Type, Signal: signalNumbers[b.Exception.Signal], Line: 1}
	if p.Signal > 0 || p.Kind == "" {
		p.Kind = b.Exception.Signal
	}
	p.Message = strings.Join(strings.Fields(b.Exception.Type+" "+b.Exception.Subtype+" "+b.said()), " ")
	if m := appleAddress().FindStringSubmatch(b.Exception.Subtype); m != nil {
		setAddress(&p, m[1])
	}
	s.Fail(p)
	if len(b.LastException) > 0 {
		s.Begin(crash.Stack{Kind: crash.StackException, Format: "apple", Title: "Last Exception Backtrace"})
		b.frames(s, b.LastException)
	}
	for i, t := range b.Threads {
		kind := crash.StackThread
		if t.Triggered || b.Faulting != nil && *b.Faulting == i {
			kind = crash.StackCrash
		}
		name := t.Name
		if name == "" {
			name = t.Queue
		}
		s.Begin(crash.Stack{Kind: kind, Format: "apple", Thread: cut(strings.TrimSpace(strconv.Itoa(i)+" "+name), maxRaw)})
		b.frames(s, t.Frames)
	}
	s.Close()
}

// said returns the messages of the program and its libraries before the crash.
func (b *ipsBody) said() string {
	var all []string
	for _, raw := range b.Said {
		var lines []string
		if json.Unmarshal(raw, &lines) == nil {
			all = append(all, lines...)
		}
	}
	if len(all) == 1 {
		return all[0] // several messages have no order
	}
	return b.Termination.Indicator
}

// frames adds the frames of a thread.
func (b *ipsBody) frames(s *scanner, frames []ipsFrame) {
	for n, f := range frames {
		out := crash.Frame{File: f.File, Line: clampLine(f.Line), Inline: f.Inline}
		if f.Image >= 0 && f.Image < len(b.Images) {
			out.Module = b.Images[f.Image].Name
		}
		out.Symbol, out.Function = appleSymbol(f.Symbol)
		s.Add(reportLine{N: 1}, withRaw(n, out))
	}
}

// withRaw gives a frame without a text line a made-up one.
func withRaw(n int, f crash.Frame) crash.Frame {
	name := f.Symbol
	if name == "" {
		name = f.Function
	}
	f.Raw = fmt.Sprintf("%d %s %s", n, f.Module, cut(name, maxRaw))
	if f.File != "" {
		f.Raw += fmt.Sprintf(" (%s:%d)", f.File, f.Line)
	}
	return f
}

func clampLine(n int) int {
	if n < 0 || n > 1<<30 {
		return 0
	}
	return n
}
