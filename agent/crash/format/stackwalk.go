package format

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"git-agent/agent/crash"
)

// A stackwalk is the JSON output of minidump-stackwalk.
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

// readStackwalk reads the JSON output of minidump-stackwalk.
func readStackwalk(s *scanner, data []byte) bool {
	var w stackwalk
	if json.NewDecoder(bytes.NewReader(data)).Decode(&w) != nil || len(w.Threads) == 0 && len(w.Crashing.Frames) == 0 {
		return false
	}
	d := &minidumpReader{}
	reason := w.Info.Type
	if reason == "" {
		reason = "crash"
	}
	d.fail(s, reportLine{N: 1}, reason, strings.Trim(string(w.Info.Address), `"nul`))
	if w.Info.Assertion != nil {
		s.Failing().Message += " " + cut(*w.Info.Assertion, maxText)
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
	s.Close()
	return true
}

// stack adds a stack of minidump-stackwalk's JSON.
func (d *minidumpReader) stack(s *scanner, st crash.Stack, frames []stackwalkFrame) {
	st.Format = "minidump"
	s.Begin(st)
	for n, f := range frames {
		for _, in := range f.Inlines {
			d.jsonFrame(s, n, crash.Frame{Inline: true, Module: orEmpty(f.Module)}, in.Function, in.File, in.Line)
		}
		d.jsonFrame(s, n, crash.Frame{Module: orEmpty(f.Module)}, f.Function, f.File, f.Line)
	}
}

func (d *minidumpReader) jsonFrame(s *scanner, n int, f crash.Frame, function, file *string, at *int) {
	f.Symbol, f.Function = symbolOf(cut(orEmpty(function), maxText))
	f.File = d.sourceFile(s, cut(orEmpty(file), maxText))
	if at != nil {
		f.Line = clampLine(*at)
	}
	s.Add(reportLine{N: 1}, withRaw(n, f))
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
