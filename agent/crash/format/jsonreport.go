package format

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"git-agent/agent/crash"
)

// maxJSON bounds a report in JSON, which is read as a whole.
const maxJSON = 64 << 20

// readJSON reads a report in JSON that begins at an offset of the input: one of
// Apple's, one of minidump-stackwalk, or entries of the journal. What is none of
// these is read as text.
func readJSON(in io.Reader, start int) (*crash.Report, error) {
	data, err := io.ReadAll(io.LimitReader(in, maxJSON))
	if err != nil {
		return nil, err
	}
	for _, read := range []func(*scanner, []byte) bool{readIPS, readStackwalk} {
		s := &scanner{problem: -1}
		if read(s, data[start:]) {
			if report := s.finish(); len(report.Stacks) > 0 {
				return report, nil
			}
		}
	}
	if report, ok := readJournal(data[start:]); ok {
		return report, nil
	}
	return scan(io.MultiReader(bytes.NewReader(data), in), formats())
}

// An ipsBody is the body of a report of macOS or iOS. The head, which is an object
// on the first line, tells the program's version.
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
	s.report.Build.Version = cut(head.Version, maxRaw)
	body.tell(s)
	return true
}

// tell tells the scanner what the report says.
func (b *ipsBody) tell(s *scanner) {
	p := crash.Problem{Kind: b.Exception.Type, Signal: signalNumbers[b.Exception.Signal], Line: 1}
	if p.Signal > 0 || p.Kind == "" {
		p.Kind = b.Exception.Signal
	}
	p.Message = strings.Join(strings.Fields(b.Exception.Type+" "+b.Exception.Subtype+" "+b.said()), " ")
	if m := appleAddress().FindStringSubmatch(b.Exception.Subtype); m != nil {
		setAddress(&p, m[1])
	}
	s.fail(p)
	if len(b.LastException) > 0 {
		s.begin(crash.Stack{Kind: crash.StackException, Format: "apple", Title: "Last Exception Backtrace"})
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
		s.begin(crash.Stack{Kind: kind, Format: "apple", Thread: cut(strings.TrimSpace(strconv.Itoa(i)+" "+name), maxRaw)})
		b.frames(s, t.Frames)
	}
	s.close()
}

// said returns what the program and its libraries told before the crash.
func (b *ipsBody) said() string {
	var all []string
	for _, raw := range b.Said {
		var lines []string
		if json.Unmarshal(raw, &lines) == nil {
			all = append(all, lines...)
		}
	}
	if len(all) == 1 {
		return all[0] // several have no order
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
		s.add(line{n: 1}, withRaw(n, out))
	}
}

// withRaw gives a frame that no line stands for the text of one.
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

// A stackwalk is the JSON that minidump-stackwalk prints.
type stackwalk struct {
	Info struct {
		Type      string          `json:"type"`
		Address   json.RawMessage `json:"address"`
		Thread    *int            `json:"crashing_thread"`
		Assertion *string         `json:"assertion"`
	} `json:"crash_info"`
	Crashing struct {
		Index  *int             `json:"threads_index"`
		Frames []stackwalkFrame `json:"frames"`
	} `json:"crashing_thread"`
	Threads []struct {
		Name   *string          `json:"thread_name"`
		Frames []stackwalkFrame `json:"frames"`
	} `json:"threads"`
}

type stackwalkFrame struct {
	Function *string `json:"function"`
	File     *string `json:"file"`
	Line     *int    `json:"line"`
	Module   *string `json:"module"`
	Inlines  []struct {
		Function *string `json:"function"`
		File     *string `json:"file"`
		Line     *int    `json:"line"`
	} `json:"inlines"`
}

// readStackwalk reads the JSON of minidump-stackwalk.
func readStackwalk(s *scanner, data []byte) bool {
	var w stackwalk
	if json.NewDecoder(bytes.NewReader(data)).Decode(&w) != nil || len(w.Threads) == 0 && len(w.Crashing.Frames) == 0 {
		return false
	}
	d := &minidump{}
	reason := w.Info.Type
	if reason == "" {
		reason = "crash"
	}
	d.fail(s, line{n: 1}, reason, strings.Trim(string(w.Info.Address), `"nul`))
	if w.Info.Assertion != nil {
		s.failing().Message += " " + cut(*w.Info.Assertion, maxText)
	}
	crashed := -1
	if w.Crashing.Index != nil {
		crashed = *w.Crashing.Index
	} else if w.Info.Thread != nil {
		crashed = *w.Info.Thread
	}
	if len(w.Crashing.Frames) > 0 {
		d.stack(s, crash.Stack{Kind: crash.StackCrash, Thread: strconv.Itoa(crashed)}, w.Crashing.Frames)
	}
	for i, t := range w.Threads {
		st := crash.Stack{Kind: crash.StackThread, Thread: strings.TrimSpace(strconv.Itoa(i) + " " + cut(orEmpty(t.Name), maxRaw))}
		if i == crashed {
			st.Kind = crash.StackCrash
		}
		if i != crashed || len(w.Crashing.Frames) == 0 {
			d.stack(s, st, t.Frames)
		}
	}
	s.close()
	return true
}

// stack adds a stack of minidump-stackwalk's JSON.
func (d *minidump) stack(s *scanner, st crash.Stack, frames []stackwalkFrame) {
	st.Format = "minidump"
	s.begin(st)
	for n, f := range frames {
		for _, in := range f.Inlines {
			d.jsonFrame(s, n, crash.Frame{Inline: true, Module: orEmpty(f.Module)}, in.Function, in.File, in.Line)
		}
		d.jsonFrame(s, n, crash.Frame{Module: orEmpty(f.Module)}, f.Function, f.File, f.Line)
	}
}

func (d *minidump) jsonFrame(s *scanner, n int, f crash.Frame, function, file *string, at *int) {
	f.Symbol, f.Function = symbolOf(cut(orEmpty(function), maxText))
	f.File = d.sourceFile(s, cut(orEmpty(file), maxText))
	if at != nil {
		f.Line = clampLine(*at)
	}
	s.add(line{n: 1}, withRaw(n, f))
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
